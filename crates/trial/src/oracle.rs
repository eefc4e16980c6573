//! The oracle: the intervals that are live, and what was written to them.

#![allow(unsafe_code)]

use std::ptr::NonNull;

use heapsmith::{Heap, HeapError, HeapErrorKind, State};

use crate::program::Operation;

#[derive(Clone, Copy, Debug)]
struct Block {
    offset: usize,
    pointer: NonNull<u8>,
    size: usize,
    alignment: usize,
    seed: u8,
}

/// What is live, by offset from the region's base.
#[derive(Debug, Default)]
pub struct Oracle {
    /// In address order.
    live: Vec<Block>,
    seed: u8,
    /// Freeing all took the middle block last.
    middle: bool,
}

impl Oracle {
    /// Does one operation and verifies all; returns the offset that the heap answered with.
    pub fn step<H: Heap + ?Sized>(&mut self, heap: &mut H, operation: Operation) -> Result<Option<usize>, String> {
        let answer = self.apply(heap, operation)?;
        self.verify(heap)?;
        Ok(answer)
    }

    /// Does one operation and verifies what the heap answered and the blocks that are named; returns
    /// the offset that it answered with.
    pub fn apply<H: Heap + ?Sized>(&mut self, heap: &mut H, operation: Operation) -> Result<Option<usize>, String> {
        match operation {
            Operation::Allocate { size, alignment } => {
                let pointer = heap.allocate(size, alignment);
                pointer.map(|pointer| self.admit(heap, pointer, size, alignment)).transpose()
            }
            Operation::Free { which } => self.free(heap, which.checked_rem(self.live.len())),
            Operation::FreeHighest => self.free(heap, self.live.len().checked_sub(1)),
            Operation::Reallocate { which, size } => self.reallocate(heap, which, size),
        }
    }

    /// Verifies every invariant of the heap, and that its blocks are those that are live.
    pub fn verify<H: Heap + ?Sized>(&self, heap: &H) -> Result<(), String> {
        heap.check().map_err(|violation| violation.to_string())?;
        self.walk_agrees(heap)
    }

    fn free<H: Heap + ?Sized>(&mut self, heap: &mut H, number: Option<usize>) -> Result<Option<usize>, String> {
        let Some(number) = number else { return Ok(None) };
        let block = self.live[number];
        intact(block, block.size)?;
        // SAFETY: the block is live and leaves the oracle here.
        match unsafe { heap.try_deallocate(block.pointer) } {
            Ok(()) => drop(self.live.remove(number)),
            Err(heap_error) => self.refused(heap, number, heap_error)?,
        }
        Ok(None)
    }

    /// A stack refuses what was not allocated last, names it, and leaves it as it is. Nobody else refuses.
    fn refused<H: Heap + ?Sized>(&self, heap: &H, number: usize, heap_error: HeapError) -> Result<(), String> {
        let block = self.live[number];
        let named = heap_error.kind == HeapErrorKind::OutOfOrder && heap_error.block == block.offset;
        let last = number + 1 == self.live.len();
        if !named || last || heap.last_heap_error() != Some(heap_error) {
            return Err(format!("the free of the block at {} was refused: {heap_error}", block.offset));
        }
        intact(block, block.size)
    }

    fn reallocate<H: Heap + ?Sized>(
        &mut self,
        heap: &mut H,
        which: usize,
        size: usize,
    ) -> Result<Option<usize>, String> {
        let Some(number) = which.checked_rem(self.live.len()) else { return Ok(None) };
        let old = self.live[number];
        intact(old, old.size)?;
        // SAFETY: the block is live; it leaves the oracle if it moves.
        let Some(pointer) = (unsafe { heap.reallocate(old.pointer, size, old.alignment) }) else {
            intact(old, old.size)?;
            let fits = size > 0 && size <= old.size;
            return if fits { Err(format!("a block of {} bytes cannot have {size}", old.size)) } else { Ok(None) };
        };
        self.live.remove(number);
        inside(heap, pointer, size)?;
        intact(Block { pointer, ..old }, old.size.min(size))?;
        self.admit(heap, pointer, size, old.alignment).map(Some)
    }

    /// A block that the heap handed out: inside the region, aligned, over nobody else's bytes.
    fn admit<H: Heap + ?Sized>(
        &mut self,
        heap: &H,
        pointer: NonNull<u8>,
        size: usize,
        alignment: usize,
    ) -> Result<usize, String> {
        let offset = inside(heap, pointer, size)?;
        if !pointer.as_ptr().addr().is_multiple_of(alignment.max(1)) {
            return Err(format!("{offset} is not a multiple of {alignment}"));
        }
        // Equal sizes: the blocks of a fixed-size pool have no header.
        // SAFETY: the heap has just returned it.
        let (usable, block) = unsafe { (heap.usable_size(pointer), heap.block_size(pointer)) };
        if usable < size || block < usable {
            return Err(format!("usable size {usable} for {size} bytes"));
        }
        let place = self.live.partition_point(|block| block.offset < offset);
        let below =
            place.checked_sub(1).map(|below| self.live[below]).filter(|block| block.offset + block.size > offset);
        let above = self.live.get(place).copied().filter(|block| block.offset < offset + size);
        if let Some(block) = below.or(above) {
            let (other, end) = (block.offset, block.offset + block.size);
            return Err(format!("{offset}..{} overlaps {other}..{end}", offset + size));
        }
        self.seed = self.seed.wrapping_add(37);
        let block = Block { offset, pointer, size, alignment, seed: self.seed };
        for byte in 0..size {
            // SAFETY: the heap gave `size` bytes, which overlap no other live block.
            unsafe { pointer.as_ptr().add(byte).write(block.seed.wrapping_add(byte as u8)) };
        }
        self.live.insert(place, block);
        Ok(offset)
    }

    /// The walk tiles the footprint of each region, and its used blocks are the live ones and those that layers keep.
    fn walk_agrees<H: Heap + ?Sized>(&self, heap: &H) -> Result<(), String> {
        let regions = extents(heap);
        let (mut used, mut cached) = (0_usize, 0_usize);
        // The region that is walked, where its next block is to begin, and bytes of its hole so far.
        let (mut number, mut expected, mut left_out) = (0, regions[0].first, 0);
        let mut broken = None;
        heap.walk(&mut |block| {
            if block.state == State::Cached {
                cached += 1;
                return;
            }
            while let Some(next) = regions.get(number + 1).filter(|next| next.base <= block.offset) {
                regions[number].ends(expected, left_out).err().and_then(|why| broken.replace(why));
                (number, expected, left_out) = (number + 1, next.first, 0);
            }
            let hole = regions[number].hole;
            if let Some((begin, end)) = hole.filter(|&(begin, _)| begin == expected && block.offset != begin) {
                (expected, left_out) = (end, end - begin);
            }
            if block.offset != expected {
                broken.get_or_insert(format!("a gap before {}: expected {expected}", block.offset));
            }
            expected = block.offset + block.size;
            used += usize::from(block.state == State::Used);
        });
        if let Some(broken) = broken {
            return Err(broken);
        }
        regions[number].ends(expected, left_out)?;
        regions[number + 1..].iter().try_for_each(|region| region.ends(region.first, 0))?;
        if used != self.live.len() + cached {
            return Err(format!("{used} blocks are used, {} live and {cached} kept", self.live.len()));
        }
        Ok(())
    }

    /// Runs a program on an empty heap and frees what it leaves, with everything verified after each step; what broke, and where.
    pub fn run<H: Heap + ?Sized>(heap: &mut H, program: &[Operation]) -> Result<(), String> {
        let mut oracle = Oracle::default();
        for (number, &operation) in program.iter().enumerate() {
            oracle.step(heap, operation).map_err(|broken| format!("step {number}, {operation:?}: {broken}"))?;
        }
        oracle.free_all(heap)
    }

    /// Frees every live block, with everything verified after each.
    pub fn free_all<H: Heap + ?Sized>(&mut self, heap: &mut H) -> Result<(), String> {
        while let Some(operation) = self.freeing() {
            self.step(heap, operation)?;
        }
        Ok(())
    }

    /// The next of the operations that free every live block in the end, none if none is live.
    pub fn freeing(&mut self) -> Option<Operation> {
        let live = self.live.len();
        // A stack refuses every block but the highest.
        self.middle = !self.middle;
        let operation = if self.middle { Operation::Free { which: live / 2 } } else { Operation::FreeHighest };
        (live > 0).then_some(operation)
    }
}

/// A region, in bytes from the heap's base.
#[derive(Clone, Copy, Debug)]
struct Extent {
    base: usize,
    /// Where its first block begins.
    first: usize,
    footprint: usize,
    hole: Option<(usize, usize)>,
    /// Bytes of the footprint that are behind all blocks.
    table: usize,
}

impl Extent {
    /// Where its last block ends at most: those behind a wilderness between blocks end before the region does.
    fn end(&self) -> usize {
        self.base + self.footprint + self.hole.map_or(0, |(begin, end)| end - begin) - self.table
    }

    /// Whether its last block ends where its footprint does, of which this much was left out.
    fn ends(&self, at: usize, left_out: usize) -> Result<(), String> {
        let end = self.base + self.footprint + left_out - self.table;
        // The wilderness of a pool of blocks begins with a header; others have none.
        if (at..=at + 8).contains(&end) {
            Ok(())
        } else {
            Err(format!("the walk ends at {at}, the footprint at {end}"))
        }
    }
}

/// The regions of a heap by address; most have one.
fn extents<H: Heap + ?Sized>(heap: &H) -> Vec<Extent> {
    let mut extents = Vec::new();
    heap.regions(&mut |region| {
        let hole = region.hole.map(|(begin, end)| (region.offset + begin, region.offset + end));
        let (base, footprint, table) = (region.offset, region.footprint, region.table_size);
        extents.push(Extent { base, first: base + region.control_size, footprint, hole, table });
    });
    extents.sort_by_key(|extent| extent.base);
    extents
}

/// The offset of a block that lies inside a region.
fn inside<H: Heap + ?Sized>(heap: &H, pointer: NonNull<u8>, size: usize) -> Result<usize, String> {
    let offset = pointer.as_ptr().addr().wrapping_sub(heap.base().as_ptr().addr());
    let regions = extents(heap);
    let region = regions.iter().rev().find(|region| region.base <= offset);
    let end_of_blocks = region.map_or(0, Extent::end);
    let end = offset.checked_add(size).filter(|&end| end <= end_of_blocks && size > 0);
    match end {
        Some(_) => Ok(offset),
        None => Err(format!("served {size} bytes at {offset}, beyond the footprint {}", heap.footprint())),
    }
}

/// The first `size` bytes are as they were written.
fn intact(block: Block, size: usize) -> Result<(), String> {
    let changed = |byte: usize| {
        // SAFETY: the block is live, and its first `size` bytes were written when it was admitted.
        let found = unsafe { block.pointer.as_ptr().add(byte).read() };
        found ^ block.seed.wrapping_add(byte as u8)
    };
    // All bytes without a branch first: that is done many at a time.
    if (0..size).fold(0, |any, byte| any | changed(byte)) == 0 {
        return Ok(());
    }
    let byte = (0..size).find(|&byte| changed(byte) != 0).unwrap_or(0);
    Err(format!("byte {byte} of {} changed", block.size))
}
