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

use std::collections::HashMap;

use crate::{Action, Bytes, Event, Nanoseconds, Sink, TraceError};

/// Holds frees back.
pub(super) struct Collections<S> {
    every: Bytes,
    requested: u64,
    /// Frees that are held back.
    dead: Vec<Event>,
    /// New ids, as an id may be used again while its block waits for its collection.
    live: HashMap<u64, u64>,
    births: u64,
    record: u64,
    now: Nanoseconds,
    sink: S,
}

impl<S: Sink> Collections<S> {
    pub fn new(every: Bytes, sink: S) -> Collections<S> {
        let (dead, live) = (Vec::new(), HashMap::new());
        Collections { every, requested: 0, dead, live, births: 0, record: 0, now: Nanoseconds(0), sink }
    }

    /// Counts a request, and collects first where that is due.
    fn request(&mut self, size: Bytes) -> Result<(), TraceError> {
        let size = size.0.max(1);
        if self.requested.saturating_add(size) > self.every.0 {
            self.collect()?;
        }
        self.requested = self.requested.saturating_add(size);
        Ok(())
    }

    fn collect(&mut self) -> Result<(), TraceError> {
        self.requested = 0;
        let now = self.now;
        let mut dead = std::mem::take(&mut self.dead);
        for free in dead.drain(..) {
            self.sink.take(Event { time: now, ..free })?;
        }
        self.dead = dead;
        Ok(())
    }

    fn translated(&mut self, action: Action) -> Result<Action, TraceError> {
        let record = self.record;
        Ok(match action {
            Action::Allocate { id, size, alignment } => {
                self.request(size)?;
                self.births += 1;
                if self.live.insert(id, self.births).is_some() {
                    return Err(TraceError::LiveAllocate { record, id });
                }
                Action::Allocate { id: self.births, size, alignment }
            }
            Action::Reallocate { id, size } => {
                self.request(size)?;
                let known = self.live.get(&id).copied();
                Action::Reallocate { id: known.ok_or(TraceError::UnknownReallocate { record, id })?, size }
            }
            Action::Free { id } => {
                Action::Free { id: self.live.remove(&id).ok_or(TraceError::NotLive { record, id })? }
            }
            mark => mark,
        })
    }
}

impl<S: Sink> Sink for Collections<S> {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        self.record += 1;
        self.now = event.time;
        let event = Event { action: self.translated(event.action)?, ..event };
        match event.action {
            Action::Free { .. } => {
                self.dead.push(event);
                Ok(())
            }
            _ => self.sink.take(event),
        }
    }

    fn name_site(&mut self, name: &str) {
        self.sink.name_site(name);
    }

    fn name_label(&mut self, text: &str) {
        self.sink.name_label(text);
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }

    fn end(&mut self) -> Result<(), TraceError> {
        self.collect()?;
        self.sink.end()
    }
}
