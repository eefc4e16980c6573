//! One list of free blocks, linked or implicit.

use heapsmith_spec::{List, ListOrder, Spec};

use super::{BlocksPlan, Emit, PoolPlan, Templates};
use crate::Template;
use crate::composition::Composition;
use crate::plan::{IndexPlan, index};

impl Templates for List {
    const TEMPLATES: &'static [Template] = &[template!("index/list.c"), template!("index/implicit.c")];
}

impl Emit for List {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        let index = if self.order == ListOrder::Implicit { index::implicit(self) } else { index::explicit(self) };
        Some(BlocksPlan::with(spec, &self.factors, index))
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        let (index, path) = match self.order {
            ListOrder::Lifo => ("Lifo", "heapsmith::parts::Lifo"),
            ListOrder::Fifo => ("Fifo", "heapsmith::parts::Fifo"),
            ListOrder::Address => ("AddressOrder", "heapsmith::parts::AddressOrder"),
            ListOrder::Implicit => ("Implicit", "heapsmith::parts::Implicit"),
        };
        heap.uses.insert(path);
        heap.blocks(index, &format!("{index}::default()"), self.fit, &self.factors);
        Some(())
    }
}
