//! How the threads of a program share a heap.

/// How the threads of a program share a heap: `threads=each`.
///
/// It says how the heap serves a running program. A replay plays all events of a trace in one
/// thread, where all of them are one and the same heap; `heapsmith replay --threaded` plays those of each thread in its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Threads {
    /// One heap, which one thread at a time uses.
    #[default]
    One,
    /// A heap for each thread. A block that another thread frees returns to its own heap.
    Each,
    /// Free lists for each thread, before one heap for all: those of its one layer, or one for each class of its spans.
    Lists,
    /// The same, where the lists of a thread hold at most this many bytes: `threads=lists(32768)`.
    ListsWithin(u32),
    /// Lists for each thread before spans that belong to threads: a block that another thread frees returns to the thread whose span
    /// it is in.
    Owned,
}

impl Threads {
    /// Owners that spans have with `threads=owned`: more threads than that share them.
    pub const OWNERS: usize = 16;

    /// Whether each thread has free lists of its own.
    pub fn has_lists(self) -> bool {
        matches!(self, Self::Lists | Self::ListsWithin(_) | Self::Owned)
    }

    /// Owners that spans have, besides nobody.
    pub fn owners(self) -> usize {
        if self == Self::Owned { Self::OWNERS } else { 0 }
    }

    /// The most bytes that the lists of a thread hold; none where what all threads may hold says so alone.
    pub fn max_of_lists(self) -> Option<u32> {
        match self {
            Self::ListsWithin(bytes) => Some(bytes),
            Self::One | Self::Each | Self::Lists | Self::Owned => None,
        }
    }
}
