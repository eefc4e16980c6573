//! The blocks of some threads.
//!
//! A block belongs to the thread that allocates it: its reallocations and its free are kept
//! whichever thread does them, and nothing is kept that these threads do to blocks of
//! others. So what is left is a valid trace. Marks are kept if these threads set them.

use std::collections::HashSet;

use crate::{Action, Event, Sink, TraceError};

/// Lets the blocks of some threads through.
pub(super) struct Threads<S> {
    threads: HashSet<u32>,
    live: HashSet<u64>,
    sink: S,
}

impl<S: Sink> Threads<S> {
    pub fn new(threads: &[u32], sink: S) -> Threads<S> {
        Threads { threads: threads.iter().copied().collect(), live: HashSet::new(), sink }
    }
}

impl<S: Sink> Sink for Threads<S> {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        let is_kept = match event.action {
            Action::Allocate { id, .. } if self.threads.contains(&event.thread) => {
                self.live.insert(id);
                true
            }
            Action::Allocate { .. } => false,
            Action::Free { id } => self.live.remove(&id),
            Action::Reallocate { id, .. } => self.live.contains(&id),
            Action::Mark { .. } => self.threads.contains(&event.thread),
        };
        if is_kept { self.sink.take(event) } else { Ok(()) }
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
