//! Promises of a heap: how its operations grow, and how much memory it can need in the worst case.
//!
//! The bounds are for sizes that include the header of a block, with M the most bytes in live
//! blocks at once, B the most live blocks, n the largest block, all in units of the smallest.
//! `xtask bench growth` measures the costs.

use heapsmith::parts::NextSpan;

use crate::ast::{Coalescing, Flush, FreeBlocks, FreeLists, Layer, Spans, Spec};
use crate::pool::BlockFactors;

/// How a heap's operations grow, and what bounds its footprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// How an allocation grows.
    pub allocate: String,
    /// How a free grows.
    pub free: String,
    /// The most memory that it needs, whatever the program, with its source; where no bound is
    /// known, what makes one impossible.
    pub footprint: String,
    /// What it does before it refuses a request, or what it may never serve again. None if free blocks are joined
    /// as they are freed and nothing is cached: then a refusal is a search that found nothing.
    pub refusal: Option<&'static str>,
}

impl Promise {
    /// That of free lists before a heap with this one, which give back all that they cache before a request is refused or, where
    /// a flush is bounded, some of it.
    fn behind_lists(self, lists: &FreeLists) -> Promise {
        let cached = |cost: String, where_constant: &str| match &*cost {
            "constant" => cost,
            _ => format!("constant {where_constant}, else {cost}"),
        };
        let in_parts = lists.flush != Flush::All;
        let has_place = match lists.magazine {
            Some(_) => "for a cached size whose magazine has a place",
            None => "for a cached size",
        };
        let until = if in_parts { "without a bound" } else { "until the region is full, when the lists give back all" };
        let footprint = format!(
            "{}; blocks that lists cache count as live, and blocks with a remainder too small to split off can add up {until} (see \
             `heapsmith bound`)",
            self.footprint
        );
        let allocate = cached(self.allocate, "for a cached size");
        Promise { allocate, free: cached(self.free, has_place), footprint, ..self }
    }

    /// That of several regions, each with a heap with this one.
    fn in_regions(self) -> Promise {
        let of_each = |what: &str, cost: &str| match cost {
            "constant" => "constant".to_owned(),
            cost => format!("{what}: {cost}"),
        };
        Promise {
            allocate: of_each("the regions that refuse, and the one that serves", &self.allocate),
            free: of_each("in its region", &self.free),
            footprint: format!("of each region, by the blocks in it: {}", self.footprint),
            ..self
        }
    }

    /// That of spans before a heap with this one.
    fn behind_spans(self, spans: &Spans) -> Promise {
        let hit = match (spans.free, spans.next) {
            (FreeBlocks::List, NextSpan::First | NextSpan::Last) => "constant in a span with room",
            (FreeBlocks::Bitmap, NextSpan::First | NextSpan::Last) => "linear in the words of a bitmap",
            (FreeBlocks::List, _) => "constant in a span with room, linear in those of the class when one is full",
            (FreeBlocks::Bitmap, _) => {
                "linear in the words of a bitmap, and in the spans of the class when one is full"
            }
        };
        let footprint = format!(
            "of the pool below: {}; a block of a class keeps its span, so each class can keep what it had at most (see \
             `heapsmith bound`)",
            self.footprint
        );
        Promise {
            allocate: format!("{hit}; a new span, and what no class serves: {}", self.allocate),
            free: format!("constant in a span that stays; else {}", self.free),
            footprint,
            ..self
        }
    }
}

/// A [`Promise`] of a pool alone.
pub(crate) struct PoolPromise {
    pub allocate: &'static str,
    pub free: &'static str,
    pub footprint: &'static str,
}

impl PoolPromise {
    /// Allocates and frees in constant time.
    pub fn constant(footprint: &'static str) -> PoolPromise {
        PoolPromise { allocate: "constant", free: "constant", footprint }
    }
}

/// At most one hole before each live block, each too small for the request that fails; behind the
/// last live block the end of the region becomes wilderness.
pub(crate) const HOLES: &str = "M + B (n - 1): every hole is smaller than the request that finds none";
/// What a heap may never serve again that does not join free neighbours.
pub(crate) const NEVER_JOINED: &str =
    "may never serve again a request larger than the blocks that were cut: free neighbours are not joined";
/// What a heap does before it refuses that leaves free neighbours apart, or whose lists cache blocks.
const JOINS_FIRST: &str = "joins all that is free first, in time linear in the blocks; again only after a free";
/// What a heap does before it refuses whose lists are flushed in parts.
const FLUSHES_SOME: &str = "flushes as many cached blocks as `flush=bounded` says, and may refuse while others wait; asked again, it flushes more";
/// Where nothing general holds.
pub(crate) const NONE: &str = "none: free neighbours that are not joined, or remainders that are not split off, add up";

impl Spec {
    /// The promise of the heap. Free lists serve their sizes in constant time, and flush into the
    /// pool the blocks they cache when the pool fails.
    pub fn promise(&self) -> Promise {
        let PoolPromise { allocate, free, footprint } = self.pool.promise();
        let before = if self.flushes_in_parts() { FLUSHES_SOME } else { JOINS_FIRST };
        let refusal = self.pool.never_again().or_else(|| self.leaves_apart().then_some(before));
        let pool = Promise { allocate: allocate.into(), free: free.into(), footprint: footprint.into(), refusal };
        // The layer before the pool first.
        self.layers.iter().rev().fold(pool, |below, layer| match layer {
            Layer::FreeLists(lists) => below.behind_lists(lists),
            Layer::Spans(spans) => below.behind_spans(spans),
            Layer::Regions(_) => below.in_regions(),
            Layer::Zero | Layer::Guard(_) | Layer::Reserve(_) => below,
        })
    }

    /// Whether it may never serve again what it served once, however much is freed: free neighbours are never joined.
    pub fn may_starve(&self) -> bool {
        self.pool.never_again().is_some()
    }

    /// Whether an operation flushes a part of what free lists cache, so that a request may be refused that flushing all would
    /// serve.
    pub fn flushes_in_parts(&self) -> bool {
        self.layers.iter().any(|layer| matches!(layer, Layer::FreeLists(lists) if lists.flush != Flush::All))
    }

    /// Whether an operation does work without a bound in a full region before it refuses a request: it flushes what layers keep, or joins
    /// what was left apart. What lists flush in parts has a bound.
    pub fn gives_back_when_full(&self) -> bool {
        let keeps = |layer: &&Layer| match layer {
            Layer::FreeLists(lists) => lists.flush.max().is_none(),
            layer => layer.keeps_blocks(),
        };
        let threshold = self.pool.factors().map(|factors| factors.coalesce);
        matches!(threshold, Some(Coalescing::From(1..) | Coalescing::Deferred))
            || self.layers.iter().any(|layer| keeps(&layer))
    }

    /// Whether a free block may touch another until a request finds none, or a layer waits with its blocks.
    fn leaves_apart(&self) -> bool {
        let threshold = self.pool.factors().map(|factors| factors.coalesce);
        matches!(threshold, Some(Coalescing::From(1..) | Coalescing::Deferred))
            || self.layers.iter().any(Layer::keeps_blocks)
    }
}

/// The footprint of best fit.
pub(crate) fn best_fit(factors: &BlockFactors) -> &'static str {
    if factors.joins() {
        "at least M n - O(M + n^2) for some program (Robson, in Knuth, section 2.5, exercise 42)"
    } else {
        NONE
    }
}
