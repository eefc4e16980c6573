//! The most metadata words that one operation reads and writes, where the design has such a number.
//!
//! Counted from the code of each heap; programs that try to exceed it are part of the tests. K is the number of
//! orders that the bound's footprint has, B the most used blocks, and with every block joined to its free neighbours
//! there are no more free blocks than used ones.
//!
//! | pool | allocate | free |
//! |---|---|---|
//! | fixed, stack, bump | 3 (`reclaim=empty` 5) | 3 (bump 2, `reclaim=empty` 5) |
//! | tlsf, half-fit | 44 + m | 34 + 2m, m the words of a second-level map |
//! | classes, none beyond | 12 | 8 |
//! | buddy(knuth) | 7K + 10 | 10K + 10 |
//! | buddy(estranged) | – | 16 |
//! | lists, joined at once | 2B + 24 | 40, by address B + 40 |
//! | the same, implicit or without tags | 2·2B + 24 | 2B + 40 |
//!
//! Other pools have none that we derived: a sorted bin, a tree or a skip list costs by what is in it, a deferred
//! sweep by all that was freed since the last, and gluing by all pairs of buddies.

use heapsmith_spec::{Buddy, BuddySystem, Coalescing, Defragment, Fit, Layer, List, ListOrder, Pool, Reclaim};

use super::demand::Demand;

/// The worst single operation of a heap under the programs of a bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorstCase {
    /// Most accesses of an allocation; none where no number is known.
    pub allocate: Option<u64>,
    /// Most accesses of a free; none where no number is known.
    pub free: Option<u64>,
    /// How they come about.
    pub formula: String,
}

impl WorstCase {
    fn of(allocate: u64, free: u64, formula: &str) -> WorstCase {
        WorstCase { allocate: Some(allocate), free: Some(free), formula: formula.to_owned() }
    }

    fn none(why: &str) -> WorstCase {
        WorstCase { formula: why.to_owned(), ..WorstCase::default() }
    }

    /// Most accesses of an operation of either kind; none where no number is known of one.
    pub fn either(&self) -> Option<u64> {
        Some(self.allocate?.max(self.free?))
    }
}

/// The worst operation of the heap, whose footprint never exceeds `footprint` where that is known.
pub(super) fn worst_case(demand: &Demand, footprint: Option<u64>) -> WorstCase {
    // What is done when the region is full is not counted; with room for the bound it never is.
    let has_room = footprint.is_some_and(|bytes| demand.region_of(bytes) <= demand.spec.word.max_region());
    let pool = match &demand.spec.pool {
        Pool::Fixed(_) | Pool::Stack(_) => WorstCase::of(3, 3, "constant"),
        Pool::Bump(bump) => match bump.reclaim {
            Reclaim::Never => WorstCase::of(3, 2, "constant"),
            Reclaim::Empty => WorstCase::of(5, 5, "constant"),
        },
        Pool::Tlsf(tlsf) => two_level(demand, tlsf.second_level.into()),
        Pool::HalfFit(_) => WorstCase::of(44, 34, "constant: 44, 34"),
        Pool::Classes(_) if !has_room => WorstCase::none("a full region is searched class by class"),
        Pool::Classes(_) if demand.beyond_classes() => {
            WorstCase::none("blocks beyond the classes are searched one by one")
        }
        Pool::Classes(_) => WorstCase::of(12, 8, "constant"),
        Pool::Buddy(all) => buddy(demand, all, footprint),
        Pool::List(all) => list(demand, all, footprint),
        Pool::Bins(_) => WorstCase::none("no number is derived for bins: it depends on what is in one bin"),
        Pool::Tree(_) => WorstCase::none("about the logarithm of the free sizes; no number is derived"),
        Pool::SkipList(_) => {
            WorstCase::none("about the logarithm of the free sizes, expected; a row of bad luck is linear")
        }
        Pool::Pages(_) => WorstCase::none("a move of the directory reads and writes all of it; no number is derived"),
        _ => WorstCase::none("no number is derived for this pool"),
    };
    if !has_room && (demand.quarantined() > 0 || demand.listed().next().is_some()) {
        return WorstCase::none("a full region makes a layer give back all that it keeps, in one operation");
    }
    demand.spec.layers.iter().fold(pool, |worst_case, layer| with_layer(demand, worst_case, layer))
}

fn two_level(demand: &Demand, second: u32) -> WorstCase {
    let map = (1_u64 << second).div_ceil(demand.word * 8);
    WorstCase::of(44 + map, 34 + 2 * map, "constant: 44 + m, 34 + 2m, m the words of a second-level map")
}

fn buddy(demand: &Demand, buddy: &Buddy, footprint: Option<u64>) -> WorstCase {
    if buddy.defragment == Defragment::OnDemand && footprint.is_none() {
        return WorstCase::none("what is moved for a request is not counted here");
    }
    if buddy.system == BuddySystem::Estranged {
        let formula = "a free is constant; an allocation may glue all pairs of buddies".to_owned();
        return WorstCase { allocate: None, free: Some(16), formula };
    }
    let Some(footprint) = footprint else { return WorstCase::none("it grows with the region") };
    let orders = u64::from((footprint / demand.word).max(1).ilog2() + 1);
    WorstCase::of(7 * orders + 10, 10 * orders + 10, "7K + 10, 10K + 10, K the orders up to the bound's footprint")
}

fn list(demand: &Demand, list: &List, footprint: Option<u64>) -> WorstCase {
    let known = footprint.is_some() && demand.joins(list.split, list.coalesce);
    if !known || list.coalesce == Coalescing::Deferred {
        return WorstCase::none("linear in the free blocks, of which there is no bound that we know");
    }
    let used = demand.count_of(demand.program.live) + demand.retained().blocks + demand.own_blocks().blocks;
    // Every block at most once, used or free.
    let all = 2 * used + 2;
    let sweep = if list.coalesce == Coalescing::EveryCall { all + used } else { 0 };
    let search = if list.order == ListOrder::Implicit { all } else { 2 * used };
    let next = if list.fit == Fit::Next { 2 } else { 1 };
    let place = match (list.order, list.tags) {
        (ListOrder::Address, _) => used,
        (_, false) => all,
        _ => 0,
    };
    let formula = "allocate at most every block looked at; free: finding the place by address, or the block before";
    WorstCase::of(next * search + sweep + 24, place + sweep + 40, formula)
}

/// A layer's own words.
fn with_layer(demand: &Demand, worst_case: WorstCase, layer: &Layer) -> WorstCase {
    let (allocate, free) = match layer {
        Layer::Zero => (0, 0),
        Layer::FreeLists(_) => (2, 5),
        Layer::Reserve(_) => (4, 4),
        Layer::Guard(guard) => {
            let front = 3_u64.next_multiple_of((u64::from(demand.spec.alignment) / demand.word).max(1));
            (front + 6, front + if guard.quarantine > 0 { 26 } else { 8 })
        }
    };
    WorstCase {
        allocate: worst_case.allocate.map(|accesses| accesses + allocate),
        free: worst_case.free.map(|accesses| accesses + free),
        formula: worst_case.formula,
    }
}
