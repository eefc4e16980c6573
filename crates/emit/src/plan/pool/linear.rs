//! The numbers of blocks one behind the other.

use heapsmith_spec::Spec;
use serde::Serialize;

use super::Templated;

/// Blocks one behind the other.
#[derive(Clone, Debug, Serialize)]
pub struct LinearPlan {
    /// What a free gives back: `never`, `when-empty` or `last-first`.
    frees: &'static str,
    granule: u32,
}

impl LinearPlan {
    pub(super) fn of(frees: &'static str, spec: &Spec) -> LinearPlan {
        LinearPlan { frees, granule: spec.alignment / spec.word.bytes() }
    }
}

impl Templated for LinearPlan {
    fn granule(&self) -> u32 {
        self.granule
    }

    fn file(&self) -> Option<&'static str> {
        Some("simple/linear.c")
    }

    fn footprint(&self) -> &'static str {
        "load(heap, TOP) - 1U"
    }

    /// The count of live blocks.
    fn control_words(&self) -> u64 {
        u64::from(self.frees == "when-empty")
    }

    fn invariants(&self) -> Vec<&'static str> {
        let mut all = vec!["1   blocks tile the region", "2   a header says whether a gap is before it"];
        match self.frees {
            "last-first" => all.push("3   every block is used but for gaps"),
            "when-empty" => all.push("4   the count of live blocks is right"),
            _ => {}
        }
        all.push("9   the wilderness begins inside the region, below its high-water mark");
        all
    }

    fn frees_in_order(&self) -> bool {
        self.frees == "last-first"
    }
}
