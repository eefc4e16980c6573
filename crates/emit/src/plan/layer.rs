//! The numbers of the layers before a pool.

use heapsmith_spec::build::{lists_in_words, max_request, words_for};
use heapsmith_spec::{Guard, Layer, Order, Pool, Spec};
use serde::Serialize;

use super::pool::Templated;
use super::sizes::{Blocks, Names, SizesPlan};
use super::spans::SpansPlan;
use crate::Extra;

/// The functions that do what a heap does: of the pool, or of the outermost layer that has a say in it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Operations {
    init: &'static str,
    allocate: &'static str,
    /// The block that waits for a request, if one does; none where every request is looked for. Then `free` takes a place.
    hit: Option<&'static str>,
    free: &'static str,
    resize: &'static str,
    /// The same once more, after a new block was refused.
    resize_joined: &'static str,
    reallocate: &'static str,
    usable: &'static str,
    check: &'static str,
    statistics: &'static str,
    /// Bytes of a used block, header included.
    block_bytes: &'static str,
    walk: &'static str,
    /// Finds the used block at a pointer, where pointers are looked at.
    find: &'static str,
    /// A free says whether the block was taken.
    refuses: bool,
    /// The block of the pool that a block is in, where it is another.
    block_below: Option<&'static str>,
}

impl Operations {
    /// The function for the block that waits for a request.
    pub(super) fn hit(&self) -> Option<&'static str> {
        self.hit
    }

    /// Those of a pool, or of the free lists directly before it.
    pub(super) fn of(free_lists: bool, pool: &dyn Templated) -> Operations {
        Operations {
            init: "pool_init",
            allocate: if free_lists { "freelists_allocate" } else { "pool_allocate" },
            hit: free_lists.then_some("freelists_hit"),
            free: if free_lists { "freelists_free" } else { "pool_free" },
            resize: "pool_resize",
            resize_joined: pool.resize_joined(),
            reallocate: "resize_or_move",
            usable: "pool_usable",
            check: if free_lists { "freelists_check" } else { "pool_check" },
            statistics: "pool_statistics",
            block_bytes: "block_bytes",
            walk: if free_lists { "freelists_walk" } else { "pool_walk" },
            find: "used_block",
            refuses: pool.frees_in_order(),
            block_below: None,
        }
    }

    /// Those of a guard before what has these.
    fn of_guard(guard: &Guard, below: Operations) -> Operations {
        Operations {
            init: if guard.quarantine > 0 { "guard_init" } else { below.init },
            allocate: "guard_allocate",
            hit: None,
            free: "guard_free",
            reallocate: "guard_reallocate",
            usable: "guard_usable",
            check: "guard_check",
            block_bytes: "guard_block_bytes",
            walk: "guard_walk",
            find: "guard_find",
            refuses: true,
            block_below: Some("guard_below"),
            ..below
        }
    }

    /// Those of spans before what has these.
    fn of_spans(below: Operations) -> Operations {
        Operations {
            init: "spans_init",
            allocate: "spans_allocate",
            hit: Some("spans_hit"),
            free: "spans_free",
            reallocate: "spans_reallocate",
            usable: "spans_usable",
            check: "spans_check",
            block_bytes: "spans_block_bytes",
            walk: "spans_walk",
            refuses: false,
            ..below
        }
    }

    /// Those of a reserve before what has these.
    fn of_reserve(below: Operations) -> Operations {
        Operations {
            init: "reserve_init",
            allocate: "reserve_allocate",
            hit: None,
            free: "reserve_free",
            reallocate: "reserve_reallocate",
            check: "reserve_check",
            walk: "reserve_walk",
            ..below
        }
    }
}

/// Free lists directly before a pool.
#[derive(Clone, Debug, Serialize)]
pub struct FreeListsPlan {
    /// The template.
    file: &'static str,
    /// Freed blocks are put behind.
    fifo: bool,
    /// Places of each list's magazine; none if lists run through their blocks.
    magazine: Option<u32>,
    /// The most blocks that an operation flushes; none if it flushes all.
    flush: Option<u32>,
    /// Every list holds blocks of one size.
    exact: bool,
    /// How many lists there are.
    lists: u64,
    /// The control word of the first head.
    at: u64,
    /// Which list serves a block.
    map: SizesPlan,
}

impl FreeListsPlan {
    /// The free lists of `spec`, if it has any, with control words from word `at` on.
    pub(super) fn of(spec: &Spec, pool: &dyn Templated, at: u64) -> Option<FreeListsPlan> {
        let Some(Layer::FreeLists(layer)) = spec.layers.last() else { return None };
        let rows = lists_in_words(spec, layer);
        let names = Names { name: "freelist", what: "free list", verb: "holds", none_name: "FREELISTS" };
        let blocks = Blocks {
            step: pool.granule() as usize,
            min: pool.smallest() as usize,
            header: pool.header() as usize,
            word: spec.word.bytes() as usize,
        };
        let map = SizesPlan::of(names, &rows, blocks.step).holding();
        // Classes round requests up once more, so that their bytes alone do not lead to a list.
        let map = match spec.pool {
            Pool::Classes(_) => map,
            // Nor do they where the pool refuses what a list could serve.
            _ => map.by_size(blocks, |size| {
                words_for(spec, size as u64).filter(|_| max_request(spec).is_none_or(|max| size as u64 <= max))
            }),
        };
        let fifo = layer.order == Order::Fifo;
        let exact = rows.iter().all(|(low, high)| low == high);
        let (lists, flush) = (rows.len() as u64, layer.flush.max());
        let magazine = layer.magazine;
        Some(FreeListsPlan { file: "layer/freelists.c", fifo, magazine, flush, exact, lists, at, map })
    }

    /// Whether blocks wait in magazines.
    pub(super) fn has_magazines(&self) -> bool {
        self.magazine.is_some()
    }

    /// Control words.
    pub(super) fn control_words(&self) -> u64 {
        self.lists * (1 + u64::from(self.fifo) + self.magazine.map_or(0, u64::from))
    }
}

/// A layer that can wrap any heap.
#[derive(Clone, Debug, Serialize)]
pub struct LayerPlan {
    /// The template.
    file: &'static str,
    /// The functions of what is below.
    below: Operations,
    /// Percent of the region that a reserve holds back.
    percent: u8,
    /// The most blocks in a guard's quarantine.
    quarantine: u32,
    /// Somebody visits every block through this layer.
    is_walked: bool,
    /// Somebody asks it for the bytes of a block.
    is_measured: bool,
    /// What spans say.
    #[serde(flatten)]
    spans: Option<SpansPlan>,
}

impl LayerPlan {
    fn new(file: &'static str, below: Operations) -> LayerPlan {
        LayerPlan { file, below, percent: 0, quarantine: 0, is_walked: false, is_measured: false, spans: None }
    }
}

/// The layers of `spec` before any heap, innermost first, and the functions of the outermost, which may count.
///
/// The pool's headers have `header` words.
pub(super) fn before_any(spec: &Spec, base: Operations, header: u64, extras: &[Extra]) -> (Vec<LayerPlan>, Operations) {
    let (mut plans, mut below) = (Vec::new(), base);
    for (number, layer) in spec.layers.iter().enumerate().rev() {
        let (plan, above) = match layer {
            Layer::FreeLists(_) | Layer::Regions(_) => continue,
            Layer::Spans(spans) => {
                let is_measured = extras.contains(&Extra::Counters);
                let plan = LayerPlan::new("layer/spans.c", below);
                let spans = Some(SpansPlan::of(spec, spans, header));
                (LayerPlan { is_measured, spans, ..plan }, Operations::of_spans(below))
            }
            Layer::Zero => (
                LayerPlan::new("layer/zero.c", below),
                Operations { allocate: "zero_allocate", hit: None, reallocate: "zero_reallocate", ..below },
            ),
            Layer::Reserve(reserve) => (
                LayerPlan { percent: reserve.high, ..LayerPlan::new("layer/reserve.c", below) },
                Operations::of_reserve(below),
            ),
            Layer::Guard(guard) => {
                let is_reserved = spec.layers[..number].iter().any(|outer| matches!(outer, Layer::Reserve(_)));
                let is_walked = is_reserved || extras.contains(&Extra::Walk);
                let is_measured = is_reserved || extras.contains(&Extra::Counters);
                let plan = LayerPlan::new("layer/guard.c", below);
                let plan = LayerPlan { quarantine: guard.quarantine, is_walked, is_measured, ..plan };
                (plan, Operations::of_guard(guard, below))
            }
        };
        plans.push(plan);
        below = above;
    }
    if extras.contains(&Extra::Counters) {
        plans.push(LayerPlan::new("layer/counters.c", below));
        below = Operations {
            init: "counters_init",
            allocate: "counters_allocate",
            hit: None,
            free: "counters_free",
            reallocate: "counters_reallocate",
            ..below
        };
    }
    (plans, below)
}
