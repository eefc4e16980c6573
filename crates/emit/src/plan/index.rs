//! The numbers of an index: how the pool finds the free block that serves a request.

mod bins;
mod classes;
mod two_level;

use heapsmith_spec::{Fit, List, ListOrder, Pool, Spec};
use serde::Serialize;

pub use bins::BinsPlan;
pub use classes::ClassesPlan;
pub use two_level::TwoLevelPlan;

use super::pool::Family;
use super::{BlocksPlan, PoolPlan};

/// What the functions of doubly linked lists are needed for.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Chain {
    /// Lists have a tail.
    pub tail: bool,
    /// Blocks are put in front.
    pub front: bool,
    /// Blocks are put behind another.
    pub after: bool,
    /// Blocks are put at the end.
    pub back: bool,
    /// Blocks are taken out.
    pub unlink: bool,
    /// A block takes the place of another.
    pub replace: bool,
}

/// An index.
#[derive(Clone, Debug, Default, Serialize)]
pub struct IndexPlan {
    /// Which one.
    pub kind: &'static str,
    /// Its template.
    pub file: &'static str,
    /// The template of what a bin is, if it has bins.
    pub bin_file: &'static str,
    /// Its control words.
    pub control_words: u64,
    /// It notes what is free: an implicit list mostly does not.
    pub linked: bool,
    /// It keeps blocks by size.
    pub by_size: bool,
    /// It counts the free blocks.
    pub counts: bool,
    /// It is notified of blocks that are gone.
    pub absorbs: bool,
    /// The place of a freed block is looked up before its neighbours.
    pub locates: bool,
    /// It has a check of its own.
    pub checks: bool,
    /// All of its control words begin as 0.
    pub clears_all: bool,
    /// It rounds requests.
    pub rounds: bool,
    /// It holds blocks in reserve.
    pub finds_larger: bool,
    /// It needs logarithms.
    pub logarithm: bool,
    /// It looks for the lowest bit of a word.
    pub bit_map: bool,
    /// The fit of a list.
    pub fit: &'static str,
    /// How much of the list a limited best fit looks at, in percent.
    pub depth: u8,
    /// The order of a list.
    pub order: &'static str,
    /// The order in words.
    pub order_text: &'static str,
    /// The control word of the rover or the count.
    pub extra: u64,
    /// Bins, trees, skip lists.
    #[serde(flatten)]
    pub bins: BinsPlan,
    /// Two levels of lists.
    #[serde(flatten)]
    pub levels: TwoLevelPlan,
    /// Classes.
    #[serde(flatten)]
    pub classes: ClassesPlan,
    /// Bits of a word of a bit map.
    pub bits: u32,
    /// Its invariants, numbered.
    pub invariants: Vec<&'static str>,
    /// Functions of lists that it needs.
    #[serde(skip)]
    pub chain: Option<Chain>,
}

impl IndexPlan {
    /// The index of the pool of `spec`; none if it has no template.
    pub(super) fn of(spec: &Spec, pool: &PoolPlan) -> Option<IndexPlan> {
        let PoolPlan::Blocks(blocks) = pool else { return Some(IndexPlan::none(pool.family())) };
        Some(match &spec.pool {
            Pool::List(list) if list.order == ListOrder::Implicit => implicit(list),
            Pool::List(list) => explicit(list, blocks),
            Pool::Bins(all) => bins::bins(all, spec.word),
            Pool::Tree(_) => bins::tree(),
            Pool::SkipList(list) => bins::skip_list(list),
            Pool::Tlsf(tlsf) => two_level::two_level(tlsf.second_level, tlsf.largest, spec),
            Pool::HalfFit(_) => two_level::two_level(0, None, spec),
            Pool::Classes(classes) => classes::classes(classes, spec),
            _ => return None,
        })
    }

    /// No index: the pool has control words of its own.
    fn none(pool: &dyn Family) -> IndexPlan {
        IndexPlan {
            kind: "none",
            control_words: pool.control_words(),
            clears_all: pool.has_orders(),
            logarithm: pool.has_orders(),
            bit_map: pool.has_bit_map(),
            ..IndexPlan::default()
        }
    }

    /// An index with the fit of a list.
    fn fitted(fit: Fit) -> IndexPlan {
        let (fit, depth) = match fit {
            Fit::First => ("first", 100),
            Fit::Next => ("next", 100),
            Fit::Best { depth } => ("best", depth),
            Fit::Worst => ("worst", 100),
        };
        let counts = depth < 100;
        let mut invariants = Vec::new();
        if counts {
            invariants.push("7   the count of free blocks is right");
        }
        if fit == "next" {
            invariants.push("8   the rover names a block");
        }
        IndexPlan { fit, depth, counts, invariants, ..IndexPlan::default() }
    }
}

fn implicit(list: &List) -> IndexPlan {
    let index = IndexPlan::fitted(list.fit);
    let extra = index.counts || index.fit == "next";
    IndexPlan {
        kind: "implicit",
        file: "index/implicit.c",
        control_words: extra.into(),
        linked: index.counts,
        absorbs: index.fit == "next",
        checks: extra,
        ..index
    }
}

fn explicit(list: &List, blocks: &BlocksPlan) -> IndexPlan {
    let index = IndexPlan::fitted(list.fit);
    let (order, order_text) = match list.order {
        ListOrder::Lifo => ("lifo", "last in, first out"),
        ListOrder::Fifo => ("fifo", "first in, first out"),
        ListOrder::Address | ListOrder::Implicit => ("address", "in the order of addresses"),
    };
    let by_address = order == "address";
    let tail = order == "fifo";
    let own = 1 + u64::from(tail);
    let chain = Chain {
        tail,
        front: order == "lifo",
        after: by_address,
        back: tail,
        unlink: true,
        replace: blocks.splits || by_address && blocks.merges,
    };
    let mut invariants = vec!["5   the free blocks are on the list, each once"];
    if by_address {
        invariants.push("6   the list is in the order of addresses");
    }
    invariants.extend(&index.invariants);
    IndexPlan {
        kind: "list",
        file: "index/list.c",
        control_words: own + u64::from(index.counts || index.fit == "next"),
        linked: true,
        locates: by_address && !blocks.tags && blocks.merges,
        checks: true,
        order,
        order_text,
        extra: 2 + own,
        invariants,
        chain: Some(chain),
        ..index
    }
}
