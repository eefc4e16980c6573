//! The pool that is one list.

use heapsmith::parts::Fit;

use super::{Coalescing, Splitting};

/// One list of free blocks: `list(order=address, fit=first, split=always, coalesce=immediate)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct List {
    /// How the list is kept.
    pub order: ListOrder,
    /// Which free block serves a request.
    pub fit: Fit,
    /// Whether what is left over of a block becomes a free block.
    pub split: Splitting,
    /// When neighbouring free blocks become one.
    pub coalesce: Coalescing,
    /// Whether blocks carry boundary tags. Without them a block's predecessor is found by a
    /// search from the start of the region.
    pub tags: bool,
}

impl Default for List {
    fn default() -> Self {
        Self {
            order: ListOrder::default(),
            fit: Fit::default(),
            split: Splitting::default(),
            coalesce: Coalescing::default(),
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
