//! The pool that knows a fixed set of block sizes.

use super::Sizes;

/// Fixed size classes: `classes(16..=4096 double, then step 4096)`.
///
/// A request gets a block of the smallest class that holds it, from that class's list or cut
/// anew from the wilderness. Blocks are neither split nor coalesced.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Classes {
    /// The sizes of the classes, ascending; the upper ends of [`Sizes::ranges`].
    /// [`Sizes::Range`] has no meaning here and is refused.
    pub sizes: Vec<Sizes>,
    /// Requests above the largest class are rounded up to a multiple of this many bytes;
    /// without it they are refused.
    pub beyond: Option<u64>,
}

impl Classes {
    /// Classes of these sizes, and nothing beyond them.
    pub fn new(sizes: impl Into<Vec<Sizes>>) -> Self {
        Self { sizes: sizes.into(), beyond: None }
    }
}
