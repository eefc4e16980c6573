//! Frees in bursts, as an occasional garbage collection does them.
//!
//! ```text
//!   recorded    + + - + + - - + - +        a free where the program frees
//!   collected   + +   + +     +  ---- +    the dead blocks together, when the heap is due
//! ```
//!
//! The heap is due either by what was requested since the last collection, or by what it holds:
//! blocks that live and blocks that are dead and not yet freed. Before the request that would
//! bring that above the limit, every block that the program has freed by then is freed, in the
//! order in which it was. What is dead at the end of the trace is collected there, so a trace that ends
//! with nothing live still does. A request of 0 bytes counts as one byte.
//!
//! Source: Donahue et al. (EMSOFT 2001, §3) compare occasional and continuous collection
//! of Java programs.

use super::through::Transform;
use crate::live::{Change, Ledger};
use crate::{Bytes, Event, Nanoseconds, Sink, TraceError};

/// When a heap is due.
#[derive(Debug, Clone, Copy)]
pub(super) enum Due {
    /// When this many bytes were requested since the last collection.
    Every(Bytes),
    /// When this many bytes live or are dead. If more live, then at every request.
    Full(Bytes),
}

/// Holds frees back.
pub(super) struct Collections {
    due: Due,
    requested: u64,
    /// Bytes that are dead and not yet freed.
    dead_bytes: u64,
    /// Frees that are held back.
    dead: Vec<Event>,
    /// What lives for the program. Blocks are named anew, by the events that allocated them, as
    /// an id may be used again while its block waits for its collection.
    live: Ledger,
}

impl Collections {
    pub fn new(due: Due) -> Collections {
        Collections { due, requested: 0, dead_bytes: 0, dead: Vec::new(), live: Ledger::default() }
    }

    /// Counts a request, and collects first where that is due.
    fn request(&mut self, size: Bytes, now: Nanoseconds, to: &mut dyn Sink) -> Result<(), TraceError> {
        let size = size.0.max(1);
        let is_due = match self.due {
            Due::Every(limit) => self.requested.saturating_add(size) > limit.0,
            // The request is among the live bytes already.
            Due::Full(limit) => self.live.live_bytes.0.saturating_add(self.dead_bytes) > limit.0,
        };
        if is_due {
            self.collect(now, to)?;
        }
        self.requested = self.requested.saturating_add(size);
        Ok(())
    }

    fn collect(&mut self, time: Nanoseconds, to: &mut dyn Sink) -> Result<(), TraceError> {
        (self.requested, self.dead_bytes) = (0, 0);
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
                self.dead_bytes = self.dead_bytes.saturating_add(block.size.0);
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
