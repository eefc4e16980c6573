//! Whether a heap serves again what it served at the start, once everything was freed.
//!
//! ```text
//!   new heap ──▶ its largest request
//!   new heap ──▶ a history: filled with a size, or a program ──▶ everything freed ──▶ the same request
//! ```
//!
//! A heap that joins free blocks at all must serve it, whatever its layers keep and whatever a threshold left apart.

#![allow(unsafe_code)]

use std::ptr::NonNull;

use heapsmith_spec::Spec;

use crate::oracle::Oracle;
use crate::program::long_program;
use crate::region::{Counted, Memory, on};

/// What a heap does before everything is freed.
#[derive(Clone, Copy, Debug)]
pub enum History {
    /// It is filled with blocks of this many bytes, which are freed as they were allocated.
    Filled(usize),
    /// The same; every second block is freed first, from the last to the first.
    Alternating(usize),
    /// A program of this many operations, of this seed.
    Program(usize, u64),
}

/// The largest request that a new heap of `spec` serves in a region of `bytes` bytes; 0 if it serves none or cannot be
/// made there. Some 20 heaps are made.
pub fn largest_request(spec: &Spec, memory: &mut Memory, bytes: usize) -> usize {
    let mut serves = |size: usize| on(spec, memory, bytes, |heap| heap.allocate(size, 1).is_some()).unwrap_or(false);
    let (mut served, mut refused) = (0, bytes + 1);
    while refused - served > 1 {
        let size = served + (refused - served) / 2;
        if serves(size) { served = size } else { refused = size }
    }
    served
}

/// Does `history` on the heap of `spec` in a region of `bytes` bytes, frees everything and asks for `largest` bytes.
///
/// # Errors
///
/// The heap refuses, or breaks an invariant.
pub fn recovers(
    spec: &Spec,
    memory: &mut Memory,
    bytes: usize,
    largest: usize,
    history: History,
) -> Result<(), String> {
    let outcome = on(spec, memory, bytes, |heap| after(heap, history, largest));
    outcome.map_err(|error| error.to_string())?.map_err(|broken| format!("{history:?}: {broken}"))
}

fn after(mut heap: &mut Counted<'_>, history: History, largest: usize) -> Result<(), String> {
    match history {
        History::Filled(size) => {
            let blocks = fill(heap, size);
            free(heap, &blocks);
        }
        History::Alternating(size) => {
            let blocks = fill(heap, size);
            let odd = blocks.iter().skip(1).step_by(2).rev();
            let even = blocks.iter().step_by(2).rev();
            free(heap, &odd.chain(even).copied().collect::<Vec<_>>());
        }
        History::Program(operations, seed) => {
            let mut oracle = Oracle::default();
            for operation in long_program(operations, seed) {
                oracle.apply(&mut heap, operation)?;
            }
            while let Some(operation) = oracle.freeing() {
                oracle.apply(&mut heap, operation)?;
            }
            oracle.verify(heap)?;
        }
    }
    heap.check().map_err(|violation| violation.to_string())?;
    let served = heap.allocate(largest, 1).is_some();
    heap.check().map_err(|violation| violation.to_string())?;
    if served { Ok(()) } else { Err(format!("{largest} bytes are refused once everything is free")) }
}

/// Allocates until the heap refuses.
fn fill(heap: &mut Counted<'_>, size: usize) -> Vec<NonNull<u8>> {
    std::iter::from_fn(|| heap.allocate(size, 1)).collect()
}

/// Frees `blocks` in this order; those that a stack refuses, from the last allocated to the first.
fn free(heap: &mut Counted<'_>, blocks: &[NonNull<u8>]) {
    // SAFETY: the heap handed the block out, and it is freed once: one that is refused stays used.
    let mut refuses = |block: &NonNull<u8>| unsafe { heap.try_deallocate(*block) }.is_err();
    let mut refused: Vec<_> = blocks.iter().copied().filter(&mut refuses).collect();
    refused.sort_unstable();
    refused.iter().rev().for_each(|block| {
        refuses(block);
    });
}

impl History {
    /// A few of each kind; `seed` chooses the programs.
    pub fn few(seed: u64) -> impl Iterator<Item = History> {
        let sizes = [8, 40, 100, 600];
        let filled = sizes.into_iter().flat_map(|size| [History::Filled(size), History::Alternating(size)]);
        filled.chain((0..2).map(move |number| History::Program(400, seed.wrapping_mul(2).wrapping_add(number))))
    }
}
