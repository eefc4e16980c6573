//! Half-fit: one list a power of two.

use heapsmith_spec::{BlockFactors, HalfFit, Largest, Spec};

use super::{BlocksPlan, Emit, PoolPlan, Templates};
use crate::composition::Composition;
use crate::plan::{IndexPlan, index};

impl Templates for HalfFit {}

impl Emit for HalfFit {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        Some(BlocksPlan::with(spec, &BlockFactors::DEFAULT, index::two_level(0, Largest::Word, spec)))
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        heap.two_level(0, Largest::Word);
        Some(())
    }
}
