//! The blocks that are live in a counted replay, with what is counted of them. A timed one keeps less (`slots.rs`).
//!
//! A slot holds what the heap returned for it and nothing else, and is emptied
//! when its block is freed: so no block is freed twice, and none that the heap
//! did not return. `PackedTrace` has verified the trace itself.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::slice;

use heapsmith::parts::Nothing;
use heapsmith::{Heap, Priority};
use heapsmith_trace::{Operation, PackedEvent};

/// The null allocator, to time a loop without a heap.
pub(crate) fn null_allocator() -> Nothing {
    // SAFETY: no replay reads or writes a payload of `Subject::Nothing`.
    unsafe { Nothing::new() }
}

/// A live block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Live {
    pointer: NonNull<u8>,
    /// Bytes that were asked for.
    pub requested: u64,
    /// Bytes of its block, header included.
    pub block: u64,
    /// What its payload was filled with.
    seed: u64,
}

/// The live blocks by slot.
#[derive(Debug)]
pub(crate) struct LiveTable {
    slots: Vec<Option<Live>>,
}

/// A payload that lost what was written to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Damage {
    /// Which byte of the payload.
    pub byte: usize,
}

impl LiveTable {
    pub fn new(slots: usize) -> Self {
        LiveTable { slots: vec![None; slots] }
    }

    /// Allocates a block into an empty slot.
    #[inline(always)]
    pub fn allocate<H: Heap + ?Sized>(&mut self, heap: &mut H, slot: u32, size: u64, alignment: u64) -> Option<Live> {
        self.allocate_with(heap, Priority::default(), slot, size, alignment)
    }

    /// The same with a priority.
    #[inline(always)]
    fn allocate_with<H: Heap + ?Sized>(
        &mut self,
        heap: &mut H,
        priority: Priority,
        slot: u32,
        size: u64,
        alignment: u64,
    ) -> Option<Live> {
        let live = heap.allocate_with(priority, size.max(1) as usize, alignment as usize).map(|pointer| {
            // SAFETY: the heap has just returned it.
            let block = unsafe { heap.block_size(pointer) } as u64;
            Live { pointer, requested: size, block, seed: 0 }
        });
        self.slots[slot as usize] = live;
        live
    }

    /// Frees the block of a slot; none if its allocation was refused.
    #[inline(always)]
    pub fn free<H: Heap + ?Sized>(&mut self, heap: &mut H, slot: u32) -> Option<Live> {
        let live = self.slots[slot as usize].take()?;
        // SAFETY: a slot's block came from this heap, and leaves the table here.
        unsafe { heap.deallocate(live.pointer) };
        Some(live)
    }

    /// Changes the size of the block of a slot. `Err` when the heap refused: the block is as it was.
    #[inline(always)]
    pub fn reallocate<H: Heap + ?Sized>(
        &mut self,
        heap: &mut H,
        slot: u32,
        size: u64,
    ) -> Result<Option<(Live, Live)>, ()> {
        let Some(old) = self.slots[slot as usize] else {
            return Ok(None);
        };
        // SAFETY: a slot's block came from this heap and is live; the slot takes what replaces it.
        let pointer = unsafe { heap.reallocate(old.pointer, size.max(1) as usize, 1) }.ok_or(())?;
        // SAFETY: the heap has just returned it.
        let block = unsafe { heap.block_size(pointer) } as u64;
        let new = Live { pointer, requested: size, block, seed: old.seed };
        self.slots[slot as usize] = Some(new);
        Ok(Some((old, new)))
    }

    /// Does what an event says. Whether it was served: a free always is.
    #[inline(always)]
    pub fn apply<H: Heap + ?Sized>(&mut self, heap: &mut H, event: &PackedEvent) -> bool {
        match event.operation {
            Operation::Allocate => self.allocate(heap, event.slot, event.size, event.alignment()).is_some(),
            Operation::Free => {
                let _ = self.free(heap, event.slot);
                true
            }
            Operation::Reallocate => self.reallocate(heap, event.slot, event.size).is_ok(),
        }
    }

    /// Does what an event says; a new block is asked for with a priority.
    pub fn apply_with<H: Heap + ?Sized>(&mut self, heap: &mut H, event: &PackedEvent, priority: Priority) -> bool {
        match event.operation {
            Operation::Allocate => {
                self.allocate_with(heap, priority, event.slot, event.size, event.alignment()).is_some()
            }
            _ => self.apply(heap, event),
        }
    }

    /// The block of a slot.
    pub fn get(&self, slot: u32) -> Option<Live> {
        self.slots[slot as usize]
    }

    /// All live blocks.
    pub fn iter(&self) -> impl Iterator<Item = &Live> {
        self.slots.iter().flatten()
    }

    /// Bytes from the region's base to the payload of a live block.
    pub fn offset<H: Heap + ?Sized>(&self, heap: &H, live: Live) -> usize {
        live.pointer.as_ptr().addr() - heap.base().as_ptr().addr()
    }

    /// Whether the payload lies at a multiple of `alignment`.
    pub fn is_aligned(live: Live, alignment: u64) -> bool {
        (live.pointer.as_ptr().addr() as u64).is_multiple_of(alignment.max(1))
    }

    /// Fills the payload of a slot with a pattern of its own.
    pub fn fill(&mut self, slot: u32, seed: u64) {
        let Some(live) = &mut self.slots[slot as usize] else { return };
        live.seed = seed;
        // SAFETY: the heap gave at least `requested` bytes, and the slot owns them.
        unsafe { fill(live.pointer, live.requested as usize, seed) };
    }

    /// Whether the first `size` bytes of the payload of a slot are as they were filled.
    pub fn verify(&self, slot: u32, size: u64) -> Result<(), Damage> {
        let Some(live) = self.slots[slot as usize] else { return Ok(()) };
        // SAFETY: the slot owns these bytes, and `fill` wrote them before.
        unsafe { verify(live.pointer, size as usize, live.seed) }
    }
}

/// Fills a payload with a pattern that depends on `seed`.
///
/// # Safety
///
/// `size` bytes at `pointer` are the caller's.
pub(crate) unsafe fn fill(pointer: NonNull<u8>, size: usize, seed: u64) {
    // SAFETY: the caller's promise.
    let payload = unsafe { slice::from_raw_parts_mut(pointer.as_ptr().cast::<MaybeUninit<u8>>(), size) };
    for (word, bytes) in payload.chunks_mut(8).enumerate() {
        bytes.copy_from_slice(&pattern(seed, word).map(MaybeUninit::new)[..bytes.len()]);
    }
}

/// Whether a payload is as [`fill`] left it.
///
/// # Safety
///
/// `size` bytes at `pointer` are the caller's, who filled them.
pub(crate) unsafe fn verify(pointer: NonNull<u8>, size: usize, seed: u64) -> Result<(), Damage> {
    // SAFETY: the caller's promise.
    let payload = unsafe { slice::from_raw_parts(pointer.as_ptr(), size) };
    for (word, bytes) in payload.chunks(8).enumerate() {
        let expected = pattern(seed, word);
        if *bytes == expected[..bytes.len()] {
            continue;
        }
        if let Some(byte) = bytes.iter().zip(expected).position(|(&found, expected)| found != expected) {
            return Err(Damage { byte: word * 8 + byte });
        }
    }
    Ok(())
}

/// Eight bytes that depend on the block and on their place in it.
#[inline(always)]
fn pattern(seed: u64, word: usize) -> [u8; 8] {
    (seed ^ ((word as u64) << 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use heapsmith::{BlockView, Unmetered, Violation};

    use super::*;

    /// A heap that gives everybody the same block.
    struct Overlapping([u8; 64], Unmetered);

    // SAFETY: none: its blocks overlap, which is what the table must notice. The payload has all the bytes that are used.
    unsafe impl Heap for Overlapping {
        type Meter = Unmetered;
        fn allocate(&mut self, _size: usize, _alignment: usize) -> Option<NonNull<u8>> {
            Some(NonNull::from(&mut self.0).cast())
        }
        unsafe fn deallocate(&mut self, _pointer: NonNull<u8>) {}
        unsafe fn reallocate(&mut self, pointer: NonNull<u8>, _size: usize, _alignment: usize) -> Option<NonNull<u8>> {
            Some(pointer)
        }
        unsafe fn usable_size(&self, _pointer: NonNull<u8>) -> usize {
            64
        }
        unsafe fn block_size(&self, _pointer: NonNull<u8>) -> usize {
            64
        }
        fn alignment(&self) -> usize {
            1
        }
        fn walk(&self, _visit: &mut dyn FnMut(BlockView)) {}
        fn check(&self) -> Result<(), Violation> {
            Ok(())
        }
        fn control_size(&self) -> usize {
            0
        }
        fn footprint(&self) -> usize {
            64
        }
        fn footprint_peak(&self) -> usize {
            64
        }
        fn base(&self) -> NonNull<u8> {
            NonNull::from(&self.0).cast()
        }
        fn meter(&self) -> &Unmetered {
            &Unmetered
        }
        fn meter_mut(&mut self) -> &mut Unmetered {
            &mut self.1
        }
    }

    #[test]
    fn an_overlap_is_caught_and_its_byte_named() {
        let mut heap = Overlapping([0; 64], Unmetered);
        let mut table = LiveTable::new(2);
        table.allocate(&mut heap, 0, 40, 1).expect("it gives all");
        table.fill(0, 1);
        assert_eq!(table.verify(0, 40), Ok(()));
        table.allocate(&mut heap, 1, 3, 1).expect("it gives all");
        table.fill(1, 2);
        assert_eq!(table.verify(0, 40), Err(Damage { byte: 0 }));
        assert_eq!(table.verify(1, 3), Ok(()));
    }

    #[test]
    fn a_slot_frees_its_block_once() {
        let mut heap = Overlapping([0; 64], Unmetered);
        let mut table = LiveTable::new(1);
        assert!(table.free(&mut heap, 0).is_none());
        table.allocate(&mut heap, 0, 8, 1).expect("it gives all");
        assert!(table.free(&mut heap, 0).is_some());
        assert!(table.free(&mut heap, 0).is_none());
    }
}
