//! How the threads of a program share a heap.

/// How the threads of a program share a heap: `threads=each`.
///
/// It says how the heap serves a running program. A replay plays all events of a trace in one
/// thread, where the three are one and the same heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Threads {
    /// One heap, which one thread at a time uses.
    #[default]
    One,
    /// A heap for each thread. A block that another thread frees returns to its own heap.
    Each,
    /// The free lists of the innermost layer for each thread, before one pool for all.
    Lists,
}
