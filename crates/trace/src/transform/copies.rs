//! Several copies of a program that share a heap.
//!
//! Every event comes once for each copy before the next event comes, at the same time: so
//! the live set, the peak and the number of events grow by the number of copies, and blocks
//! of the copies lie between each other as those of equal servers would. Each copy has
//! threads of its own: thread t of copy c of N is t × N + c. Marks come once.

use std::collections::HashMap;

use crate::{Action, Event, Sink, TraceError};

/// Repeats every event for every copy.
pub(super) struct Copies<S> {
    copies: u32,
    /// The number of each live block of the original, from 0.
    live: HashMap<u64, u64>,
    births: u64,
    record: u64,
    sink: S,
}

impl<S: Sink> Copies<S> {
    pub fn new(copies: u32, sink: S) -> Copies<S> {
        Copies { copies, live: HashMap::new(), births: 0, record: 0, sink }
    }

    fn number(&mut self, action: Action) -> Result<u64, TraceError> {
        let record = self.record;
        match action {
            Action::Allocate { id, .. } => {
                let number = self.births;
                self.births += 1;
                match self.live.insert(id, number) {
                    None => Ok(number),
                    Some(_) => Err(TraceError::LiveAllocate { record, id }),
                }
            }
            Action::Free { id } => self.live.remove(&id).ok_or(TraceError::NotLive { record, id }),
            Action::Reallocate { id, .. } => {
                self.live.get(&id).copied().ok_or(TraceError::UnknownReallocate { record, id })
            }
            Action::Mark { .. } => Ok(0),
        }
    }
}

impl<S: Sink> Sink for Copies<S> {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        self.record += 1;
        if let Action::Mark { .. } = event.action {
            return self.sink.take(event);
        }
        let number = self.number(event.action)?;
        let first = number.checked_mul(u64::from(self.copies));
        let thread = event.thread.checked_mul(self.copies);
        let many = TraceError::TooMuch { record: self.record, cause: "more blocks or threads than copies can have" };
        let (Some(first), Some(thread)) = (first, thread) else { return Err(many) };
        for copy in 0..self.copies {
            let id = first + u64::from(copy);
            let action = match event.action {
                Action::Allocate { size, alignment, .. } => Action::Allocate { id, size, alignment },
                Action::Reallocate { size, .. } => Action::Reallocate { id, size },
                Action::Free { .. } | Action::Mark { .. } => Action::Free { id },
            };
            self.sink.take(Event { action, thread: thread.saturating_add(copy), ..event })?;
        }
        Ok(())
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
        self.sink.end()
    }
}
