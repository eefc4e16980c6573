//! What a heap promises: how its operations grow, and how much memory it can need at worst.
//!
//! The bounds are for sizes that include the header of a block, with M the most bytes in live
//! blocks at once, B the most live blocks, n the largest block, all in units of the smallest.
//! `xtask bench growth` measures the costs.

use crate::ast::{
    BinOrder, Bins, Buddy, BuddySystem, Coalescing, Defragment, Each, Fit, Layer, List, ListOrder, PageSearch, Pages,
    Pool, Reclaim, Spec, Splitting, Tries,
};

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
}

/// A [`Promise`] of a pool alone.
struct OfPool {
    allocate: &'static str,
    free: &'static str,
    footprint: &'static str,
}

/// At most one hole before each live block, each too small for the request that fails; behind the
/// last live block the end of the region is given back.
const HOLES: &str = "M + B (n - 1): every hole is smaller than the request that finds none";
/// Free blocks that are not joined or not divided serve their own sizes only.
const BY_SIZE: &str = "sum over the sizes of the most that was live of each";
/// Where nothing general holds.
const NONE: &str = "none: free neighbours that are not joined, or rests that are not split off, add up";

impl Spec {
    /// What the heap promises. Free lists serve their sizes in constant time, and flush into the
    /// pool what they keep when the pool fails.
    pub fn promise(&self) -> Promise {
        let OfPool { allocate, free, footprint } = pool(&self.pool);
        let keeps = self.layers.iter().any(|layer| matches!(layer, Layer::FreeLists(_)));
        if !keeps {
            return Promise { allocate: allocate.into(), free: free.into(), footprint: footprint.into() };
        }
        let kept = |cost: &str| match cost {
            "constant" => cost.to_owned(),
            _ => format!("constant for a kept size, else {cost}"),
        };
        let footprint = format!(
            "{footprint}; blocks that lists keep count as live, and nothing bounds those that got a rest too small to \
             split off (`heapsmith bound` tells for given sizes)"
        );
        Promise { allocate: kept(allocate), free: kept(free), footprint }
    }
}

fn pool(pool: &Pool) -> OfPool {
    match pool {
        Pool::List(all) => list(all),
        Pool::Bins(all) => bins(all),
        Pool::Classes(_) => OfPool { allocate: "constant", free: "constant", footprint: BY_SIZE },
        Pool::Tree(tree) => {
            let footprint = best_fit(tree.split, tree.coalesce);
            OfPool { allocate: "log of the free sizes", free: "log of the free sizes", footprint }
        }
        Pool::SkipList(list) => {
            let footprint = best_fit(list.split, list.coalesce);
            OfPool { allocate: "log of the free sizes, expected", free: "log of the free sizes, expected", footprint }
        }
        Pool::Tlsf(_) => OfPool {
            allocate: "constant",
            free: "constant",
            footprint: "M + B (r - 1), r the request rounded up to its list: holes below r may be passed over",
        },
        Pool::HalfFit => OfPool {
            allocate: "constant",
            free: "constant",
            footprint: "M + B (2n - 1): a hole of less than twice the request may be passed over",
        },
        Pool::Buddy(all) => buddy(all),
        Pool::Pages(all) => pages(all),
        Pool::Bump(bump) => match bump.reclaim {
            Reclaim::Never => {
                OfPool { allocate: "constant", free: "constant", footprint: "all that was ever asked for" }
            }
            Reclaim::Empty => OfPool {
                allocate: "constant",
                free: "constant",
                footprint: "all that was asked for since no block was live",
            },
        },
        Pool::Stack => OfPool { allocate: "constant", free: "constant", footprint: "M: there are no holes" },
        Pool::Fixed(_) => OfPool { allocate: "constant", free: "constant", footprint: "B blocks" },
    }
}

fn list(list: &List) -> OfPool {
    let allocate = match (list.order, list.coalesce) {
        (ListOrder::Implicit, _) | (_, Coalescing::EveryCall) => "linear in the blocks",
        _ => "linear in the free blocks",
    };
    let free = match (list.order, list.tags, list.coalesce) {
        (_, _, Coalescing::EveryCall) | (_, false, _) => "linear in the blocks",
        (ListOrder::Address, ..) => "constant next to a free block, else linear in the free blocks",
        _ => "constant",
    };
    let ordered = matches!(list.order, ListOrder::Address | ListOrder::Implicit);
    let footprint = match list.fit {
        _ if !joins(list.split, list.coalesce) => NONE,
        Fit::First if ordered => "about M log2 n (Robson 1977)",
        Fit::Best { .. } => best_fit(list.split, list.coalesce),
        _ => HOLES,
    };
    OfPool { allocate, free, footprint }
}

fn bins(bins: &Bins) -> OfPool {
    let (allocate, free) = match (bins.each, bins.order) {
        (Each::Tree, _) => ("log of the bin's sizes", "log of the bin's sizes"),
        (Each::SkipList, _) => ("log of the bin's sizes, expected", "log of the bin's sizes, expected"),
        (Each::List, BinOrder::Size) => ("linear in the bin", "linear in the bin"),
        (Each::List, _) if bins.tries != Tries::All => {
            ("constant while a larger bin has blocks, else linear in the bin", "constant")
        }
        (Each::List, _) => ("linear in the bin", "constant"),
    };
    let free = if bins.tags && bins.coalesce != Coalescing::EveryCall { free } else { "linear in the blocks" };
    OfPool { allocate, free, footprint: if joins(bins.split, bins.coalesce) { HOLES } else { NONE } }
}

fn buddy(buddy: &Buddy) -> OfPool {
    match (buddy.system, buddy.defragment) {
        (_, Defragment::OnDemand) => OfPool {
            allocate: "log of the region, and what is moved: less than the block asked for, a level at a time",
            free: "log of the region",
            footprint: "M rounded up to powers of two, where every block can be moved (Donahue et al. 2001, 2.8)",
        },
        (BuddySystem::Knuth, _) => OfPool {
            allocate: "log of the region",
            free: "log of the region",
            footprint: "M (1 + log2 n), M in powers of two (Knuth, section 2.5, exercise 41)",
        },
        (BuddySystem::Estranged, _) => OfPool {
            allocate: "constant mostly; linear in the free blocks when it glues",
            free: "constant",
            footprint: "M (1 + log2 n) where gluing comes before growth; here growth comes last",
        },
    }
}

fn pages(pages: &Pages) -> OfPool {
    let allocate = match pages.search {
        PageSearch::Linear => "linear in the objects of a page; a new page: in the free runs",
        PageSearch::Word => "linear in the words of a page's bitmap; a new page: in the free runs",
        PageSearch::Tree => "constant; a new page: linear in the free runs",
        PageSearch::Hardware => "constant; another page: linear in the words of a bitmap; a new one: in the free runs",
    };
    OfPool {
        allocate,
        free: "constant; the last object of a page: linear in the free runs",
        footprint: "none below B pages: one live object keeps its page",
    }
}

fn best_fit(split: Splitting, coalesce: Coalescing) -> &'static str {
    if joins(split, coalesce) {
        "at least M n - O(M + n^2) for some program (Robson, in Knuth, section 2.5, exercise 42)"
    } else {
        NONE
    }
}

/// Whether all free neighbours are joined before a request fails, and all rests split off.
fn joins(split: Splitting, coalesce: Coalescing) -> bool {
    split == Splitting::Always
        && matches!(coalesce, Coalescing::Immediate | Coalescing::EveryCall | Coalescing::Deferred)
}
