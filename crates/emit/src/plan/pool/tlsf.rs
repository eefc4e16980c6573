//! Two-level segregated fit.

use heapsmith_spec::{BlockFactors, Spec, Tlsf};

use super::{BlocksPlan, Emit, PoolPlan, Templates};
use crate::Template;
use crate::composition::Composition;
use crate::plan::{IndexPlan, index};

impl Templates for Tlsf {
    const TEMPLATES: &'static [Template] = &[template!("index/two_level.c")];
}

impl Emit for Tlsf {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        let index = index::two_level(self.second_level, self.largest, spec);
        Some(BlocksPlan::with(spec, &BlockFactors::DEFAULT, index))
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        heap.two_level(self.second_level, self.largest);
        Some(())
    }
}
