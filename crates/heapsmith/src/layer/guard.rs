//! Detects and names what a program does wrong with its blocks.
//!
//! ```text
//!   block of the heap below
//!   ┌───────┬ ─ ─ ─ ─ ┬───────┬──────┬──────┬──────────────────┬─────┬────────┐
//!   │ FRONT │ canaries│ FRONT │ SIZE │ SEAL │ payload: SIZE    │ pad │ canary │
//!   └───────┴ ─ ─ ─ ─ ┴───────┴──────┴──────┴──────────────────┴─────┴────────┘
//!   ▲ its payload                           ▲ the pointer that the program has
//!   └── FRONT words, 3 or what alignment asks ──┘
//! ```
//!
//! The seal depends on the block's place, its size, a secret and its state: live, in
//! quarantine, or returned below. Canaries and links have the secret too; it is 0 where nobody set one. A pointer whose seal is none of these is foreign,
//! or its header was overwritten: a walk over the heap below decides which.
//!
//! With a quarantine a freed block is filled with a pattern and waits until as
//! many others were freed; its last word then links to the block freed after
//! it. When the heap below is full, the quarantine returns its blocks to it.
//!
//! The guard remembers a heap error ([`Heap::last_heap_error`]) and leaves its block
//! as it is: a damaged block stays used, and its reallocation is refused. So
//! calls that break the contract of [`Heap::deallocate`] are defined here, as
//! far as the table in [`crate::heap_error`] says.
//!
//! A block that a reallocation moves does not wait in the quarantine. The heap
//! below sees frees in the order in which they leave the quarantine, so a stack
//! goes with `quarantine=0` only; without one, nothing is filled.
//!
//! # Invariants
//!
//! - **G1** Every used block of the heap below is sealed, kept by a layer below, or this layer's own.
//! - **G2** The canaries of every live block are whole, and the pattern of every block in quarantine.
//! - **G3** The quarantine is a list from HEAD to TAIL of COUNT blocks, COUNT at most its limit.
//!
//! # Cost
//!
//! | operation | accesses besides the heap's |
//! |---|---|
//! | allocate | 4, 5 with padding; 1 a word of a larger FRONT |
//! | deallocate | 4 or 5 read, 1 written; with quarantine 11, and 10 more when a block leaves it |
//! | space | 4 words and the padding a block; a block of 3 words, with a quarantine |
//!
//! Filling and comparing payloads is not metered. `check` and `audit` are linear.
//!
//! Sources: Perens 1987 (Electric Fence); Maguire 1993 (fill what is
//! freed, guard the edges); Serebryany et al. 2012 (AddressSanitizer: quarantine).

use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::block::words_ceil;
use crate::heap::{BlockView, Heap, Priority, State, Violation};
use crate::heap_error::{HeapError, HeapErrors};
use crate::layer::own;
use crate::memory::{RegionError, check_alignment};
use crate::meter::Meter;
use crate::pool::{is_aligned_to, move_block};
use crate::word::Word;

mod format;
mod quarantine;
mod sound;

use format::{Guarded, MIN_FRONT, Seal};

/// Watches over the blocks of the heap `H`, whose word is `W`.
#[derive(Debug)]
pub struct Guard<W, H> {
    heap: H,
    alignment: usize,
    /// Most blocks in quarantine.
    limit: usize,
    /// The layer's own block; 0 without a quarantine.
    control: usize,
    /// Mixed into seals, canaries and links.
    secret: usize,
    heap_errors: HeapErrors,
    word: PhantomData<W>,
}

impl<W: Word, H: Heap> Guard<W, H> {
    /// A layer before the empty `heap`, whose payloads lie at multiples of
    /// `alignment`, with a quarantine of this many blocks. `W` is the heap's word, or one that it aligns payloads to.
    pub fn new(mut heap: H, alignment: usize, quarantine: usize) -> Result<Self, RegionError> {
        check_alignment::<W>(alignment)?;
        if alignment > heap.alignment() {
            return Err(RegionError::Alignment { given: alignment });
        }
        own::check_below::<W>(&heap)?;
        let limit = quarantine.min(W::MAX_WORDS);
        let control = if limit > 0 { own::control_block::<W>(&mut heap, quarantine::CONTROL)? } else { 0 };
        Ok(Guard { heap, alignment, limit, control, secret: 0, heap_errors: HeapErrors::default(), word: PhantomData })
    }

    /// Alignment of a request below, and words before the payload; none if it cannot be served.
    fn front(&self, alignment: usize) -> Option<(usize, usize)> {
        if alignment & alignment.wrapping_sub(1) != 0 || alignment > W::MAX_WORDS * W::BYTES / 2 {
            return None;
        }
        let alignment = alignment.max(self.alignment);
        Some((alignment, words_ceil(MIN_FRONT, alignment / W::BYTES)))
    }

    /// Bytes of the block below for a payload of `size`; none if no region is so large.
    fn total(front: usize, size: usize) -> Option<usize> {
        if size == 0 || size > W::MAX_WORDS * W::BYTES {
            return None;
        }
        (front + size.div_ceil(W::BYTES) + 1).checked_mul(W::BYTES)
    }

    /// The block that `pointer` names, if it is live and whole; else the heap error, noted.
    fn inspect(&mut self, pointer: NonNull<u8>) -> Result<Guarded<W>, HeapError> {
        let found = self.locate(pointer).and_then(|block| self.whole(block).map(|()| block));
        let read = found.map_or(MIN_FRONT, Guarded::guard_words);
        (0..read).for_each(|_| self.heap.meter_mut().read());
        found.map_err(|heap_error| self.heap_errors.note(heap_error))
    }

    /// Gives a block back to the heap below, which may refuse.
    fn release(&mut self, block: Guarded<W>) -> Result<(), HeapError> {
        self.set_seal(block, Seal::Released);
        let below = own::pointer::<W>(&self.heap, block.at - block.front);
        // SAFETY: the block's seal said that it is one of the heap below, and it is freed once.
        unsafe { self.heap.try_deallocate(below) }.map_err(|refused| HeapError::of(refused.kind, block.offset()))
    }
}

// SAFETY: G1 and G2: a payload lies between the words of the guard, in one block of the heap below.
unsafe impl<W: Word, H: Heap> Heap for Guard<W, H> {
    type Meter = H::Meter;

    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        self.allocate_with(Priority::default(), size, alignment)
    }

    fn allocate_with(&mut self, priority: Priority, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let (alignment, front) = self.front(alignment)?;
        let total = Self::total(front, size)?;
        let below = match self.heap.allocate_with(priority, total, alignment) {
            Some(below) => below,
            None if self.flush() => self.heap.allocate_with(priority, total, alignment)?,
            None => return None,
        };
        let block = Guarded::new(own::index::<W>(&self.heap, below) + front, size, front);
        self.write(block);
        Some(own::pointer::<W>(&self.heap, block.at))
    }

    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        // SAFETY: the caller's promise is the same.
        let _ = unsafe { self.try_deallocate(pointer) };
    }

    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        let block = self.inspect(pointer)?;
        if self.limit > 0 {
            self.detain(block);
            return Ok(());
        }
        self.release(block).map_err(|heap_error| {
            self.set_seal(block, Seal::Live);
            self.heap_errors.note(heap_error)
        })
    }

    fn heap_errors(&self) -> HeapErrors {
        self.heap_errors
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let old = self.inspect(pointer).ok()?;
        let (alignment, _) = self.front(alignment)?;
        let total = Self::total(old.front, size)?;
        if !is_aligned_to(pointer, alignment) || !(old.front * W::BYTES).is_multiple_of(alignment) {
            // SAFETY: the caller's promise is the same.
            return unsafe { move_block(self, pointer, size, alignment) };
        }
        // What the program gains must not be old canaries, and the old place is no live block.
        self.clear_rear(old);
        self.set_seal(old, Seal::Released);
        let below = own::pointer::<W>(&self.heap, old.at - old.front);
        let before = self.heap.heap_errors().count;
        // SAFETY: the block's seal said that it is live, and so the block below is.
        let mut moved = unsafe { self.heap.reallocate(below, total, alignment) };
        let refused = self.heap.heap_errors().since(before);
        if moved.is_none() && refused.is_ok() && self.flush() {
            // SAFETY: as before; a refused reallocation leaves the block as it was.
            moved = unsafe { self.heap.reallocate(below, total, alignment) };
        }
        let Some(moved) = moved else {
            self.write(old);
            let _ = refused.map_err(|refused| self.heap_errors.note(HeapError::of(refused.kind, old.offset())));
            return None;
        };
        let block = Guarded::new(own::index::<W>(&self.heap, moved) + old.front, size, old.front);
        self.write(block);
        Some(own::pointer::<W>(&self.heap, block.at))
    }

    /// Exactly the requested size: the canary follows it. 0 if the pointer is no live block.
    unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize {
        self.locate(pointer).map_or(0, |block| block.size)
    }

    unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize {
        let below = |block: Guarded<W>| own::pointer::<W>(&self.heap, block.at - block.front);
        // SAFETY: the seal says that the block is live, and so the one below is.
        self.locate(pointer).map_or(0, |block| unsafe { self.heap.block_size(below(block)) })
    }

    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        self.heap.walk(&mut |view| visit(self.with_guard_words(view)));
        let mut cached = |below: usize| {
            let pointer = own::pointer::<W>(&self.heap, below);
            // SAFETY: the layer's own block and those in quarantine are live for the heap below.
            let (size, usable) = unsafe { (self.heap.block_size(pointer), self.heap.usable_size(pointer)) };
            let header = size.saturating_sub(usable);
            visit(BlockView { offset: below * W::BYTES - header, size, header, layer: 0, state: State::Cached });
        };
        if self.limit > 0 {
            cached(self.control);
            self.detained().for_each(|block| cached(block.at - block.front));
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.heap.check()?;
        self.verify()
    }

    fn audit(&self, found: &mut dyn FnMut(HeapError)) {
        self.look_around(found);
    }

    fn set_secret(&mut self, secret: usize) {
        self.secret = secret;
        self.heap.set_secret(secret);
    }

    super::as_below!(heap);
}
