//! The numbers of blocks without headers, and a table outside.

use heapsmith_spec::{Bitmap, Spec};
use serde::Serialize;

use super::{Emit, PoolPlan, Templated, Templates};
use crate::Template;
use crate::composition::Composition;
use crate::plan::IndexPlan;

/// Blocks without headers, with a table outside of where they begin.
#[derive(Clone, Debug, Serialize)]
pub struct BitmapPlan {
    granule: u32,
    /// Units of the smallest block, which has two words when it is free.
    min_units: u32,
}

impl Templates for Bitmap {
    const TEMPLATES: &'static [Template] = &[template!("simple/bitmap.c")];
}

impl Emit for Bitmap {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        let granule = spec.alignment / spec.word.bytes();
        Some(PoolPlan::Bitmap(BitmapPlan { granule, min_units: 2_u32.div_ceil(granule) }).alone())
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        heap.uses.insert("heapsmith::parts::BitmappedFits");
        heap.ty = format!("BitmappedFits<{}, S, Unmetered>", heap.word());
        heap.make(format!("BitmappedFits::from_parts(source, {}, Unmetered)?", heap.spec.alignment));
        Some(())
    }
}

impl Templated for BitmapPlan {
    fn granule(&self) -> u32 {
        self.granule
    }

    fn file(&self) -> Option<&'static str> {
        Some("simple/bitmap.c")
    }

    fn smallest(&self) -> u32 {
        self.granule * self.min_units
    }

    fn header(&self) -> u64 {
        0
    }

    /// The list of free blocks.
    fn control_words(&self) -> u64 {
        1
    }

    /// Blocks and table.
    fn footprint(&self) -> &'static str {
        if self.granule > 1 { "words_with(heap, units_of(heap))" } else { "words_with(units_of(heap))" }
    }

    fn invariants(&self) -> Vec<&'static str> {
        vec![
            "2   the wilderness lies a whole number of units behind the first, and below the table",
            "3   the first unit begins a block, and none above the wilderness does",
            "4   the list names blocks by address, each with its units",
            "5   no two free blocks touch, and none touches the wilderness",
            "6   the high-water mark is not below what is used",
        ]
    }
}
