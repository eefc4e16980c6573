//! The live blocks of a timed replay, which stores only their receipts, for any allocator.
//!
//! A slot holds what the allocator returned for it and nothing else, and is
//! emptied when its block is freed: so no block is freed twice, and none that
//! the allocator did not return. `PackedTrace` has verified the trace itself.
#![allow(unsafe_code)]

use std::hint::black_box;

use heapsmith_peers::{Allocator, Receipt};
use heapsmith_trace::{Operation, PackedEvent};

use crate::live::{Damage, fill, verify};

/// Receipts by slot.
#[derive(Debug)]
pub(crate) struct Slots<R>(Vec<Option<R>>);

impl<R: Receipt> Slots<R> {
    /// Empty slots, whose memory has been written: none of its pages is touched for the first time by a replay.
    pub fn new(slots: usize) -> Self {
        let mut empty = Vec::with_capacity(slots);
        empty.resize_with(slots, || black_box(None));
        Slots(empty)
    }

    /// Does what the event says. False if the allocator refused.
    #[inline(always)]
    pub fn step<A: Allocator<Receipt = R>>(&mut self, allocator: &mut A, event: &PackedEvent) -> bool {
        let slot = &mut self.0[event.slot as usize];
        match event.operation {
            Operation::Allocate => {
                *slot = allocator.allocate(event.size.max(1) as usize, event.alignment() as usize);
                slot.is_some()
            }
            Operation::Free => {
                if let Some(receipt) = slot.take() {
                    // SAFETY: a slot's block came from this allocator, and leaves the table here.
                    unsafe { allocator.deallocate(receipt) };
                }
                true
            }
            Operation::Reallocate => {
                let Some(receipt) = *slot else { return true };
                // SAFETY: a slot's block came from this allocator and is live; the slot takes what replaces it.
                let moved = unsafe { allocator.reallocate(receipt, event.size.max(1) as usize) };
                *slot = moved.or(*slot);
                moved.is_some()
            }
        }
    }

    /// Frees what is live.
    pub fn release<A: Allocator<Receipt = R>>(&mut self, allocator: &mut A) {
        self.release_while(allocator, &mut || true);
    }

    /// Frees what is live for as long as `goes_on` says, which is asked now and then; whether nothing is live then.
    pub fn release_while<A: Allocator<Receipt = R>>(
        &mut self,
        allocator: &mut A,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        const AT_ONCE: usize = 64;
        for slots in self.0.chunks_mut(AT_ONCE) {
            if !goes_on() {
                return false;
            }
            for slot in slots {
                if let Some(receipt) = slot.take() {
                    // SAFETY: as in `step`.
                    unsafe { allocator.deallocate(receipt) };
                }
            }
        }
        true
    }

    /// The payload of a slot's block.
    pub fn address(&self, slot: u32) -> Option<usize> {
        self.0[slot as usize].map(|receipt| receipt.pointer().as_ptr().addr())
    }

    /// Fills the payload of a slot's block, which was asked for or resized with `size` bytes, with a pattern.
    pub fn fill(&mut self, slot: u32, size: u64, seed: u64) {
        if let Some(receipt) = self.0[slot as usize] {
            // SAFETY: the allocator gave at least `size` bytes, and the slot owns them.
            unsafe { fill(receipt.pointer(), size as usize, seed) };
        }
    }

    /// Whether the first `size` bytes of the payload are as they were filled.
    pub fn verify(&self, slot: u32, size: u64, seed: u64) -> Result<(), Damage> {
        match self.0[slot as usize] {
            // SAFETY: the slot owns these bytes, and `fill` wrote them before.
            Some(receipt) => unsafe { verify(receipt.pointer(), size as usize, seed) },
            None => Ok(()),
        }
    }
}
