//! The blocks of a trace as lifetimes: what a placement that knows the future is made for.
//!
//! ```text
//!   events    + + - + ~ - -        + allocate, - free, ~ reallocate to another size
//!   moments   └0┘   1 2            a moment: requests with no free between them
//!   lifetimes [0,1) [0,2) [1,3) [2,3)    a block lives in the moments from `start` to before `end`
//! ```
//!
//! Two blocks are live together at some event if and only if they share a moment. A
//! reallocation to another size ends one lifetime and begins the next, which may be placed
//! anywhere: the old bytes need not outlive the request. A block that is never freed lives
//! to the end; a request of 0 bytes needs no place.
//!
//! Cost: 32 bytes a lifetime; one pass over the events, and one more to find peak live bytes and pairs.

use heapsmith_trace::{Operation, PackedTrace};

/// A block of one size from a moment to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lifetime {
    /// The first moment.
    pub start: u32,
    /// The moment after the last, above `start`.
    pub end: u32,
    /// Bytes, at least 1.
    pub size: u64,
    /// A power of two that divides its offset.
    pub alignment: u64,
    /// How long it lives by the clock of its trace, or in moments where there is none: blocks are ranked by it, and nothing else.
    pub span: u64,
}

impl Lifetime {
    /// Moments that it lives.
    pub fn length(&self) -> u32 {
        self.end - self.start
    }

    /// Whether both live at some moment.
    pub fn meets(&self, other: &Lifetime) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// All lifetimes of a trace, in the order of their starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifetimes {
    all: Vec<Lifetime>,
    moments: u32,
    live: u64,
    pairs: u64,
}

impl Lifetimes {
    /// The lifetimes of a trace. Offsets are multiples of `alignment`, and of what a request asks for.
    ///
    /// # Panics
    ///
    /// For a trace of more than 2³² moments, which no memory holds.
    pub fn of(trace: &PackedTrace, alignment: u64) -> Lifetimes {
        let mut all: Vec<Lifetime> = Vec::with_capacity(trace.events.len() - trace.frees as usize);
        let mut places: Vec<Option<usize>> = vec![None; trace.slots];
        let (mut moment, mut has_freed) = (0_u32, false);
        let end_of = |all: &mut Vec<Lifetime>, place: &mut Option<usize>, moment: u32, now: u64| {
            if let Some(index) = place.take() {
                (all[index].end, all[index].span) = (moment + 1, now - all[index].span);
            }
        };
        let (has_times, mut now) = (trace.duration.0 > 0, 0_u64);
        for event in &trace.events {
            now += event.gap.nanoseconds();
            let place = &mut places[event.slot as usize];
            let is_same = place.is_some_and(|index| all[index].size == event.size);
            if event.operation == Operation::Reallocate && is_same {
                continue;
            }
            if event.operation != Operation::Allocate {
                end_of(&mut all, place, moment, now);
                has_freed = true;
            }
            if event.operation != Operation::Free {
                if has_freed {
                    moment = moment.checked_add(1).expect("a trace has at most 2^32 moments");
                    has_freed = false;
                }
                if event.size > 0 {
                    *place = Some(all.len());
                    let alignment = alignment.max(event.alignment()).max(1);
                    // Until it ends, the span is when it begins.
                    all.push(Lifetime { start: moment, end: u32::MAX, size: event.size, alignment, span: now });
                }
            }
        }
        let moments = moment + 1;
        for lifetime in &mut all {
            if lifetime.end == u32::MAX {
                (lifetime.end, lifetime.span) = (moments, now - lifetime.span);
            }
            if !has_times {
                lifetime.span = u64::from(lifetime.length());
            }
        }
        Lifetimes::new(all)
    }

    /// These lifetimes, in any order.
    pub fn new(mut all: Vec<Lifetime>) -> Lifetimes {
        all.retain(|lifetime| lifetime.size > 0 && lifetime.start < lifetime.end);
        all.sort_by_key(|lifetime| lifetime.start);
        let moments = all.iter().map(|lifetime| lifetime.end).max().unwrap_or(0);
        let mut lifetimes = Lifetimes { all, moments, live: 0, pairs: 0 };
        let mut blocks = 0_u64;
        let mut pairs = 0_u64;
        let live = lifetimes.live_bytes();
        let mut ends: Vec<u32> = lifetimes.all.iter().map(|lifetime| lifetime.end).collect();
        ends.sort_unstable();
        let mut ended = ends.iter().peekable();
        for lifetime in &lifetimes.all {
            while ended.next_if(|&&end| end <= lifetime.start).is_some() {
                blocks -= 1;
            }
            pairs += blocks;
            blocks += 1;
        }
        (lifetimes.live, lifetimes.pairs) = (live.into_iter().max().unwrap_or(0), pairs);
        lifetimes
    }

    /// Every lifetime, by start.
    pub fn all(&self) -> &[Lifetime] {
        &self.all
    }

    /// Moments of the trace.
    pub fn moments(&self) -> u32 {
        self.moments
    }

    /// Peak live bytes: no placement needs less.
    pub fn live(&self) -> u64 {
        self.live
    }

    /// Pairs of lifetimes that meet.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Bytes live at each moment.
    pub fn live_bytes(&self) -> Vec<u64> {
        let mut live = vec![0_u64; self.moments as usize + 1];
        for lifetime in &self.all {
            live[lifetime.start as usize] = live[lifetime.start as usize].wrapping_add(lifetime.size);
            live[lifetime.end as usize] = live[lifetime.end as usize].wrapping_sub(lifetime.size);
        }
        let mut sum = 0_u64;
        live.iter_mut().for_each(|change| {
            sum = sum.wrapping_add(*change);
            *change = sum;
        });
        live.pop();
        live
    }

    /// The same, run backwards: starts are ends. Lifetimes keep their numbers, so they are not in the order of starts.
    pub(crate) fn backwards(&self) -> Vec<Lifetime> {
        let turned = |lifetime: &Lifetime| {
            let (start, end) = (self.moments - lifetime.end, self.moments - lifetime.start);
            Lifetime { start, end, ..*lifetime }
        };
        self.all.iter().map(turned).collect()
    }
}
