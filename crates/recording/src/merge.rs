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
use crate::stream::{Act, Stamped, Stream};

/// Ticks that an event waits for other threads: a fraction of a millisecond.
const PATIENCE: u64 = 1 << 20;

/// Ticks between two stamps of which either may be the first in truth: several times a load that misses every cache, and
/// the walk to its page.
pub(crate) const ABOUT: u64 = 1 << 13;

/// Applies the events of all streams to `blocks`, in order; says how many had to wait for another thread's.
pub(crate) fn merge(streams: Vec<Stream<'_>>, blocks: &mut Blocks<'_>) -> Result<u64, RecordingError> {
    let mut forestalled = (streams.len() > 1).then(Forestalled::default);
    let mut merge = Merge {
        heads: Vec::new(),
        behind: Vec::new(),
        streams,
        ready: BinaryHeap::new(),
        waiting: BTreeMap::new(),
        woken: 0,
    };
    for number in 0..merge.streams.len() {
        merge.heads.push(None);
        merge.behind.push(None);
        merge.advance(number, blocks)?;
    }
    while !blocks.is_full()
        && let Some(number) = merge.choose(blocks, forestalled.as_ref())
    {
        if let Some(event) = merge.heads[number].take() {
            match &mut forestalled {
                Some(forestalled) => forestalled.apply(&event, blocks),
                None => blocks.apply(&event),
            }
            merge.wake(event.act.address());
        }
        merge.advance(number, blocks)?;
    }
    if let Some(forestalled) = &mut forestalled {
        forestalled.pay(u64::MAX, blocks);
    }
    Ok(merge.woken)
}

struct Merge<'recording> {
    streams: Vec<Stream<'recording>>,
    /// The next event of each stream.
    heads: Vec<Option<Stamped>>,
    /// The event behind it, where that had to be looked at.
    behind: Vec<Option<Stamped>>,
    /// Streams by the stamp of their next event.
    ready: BinaryHeap<Reverse<(u64, usize)>>,
    /// Streams whose next event cannot be yet, by the ticks until which it waits.
    waiting: BTreeMap<(u64, usize), Waiting>,
    /// Events that had to wait, and did not in vain.
    woken: u64,
}

/// What an event waits for.
#[derive(Clone, Copy)]
struct Waiting {
    address: u64,
    /// Its own stamp.
    ticks: u64,
}

impl Merge<'_> {
    /// Goes on to the next event of a stream. A reallocation that failed has changed nothing, so it is none: its block stays
    /// where it is meanwhile.
    fn advance(&mut self, number: usize, blocks: &mut Blocks<'_>) -> Result<(), RecordingError> {
        loop {
            let stream = &mut self.streams[number];
            let event = match self.behind[number].take() {
                Some(event) => Some(event),
                None => stream.next()?,
            };
            let begins = event.as_ref().is_some_and(|event| matches!(event.act, Act::ReallocateBegins { .. }));
            if begins {
                let end = stream.next()?;
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

    /// The stream whose event comes next; nothing when all are at their end.
    fn choose(&mut self, blocks: &Blocks<'_>, forestalled: Option<&Forestalled>) -> Option<usize> {
        loop {
            let next = self.ready.peek().map(|Reverse((ticks, _))| *ticks);
            if let Some((&(until, number), _)) = self.waiting.first_key_value()
                && next.is_none_or(|next| until < next)
            {
                self.waiting.pop_first();
                return Some(number);
            }
            let Reverse((ticks, number)) = self.ready.pop()?;
            let Some(event) = &self.heads[number] else { continue };
            if !blocks.has_to_wait(event) || forestalled.is_some_and(|forestalled| forestalled.is_owed(event)) {
                return Some(number);
            }
            let is_explained = forestalled.is_some_and(|forestalled| forestalled.explains(event, blocks));
            let until = ticks + if is_explained { ABOUT } else { PATIENCE };
            self.waiting.insert((until, number), Waiting { address: event.act.address(), ticks });
        }
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
