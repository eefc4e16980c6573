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
//! | buddy(estranged, glue=bounded(N)) | 21NK + 22K + 20 | 6K + 20 |
//! | buddy(estranged, grow=before-gluing), with room | 22K + 20 | 16 |
//! | lists, joined at once | 2B + 24 | 40, by address B + 40 |
//! | the same, implicit or without tags | 2·2B + 24 | 2B + 40 |
//! | for aligned requests | what a free takes more | |
//!
//! Other pools have none that we derived: a sorted bin, a tree or a skip list costs by what is in it, a deferred
//! sweep by all that was freed since the last, and gluing by all pairs of buddies.

use heapsmith_spec::{Check, FreeLists, Layer, Pool};

use super::demand::Demand;

/// The worst single operation of a heap under the programs of a bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorstCase {
    /// Most accesses of an allocation; none if no number is known.
    pub allocate: Option<u64>,
    /// Most accesses of a free; none if no number is known.
    pub free: Option<u64>,
    /// How they come about.
    pub formula: String,
}

impl WorstCase {
    pub(super) fn of(allocate: u64, free: u64, formula: &str) -> WorstCase {
        WorstCase { allocate: Some(allocate), free: Some(free), formula: formula.to_owned() }
    }

    pub(super) fn none(why: &str) -> WorstCase {
        WorstCase { formula: why.to_owned(), ..WorstCase::default() }
    }

    /// Most accesses of an operation of either kind; none if no number is known of one.
    pub fn either(&self) -> Option<u64> {
        Some(self.allocate?.max(self.free?))
    }
}

/// The worst operation of the heap with all its layers, whose pool's is `pool`.
pub(super) fn with_layers(demand: &Demand, pool: WorstCase, has_room: bool) -> WorstCase {
    if demand.spec.layers.iter().any(|layer| matches!(layer, Layer::Spans(_))) {
        return WorstCase::none("no number is derived for spans: opening one may move their table");
    }
    let pool = match demand.spec.check {
        Check::Off => pool,
        Check::Header if matches!(demand.spec.pool, Pool::Buddy(_)) => checked_buddies(pool),
        Check::Header if matches!(demand.spec.pool, Pool::Pages(_)) => {
            return WorstCase::none("the directory is cleared where it moves");
        }
        Check::Header => checked(pool),
    };
    let lists = demand.spec.layers.iter().find_map(|layer| match layer {
        Layer::FreeLists(lists) => Some(lists),
        _ => None,
    });
    let keeps_all = lists.is_some_and(|lists| lists.flush.max().is_none()) && demand.listed().next().is_some();
    if !has_room && (demand.quarantined() > 0 || keeps_all) {
        return WorstCase::none("a full region makes a layer give back all that it keeps, in one operation");
    }
    let pool = match lists {
        Some(lists) if !has_room => flushing(lists, demand, pool),
        _ => pool,
    };
    demand.spec.layers.iter().fold(pool, |worst_case, layer| with_layer(demand, worst_case, layer))
}

/// The same where blocks are resized: a reallocation tries the neighbour behind, then allocates and frees. It counts as an
/// allocation.
pub(super) fn reallocating(worst_case: WorstCase) -> WorstCase {
    let WorstCase { allocate, free, formula } = worst_case;
    let both = allocate.zip(free).map(|(allocate, free)| allocate + free + 24);
    let formula = format!("{formula}; a reallocation: both and 24");
    WorstCase { allocate: both, free, formula }
}

/// With `check=header`: the first link of the block that is taken and the link back; the wilderness and the header behind a
/// block that is freed, and its own header, set to 0 where the free block before swallows it.
fn checked(pool: WorstCase) -> WorstCase {
    let formula = format!("{}; checks: + 2 and + 3", pool.formula);
    WorstCase { allocate: pool.allocate.map(|once| once + 2), free: pool.free.map(|once| once + 3), formula }
}

/// The same of buddies: the link back of each block that is taken off a list, which takes as many words as that without it at
/// least; the wilderness, the header behind a block that is freed, and its own, which says so at once.
fn checked_buddies(pool: WorstCase) -> WorstCase {
    let formula = format!("{}; checks: times 2 and + 4", pool.formula);
    WorstCase { allocate: pool.allocate.map(|once| 2 * once), free: pool.free.map(|once| once + 4), formula }
}

/// The pool's worst case behind lists of which a full region flushes a part: the request is tried twice, each block flushed is
/// taken from its list (4 words with its header, a fifth in fifo order, and with checks 3 for its mark) and freed, and the head
/// of each list is read once.
fn flushing(lists: &FreeLists, demand: &Demand, pool: WorstCase) -> WorstCase {
    let (Some(blocks), Some(once), Some(free)) = (lists.flush.max().map(u64::from), pool.allocate, pool.free) else {
        return pool;
    };
    let allocate = 2 * once + blocks * (free + 5 + marks(demand).0) + demand.listed().count() as u64;
    let formula = format!("{}; {blocks} blocks flushed before the second attempt", pool.formula);
    WorstCase { allocate: Some(allocate), formula, ..pool }
}

/// Accesses for the mark of a block that leaves a free list, and of one that is put on it.
fn marks(demand: &Demand) -> (u64, u64) {
    match demand.spec.check {
        Check::Off => (0, 0),
        Check::Header => (3, 1),
    }
}

/// A layer's own words.
fn with_layer(demand: &Demand, worst_case: WorstCase, layer: &Layer) -> WorstCase {
    let (allocate, free) = match layer {
        // Spans have no such number (`with_layers`), and each region has one of its own.
        Layer::Regions(_) | Layer::Zero | Layer::Spans(_) => (0, 0),
        Layer::FreeLists(_) => (2 + marks(demand).0, 5 + marks(demand).1),
        Layer::Reserve(_) => (4, 4),
        Layer::Guard(guard) => {
            let front = demand.before_guarded(demand.coarsest());
            (front + 6, front + if guard.quarantine > 0 { 26 } else { 8 })
        }
    };
    WorstCase {
        allocate: worst_case.allocate.map(|accesses| accesses + allocate),
        free: worst_case.free.map(|accesses| accesses + free),
        formula: worst_case.formula,
    }
}
