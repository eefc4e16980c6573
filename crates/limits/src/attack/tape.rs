//! What an attack did, as operations that can be replayed.

use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Trace, TraceError};

/// One operation of an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TapeStep {
    /// Asks for a block.
    Allocate {
        /// Names the block.
        id: u64,
        /// Bytes.
        size: u64,
        /// What its address is a multiple of; 1 for the heap's own alignment.
        alignment: u64,
    },
    /// Resizes a block.
    Reallocate {
        /// The block's name.
        id: u64,
        /// Bytes.
        size: u64,
    },
    /// Frees a block.
    Free {
        /// The block's name.
        id: u64,
    },
}

/// The operations of an attack, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Tape {
    /// The operations.
    pub steps: Vec<TapeStep>,
}

impl Tape {
    /// Adds the request that was refused, if one was: its size, and its alignment.
    pub fn refused(&mut self, request: Option<(u64, u64)>) {
        let id = self.steps.iter().filter(|step| matches!(step, TapeStep::Allocate { .. })).count() as u64;
        self.steps.extend(request.map(|(size, alignment)| TapeStep::Allocate { id, size, alignment }));
    }

    /// The operations as a trace, one a nanosecond.
    pub fn trace(&self, origin: Origin) -> Trace {
        let mut trace = Trace::new(origin);
        trace.events =
            self.steps.iter().enumerate().map(|(time, step)| Event::at(time as u64, action(*step))).collect();
        trace
    }

    /// The operations, ready for replay.
    ///
    /// # Errors
    ///
    /// A tape that frees what it never allocated.
    pub fn packed(&self, name: &str) -> Result<PackedTrace, TraceError> {
        PackedTrace::new(&self.trace(Origin::new("attack", name)))
    }
}

fn action(step: TapeStep) -> Action {
    match step {
        TapeStep::Allocate { id, size, alignment } => {
            Action::Allocate { id, size: Bytes(size), alignment: if alignment > 1 { alignment } else { 0 } }
        }
        TapeStep::Reallocate { id, size } => Action::Reallocate { id, size: Bytes(size) },
        TapeStep::Free { id } => Action::Free { id },
    }
}
