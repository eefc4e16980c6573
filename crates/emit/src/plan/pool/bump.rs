//! A bump allocator.

use heapsmith_spec::{Bump, Reclaim, Spec};

use super::{Emit, LinearPlan, PoolPlan};
use crate::composition::Composition;
use crate::plan::IndexPlan;

impl Emit for Bump {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        let frees = if self.reclaim == Reclaim::Empty { "when-empty" } else { "never" };
        Some(PoolPlan::Linear(LinearPlan::of(frees, spec)).alone())
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        heap.linear(match self.reclaim {
            Reclaim::Never => "Never",
            Reclaim::Empty => "WhenEmpty",
        });
        Some(())
    }
}
