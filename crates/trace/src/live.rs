//! The ledger of live blocks that every reader of a trace applies its events through.
//!
//! It refuses what no heap could serve, and numbers the live blocks with dense slots: a
//! slot is taken again by the next allocation after its block was freed, so the number of
//! slots ever used equals the most blocks that were live at once.
//!
//! Cost: one hash look-up an event; memory for the live set only. Telling a double free
//! from a free of an unknown id needs the past, which only who holds a whole trace has
//! ([`told_apart`]); a streamed trace reports that the block is not live.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::ids::ByIds;
use crate::{Action, Bytes, Event, Nanoseconds, TraceError};

/// The largest size that a request in a trace may have.
pub const LARGEST_REQUEST: Bytes = Bytes(1 << 56);

/// A block that is live.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LiveBlock {
    pub slot: u32,
    pub size: Bytes,
    /// Index of the event that allocated it.
    pub born: u64,
    /// When that was.
    pub since: Nanoseconds,
}

/// What an event did to the live set.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change {
    Allocated(LiveBlock),
    Freed(LiveBlock),
    /// The block as it is now.
    Reallocated(LiveBlock),
    Marked,
}

/// The live set, and the most that it ever held.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    live: HashMap<u64, LiveBlock, ByIds>,
    vacant: Vec<u32>,
    /// Events applied.
    pub events: u64,
    /// The time of the last of them.
    pub now: Nanoseconds,
    /// Slots ever used: the most blocks live at once.
    pub slots: u32,
    pub live_bytes: Bytes,
    pub peak: Bytes,
    /// Index of the event that first reached the peak.
    pub peak_event: u64,
}

impl Ledger {
    pub fn live_blocks(&self) -> usize {
        self.live.len()
    }

    /// The sizes of the live blocks, in no order.
    pub fn live_sizes(&self) -> impl Iterator<Item = Bytes> {
        self.live.values().map(|block| block.size)
    }

    /// Applies the next event.
    pub fn apply(&mut self, event: &Event) -> Result<Change, TraceError> {
        let record = self.events + 1;
        let change = match event.action {
            Action::Allocate { id, size, alignment } => {
                if alignment != 0 && !alignment.is_power_of_two() {
                    return Err(TraceError::BadAlignment { record, alignment });
                }
                self.allocate(id, size, event.time)?
            }
            Action::Free { id } => {
                let block = self.live.remove(&id).ok_or(TraceError::NotLive { record, id })?;
                self.vacant.push(block.slot);
                self.live_bytes -= block.size;
                Change::Freed(block)
            }
            Action::Reallocate { id, size } => self.reallocate(id, size)?,
            Action::Mark { .. } => Change::Marked,
        };
        (self.events, self.now) = (record, event.time);
        Ok(change)
    }

    fn allocate(&mut self, id: u64, size: Bytes, since: Nanoseconds) -> Result<Change, TraceError> {
        let record = self.events + 1;
        let grown = self.grown(size, record);
        let Entry::Vacant(place) = self.live.entry(id) else {
            return Err(TraceError::LiveAllocate { record, id });
        };
        let live_bytes = grown?;
        let slot = match self.vacant.pop() {
            Some(slot) => slot,
            None => {
                let slot = self.slots;
                self.slots = slot
                    .checked_add(1)
                    .ok_or(TraceError::TooMuch { record, cause: "more than 4294967295 blocks are live at once" })?;
                slot
            }
        };
        let block = LiveBlock { slot, size, born: self.events, since };
        place.insert(block);
        self.settle(live_bytes);
        Ok(Change::Allocated(block))
    }

    fn reallocate(&mut self, id: u64, size: Bytes) -> Result<Change, TraceError> {
        let record = self.events + 1;
        let grown = self.grown(size, record);
        let Some(block) = self.live.get_mut(&id) else {
            return Err(TraceError::UnknownReallocate { record, id });
        };
        let live_bytes = grown? - block.size;
        block.size = size;
        let block = *block;
        self.settle(live_bytes);
        Ok(Change::Reallocated(block))
    }

    /// Live bytes with `size` more, if that is a size and a sum that can be.
    fn grown(&self, size: Bytes, record: u64) -> Result<Bytes, TraceError> {
        if size > LARGEST_REQUEST {
            return Err(TraceError::TooLarge { record, size });
        }
        match self.live_bytes.0.checked_add(size.0) {
            Some(bytes) => Ok(Bytes(bytes)),
            None => Err(TraceError::TooMuch { record, cause: "more than 2^64 bytes are live at once" }),
        }
    }

    fn settle(&mut self, live_bytes: Bytes) {
        self.live_bytes = live_bytes;
        if live_bytes > self.peak {
            self.peak = live_bytes;
            self.peak_event = self.events;
        }
    }
}

/// Says of a free of a block that is not live whether it is the second, where all events are at hand.
pub(crate) fn told_apart(error: TraceError, events: &[Event]) -> TraceError {
    let TraceError::NotLive { record, id } = error else { return error };
    let past = events.iter().take(usize::try_from(record).unwrap_or(usize::MAX).saturating_sub(1));
    let allocates = |event: &Event| matches!(event.action, Action::Allocate { id: earlier, .. } if earlier == id);
    match past.into_iter().any(allocates) {
        true => TraceError::DoubleFree { record, id },
        false => TraceError::UnknownFree { record, id },
    }
}
