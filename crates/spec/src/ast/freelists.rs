//! The layer that keeps freed blocks of popular sizes.

use heapsmith::parts::{Order, Waiting};

use super::Sizes;

/// Lists of freed blocks of listed sizes: `freelists(66,1514, order=fifo)`.
///
/// A freed block that fits a list waits there, uncoalesced, for the next request of its size.
/// When the pool cannot serve a request, the lists are flushed into it and the request is
/// tried once more. With `flush=bounded(8)` one operation flushes at most eight blocks. With `magazine=64` at most 64 blocks of a
/// list wait, in an array of places outside of them, and what is freed beyond goes to the pool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FreeLists {
    /// The request sizes served; no size by two lists.
    pub sizes: Vec<Sizes>,
    /// Which block of a list is allocated next.
    pub order: Order,
    /// How many blocks one operation flushes.
    pub flush: Flush,
    /// Places of each list's magazine; none if lists run through their blocks.
    pub magazine: Option<u32>,
}

impl FreeLists {
    /// Lists of these sizes, with everything else as a spec has it that does not say it.
    pub fn of(sizes: impl IntoIterator<Item = Sizes>) -> FreeLists {
        FreeLists {
            sizes: sizes.into_iter().collect(),
            order: Order::default(),
            flush: Flush::default(),
            magazine: None,
        }
    }
}

/// How many cached blocks one operation flushes when the pool cannot serve a request: `flush=bounded(8)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flush {
    /// All: a request is refused only if no cached block would serve it.
    #[default]
    All,
    /// At most this many, from the first list on. A request may be refused while others wait; asked again, it flushes on.
    Bounded(u32),
}

impl Flush {
    /// The most blocks that one operation flushes; none if it flushes all.
    pub fn max(self) -> Option<u32> {
        match self {
            Self::All => None,
            Self::Bounded(blocks) => Some(blocks),
        }
    }
}

impl FreeLists {
    /// The largest bound of a flush, in blocks.
    pub const MAX_FLUSH: u32 = 4096;

    /// The most places of a magazine.
    pub const MAX_MAGAZINE: u32 = 16_384;

    /// Lists of these sizes, last in first out, flushed as a whole.
    pub fn new(sizes: impl Into<Vec<Sizes>>) -> Self {
        Self::of(sizes.into())
    }

    /// Where its blocks wait.
    pub fn waiting(&self) -> Waiting {
        match self.magazine {
            Some(places) => Waiting::Magazine(places as usize),
            None => self.order.into(),
        }
    }
}
