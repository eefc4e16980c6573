//! The numbers of a buddy system.

use heapsmith_spec::{Buddy, BuddySystem, Defragment, Spec};
use serde::Serialize;

use super::{Emit, PoolPlan, Templated, Templates};
use crate::Template;
use crate::composition::Composition;
use crate::plan::{Field, IndexPlan, max_words};

/// Blocks of powers of two.
#[derive(Clone, Debug, Serialize)]
pub struct BuddyPlan {
    /// Buddies are joined when a request needs it.
    estranged: bool,
    /// Binary logarithms of the words of the smallest block and of the largest.
    min_order: u32,
    max_order: u32,
    granule: u32,
}

impl BuddyPlan {
    fn of(system: BuddySystem, spec: &Spec) -> BuddyPlan {
        // A header and two links, or what the alignment wants.
        let min_order = (spec.alignment / spec.word.bytes()).ilog2().max(2);
        let max_order = max_words(spec.word).ilog2();
        BuddyPlan { estranged: system == BuddySystem::Estranged, min_order, max_order, granule: 1 << min_order }
    }
}

impl Templates for Buddy {
    const TEMPLATES: &'static [Template] = &[
        template!("buddy/buddy.c"),
        template!("buddy/blocks.c"),
        template!("buddy/knuth.c"),
        template!("buddy/estranged.c"),
        template!("buddy/heap.c"),
    ];
}

impl Emit for Buddy {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        let movable = self.defragment == Defragment::OnDemand;
        (!movable).then(|| PoolPlan::Buddy(BuddyPlan::of(self.system, spec)).alone())
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        let (system, path) = match self.system {
            BuddySystem::Knuth => ("Knuth", "heapsmith::parts::{Buddies, Knuth}"),
            BuddySystem::Estranged => ("Estranged", "heapsmith::parts::{Buddies, Estranged}"),
        };
        heap.uses.insert(path);
        let (word, alignment) = (heap.word(), heap.spec.alignment);
        let handles = self.defragment == Defragment::OnDemand;
        heap.ty = format!("Buddies<{word}, {system}, S, Unmetered, {handles}>");
        match heap.free_lists() {
            Some((order, flushing)) => {
                let map = format!("{}Lists", heap.camel);
                heap.make(format!(
                    "FreeLists::before_buddies(source, {alignment}, Unmetered, {map}, Order::{order})?{flushing}"
                ));
            }
            None => heap.make(format!("Buddies::from_parts(source, {alignment}, Unmetered)?")),
        }
        Some(())
    }
}

impl Templated for BuddyPlan {
    fn leaves_apart(&self) -> bool {
        self.estranged
    }

    fn granule(&self) -> u32 {
        self.granule
    }

    fn file(&self) -> Option<&'static str> {
        Some("buddy/buddy.c")
    }

    /// A list for each order, or two.
    fn control_words(&self) -> u64 {
        u64::from(self.max_order + 1 - self.min_order) * if self.estranged { 2 } else { 1 }
    }

    /// That of the smallest block.
    fn alignment(&self, spec: &Spec) -> u32 {
        spec.word.bytes() << self.min_order
    }

    fn invariants(&self) -> Vec<&'static str> {
        let buddies = if self.estranged {
            "4   a free block is marked if and only if its buddy is free"
        } else {
            "3   no two free blocks are buddies, and none is that of the wilderness"
        };
        vec![
            "1   blocks tile the region, each of 2^k words where such a block may lie",
            "2   every free block is on its list, once, linked both ways",
            buddies,
            "9   the wilderness begins inside the region, below its high-water mark",
        ]
    }

    fn field(&self, index: &'static str) -> Option<Field> {
        let what = "words from a multiple of 4096 bytes to the region";
        Some(Field { r#type: index, name: "shift", what })
    }

    fn asks_for_coarse(&self) -> bool {
        false
    }

    fn has_orders(&self) -> bool {
        true
    }

    fn has_bit_map(&self) -> bool {
        true
    }
}
