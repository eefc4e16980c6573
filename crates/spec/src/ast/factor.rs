//! Splitting and coalescing, each at a level.

/// When the remainder of a block that is larger than the request becomes a free block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Splitting {
    /// The caller gets the whole block.
    Never,
    /// Whenever the remainder is large enough to be a block.
    #[default]
    Always,
    /// Requests of at least this many bytes split their block: `split>=512`.
    From(u64),
}

/// When neighbouring free blocks become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Coalescing {
    /// Blocks stay as they were cut: a request larger than all of them may be refused for ever, though everything is free.
    Never,
    /// As a block is freed.
    #[default]
    Immediate,
    /// As a block is freed, if its payload has at least this many bytes: `coalesce>=512`. Smaller ones stay apart
    /// until a request would be refused: then the whole region is joined, and the request is tried again.
    From(u64),
    /// When no block is large enough for a request, the whole region at once.
    Deferred,
    /// The whole region, at every allocate and every free.
    EveryCall,
}
