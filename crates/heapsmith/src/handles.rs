//! Movable blocks: a program holds a handle, the heap may move the block.
//!
//! ```text
//!   Handle ──▶ master word ──▶ payload        the master word stays where it is,
//!                  ▲              │           the block names it in its owner word
//!                  └── owner word ┘
//! ```
//!
//! A heap moves blocks only inside [`Heap::allocate`], [`Heap::reallocate`] and
//! [`Handles::allocate_movable`], and only blocks that belong to a handle and are
//! not pinned. An address from [`Handles::get`] is good until the next of these calls; one
//! from [`Handles::pin`] until [`Handles::unpin`].
//!
//! Source: Donahue et al. 2001, §2.8 and §3 (the handles of a Java interpreter).

use core::ptr::NonNull;

use crate::heap::Heap;

/// A movable block, as its owner knows it: the index of its master word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle(pub(crate) usize);

/// Counts of moved blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Moved {
    /// Blocks moved since the heap was made.
    pub blocks: u64,
    /// Bytes of these blocks, headers included.
    pub bytes: u64,
    /// Bytes moved for the last request that made blocks move; each of these is served.
    pub last: usize,
    /// The most bytes moved for one request.
    pub max: usize,
}

/// A heap of blocks some of which it may move.
///
/// # Safety
///
/// As for [`Heap`]: an address of a movable block is one of a live block for as long as its method says.
pub unsafe trait Handles: Heap {
    /// A movable block of at least `size` bytes, by its handle.
    fn allocate_movable(&mut self, size: usize) -> Option<Handle>;

    /// Makes room for `handles` more handles; false, with fewer, if there is no room. Called on a new heap it keeps their
    /// words, which never move, together at its beginning; else they are made as they are needed, between other blocks.
    fn reserve_handles(&mut self, handles: usize) -> bool;

    /// Frees a movable block and its handle.
    ///
    /// # Safety
    ///
    /// `handle` came from this heap and was not freed since.
    unsafe fn free_movable(&mut self, handle: Handle);

    /// The address of a movable block, until the next allocation.
    ///
    /// # Safety
    ///
    /// As for [`Handles::free_movable`].
    unsafe fn get(&self, handle: Handle) -> NonNull<u8>;

    /// Keeps the block where it is, and returns its address. Pins do not nest.
    ///
    /// # Safety
    ///
    /// As for [`Handles::free_movable`].
    unsafe fn pin(&mut self, handle: Handle) -> NonNull<u8>;

    /// Lets the block be moved again.
    ///
    /// # Safety
    ///
    /// As for [`Handles::free_movable`].
    unsafe fn unpin(&mut self, handle: Handle);

    /// The blocks that were moved so far.
    fn moved(&self) -> Moved;

    /// The most bytes that one request for `size` bytes may make the heap move.
    fn max_moved(&self, size: usize) -> Option<usize>;
}
