//! A stack: frees last in, first out.

use heapsmith_spec::{Spec, Stack};

use super::{Emit, LinearPlan, PoolPlan, Templates};
use crate::composition::Composition;
use crate::plan::IndexPlan;

impl Templates for Stack {}

impl Emit for Stack {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        Some(PoolPlan::Linear(LinearPlan::of("last-first", spec)).alone())
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        heap.linear("LastFirst");
        Some(())
    }
}
