//! What a program asks of its heap, as a recording: the one that `heapsmith record` writes, with the addresses that this heap
//! gave.
//!
//! A free is written down before the block is freed and an allocation after, as the recorder does, so a recording of
//! one thread has the operations in the very order in which the heap served them: replayed on the same heap it takes the
//! same bytes. Threads are in the order of their stamps, which may differ from that of the lock where they compete.

use core::ptr::NonNull;

use heapsmith_capture::format::operation;
use heapsmith_capture::stack::Caller;
use heapsmith_capture::{cold, reserve, witness};

use crate::process::begun;

/// Alignments up to this one are every block's, and not written down.
const NATURAL: usize = 16;

fn address(block: NonNull<u8>) -> usize {
    block.as_ptr().addr()
}

/// A block was handed out.
pub fn allocated(block: NonNull<u8>, size: usize, alignment: usize, caller: Caller) {
    let alignment = if alignment > NATURAL { alignment } else { 0 };
    cold::record(operation::ALLOCATE, address(block), size, alignment, caller);
}

/// A block is about to be freed.
pub fn freed(block: NonNull<u8>) {
    cold::record(operation::FREE, address(block), 0, 0, Caller::NONE);
}

/// A block is about to be made another size.
pub fn reallocates(block: NonNull<u8>) {
    cold::record(operation::REALLOCATE_BEGINS, address(block), 0, 0, Caller::NONE);
}

/// It was, and may have moved; none where it was refused.
pub fn reallocated(block: Option<NonNull<u8>>, size: usize, caller: Caller) {
    cold::record(operation::REALLOCATE_ENDS, block.map_or(0, address), size, 0, caller);
}

/// Whether the system calls of a recorded process were restricted before.
pub struct Before(bool);

/// The process is about to restrict its system calls; see [`cold::restrict`].
pub fn restrict(strict: bool) -> Option<Before> {
    records().then(|| {
        let before = Before(reserve::restricted());
        cold::restrict(strict);
        before
    })
}

/// It was not allowed to.
pub fn unrestrict(before: Before) {
    reserve::set_restricted(before.0);
}

/// The process has ended in order.
pub fn ended() {
    if records() { cold::end_of_process() } else { witness::ended() }
}

fn records() -> bool {
    begun().is_some_and(|process| process.settings.records)
}
