//! Words of a heap's region that belong to a layer: in blocks that it took, or next to payloads.
//!
//! Invariant O1: an index that is passed here lies in a block that the heap
//! below gave to the layer, or in the footprint where the layer only looks. Words lie in the region at multiples
//! of their size ([`check_below`]).

use core::ptr::NonNull;

use crate::heap::{BlockView, Heap, Priority, State};
use crate::memory::RegionError;
use crate::meter::Meter;
use crate::word::Word;

/// Whether a layer with words of `W` can wrap `heap`: it is in one region, so that a word reaches all of it, payloads begin with
/// a word, and the program has none yet.
pub(super) fn check_below<W: Word>(heap: &impl Heap) -> Result<(), RegionError> {
    if heap.alignment() < W::BYTES || !heap.base().as_ptr().addr().is_multiple_of(W::BYTES) {
        return Err(RegionError::Unaligned { word: W::BYTES });
    }
    let mut regions = 0;
    heap.regions(&mut |_| regions += 1);
    if regions > 1 {
        return Err(RegionError::SeveralRegions);
    }
    let mut used = 0_isize;
    heap.walk(&mut |block| match block.state {
        State::Used => used += 1,
        State::Cached => used -= 1,
        State::Free => {}
    });
    if used == 0 { Ok(()) } else { Err(RegionError::InUse) }
}

/// Reads a word, unmetered.
#[inline]
pub(super) fn peek<W: Word>(heap: &impl Heap, at: usize) -> usize {
    // SAFETY: O1. Volatile, as a foreign pointer may lead to a payload that nobody wrote yet.
    unsafe { heap.base().cast::<W>().add(at).read_volatile().to_usize() }
}

/// Reads a word and meters it.
#[inline]
pub(super) fn load<W: Word>(heap: &mut impl Heap, at: usize) -> usize {
    heap.meter_mut().read();
    peek::<W>(heap, at)
}

/// Writes a word and meters it.
#[inline]
pub(super) fn store<W: Word>(heap: &mut impl Heap, at: usize, value: usize) {
    heap.meter_mut().write();
    // SAFETY: O1.
    unsafe { heap.base().cast::<W>().add(at).write(W::from_usize(value)) }
}

/// The index of the word at `pointer`.
#[inline]
pub(super) fn index<W: Word>(heap: &impl Heap, pointer: NonNull<u8>) -> usize {
    (pointer.as_ptr().addr() - heap.base().as_ptr().addr()) / W::BYTES
}

/// The pointer to word `at`.
#[inline]
pub(super) fn pointer<W: Word>(heap: &impl Heap, at: usize) -> NonNull<u8> {
    // SAFETY: O1.
    unsafe { heap.base().cast::<W>().add(at).cast() }
}

/// Bytes of the block at `pointer`, header included; 0 for a pointer beyond the heap's footprint, and the
/// hole that it leaves out, which its heap is to refuse.
pub(super) fn block_size(heap: &impl Heap, pointer: NonNull<u8>) -> usize {
    let offset = pointer.as_ptr().addr().wrapping_sub(heap.base().as_ptr().addr());
    let mut is_inside = false;
    heap.regions(&mut |region| {
        let hole = region.hole.map_or(0, |(begin, end)| end - begin);
        let at = offset.wrapping_sub(region.offset);
        is_inside |= (region.control_size..region.footprint + hole).contains(&at);
    });
    if !is_inside {
        return 0;
    }
    // SAFETY: the words before the pointer lie in the footprint. A heap that is given no block of its own reads some
    // number there, and refuses.
    unsafe { heap.block_size(pointer) }
}

/// A block of `words` words for the layer itself, set to 0. It is never freed, and no request of the
/// program: a reserve below lets it pass.
pub(super) fn control_block<W: Word>(heap: &mut impl Heap, words: usize) -> Result<usize, RegionError> {
    let Some(block) = heap.allocate_with(Priority::High, words * W::BYTES, 1) else {
        let given = heap.footprint();
        return Err(RegionError::TooSmall { needed: given + (words + 1) * W::BYTES, given });
    };
    let block = index::<W>(heap, block);
    (block..block + words).for_each(|at| store::<W>(heap, at, 0));
    Ok(block)
}

/// Walks `heap`, and visits the layer's own block, in which the word `at` lies, once more as cached: nothing that a
/// layer below wrote around it is around a payload of the program.
pub(super) fn walk<W: Word>(heap: &impl Heap, at: usize, visit: &mut dyn FnMut(BlockView)) {
    let mut own = None;
    heap.walk(&mut |view| {
        let blocks = view.offset..view.offset + view.size;
        if view.state == State::Used && blocks.contains(&(at * W::BYTES)) {
            own = Some(BlockView { layer: 0, ..view });
        }
        visit(own.filter(|own| own.offset == view.offset).unwrap_or(view));
    });
    if let Some(own) = own {
        visit(BlockView { state: State::Cached, ..own });
    }
}
