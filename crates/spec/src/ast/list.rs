//! The pool that is one list.

use super::{Coalesce, Split};

/// One list of free blocks: `list(order=address, fit=first, split=always, coalesce=immediate)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct List {
    /// How the list is kept.
    pub order: ListOrder,
    /// Which free block serves a request.
    pub fit: Fit,
    /// Whether what is left over of a block becomes a free block.
    pub split: Split,
    /// When neighbouring free blocks become one.
    pub coalesce: Coalesce,
    /// Whether blocks carry boundary tags. Without them a block's predecessor is found by a
    /// search from the start of the region.
    pub tags: bool,
}

impl Default for List {
    fn default() -> Self {
        Self {
            order: ListOrder::default(),
            fit: Fit::default(),
            split: Split::default(),
            coalesce: Coalesce::default(),
            tags: true,
        }
    }
}

/// How a list of free blocks is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ListOrder {
    /// The block freed last comes first.
    Lifo,
    /// The block freed first comes first.
    Fifo,
    /// Ascending addresses.
    #[default]
    Address,
    /// No links at all: the headers lead from block to block, so a search steps through used
    /// and free blocks alike.
    Implicit,
}

/// Which free block serves a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fit {
    /// The first that is large enough.
    #[default]
    First,
    /// The first that is large enough, from where the last search ended.
    Next,
    /// The smallest that is large enough.
    Best {
        /// How much of the list is looked at for a closer fit, in percent from 1 to 100.
        depth: u8,
    },
    /// The largest.
    Worst,
}

impl Fit {
    /// Best fit over the whole list.
    pub const BEST: Self = Self::Best { depth: 100 };
}
