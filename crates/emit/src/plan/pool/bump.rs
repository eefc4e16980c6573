//! A bump allocator.

use heapsmith_spec::{Bump, Reclaim, Spec};

use super::{Emit, LinearPlan, PoolPlan, Templates};
use crate::Template;
use crate::composition::Composition;
use crate::plan::IndexPlan;

impl Templates for Bump {
    const TEMPLATES: &'static [Template] = &[template!("simple/linear.c")];
}

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
