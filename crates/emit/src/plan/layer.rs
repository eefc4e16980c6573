//! The numbers of the layers before a pool.

use heapsmith_spec::build::lists_in_words;
use heapsmith_spec::{Layer, Order, Spec};
use serde::Serialize;

use super::{C, SizesPlan};
use crate::EmitError;

/// The functions that do what a heap does: of the pool, or of the outermost layer that has a say in it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Operations {
    init: &'static str,
    allocate: &'static str,
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
}

impl Operations {
    /// Those of a pool, or of the free lists directly before it.
    pub(super) fn of(free_lists: bool, resize_joined: &'static str) -> Operations {
        Operations {
            init: "pool_init",
            allocate: if free_lists { "freelists_allocate" } else { "pool_allocate" },
            free: if free_lists { "freelists_free" } else { "pool_free" },
            resize: "pool_resize",
            resize_joined,
            reallocate: "resize_or_move",
            usable: "pool_usable",
            check: if free_lists { "freelists_check" } else { "pool_check" },
            statistics: "pool_statistics",
            block_bytes: "block_bytes",
            walk: if free_lists { "freelists_walk" } else { "pool_walk" },
        }
    }

    /// Those of a reserve before what has these.
    fn of_reserve(below: Operations) -> Operations {
        Operations {
            init: "reserve_init",
            allocate: "reserve_allocate",
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
    pub(super) fn of(spec: &Spec, at: u64) -> Option<FreeListsPlan> {
        let Some(Layer::FreeLists(layer)) = spec.layers.last() else { return None };
        let rows = lists_in_words(spec, layer);
        let map = SizesPlan::of("freelist", "free list", "holds", "FREELISTS", &rows);
        let fifo = layer.order == Order::Fifo;
        let exact = rows.iter().all(|(low, high)| low == high);
        let (lists, flush) = (rows.len() as u64, layer.flush.max());
        Some(FreeListsPlan { file: "layer/freelists.c", fifo, flush, exact, lists, at, map })
    }

    /// Control words.
    pub(super) fn control_words(&self) -> u64 {
        self.lists * if self.fifo { 2 } else { 1 }
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
}

/// The layers of `spec` before any heap, innermost first, and the functions of the outermost, which may count.
pub(super) fn before_any(
    spec: &Spec,
    base: Operations,
    counts: bool,
) -> Result<(Vec<LayerPlan>, Operations), EmitError> {
    let (mut plans, mut below) = (Vec::new(), base);
    for layer in spec.layers.iter().rev() {
        let (plan, above) = match layer {
            Layer::FreeLists(_) => continue,
            Layer::Zero => (
                LayerPlan { file: "layer/zero.c", below, percent: 0 },
                Operations { allocate: "zero_allocate", reallocate: "zero_reallocate", ..below },
            ),
            Layer::Reserve(reserve) => {
                (LayerPlan { file: "layer/reserve.c", below, percent: reserve.high }, Operations::of_reserve(below))
            }
            Layer::Guard(_) => {
                let part = Spec { layers: vec![layer.clone()], ..spec.clone() }.to_string();
                let part = part.split(' ').next().unwrap_or_default().to_owned();
                return Err(EmitError::NotYet { part, language: C });
            }
        };
        plans.push(plan);
        below = above;
    }
    if counts {
        plans.push(LayerPlan { file: "layer/counters.c", below, percent: 0 });
        below = Operations {
            init: "counters_init",
            allocate: "counters_allocate",
            free: "counters_free",
            reallocate: "counters_reallocate",
            ..below
        };
    }
    Ok((plans, below))
}
