//! A tree of all free blocks.

use heapsmith_spec::{Fit, Spec, Tree};

use super::{BlocksPlan, Emit, PoolPlan, Templates};
use crate::composition::Composition;
use crate::plan::{IndexPlan, index};

impl Templates for Tree {}

impl Emit for Tree {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        Some(BlocksPlan::with(spec, &self.factors, index::tree()))
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        heap.uses.insert("heapsmith::parts::{BySize, RedBlack}");
        heap.blocks("BySize<RedBlack>", "BySize::new(RedBlack)", Fit::BEST, &self.factors);
        Some(())
    }
}
