//! Reference allocators behind one trait, each called directly.
//!
//! ```text
//!   "peer:mimalloc" ─▶ Peer ─┐
//!                            ├─ with_peer ─▶ Work::run(allocator)   its type is known: no dispatch in the loop
//!   memory of a region ──────┘
//!   heapsmith::Heap ────────────────────────▶ is an Allocator too: the same loop runs both
//! ```
//!
//! A [`Library`] is one more, of a file with `malloc` and `free`.
//!
//! None of them is the global allocator of this process, except that the C library's is what
//! Rust's own allocations come from. Two kinds:
//!
//! | kind | peers | memory |
//! |---|---|---|
//! | of the process | libc, mimalloc, jemalloc, snmalloc | they ask the system themselves; what is freed in one use is there for the next |
//! | of a region | dlmalloc, rlsf, talc, linked_list_allocator, buddy_system_allocator | the region that the heaps of this project get too; each use begins with it empty |
//!
//! Invariants, which SAFETY comments name:
//!
//! - **P1**: a receipt is made by the allocator whose type names it, for a block that it
//!   returned; nobody else can make one.
//! - **P2**: an allocator of a region uses no byte outside it, and lives no longer.
//! - **P3**: an alignment in a receipt is a power of two, and with the size no more than
//!   `isize::MAX`: it came from a [`Layout`](core::alloc::Layout).
//!
//! Alignment: a request that names none gets 16 bytes of the allocators with a C interface, and
//! is made with 8 of those that take a layout.
#![allow(unsafe_code)]

mod allocator;
mod buddy_system;
mod c;
mod catalogue;
mod compiled;
mod configured;
mod deployed;
mod dlmalloc;
mod knobs;
mod library;
mod linked_list;
mod process;
mod remainder;
mod rlsf;
#[cfg(feature = "snmalloc")]
mod snmalloc;
mod talc;
mod work;

pub use allocator::{Allocator, Receipt, Sized};
pub use catalogue::{Entry, PREFIX, Peer, PeerError, peers};
pub use compiled::{Compiled, CompiledHeap, LoadError};
pub use configured::{Configured, KnobError, inherited_knobs};
pub use deployed::Deployed;
pub use knobs::{Knob, Values};
pub use library::{Library, LibraryError};
pub use process::{with_fixed_addresses, without_huge_pages};
pub use work::{Work, with_peer};
