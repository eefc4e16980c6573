//! The numbers of a buddy system.

use heapsmith_spec::{Buddy, BuddySystem, Check, Defragment, Grow, Spec, Start};
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
    /// One free block at the start, and a table in place of headers.
    one_block: bool,
    /// At most `max_pairs` pairs of free buddies wait to be joined.
    bounded: bool,
    max_pairs: u32,
    /// Never-used memory is taken before buddies are joined for a request.
    grows_first: bool,
    /// Blocks have an owner word, and those that belong to a handle are moved where that serves a request.
    handles: bool,
    /// Words of a header, with the owner word.
    head: u32,
    /// Binary logarithms of the words of the smallest block and of the largest.
    min_order: u32,
    max_order: u32,
    granule: u32,
}

impl BuddyPlan {
    fn of(buddy: &Buddy, spec: &Spec) -> BuddyPlan {
        let one_block = buddy.start == Start::OneBlock;
        // A header, with an owner word or without, and two links; or 16 bytes; or what the alignment wants.
        let min = if one_block { (16 / spec.word.bytes()).ilog2() } else { 2 };
        let min_order = (spec.alignment / spec.word.bytes()).ilog2().max(min);
        let max_order = max_words(spec.word).ilog2();
        let estranged = buddy.system == BuddySystem::Estranged;
        let handles = buddy.defragment == Defragment::OnDemand;
        BuddyPlan {
            estranged,
            one_block,
            bounded: buddy.glue.max().is_some(),
            max_pairs: buddy.glue.max().unwrap_or(0),
            grows_first: buddy.grow == Grow::BeforeGluing,
            handles,
            head: u32::from(!one_block) + u32::from(handles),
            min_order,
            max_order,
            granule: 1 << min_order,
        }
    }
}

impl Templates for Buddy {
    const TEMPLATES: &'static [Template] = &[
        template!("buddy/buddy.c"),
        template!("buddy/blocks.c"),
        template!("buddy/checked.c"),
        template!("buddy/knuth.c"),
        template!("buddy/estranged.c"),
        template!("buddy/heap.c"),
        template!("buddy/defragment.c"),
        template!("buddy/masters.c"),
        template!("buddy/handles.c"),
        template!("buddy/handles.h"),
    ];
}

impl Emit for Buddy {
    fn plan(&self, spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        // A layer knows blocks by their address; what moves is emitted with the default levels.
        let is_alone = self.defragment == Defragment::Never || (spec.layers.is_empty() && is_plain(self));
        is_alone.then(|| PoolPlan::Buddy(BuddyPlan::of(self, spec)).alone())
    }

    fn without_template(&self) -> Option<&'static str> {
        (self.defragment == Defragment::OnDemand && is_plain(self)).then_some("a layer before blocks that move")
    }

    fn compose(&self, heap: &mut Composition<'_>) -> Option<()> {
        let (system, path) = match self.system {
            BuddySystem::Knuth => ("Knuth", "heapsmith::parts::{Buddies, Knuth}"),
            BuddySystem::Estranged => ("Estranged", "heapsmith::parts::{Buddies, Estranged}"),
        };
        heap.uses.insert(path);
        let (word, alignment) = (heap.word(), heap.spec.alignment);
        let handles = self.defragment == Defragment::OnDemand;
        let start = match self.start {
            Start::Wilderness => "",
            Start::OneBlock => {
                heap.uses.insert("heapsmith::parts::OneBlock");
                ", OneBlock"
            }
        };
        let start = if heap.spec.check == Check::Header {
            heap.uses.insert("heapsmith::parts::Checked");
            if self.start == Start::Wilderness {
                heap.uses.insert("heapsmith::parts::Wilderness");
            }
            format!(", Checked<{}>", if self.start == Start::OneBlock { "OneBlock" } else { "Wilderness" })
        } else {
            start.to_owned()
        };
        heap.ty = format!("Buddies<{word}, {system}, S, Unmetered, {handles}{start}>");
        let levels = levels(self, heap);
        match heap.free_lists() {
            Some((waiting, flushing)) => {
                let map = format!("{}Lists", heap.camel);
                heap.make(format!(
                    "FreeLists::before_buddies(source, {alignment}, Unmetered, {map}, {waiting})?{flushing}{levels}"
                ));
            }
            None => heap.make(format!("Buddies::from_parts(source, {alignment}, Unmetered)?{levels}")),
        }
        Some(())
    }
}

/// Whether all levels but that of defragmentation are the defaults.
fn is_plain(buddy: &Buddy) -> bool {
    Buddy { defragment: buddy.defragment, ..Buddy::new(buddy.system) } == *buddy
}

/// What is called on the heap that was made.
fn levels(buddy: &Buddy, heap: &mut Composition<'_>) -> String {
    let mut levels = buddy.glue.max().map_or(String::new(), |pairs| format!(".gluing({pairs})"));
    if buddy.grow == Grow::BeforeGluing {
        heap.uses.insert("heapsmith::parts::Growth");
        levels.push_str(".growing(Growth::BeforeGluing)");
    }
    levels
}

impl Templated for BuddyPlan {
    fn leaves_apart(&self) -> bool {
        self.estranged && !self.handles
    }

    fn granule(&self) -> u32 {
        self.granule
    }

    fn file(&self) -> Option<&'static str> {
        Some("buddy/buddy.c")
    }

    /// A list for each order, or two; with handles, that of unused master words and that of their blocks.
    fn control_words(&self) -> u64 {
        u64::from(self.max_order + 1 - self.min_order) * if self.estranged { 2 } else { 1 }
            + if self.handles { 2 } else { 0 }
    }

    fn header(&self) -> u64 {
        u64::from(self.head)
    }

    /// That of the smallest block.
    fn footprint(&self) -> &'static str {
        "load(heap, TOP) - HEAD"
    }

    fn footprint_peak(&self) -> &'static str {
        "load(heap, HIGH) - HEAD"
    }

    fn alignment(&self, spec: &Spec) -> u32 {
        spec.word.bytes() << self.min_order
    }

    fn invariants(&self) -> Vec<&'static str> {
        let buddies = match (self.estranged, self.one_block) {
            (true, _) => "4   a free block is marked if and only if its buddy is free",
            (false, false) => "3   no two free blocks are buddies, and none is that of the wilderness",
            (false, true) => "3   no two free blocks are buddies",
        };
        let pairs = "7   as many pairs wait to be joined as are counted, and no more than may";
        let owners = "6   the owner of a used block is none, or the master word that names the block";
        let mut all = vec![
            "1   blocks tile the region, each of 2^k words where such a block may lie",
            "2   every free block is on its list, once, linked both ways",
            buddies,
        ];
        all.extend(self.handles.then_some(owners));
        all.extend(self.bounded.then_some(pairs));
        all.push("9   the wilderness begins inside the region, below its high-water mark");
        all
    }

    fn fields(&self, index: &'static str) -> Vec<Field> {
        let field = |name, what| Field { r#type: index, name, what };
        let mut all = vec![field("shift", "words from a multiple of 4096 bytes to the region")];
        if self.bounded {
            all.push(field("pairs", "pairs of free buddies that wait to be joined"));
        }
        if self.handles {
            all.push(field("moved", "words moved so far, modulo what an index holds"));
            all.push(field("last_moved", "words moved for the last request that made blocks move"));
            all.push(field("max_moved", "the most words moved for one request"));
        }
        all
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
