//! The pool of blocks of powers of two.

/// A buddy system: `buddy(knuth)`, `buddy(estranged, defragment=on-demand)`.
///
/// Requests are rounded up to a power of two, header included. A free block joins only its
/// buddy, the other half of the block that it was split from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buddy {
    /// When free buddies become one block.
    pub system: BuddySystem,
    /// Whether other blocks are moved for a request that nothing else serves.
    pub defragment: Defragment,
}

impl Buddy {
    /// The buddy system that moves no blocks.
    pub fn new(system: BuddySystem) -> Self {
        Self { system, defragment: Defragment::default() }
    }
}

/// When free buddies become one block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BuddySystem {
    /// At once.
    #[default]
    Knuth,
    /// When a request needs the larger block.
    Estranged,
}

/// When blocks are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Defragment {
    /// Never.
    #[default]
    Never,
    /// When a request cannot be served otherwise: then as many as that one request needs.
    /// Only blocks that were asked for by handle move; a plain pointer pins its block.
    OnDemand,
}
