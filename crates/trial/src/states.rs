//! Every state that a heap reaches in a small region, by any number of operations.
//!
//! ```text
//!   the empty heap ──▶ every request, resize and free ──▶ states not seen before ──▶ the same on each of them ──▶ …
//! ```
//!
//! A state is the region, byte by byte without what programs write, with the blocks that are live. It is reached by its
//! shortest program, which is played again for every operation that is tried on it: a heap is neither copied nor looked into.
//! Two states that differ only in what a heap keeps outside of its region count as one.
//!
//! Emitted C has the same search with its evidence (`states.c`), where what the heap keeps is part of the state.

#![allow(unsafe_code)]

use std::collections::HashSet;
use std::ptr::NonNull;

use heapsmith_spec::{Pool, Spec};

use crate::region::{Counted, Memory, on};

/// How many states there are, and how many operations led from one to another or back to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// States, the empty one included.
    pub states: usize,
    /// Operations that were tried.
    pub operations: u64,
}

/// An operation on a state.
#[derive(Clone, Copy, Debug)]
enum Step {
    Allocate {
        size: usize,
        alignment: usize,
    },
    /// Of the block of this number, in the order of addresses.
    Reallocate {
        block: usize,
        size: usize,
    },
    Free {
        block: usize,
    },
}

/// A state: how it was reached, and how many blocks are live.
struct Known {
    from: usize,
    step: Option<Step>,
    live: usize,
}

/// Tries every operation on every state of the heap of `spec` in a region of `bytes` bytes. After each, all invariants are
/// verified, blocks are inside the region, aligned, apart, as large as requested, and hold what was written into
/// them. None if there are more than `limit` states.
///
/// # Errors
///
/// What broke, with the shortest program that shows it; or that the heap does not take the region.
pub fn reached(spec: &Spec, bytes: usize, limit: usize) -> Result<Option<Reached>, String> {
    let mut search = Search { spec, memory: Memory::new(bytes), bytes, known: Vec::new(), seen: HashSet::new() };
    let Some(limits) = search.play(&[], |heap, _| Ok(Limits::of(spec, heap, bytes)))? else {
        return Err(format!("the heap does not take a region of {bytes} bytes"));
    };
    search.known.push(Known { from: 0, step: None, live: 0 });
    search.play(&[], |_, _| Ok(()))?;
    let empty = search.state(&[]);
    search.seen.insert(empty);
    let (mut current, mut operations) = (0, 0);
    while current < search.known.len() {
        let program = search.program(current);
        for step in limits.steps(search.known[current].live, matches!(spec.pool, Pool::Stack(_))) {
            let program = [&program[..], &[step]].concat();
            let live = search.play(&program, |heap, live| {
                heap.check().map_err(|violation| violation.to_string())?;
                Ok(live.to_vec())
            })?;
            operations += 1;
            let live = live.ok_or("the heap takes the region no more")?;
            let state = search.state(&live);
            if search.seen.insert(state) {
                search.known.push(Known { from: current, step: Some(step), live: live.len() });
            }
            if search.known.len() > limit {
                return Ok(None);
            }
        }
        current += 1;
    }
    Ok(Some(Reached { states: search.known.len(), operations }))
}

/// What is tried: requests at both ends of every step of a word up to the largest that is served, and of a region's size.
struct Limits {
    word: usize,
    largest: usize,
    region: usize,
    alignment: usize,
}

impl Limits {
    fn of(spec: &Spec, heap: &mut Counted, region: usize) -> Limits {
        let served = |heap: &mut Counted, size: usize| {
            let block = heap.allocate(size, 0);
            // SAFETY: the block was just allocated.
            block.map(|block| unsafe { heap.deallocate(block) }).is_some()
        };
        let mut largest = region;
        while largest > 1 && !served(heap, largest) {
            largest -= 1;
        }
        Limits { word: spec.word.bytes() as usize, largest, region, alignment: heap.alignment() }
    }

    fn steps(&self, live: usize, in_order: bool) -> Vec<Step> {
        let blocks = || (if in_order { live.saturating_sub(1) } else { 0 })..live;
        let ends = (1..=self.largest + self.word).filter(|size| size % self.word <= 1);
        let mut steps = Vec::new();
        for size in ends.chain([self.region]) {
            steps.push(Step::Allocate { size, alignment: 0 });
            steps.push(Step::Allocate { size, alignment: 2 * self.alignment });
            steps.extend(blocks().map(|block| Step::Reallocate { block, size }));
        }
        steps.extend(blocks().map(|block| Step::Free { block }));
        steps
    }
}

/// A live block.
#[derive(Clone, Copy)]
struct Live {
    offset: usize,
    pointer: NonNull<u8>,
    usable: usize,
    mark: u8,
}

struct Search<'s> {
    spec: &'s Spec,
    memory: Memory,
    bytes: usize,
    known: Vec<Known>,
    seen: HashSet<Vec<u8>>,
}

impl Search<'_> {
    /// The shortest program that leads to a state.
    fn program(&self, state: usize) -> Vec<Step> {
        let mut program = Vec::new();
        let mut at = state;
        while let Some(step) = self.known[at].step {
            program.push(step);
            at = self.known[at].from;
        }
        program.reverse();
        program
    }

    /// Plays a program on a new heap and looks at what is then there. None if there is no such heap.
    fn play<T>(
        &mut self,
        program: &[Step],
        look: impl FnOnce(&mut Counted, &[Live]) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        self.memory.zero(self.bytes);
        let bytes = self.bytes;
        let played = on(self.spec, &mut self.memory, bytes, |heap| {
            let mut live: Vec<Live> = Vec::new();
            for &step in program {
                live.iter_mut().zip(1..).for_each(|(block, mark)| block.fill(mark));
                let others = play(heap, step, &mut live, bytes)?;
                verify(&live, &others)?;
            }
            look(heap, &live)
        });
        match played {
            Ok(looked) => looked.map(Some).map_err(|what| format!("{what} after {program:?}")),
            Err(_) => Ok(None),
        }
    }

    /// The region without what programs wrote, and the blocks.
    fn state(&self, live: &[Live]) -> Vec<u8> {
        let mut state = self.memory.bytes(self.bytes).to_vec();
        for block in live {
            state[block.offset..][..block.usable].fill(0);
        }
        state.extend(live.iter().flat_map(|block| (block.offset as u32).to_le_bytes()));
        state
    }
}

/// Does one step, and says which blocks it left alone.
fn play(heap: &mut Counted, step: Step, live: &mut Vec<Live>, bytes: usize) -> Result<Vec<Live>, String> {
    let mut others = live.clone();
    match step {
        Step::Allocate { size, alignment } => {
            let block = heap.allocate(size, alignment);
            live.extend(block.map(|pointer| admit(heap, pointer, size, alignment, bytes)).transpose()?);
        }
        Step::Reallocate { block, size } => {
            let old = live[block];
            // SAFETY: the block is live.
            if let Some(pointer) = unsafe { heap.reallocate(old.pointer, size, 0) } {
                live[block] = admit(heap, pointer, size, 0, bytes)?;
                if !live[block].holds(old.mark, old.usable.min(size)) {
                    return Err("reallocating did not keep the contents".to_owned());
                }
                others.remove(block);
            }
        }
        Step::Free { block } => {
            // SAFETY: the block is live, and leaves both lists.
            unsafe { heap.deallocate(live.remove(block).pointer) };
            others.remove(block);
        }
    }
    live.sort_by_key(|block| block.offset);
    Ok(others)
}

/// A block that was handed out: inside the region, aligned, as large as requested.
fn admit(heap: &Counted, pointer: NonNull<u8>, size: usize, alignment: usize, bytes: usize) -> Result<Live, String> {
    let offset = pointer.addr().get() - heap.base().addr().get();
    // SAFETY: the block was just handed out.
    let usable = unsafe { heap.usable_size(pointer) };
    if offset + usable > bytes || usable < size {
        return Err(format!("the block at {offset} has {usable} bytes of {size}"));
    }
    if !offset.is_multiple_of(alignment.max(heap.alignment())) {
        return Err(format!("the block at {offset} is not aligned"));
    }
    Ok(Live { offset, pointer, usable, mark: 0 })
}

impl Live {
    /// Writes what a program may.
    fn fill(&mut self, mark: u8) {
        self.mark = mark;
        // SAFETY: these bytes are the owner's.
        unsafe { self.pointer.write_bytes(mark, self.usable) };
    }

    fn holds(&self, mark: u8, bytes: usize) -> bool {
        // SAFETY: these bytes are the owner's, and the region was filled before the heap was made.
        (0..bytes).all(|at| unsafe { self.pointer.add(at).read() } == mark)
    }
}

/// Blocks are apart, and those that were left alone hold what was written into them.
fn verify(live: &[Live], others: &[Live]) -> Result<(), String> {
    if live.windows(2).any(|pair| pair[0].offset + pair[0].usable > pair[1].offset) {
        return Err("two blocks overlap".to_owned());
    }
    match others.iter().find(|block| !block.holds(block.mark, block.usable)) {
        Some(block) => Err(format!("the block at {} does not hold what was written into it", block.offset)),
        None => Ok(()),
    }
}
