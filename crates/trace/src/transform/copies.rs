//! Several copies of a program that share a heap.
//!
//! Every event comes once for each copy before the next event comes, at the same time: so
//! the live set, the peak and the number of events grow by the number of copies, and blocks
//! of the copies lie between each other as those of equal servers would. Each copy has
//! threads of its own: thread t of copy c of N is t × N + c. Marks come once.

use super::through::Transform;
use crate::live::{Change, Ledger};
use crate::{Event, Sink, TraceError, Transforms};

/// Repeats every event for every copy.
pub(super) struct Copies {
    copies: u32,
    live: Ledger,
}

impl Copies {
    pub fn new(copies: u32) -> Copies {
        Copies { copies, live: Ledger::default() }
    }
}

impl Transform for Copies {
    fn take(&mut self, event: Event, to: &mut dyn Sink) -> Result<(), TraceError> {
        if self.copies > Transforms::MAX_COPIES {
            return Err(TraceError::TooMuch { record: 1, cause: "more than 10,000 copies of a trace" });
        }
        let block = match self.live.apply(&event)? {
            Change::Allocated(block) | Change::Reallocated(block) | Change::Freed(block) => block,
            Change::Marked => return to.take(event),
        };
        let thread = event.thread.checked_mul(self.copies);
        let many = TraceError::TooMuch { record: self.live.events, cause: "more threads than copies can have" };
        let thread = thread.ok_or(many)?;
        for copy in 0..self.copies {
            let id = u64::from(block.slot) * u64::from(self.copies) + u64::from(copy);
            to.take(Event { action: event.action.of_block(id), thread: thread.saturating_add(copy), ..event })?;
        }
        Ok(())
    }
}
