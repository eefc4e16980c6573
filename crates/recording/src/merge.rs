//! The events of all threads in one order.
//!
//! The next event is the one with the lowest stamp, but stamps may be early: a thread that takes a block from another
//! and frees it may have read the counter before it had the block. So
//!
//! - an event that cannot be yet, the free of a block that is not live or an allocation where one is, waits until another
//!   thread has made it possible, or until the other threads are [`PATIENCE`] ahead: then the block is one from before
//!   the recording;
//! - what a thread does to a block that another touched last comes [`EARLY`] ticks later: it can be, but may be meant for
//!   the block after the other's reallocation of it.
//!
//! Cost: a step in a heap of as many entries as there are threads.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::RecordingError;
use crate::blocks::Blocks;
use crate::stream::{Stamped, Stream};

/// Ticks that an event waits for other threads: a fraction of a millisecond.
const PATIENCE: u64 = 1 << 20;

/// Ticks that a stamp may be early: the time of a load that misses every cache, and of the walk to its page.
const EARLY: u64 = 1 << 11;

/// Applies the events of all streams to `blocks`, in order; says how many had to wait for another thread's.
pub(crate) fn merge(streams: Vec<Stream<'_>>, blocks: &mut Blocks<'_>) -> Result<u64, RecordingError> {
    let mut merge = Merge { heads: Vec::new(), streams, ready: BinaryHeap::new(), waiting: BTreeMap::new(), woken: 0 };
    for number in 0..merge.streams.len() {
        merge.heads.push(None);
        merge.advance(number)?;
    }
    while !blocks.is_full()
        && let Some(number) = merge.choose(blocks)
    {
        if let Some(event) = merge.heads[number].take() {
            blocks.apply(&event);
            merge.wake(event.act.address());
        }
        merge.advance(number)?;
    }
    Ok(merge.woken)
}

struct Merge<'recording> {
    streams: Vec<Stream<'recording>>,
    /// The next event of each stream.
    heads: Vec<Option<Stamped>>,
    /// Streams by the stamp of their next event.
    ready: BinaryHeap<Reverse<(u64, usize)>>,
    /// Streams whose next event cannot be yet, with the address that it waits for.
    waiting: BTreeMap<(u64, usize), u64>,
    /// Events that had to wait, and did not in vain.
    woken: u64,
}

impl Merge<'_> {
    fn advance(&mut self, number: usize) -> Result<(), RecordingError> {
        self.heads[number] = self.streams[number].next()?;
        if let Some(event) = &self.heads[number] {
            self.ready.push(Reverse((event.ticks, number)));
        }
        Ok(())
    }

    /// The stream whose event comes next; nothing when all are at their end.
    fn choose(&mut self, blocks: &Blocks<'_>) -> Option<usize> {
        loop {
            let next = self.ready.peek().map(|Reverse((ticks, _))| *ticks);
            if let Some((&(ticks, number), _)) = self.waiting.first_key_value()
                && next.is_none_or(|next| ticks + PATIENCE < next)
            {
                self.waiting.pop_first();
                return Some(number);
            }
            let Reverse((ticks, number)) = self.ready.pop()?;
            let Some(event) = &self.heads[number] else { continue };
            if let Some(address) = blocks.waits_for(event) {
                self.waiting.insert((ticks, number), address);
            } else if ticks == event.ticks && blocks.is_anothers(event) {
                self.ready.push(Reverse((ticks + EARLY, number)));
            } else {
                return Some(number);
            }
        }
    }

    /// Lets the streams go on that waited for something at this address.
    fn wake(&mut self, address: u64) {
        if self.waiting.is_empty() {
            return;
        }
        let woken: Vec<(u64, usize)> =
            self.waiting.iter().filter(|(_, at)| **at == address).map(|(key, _)| *key).collect();
        for key in woken {
            self.woken += 1;
            self.waiting.remove(&key);
            self.ready.push(Reverse(key));
        }
    }
}
