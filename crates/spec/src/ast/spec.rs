//! The whole of a heap: layers, a pool, options.

use super::{Bins, Bump, Classes, FreeLists, Guard, List, Reserve, WordSize};
use super::{Buddy, Pages};
use super::{SkipList, Threads, Tlsf, Tree};

/// A heap as data: everything that its one line of text says.
///
/// Fields are public, so a design space can be generated; [`Spec::validate`] tells whether
/// the outcome is a heap that can be built.
///
/// ```
/// use heapsmith_spec::{List, ListOrder, Pool, Spec};
///
/// let spec = Spec::new(Pool::List(List { order: ListOrder::Fifo, ..List::default() }));
/// assert_eq!(
///     spec.to_string(),
///     "list(order=fifo, fit=first, split=always, coalesce=immediate)"
/// );
/// assert_eq!(spec.to_string().parse(), Ok(spec));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// The layers in front of the pool, outermost first.
    pub layers: Vec<Layer>,
    /// The pool that owns the region.
    pub pool: Pool,
    /// The unit of headers and links.
    pub word: WordSize,
    /// Every payload's address is a multiple of this many bytes: a power of two from the
    /// word up to [`Spec::MAX_ALIGNMENT`].
    pub alignment: u32,
    /// How the threads of a program share the heap.
    pub threads: Threads,
}

impl Spec {
    /// The coarsest alignment that a heap gives to all of its payloads, in bytes.
    pub const MAX_ALIGNMENT: u32 = 4096;

    /// The most lists, bins or size classes of one heap.
    pub const MAX_LISTS: u64 = 1024;

    /// A heap of this pool alone, with the default word and payloads aligned to it.
    pub fn new(pool: Pool) -> Self {
        let word = WordSize::default();
        Self { layers: Vec::new(), pool, word, alignment: word.bytes(), threads: Threads::default() }
    }
}

/// What stands before the pool and keeps some of the blocks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// Freed blocks of listed sizes wait for the next request of their size.
    FreeLists(FreeLists),
    /// Heap error is detected and named.
    Guard(Guard),
    /// A part of the region is kept for requests of high priority.
    Reserve(Reserve),
    /// Storage is handed out zeroed.
    Zero,
}

/// The structure that owns the region.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pool {
    /// One list of free blocks.
    List(List),
    /// Many lists of free blocks, each for a range of sizes.
    Bins(Bins),
    /// A fixed set of block sizes, nothing split and nothing coalesced.
    Classes(Classes),
    /// All free blocks in a tree by size.
    Tree(Tree),
    /// All free blocks in a skip list by size.
    SkipList(SkipList),
    /// Two-level segregated fit.
    Tlsf(Tlsf),
    /// Lists of powers of two, with requests rounded up to the next: half-fit.
    HalfFit,
    /// Blocks of powers of two, joined with their buddies only.
    Buddy(Buddy),
    /// Pages of objects of one size, and runs of pages.
    Pages(Pages),
    /// Blocks one behind the other, never given back.
    Bump(Bump),
    /// Blocks one behind the other, given back last in first out.
    Stack,
    /// Blocks of one size, in bytes, without headers.
    Fixed(u64),
}
