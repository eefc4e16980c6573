//! The ledger of live blocks that every reader of a trace applies its events through.
//!
//! It refuses what no heap could serve, and numbers the live blocks with dense slots: a
//! slot is taken again by the next allocation after its block was freed, so the number of
//! slots ever used equals the most blocks that were live at once.
//!
//! Cost: one hash look-up an event; memory for the live set only. Telling a double free
//! from a free of an unknown id needs the past, which is searched only once that happened.

use std::collections::HashMap;

use crate::{Action, Bytes, Event, TraceError};

/// The largest size that a request in a trace may have.
pub const LARGEST_REQUEST: Bytes = Bytes(1 << 56);

/// A block that is live.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LiveBlock {
    pub slot: u32,
    pub size: Bytes,
    /// Index of the event that allocated it.
    pub born: usize,
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
    live: HashMap<u64, LiveBlock>,
    vacant: Vec<u32>,
    /// Slots ever used: the most blocks live at once.
    pub slots: u32,
    pub live_bytes: Bytes,
    pub peak: Bytes,
    /// Index of the event that first reached the peak.
    pub peak_event: usize,
}

impl Ledger {
    pub fn live_blocks(&self) -> usize {
        self.live.len()
    }

    /// Applies `events[index]`; all events before it must have been applied.
    pub fn apply(&mut self, events: &[Event], index: usize) -> Result<Change, TraceError> {
        let record = index as u64 + 1;
        match events[index].action {
            Action::Allocate { id, size, alignment } => {
                if alignment != 0 && !alignment.is_power_of_two() {
                    return Err(TraceError::BadAlignment { record, alignment });
                }
                self.allocate(id, size, index)
            }
            Action::Free { id } => match self.live.remove(&id) {
                Some(block) => {
                    self.vacant.push(block.slot);
                    self.live_bytes -= block.size;
                    Ok(Change::Freed(block))
                }
                None if was_allocated(&events[..index], id) => Err(TraceError::DoubleFree { record, id }),
                None => Err(TraceError::UnknownFree { record, id }),
            },
            Action::Reallocate { id, size } => self.reallocate(id, size, index),
            Action::Mark { .. } => Ok(Change::Marked),
        }
    }

    fn allocate(&mut self, id: u64, size: Bytes, index: usize) -> Result<Change, TraceError> {
        let record = index as u64 + 1;
        if self.live.contains_key(&id) {
            return Err(TraceError::LiveAllocate { record, id });
        }
        let live_bytes = self.grown(size, record)?;
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
        let block = LiveBlock { slot, size, born: index };
        self.live.insert(id, block);
        self.settle(live_bytes, index);
        Ok(Change::Allocated(block))
    }

    fn reallocate(&mut self, id: u64, size: Bytes, index: usize) -> Result<Change, TraceError> {
        let record = index as u64 + 1;
        let grown = self.grown(size, record);
        let Some(block) = self.live.get_mut(&id) else {
            return Err(TraceError::UnknownReallocate { record, id });
        };
        let live_bytes = grown? - block.size;
        block.size = size;
        let block = *block;
        self.settle(live_bytes, index);
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

    fn settle(&mut self, live_bytes: Bytes, index: usize) {
        self.live_bytes = live_bytes;
        if live_bytes > self.peak {
            self.peak = live_bytes;
            self.peak_event = index;
        }
    }
}

fn was_allocated(past: &[Event], id: u64) -> bool {
    past.iter().any(|event| matches!(event.action, Action::Allocate { id: earlier, .. } if earlier == id))
}
