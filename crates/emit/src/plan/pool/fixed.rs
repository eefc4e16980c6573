//! The numbers of blocks of one size.

use heapsmith_spec::{Fixed, Spec};
use serde::Serialize;

use super::{Emit, PoolPlan, Templated, Templates};
use crate::Template;
use crate::composition::Composition;
use crate::plan::{IndexPlan, max_words};

/// Blocks of one size, without headers.
#[derive(Clone, Debug, Serialize)]
pub struct FixedPlan {
    /// Words of every block.
    fixed_words: u64,
    granule: u32,
}

impl FixedPlan {
    fn of(fixed: &Fixed, spec: &Spec) -> FixedPlan {
        let (word, granule) = (u64::from(spec.word.bytes()), spec.alignment / spec.word.bytes());
        let words = fixed.size.clamp(1, max_words(spec.word) / 2 * word).div_ceil(word);
        FixedPlan { fixed_words: words.next_multiple_of(granule.into()), granule }
    }
}

impl Templates for Fixed {
    const TEMPLATES: &'static [Template] = &[template!("simple/fixed.c")];
}

impl Emit for Fixed {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        Some(PoolPlan::Fixed(FixedPlan::of(self, spec)).alone())
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        heap.uses.insert("heapsmith::FixedSize");
        heap.ty = format!("FixedSize<{}, S, Unmetered>", heap.word());
        heap.make(format!("FixedSize::from_parts(source, {}, {}, Unmetered)?", self.size, heap.spec.alignment));
        Some(())
    }
}

impl Templated for FixedPlan {
    fn granule(&self) -> u32 {
        self.granule
    }

    fn file(&self) -> Option<&'static str> {
        Some("simple/fixed.c")
    }

    fn header(&self) -> u64 {
        0
    }

    /// The list of free blocks.
    fn control_words(&self) -> u64 {
        1
    }

    fn invariants(&self) -> Vec<&'static str> {
        vec!["1   the wilderness lies a whole number of blocks behind the first", "2   the free list names blocks"]
    }

    fn asks_for_large(&self) -> bool {
        false
    }
}
