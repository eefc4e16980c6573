//! word_heap: a memory allocator, emitted by heapsmith 0.1.0.
//!
//! ```text
//! tlsf(second-level=5) word=8
//! ```
//!
//! Not measured: no trace was named when it was emitted.
//!
//! | bound | |
//! |---|---|
//! | allocate | constant |
//! | free | constant |
//! | max memory | M + B (r - 1), r the request rounded up to its list: holes below r may be passed over |
//!
//! M: the most bytes in live blocks at once, headers included; B: the most live blocks; n: the largest
//! block; all in units of the smallest.
//!
//! As a value, over a region of one's own:
//!
//! ```ignore
//! let mut memory = [MaybeUninit::<u64>::uninit(); 8192];
//! let mut heap = word_heap::heap(Fixed::new(&mut memory))?;
//! let block = heap.allocate(100, 1);
//! ```
//!
//! As the program's allocator, in a mebibyte of static memory:
//!
//! ```ignore
//! static REGION: StaticRegion<{ 1 << 20 }> = StaticRegion::new();
//! #[global_allocator]
//! static HEAP: Global<word_heap::WordHeap<Fixed<'static>>, Spin, { 1 << 20 }> = Global::new(&REGION, word_heap::heap);
//! ```
//!
//! Precondition: a value in a block that was allocated with alignment 1 is aligned to at most 8 bytes. For each of
//! your types, this refuses to compile where that is not so:
//!
//! ```ignore
//! const _: () = word_heap::assert_aligned::<Packet>();
//! ```
//!
//! It needs the crate heapsmith of this version, since it names parts of it. In Cargo.toml:
//!
//! ```toml
//! [dependencies]
//! heapsmith = "0.1.0"
//!
//! [patch.crates-io]    # until the crate is published
//! heapsmith = { path = "path/to/heapsmith/crates/heapsmith" }
//! ```

use heapsmith::Word;
use heapsmith::parts::BlockPool;
use heapsmith::parts::TwoLevel;
use heapsmith::parts::{Coalesce, ConstantPolicy, Fit, PolicyValues};
use heapsmith::{RegionError, Source, Unmetered};

/// The levels of the heap: constants, so that no branch on them is left.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordHeapPolicy;

impl ConstantPolicy for WordHeapPolicy {
    const VALUES: PolicyValues = PolicyValues {
        alignment: 8,
        fit: Fit::Best { depth: 100 },
        split_from: 0,
        remainder: 0,
        coalesce: Coalesce::From(0),
    };
}

/// Payloads lie at multiples of this many bytes where no coarser alignment is asked for.
pub const ALIGNMENT: usize = 8;

/// In a constant: refuses to compile where values of `T` are aligned to more than [`ALIGNMENT`].
#[allow(dead_code)]
pub const fn assert_aligned<T>() {
    assert!(core::mem::align_of::<T>() <= ALIGNMENT, "the type is aligned to more than the payloads of this heap");
}

/// The heap, over a region that `S` supplies.
pub type WordHeap<S> = BlockPool<u64, TwoLevel, WordHeapPolicy, S, Unmetered, true>;

/// An empty heap over the region that `source` supplies.
pub fn heap<S: Source>(source: S) -> Result<WordHeap<S>, RegionError> {
    let heap = BlockPool::from_parts(source, TwoLevel::new(5, <u64 as Word>::MAX_WORDS), WordHeapPolicy, Unmetered)?;
    Ok(heap)
}
