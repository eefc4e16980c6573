//! One event of a trace: a request to the heap, or a mark that somebody set.

use crate::{Bytes, Nanoseconds};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// A block was asked for.
    Allocate {
        /// Names the block until it is freed; may be used again afterwards.
        id: u64,
        /// Payload bytes that were asked for; zero is allowed.
        size: Bytes,
        /// A power of two, or 0 for whatever the heap gives by itself.
        alignment: u64,
    },
    /// A live block was freed.
    Free {
        /// The block's id.
        id: u64,
    },
    /// A live block got a new size; it keeps its id.
    Reallocate {
        /// The block's id.
        id: u64,
        /// The new payload size.
        size: Bytes,
    },
    /// A place in the trace worth finding again (a phase, a collection).
    Mark {
        /// Index into [`Trace::labels`](crate::Trace::labels).
        label: u32,
    },
}

impl Action {
    /// The same done to another block.
    pub(crate) fn of_block(self, id: u64) -> Action {
        match self {
            Action::Allocate { size, alignment, .. } => Action::Allocate { id, size, alignment },
            Action::Free { .. } => Action::Free { id },
            Action::Reallocate { size, .. } => Action::Reallocate { id, size },
            mark @ Action::Mark { .. } => mark,
        }
    }
}

/// An [`Action`] with when, on which thread and from where it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Event {
    /// Time since the trace began. The order of events is their order in the trace;
    /// times may repeat and, in some inputs, go backwards.
    pub time: Nanoseconds,
    /// The thread, numbered by the maker of the trace; 0 when there is one.
    pub thread: u32,
    /// Index into [`Trace::sites`](crate::Trace::sites), where known.
    pub site: Option<u32>,
    /// What happened.
    pub action: Action,
}

impl Event {
    /// An event on thread 0 with no site, `time` in nanoseconds.
    pub fn at(time: u64, action: Action) -> Event {
        Event { time: Nanoseconds(time), thread: 0, site: None, action }
    }
}
