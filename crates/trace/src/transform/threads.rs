//! The blocks of some threads.
//!
//! A block belongs to the thread that allocates it: its reallocations and its free are kept
//! whichever thread does them, and nothing is kept that these threads do to blocks of
//! others. So what is left is a valid trace. Marks are kept if these threads set them.

use std::collections::HashSet;

use super::through::Transform;
use crate::{Action, Event, Sink, TraceError};

/// Lets the blocks of some threads through.
pub(super) struct Threads {
    threads: HashSet<u32>,
    live: HashSet<u64>,
}

impl Threads {
    pub fn new(threads: &[u32]) -> Threads {
        Threads { threads: threads.iter().copied().collect(), live: HashSet::new() }
    }
}

impl Transform for Threads {
    fn take(&mut self, event: Event, to: &mut dyn Sink) -> Result<(), TraceError> {
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
        if is_kept { to.take(event) } else { Ok(()) }
    }
}
