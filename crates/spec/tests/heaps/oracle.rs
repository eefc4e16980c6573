//! The oracle: the intervals that are live, and what was written to them.

use std::collections::BTreeMap;
use std::ptr::NonNull;

use heapsmith::{Heap, Misuse, MisuseKind, State};
use proptest::prelude::*;

/// One operation of a program. Blocks are named by a number modulo the live blocks.
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    Allocate { size: usize, alignment: usize },
    Free { which: usize },
    Reallocate { which: usize, size: usize },
}

fn size() -> impl Strategy<Value = usize> {
    prop_oneof![
        8 => 1_usize..200,
        4 => prop::sample::select(vec![8, 16, 66, 100, 1476, 1514]),
        2 => 200_usize..3000,
        1 => prop::sample::select(vec![0, 1 << 20, usize::MAX / 2, usize::MAX]),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    let alignment = prop_oneof![6 => Just(1_usize), 2 => (0_u32..=12).prop_map(|log| 1 << log)];
    prop_oneof![
        5 => (size(), alignment).prop_map(|(size, alignment)| Operation::Allocate { size, alignment }),
        4 => any::<usize>().prop_map(|which| Operation::Free { which }),
        2 => (any::<usize>(), size()).prop_map(|(which, size)| Operation::Reallocate { which, size }),
    ]
}

/// Programs of up to `most` operations.
pub fn program(most: usize) -> impl Strategy<Value = Vec<Operation>> {
    prop::collection::vec(operation(), 1..most)
}

/// The same program for the same seed.
pub fn long_program(length: usize, seed: u64) -> Vec<Operation> {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    (0..length).map(|_| operation().new_tree(&mut runner).expect("a strategy without filters").current()).collect()
}

#[derive(Clone, Copy)]
struct Block {
    pointer: NonNull<u8>,
    size: usize,
    alignment: usize,
    seed: u8,
}

/// What is live, by offset from the region's base.
#[derive(Default)]
pub struct Oracle {
    live: BTreeMap<usize, Block>,
    seed: u8,
}

impl Oracle {
    /// Does one operation and verifies all; returns the offset that the heap answered with.
    pub fn step<H: Heap>(&mut self, heap: &mut H, operation: Operation) -> Result<Option<usize>, String> {
        let answer = match operation {
            Operation::Allocate { size, alignment } => {
                let pointer = heap.allocate(size, alignment);
                pointer.map(|pointer| self.admit(heap, pointer, size, alignment)).transpose()?
            }
            Operation::Free { which } => {
                if let Some(offset) = self.choose(which) {
                    let block = self.live[&offset];
                    intact(block, block.size)?;
                    // SAFETY: the block is live and leaves the oracle here.
                    match unsafe { heap.try_deallocate(block.pointer) } {
                        Ok(()) => drop(self.live.remove(&offset)),
                        Err(misuse) => self.refused(heap, offset, misuse)?,
                    }
                }
                None
            }
            Operation::Reallocate { which, size } => self.reallocate(heap, which, size)?,
        };
        heap.check().map_err(|violation| violation.to_string())?;
        self.walk_agrees(heap)?;
        Ok(answer)
    }

    /// A stack refuses what was not allocated last, names it, and leaves it as it is. Nobody else refuses.
    fn refused<H: Heap>(&self, heap: &H, offset: usize, misuse: Misuse) -> Result<(), String> {
        let named = misuse.kind == MisuseKind::OutOfOrder && misuse.block == offset;
        let later = self.live.range(offset + 1..).next().is_some();
        if !named || !later || heap.last_misuse() != Some(misuse) {
            return Err(format!("the free of the block at {offset} was refused: {misuse}"));
        }
        intact(self.live[&offset], self.live[&offset].size)
    }

    fn choose(&self, which: usize) -> Option<usize> {
        let index = which.checked_rem(self.live.len())?;
        self.live.keys().nth(index).copied()
    }

    fn reallocate<H: Heap>(&mut self, heap: &mut H, which: usize, size: usize) -> Result<Option<usize>, String> {
        let Some(offset) = self.choose(which) else { return Ok(None) };
        let old = self.live.remove(&offset).expect("it was chosen from the live");
        intact(old, old.size)?;
        // SAFETY: the block is live; it leaves the oracle if it moves.
        let Some(pointer) = (unsafe { heap.reallocate(old.pointer, size, old.alignment) }) else {
            intact(old, old.size)?;
            self.live.insert(offset, old);
            return Ok(None);
        };
        intact(Block { pointer, ..old }, old.size.min(size))?;
        self.admit(heap, pointer, size, old.alignment).map(Some)
    }

    /// A block that the heap handed out: inside the region, aligned, over nobody else's bytes.
    fn admit<H: Heap>(
        &mut self,
        heap: &H,
        pointer: NonNull<u8>,
        size: usize,
        alignment: usize,
    ) -> Result<usize, String> {
        let offset = pointer.as_ptr().addr().wrapping_sub(heap.base().as_ptr().addr());
        if size == 0 || offset + size > heap.footprint() {
            return Err(format!("served {size} bytes at {offset}, beyond the footprint {}", heap.footprint()));
        }
        if !pointer.as_ptr().addr().is_multiple_of(alignment.max(1)) {
            return Err(format!("{offset} is not a multiple of {alignment}"));
        }
        // Equal sizes: the blocks of a fixed-size pool have no header.
        if heap.usable_size(pointer) < size || heap.block_size(pointer) < heap.usable_size(pointer) {
            return Err(format!("usable size {} for {size} bytes", heap.usable_size(pointer)));
        }
        let before = self.live.range(..offset + size).next_back();
        if let Some((&other, block)) = before
            && other + block.size > offset
        {
            return Err(format!("{offset}..{} overlaps {other}..{}", offset + size, other + block.size));
        }
        self.seed = self.seed.wrapping_add(37);
        let block = Block { pointer, size, alignment, seed: self.seed };
        for byte in 0..size {
            // SAFETY: the heap gave `size` bytes, which overlap no other live block.
            unsafe { pointer.as_ptr().add(byte).write(block.seed.wrapping_add(byte as u8)) };
        }
        self.live.insert(offset, block);
        Ok(offset)
    }

    /// The walk tiles the footprint, and its used blocks are the live ones and those that layers keep.
    fn walk_agrees<H: Heap>(&self, heap: &H) -> Result<(), String> {
        let mut expected = heap.control_size();
        let (mut used, mut kept) = (0_usize, 0_usize);
        let mut broken = None;
        heap.walk(&mut |block| {
            if block.state == State::Kept {
                kept += 1;
                return;
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
        let wilderness = heap.footprint() - expected;
        // The wilderness of a pool of blocks begins with a header; others have none.
        if wilderness > 8 {
            return Err(format!("the walk ends at {expected}, the footprint at {}", heap.footprint()));
        }
        if used != self.live.len() + kept {
            return Err(format!("{used} blocks are used, {} live and {kept} kept", self.live.len()));
        }
        Ok(())
    }

    /// Frees every live block, with everything verified after each.
    pub fn free_all<H: Heap>(&mut self, heap: &mut H) -> Result<(), String> {
        while !self.live.is_empty() {
            let before = self.live.len();
            self.step(heap, Operation::Free { which: before / 2 })?;
            if self.live.len() == before {
                self.step(heap, Operation::Free { which: before - 1 })?;
            }
        }
        Ok(())
    }
}

/// The first `size` bytes are as they were written.
fn intact(block: Block, size: usize) -> Result<(), String> {
    for byte in 0..size {
        // SAFETY: the block is live, and its first `size` bytes were written when it was admitted.
        let found = unsafe { block.pointer.as_ptr().add(byte).read() };
        if found != block.seed.wrapping_add(byte as u8) {
            return Err(format!("byte {byte} of {} changed", block.size));
        }
    }
    Ok(())
}
