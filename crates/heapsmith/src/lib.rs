//! Memory allocators built from a few parts: a [region](source) of memory, a
//! [block format](block), [levels](levels) (the numbers of a policy), an
//! [index](index) of the free blocks, a [pool](pool) that owns a region, and
//! [layers](layer) that stand before a pool.
//!
//! ```text
//!   FreeLists<P>        a layer keeps some freed blocks
//!       │
//!   BlockPool<…>        splits, coalesces, extends the wilderness
//!    │    │    │
//!  index levels memory  which block, which numbers, the words of the region
//! ```
//!
//! **Structure is type, level is value.** The word, the order of the free list
//! and the boundary tags are type parameters; thresholds and fit depth are
//! values read through [`Policy`]. An implementation of `Policy` that returns
//! constants folds away; [`PolicyValues`] carries them at run time. Both run the same
//! code and so return the same addresses.
//!
//! **The region holds everything**: control words (list heads, the wilderness),
//! then the blocks. Links are offsets in words from the region's base, so a
//! 64-bit host runs the heap of a 32-bit target bit for bit, and a footprint
//! includes every word of metadata.
//!
//! No allocation path panics, formats or allocates. The crate needs neither
//! `std` nor `alloc`.
//!
//! ```
//! use core::mem::MaybeUninit;
//! use heapsmith::{index::AddressOrder, BlockPool, Fixed, Heap, Unmetered, PolicyValues};
//!
//! let mut memory = [MaybeUninit::<u64>::uninit(); 512];
//! let region = Fixed::new(&mut memory);
//! let mut heap: BlockPool<u32, AddressOrder, PolicyValues, _, Unmetered, true> =
//!     BlockPool::new(region, AddressOrder::default(), PolicyValues::default(), Unmetered)?;
//!
//! let block = heap.allocate(100, 1).expect("the region has room");
//! assert!(heap.usable_size(block) >= 100);
//! // SAFETY: `block` came from this heap and is freed once.
//! unsafe { heap.deallocate(block) };
//! assert!(heap.check().is_ok());
//! # Ok::<(), heapsmith::RegionError>(())
//! ```
#![no_std]
#![allow(unsafe_code)]

#[cfg(test)]
extern crate std;

pub mod block;
pub mod buddy;
pub mod handles;
pub mod heap;
pub mod heap_error;
pub mod index;
pub mod layer;
pub mod lock;
pub mod memory;
pub mod meter;
mod nothing;
pub mod pages;
pub mod policy;
pub mod pool;
pub mod simple;
pub mod sizes;
pub mod source;
pub mod word;

pub use buddy::{Buddies, Estranged, Knuth};
pub use handles::{Handle, Handles, Moved};
pub use heap::{BlockView, Heap, Priority, State, Violation};
pub use heap_error::{HeapError, HeapErrorKind, HeapErrors};
pub use layer::{FreeLists, Guard, Reserve, Zero};
pub use lock::{Global, Locked, RawLock};
pub use memory::RegionError;
pub use meter::{Counting, Meter, ServePath, Unmetered};
pub use nothing::Nothing;
pub use pages::PageHeap;
pub use policy::{Coalesce, Fit, Policy, PolicyValues};
pub use pool::BlockPool;
pub use simple::{FixedSize, Frees, Linear};
pub use source::{Fixed, Growing, Source};
pub use word::Word;
