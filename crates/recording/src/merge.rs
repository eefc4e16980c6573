//! The events of all threads in one order.
//!
//! The next event is the one with the lowest stamp, but stamps may be early: a thread that takes a block from another
//! and frees it may have read the counter before it had the block. So
//!
//! - an event that cannot be yet, the free of a block that is not live or an allocation where one is, waits until another
//!   thread has made it possible, or until the other threads are [`PATIENCE`] ahead: then the block is one from before
//!   the recording;
//! - one that another thread's event of [`ABOUT`] the same time seems to have forestalled waits only as long: the two change
//!   places ([`Forestalled`]).
//!
//! Nothing else waits, as a thread that waits holds all its later events back, which others then forestall.
//!
//! Cost: a step in a heap of as many entries as there are threads.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::RecordingError;
use crate::blocks::Blocks;
use crate::forestalled::Forestalled;
use crate::layout::Mark;
use crate::stream::{Act, Stamped, Stream};

/// Ticks that an event waits for other threads: a fraction of a millisecond.
const PATIENCE: u64 = 1 << 20;

/// Ticks between two stamps of which either may be the first in truth: several times a load that misses every cache, and
/// the walk to its page.
pub(crate) const ABOUT: u64 = 1 << 13;

/// The streams of a recording, which may still grow.
#[derive(Default)]
pub(crate) struct Merge {
    pub streams: Vec<Stream>,
    /// What to know of events that seem to come too early, where there are several threads.
    forestalled: Option<Forestalled>,
    /// The next event of each stream.
    heads: Vec<Option<Stamped>>,
    /// The event behind it, where that had to be looked at; or one whose end has not come yet.
    behind: Vec<Option<Stamped>>,
    /// Streams by the stamp of their next event.
    ready: BinaryHeap<Reverse<(u64, usize)>>,
    /// Streams whose next event cannot be yet, by the ticks until which it waits.
    waiting: BTreeMap<(u64, usize), Waiting>,
    /// Events that had to wait, and did not in vain.
    pub woken: u64,
}

/// What an event waits for.
#[derive(Clone, Copy)]
struct Waiting {
    address: u64,
    /// Its own stamp.
    ticks: u64,
}

/// Up to where events are in the streams.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// All up to these ticks; more come.
    Ticks(u64),
    /// All that there are.
    End,
}

impl Merge {
    /// Applies the events up to there to `blocks`, in order.
    pub fn run(&mut self, until: Until, blocks: &mut Blocks<'_>) -> Result<(), RecordingError> {
        if self.streams.len() > 1 {
            self.forestalled.get_or_insert_default();
            blocks.outgoing.hold();
        }
        self.heads.resize_with(self.streams.len(), || None);
        self.behind.resize_with(self.streams.len(), || None);
        for number in 0..self.streams.len() {
            if self.heads[number].is_none() {
                self.advance(number, until, blocks)?;
            }
        }
        while !blocks.is_full()
            && let Some(number) = self.choose(until, blocks)
        {
            if let Some(event) = self.heads[number].take() {
                match &mut self.forestalled {
                    Some(forestalled) => forestalled.apply(&event, blocks),
                    None => blocks.apply(&event),
                }
                self.wake(event.act.address());
            }
            self.advance(number, until, blocks)?;
        }
        if let (Until::End, Some(forestalled)) = (until, &mut self.forestalled) {
            forestalled.pay(u64::MAX, blocks);
        }
        Ok(())
    }

    /// Up to where the records of a stream were applied.
    pub fn mark(&self, number: usize) -> Mark {
        let waits = |events: &[Option<Stamped>]| events.get(number)?.as_ref().map(|event| event.after);
        waits(&self.heads).or_else(|| waits(&self.behind)).unwrap_or_else(|| self.streams[number].mark())
    }

    /// Goes on to the next event of a stream. A reallocation that failed has changed nothing, so it is none: its block stays
    /// where it is meanwhile.
    fn advance(&mut self, number: usize, until: Until, blocks: &mut Blocks<'_>) -> Result<(), RecordingError> {
        loop {
            let stream = &mut self.streams[number];
            let event = match self.behind[number].take() {
                Some(event) => Some(event),
                None => stream.next()?,
            };
            let begins = event.as_ref().is_some_and(|event| matches!(event.act, Act::ReallocateBegins { .. }));
            if begins {
                let end = stream.next()?;
                if end.is_none() && until != Until::End {
                    self.behind[number] = event;
                    return Ok(());
                }
                if end.as_ref().is_some_and(|end| matches!(end.act, Act::ReallocateEnds { address: 0, size: 1.. })) {
                    blocks.remarks.failed_reallocations += 1;
                    continue;
                }
                self.behind[number] = end;
            }
            self.heads[number] = event;
            break;
        }
        if let Some(event) = &self.heads[number] {
            self.ready.push(Reverse((event.ticks, number)));
        }
        Ok(())
    }

    /// The stream whose event comes next; nothing when there is none up to there.
    fn choose(&mut self, until: Until, blocks: &Blocks<'_>) -> Option<usize> {
        let last = match until {
            Until::Ticks(ticks) => ticks,
            Until::End => u64::MAX,
        };
        loop {
            let next = self.ready.peek().map(|Reverse((ticks, _))| *ticks).filter(|ticks| *ticks <= last);
            if let Some((&(waits, number), _)) = self.waiting.first_key_value()
                && waits <= last
                && next.is_none_or(|next| waits < next)
            {
                self.waiting.pop_first();
                return Some(number);
            }
            next?;
            let Reverse((ticks, number)) = self.ready.pop()?;
            let Some(event) = &self.heads[number] else { continue };
            let forestalled = self.forestalled.as_ref();
            if !blocks.has_to_wait(event) || forestalled.is_some_and(|forestalled| forestalled.is_owed(event)) {
                return Some(number);
            }
            let is_explained = forestalled.is_some_and(|forestalled| forestalled.explains(event, blocks));
            let until = ticks.saturating_add(if is_explained { ABOUT } else { PATIENCE });
            self.waiting.insert((until, number), Waiting { address: event.act.address(), ticks });
        }
    }

    /// Threads whose ends were read since this was asked last, and their ticks.
    pub fn take_ended(&mut self) -> impl Iterator<Item = (u32, u64)> {
        self.streams.iter_mut().flat_map(Stream::take_ended)
    }

    /// Lets the streams go on that waited for something at this address.
    fn wake(&mut self, address: u64) {
        if self.waiting.is_empty() {
            return;
        }
        let Merge { waiting, ready, woken, .. } = self;
        waiting.retain(|(_, number), event| {
            let waits = event.address != address;
            if !waits {
                *woken += 1;
                ready.push(Reverse((event.ticks, *number)));
            }
            waits
        });
    }
}
