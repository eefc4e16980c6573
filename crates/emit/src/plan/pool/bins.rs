//! Bins of free blocks, each for a range of sizes.

use heapsmith::parts::Spacing;
use heapsmith_spec::build::spacing;
use heapsmith_spec::{BinOrder, Bins, Each, Fit, SkipList, Spec, Tries};

use super::{BlocksPlan, Emit, PoolPlan, Templates};
use crate::Template;
use crate::composition::Composition;
use crate::plan::{IndexPlan, index};

impl Templates for Bins {
    const TEMPLATES: &'static [Template] =
        &[template!("index/bins.c"), template!("index/bin_list.c"), template!("index/bin_list_check.c")];
}

impl Emit for Bins {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        Some(BlocksPlan::with(spec, &self.factors, index::bins(self, spec.word)))
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        let (each, value) = each(self, heap);
        heap.uses.insert("heapsmith::parts::{Bins, ConstantBins, SpacedBins, Spacing}");
        heap.bin_map = Some(match spacing(self.layout, heap.spec.word.bytes() as usize) {
            Spacing::Lea => "Spacing::Lea".to_owned(),
            Spacing::Exact { from, step, count, per_doubling } => {
                format!("Spacing::Exact {{ from: {from}, step: {step}, count: {count}, per_doubling: {per_doubling} }}")
            }
        });
        let map = format!("{}Bins", heap.camel);
        let index = format!("Bins::new({map}, {value})");
        heap.blocks(&format!("Bins<{map}, {each}>"), &index, Fit::First, &self.factors);
        Some(())
    }
}

/// The type of each bin, and its value.
fn each(bins: &Bins, heap: &mut Composition<'_>) -> (&'static str, String) {
    match bins.each {
        Each::List => {
            heap.uses.insert("heapsmith::parts::{BinList, BinOrder}");
            let order = match bins.order {
                BinOrder::Lifo => "Lifo",
                BinOrder::Fifo => "Fifo",
                BinOrder::Size => "Size",
            };
            let tries = match bins.tries {
                Tries::Max(max) if bins.order != BinOrder::Size => max.to_string(),
                _ => "usize::MAX".to_owned(),
            };
            ("BinList", format!("BinList {{ order: BinOrder::{order}, tries: {tries} }}"))
        }
        Each::Tree => {
            heap.uses.insert("heapsmith::parts::RedBlack");
            ("RedBlack", "RedBlack".to_owned())
        }
        Each::SkipList => {
            heap.uses.insert("heapsmith::parts::SkipList");
            ("SkipList", format!("SkipList::new({}, SkipList::BIN_LEVELS)", SkipList::SEED))
        }
    }
}
