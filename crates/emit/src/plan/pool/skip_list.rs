//! A skip list of all free blocks.

use heapsmith_spec::{Fit, SkipList, Spec};

use super::{BlocksPlan, Emit, PoolPlan, Templates};
use crate::composition::Composition;
use crate::plan::{IndexPlan, index};

impl Templates for SkipList {}

impl Emit for SkipList {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        Some(BlocksPlan::with(spec, &self.factors, index::skip_list(self)))
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        heap.uses.insert("heapsmith::parts::{BySize, SkipList}");
        let index = format!("BySize::new(SkipList::new({}, SkipList::MAX_LEVELS))", self.seed);
        heap.blocks("BySize<SkipList>", &index, Fit::BEST, &self.factors);
        Some(())
    }
}
