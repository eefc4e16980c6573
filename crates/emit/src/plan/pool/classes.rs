//! A fixed set of block sizes.

use heapsmith_spec::build::{classes_in_words, step_in_words};
use heapsmith_spec::{BlockFactors, Classes, Fit, Spec};

use super::{BlocksPlan, Emit, PoolPlan, Templates};
use crate::Template;
use crate::composition::{Composition, Map};
use crate::plan::{IndexPlan, index};

impl Templates for Classes {
    const TEMPLATES: &'static [Template] = &[template!("index/classes.c")];
}

impl Emit for Classes {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        Some(BlocksPlan::with(spec, &BlockFactors::WHOLE, index::classes(self, spec)))
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        heap.uses.insert("heapsmith::parts::Classes");
        heap.uses.insert("heapsmith::parts::{ConstantSizes, SizeRange}");
        heap.maps.push(Map::new("Classes", "classes", classes_in_words(heap.spec, self)));
        let beyond = step_in_words(heap.spec, self);
        let map = format!("{}Classes", heap.camel);
        let index = format!("Classes::new({map}, {beyond:?})");
        heap.blocks(&format!("Classes<{map}>"), &index, Fit::First, &BlockFactors::WHOLE);
        Some(())
    }
}
