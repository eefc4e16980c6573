//! The layer that keeps freed blocks of popular sizes.

use heapsmith::parts::Order;

use super::Sizes;

/// Lists of freed blocks of listed sizes: `freelists(66,1514, order=fifo)`.
///
/// A freed block that fits a list waits there, uncoalesced, for the next request of its size.
/// When the pool cannot serve a request, the lists are flushed into it and the request is
/// tried once more.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FreeLists {
    /// The request sizes served; no size by two lists.
    pub sizes: Vec<Sizes>,
    /// Which block of a list is allocated next.
    pub order: Order,
}

impl FreeLists {
    /// Lists of these sizes, last in first out.
    pub fn new(sizes: impl Into<Vec<Sizes>>) -> Self {
        Self { sizes: sizes.into(), order: Order::default() }
    }
}
