//! One timed replay: the loop that is compiled for every structure of heap, with the counter read around it.

use std::hint::black_box;

use heapsmith_peers::{Allocator, Work};
use heapsmith_trace::PackedEvent;
use quanta::Clock;

use crate::error::ReplayError;
use crate::region::Region;
use crate::slots::Slots;
use crate::subject::Subject;

/// One round of a subject: nanoseconds an operation.
pub(crate) fn one_round(
    subject: &Subject,
    events: &[PackedEvent],
    slots: usize,
    again: bool,
    region: &mut Region,
    clock: &Clock,
) -> Result<f64, ReplayError> {
    let mut ticks = [0];
    let round = Round { events, slots, again, each: usize::MAX, clock, ticks: &mut ticks, max: Ticks::ALL };
    subject.run(region, round)?;
    Ok(clock.delta_as_nanos(0, ticks[0]) as f64 / events.len().max(1) as f64)
}

/// One replay with the clock read before and after every `each` events.
pub(crate) struct Round<'t> {
    pub events: &'t [PackedEvent],
    pub slots: usize,
    /// Whether they are played once before.
    pub again: bool,
    pub each: usize,
    pub clock: &'t Clock,
    pub ticks: &'t mut [u64],
    /// Once it took more ticks, it is over.
    pub max: Ticks,
}

/// Ticks that a round may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ticks {
    /// For the events.
    pub played: u64,
    /// To free what is left, where the events took less; with none it stays.
    pub freed: Option<u64>,
}

impl Ticks {
    /// The events, however long they take.
    pub const ALL: Ticks = Ticks { played: u64::MAX, freed: None };
}

/// What was done in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Replayed {
    /// Events that were replayed.
    pub events: usize,
    /// Whether what was left was freed, where that was asked for.
    pub is_freed: bool,
}

impl Work for Round<'_> {
    type Output = Replayed;

    fn run<A: Allocator>(self, mut allocator: A) -> Replayed {
        let mut slots = Slots::new(self.slots);
        let (mut replayed, mut spent) = (0, 0);
        // One loop for both, which is compiled for every structure of heap.
        for _ in 0..1 + usize::from(self.again) {
            slots.release(&mut allocator);
            (replayed, spent) = (0, 0);
            for (events, ticks) in self.events.chunks(self.each).zip(&mut *self.ticks) {
                let start = read(self.clock);
                for event in events {
                    slots.step(&mut allocator, event);
                }
                *ticks = read(self.clock).saturating_sub(start);
                spent += *ticks;
                replayed += events.len();
                if spent > self.max.played {
                    break;
                }
            }
        }
        black_box((&slots, spent));
        let start = read(self.clock);
        // What the process keeps has to be freed in any case.
        let max = if A::OF_THE_PROCESS { Some(u64::MAX) } else { self.max.freed };
        let is_freed = max.is_some_and(|max| {
            slots.release_while(&mut allocator, &mut || read(self.clock).saturating_sub(start) <= max.max(spent))
        });
        Replayed { events: replayed, is_freed }
    }
}

/// Reads the counter: a call, so that it is compiled once and not twice for every structure of heap.
#[inline(never)]
fn read(clock: &Clock) -> u64 {
    clock.raw()
}
