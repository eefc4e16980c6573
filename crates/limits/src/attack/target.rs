//! What is attacked: it begins anew for each program.

use heapsmith_replay::Region;
use heapsmith_spec::Spec;
use heapsmith_trace::Bytes;

use super::AttackError;
use super::adversary::{Adversary, AttackOutcome, Charge, run_in};
use crate::bound::ProgramClass;

/// What is attacked.
pub(super) trait Target {
    /// Lets `plan` attack it, empty as it is at first, within the limits of `program` and in at most this many operations.
    fn play(
        &mut self,
        program: ProgramClass,
        max_operations: usize,
        plan: &mut dyn FnMut(&mut Adversary<'_>),
    ) -> Result<AttackOutcome, AttackError>;

    /// Whether blocks must be freed in the reverse order of their allocation.
    fn frees_in_order(&self) -> bool {
        false
    }
}

/// A heap of heapsmith.
pub(super) struct HeapTarget<'t> {
    pub spec: &'t Spec,
    pub region: &'t mut Region,
    /// Bytes of it that the heap gets.
    pub bytes: Bytes,
}

impl Target for HeapTarget<'_> {
    fn play(
        &mut self,
        program: ProgramClass,
        max_operations: usize,
        plan: &mut dyn FnMut(&mut Adversary<'_>),
    ) -> Result<AttackOutcome, AttackError> {
        Ok(run_in(self.spec, program, Charge::Requests, (self.region, self.bytes), max_operations, plan)?)
    }

    fn frees_in_order(&self) -> bool {
        self.spec.pool.frees_in_order()
    }
}
