//! Pools without free lists to choose from.

/// Blocks one behind the other, nothing given back: `bump`, `bump(reclaim=empty)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bump {
    /// When the region's bytes can be used again.
    pub reclaim: Reclaim,
}

/// When a bump allocator starts over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reclaim {
    /// Never: what was allocated is gone.
    #[default]
    Never,
    /// When the last live block is freed.
    Empty,
}
