//! A trace as it might have been, on its way.
//!
//! [`perturb`](crate::perturb()) describes what is changed, and by which rules. A later event may come before an
//! earlier one, so nothing is handed on before the trace is over.

use super::through::Transform;
use crate::{Event, Perturbation, Sink, TraceError};

/// Holds the trace, and passes on the changed one.
pub(super) struct Perturbed {
    how: Perturbation,
    seed: u64,
    events: Vec<Event>,
}

impl Perturbed {
    pub fn new(how: Perturbation, seed: u64) -> Perturbed {
        Perturbed { how, seed, events: Vec::new() }
    }
}

impl Transform for Perturbed {
    fn take(&mut self, event: Event, _to: &mut dyn Sink) -> Result<(), TraceError> {
        self.events.push(event);
        Ok(())
    }

    fn end(&mut self, to: &mut dyn Sink) -> Result<(), TraceError> {
        for event in self.how.apply(std::mem::take(&mut self.events), self.seed)? {
            if to.is_full() {
                break;
            }
            to.take(event)?;
        }
        Ok(())
    }
}
