//! Memory allocators by name, over memory of your own: TLSF, best fit, first fit, buddies, pages and more.
//!
//! ```
//! use core::alloc::Layout;
//! use core::mem::MaybeUninit;
//! use heapsmith::{Fixed, Heap, Tlsf};
//!
//! let mut memory = [MaybeUninit::<u64>::uninit(); 512];
//! let mut heap = Tlsf::new(Fixed::new(&mut memory))?;
//!
//! let block = heap.allocate_layout(Layout::new::<[u32; 25]>()).expect("the region has room");
//! // SAFETY: `block` came from this heap, and is freed once.
//! unsafe { heap.deallocate(block) };
//! assert_eq!(heap.check(), Ok(()));
//! # Ok::<(), heapsmith::RegionError>(())
//! ```
//!
//! A heap is put together from a few parts:
//!
//! ```text
//!   Guard, Zero, Reserve   check, zero, hold back     &Locked   for collections (feature `allocator-api2`)
//!       │                                             Global    for #[global_allocator]
//!   FreeLists              caches some freed blocks     │
//!       │                                               │
//!   Tlsf, FirstFit, …      splits and coalesces ◀───────┘
//!       │
//!   Fixed, Growing         a region: contiguous memory
//! ```
//!
//! - **Regions** ([`Fixed`], [`Growing`], [`StaticRegion`], or your own [`Source`]) supply memory.
//! - **[Heaps by name](named)** are [`Tlsf`] and its like. Each is a [`Heap`]: it allocates, frees, resizes, walks
//!   and checks its blocks, and reports its footprint.
//! - An **[`Arena`]** has blocks without headers, which are freed all at once; it is no [`Heap`].
//! - **Layers** ([`FreeLists`], [`Guard`], [`Zero`], [`Reserve`], [`Counters`]) are heaps around a heap; [`Regions`] is one
//!   around several, each in memory of its own.
//! - **Locks** ([`Spin`], [`lock::CriticalSection`], [`lock::LockApi`]) make a heap the program's allocator
//!   ([`Global`]) or that of collections ([`Locked`]).
//! - **Meters** ([`Counting`]) count what the heap reads and writes for itself.
//!
//! **The region holds everything**: control words (list heads, the wilderness), then the blocks. Links are
//! offsets in words from the region's base, so a 64-bit host runs the heap of a 32-bit target bit for bit, and
//! a footprint includes every word of metadata.
//!
//! No method of a heap panics, formats or allocates. The crate needs neither `std` nor `alloc`.
//!
//! # Features
//!
//! | feature | gives |
//! |---|---|
//! | `allocator-api2` | `Vec::new_in(&heap)` with the crate `allocator-api2`, for the stable compiler |
//! | `critical-section` | [`lock::CriticalSection`] |
//! | `lock_api` | [`lock::LockApi`] |
//! | `defmt` | `defmt::Format` for errors, statistics and views |
//! | `shared` | words of the region are read and written at once, for `heapsmith run` |
//!
//! # Other designs
//!
//! There are thousands more than have a name. The command `heapsmith emit 'SPEC' --lang rust` writes the type of any
//! of them as a file that uses this crate's `parts`.
//!
//! # Versions
//!
//! The crate follows semantic versioning; before 1.0 a minor version may break, and says what in its changelog.
//! The module `parts` is what emitted code is made of: it is not documented for writing by hand, and may change in
//! every minor version, after 1.0 too. An emitted file names the version that it was written for. Addresses are
//! part of the promise: within a minor version a heap returns the same offsets for the same requests. A newer
//! compiler is a minor version.
#![no_std]
#![allow(unsafe_code)]
// Without these features the links to their locks lead nowhere.
#![cfg_attr(not(all(feature = "critical-section", feature = "lock_api")), allow(rustdoc::broken_intra_doc_links))]

#[cfg(test)]
extern crate std;

mod block;
mod buddy;
mod chunks;
mod handles;
mod heap;
pub mod heap_error;
mod index;
mod layer;
pub mod lock;
mod memory;
mod meter;
pub mod named;
mod nothing;
mod pages;
#[doc(hidden)]
pub mod parts;
mod policy;
mod pool;
mod sealed;
mod simple;
mod sizes;
mod source;
#[cfg(doctest)]
mod unsound;
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
mod word;

pub use handles::{Handle, Handles, Moved};
pub use heap::{BlockView, Heap, Priority, RegionView, State, Violation};
pub use heap_error::{HeapError, HeapErrorKind, HeapErrors};
pub use layer::{Counters, Counts, FreeLists, Guard, PriorityStatistics, Region, Regions, Reserve, Zero};
#[cfg(any(target_has_atomic = "8", feature = "critical-section"))]
pub use lock::Global;
#[cfg(target_has_atomic = "8")]
pub use lock::Spin;
pub use lock::{Locked, RawLock};
pub use memory::RegionError;
pub use meter::{Counting, Meter, ServePath, Unmetered};
pub use named::{
    BestFit, EstrangedBuddy, FirstFit, HalfFit, KnuthBuddy, MovableBuddy, NextFit, PhkHeap, SegregatedFit, Tlsf,
};
pub use simple::{Arena, FixedSize, Frees, Linear};
pub use source::{Fixed, Growing, Source, StaticRegion};
pub use word::Word;
