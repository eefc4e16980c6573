//! Frees in bursts, as an occasional garbage collection does them.
//!
//! ```text
//!   recorded    + + - + + - - + - +        a free where the program frees
//!   collected   + +   + +     +  ---- +    the dead blocks together, when the heap is due
//! ```
//!
//! Before the request that would bring the bytes requested since the last collection above
//! the limit, every block that the program has freed by then is freed, in the order in which
//! it was. What is dead at the end of the trace is collected there, so a trace that ends
//! with nothing live still does. A request of 0 bytes counts as one byte.
//!
//! Source: Donahue et al. (EMSOFT 2001, §3) compare occasional and continuous collection
//! of Java programs.

use super::through::Transform;
use crate::live::{Change, Ledger};
use crate::{Bytes, Event, Nanoseconds, Sink, TraceError};

/// Holds frees back.
pub(super) struct Collections {
    every: Bytes,
    requested: u64,
    /// Frees that are held back.
    dead: Vec<Event>,
    /// What lives for the program. Blocks are named anew, by the events that allocated them, as
    /// an id may be used again while its block waits for its collection.
    live: Ledger,
}

impl Collections {
    pub fn new(every: Bytes) -> Collections {
        Collections { every, requested: 0, dead: Vec::new(), live: Ledger::default() }
    }

    /// Counts a request, and collects first where that is due.
    fn request(&mut self, size: Bytes, now: Nanoseconds, to: &mut dyn Sink) -> Result<(), TraceError> {
        let size = size.0.max(1);
        if self.requested.saturating_add(size) > self.every.0 {
            self.collect(now, to)?;
        }
        self.requested = self.requested.saturating_add(size);
        Ok(())
    }

    fn collect(&mut self, time: Nanoseconds, to: &mut dyn Sink) -> Result<(), TraceError> {
        self.requested = 0;
        self.dead.drain(..).try_for_each(|free| to.take(Event { time, ..free }))
    }
}

impl Transform for Collections {
    fn take(&mut self, event: Event, to: &mut dyn Sink) -> Result<(), TraceError> {
        match self.live.apply(&event)? {
            Change::Allocated(block) | Change::Reallocated(block) => {
                self.request(block.size, event.time, to)?;
                to.take(Event { action: event.action.of_block(block.born), ..event })
            }
            Change::Freed(block) => {
                self.dead.push(Event { action: event.action.of_block(block.born), ..event });
                Ok(())
            }
            Change::Marked => to.take(event),
        }
    }

    fn end(&mut self, to: &mut dyn Sink) -> Result<(), TraceError> {
        let now = self.live.now;
        self.collect(now, to)
    }
}
