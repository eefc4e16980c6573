//! Programs of a known form, as traces: what the paper's patterns are, and what lives and dies at random.

use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Trace};

use crate::error::ExperimentError;

/// A program as it is written down.
pub(crate) struct RandomProgram {
    trace: Trace,
    next: u64,
    random: u64,
}

impl RandomProgram {
    pub fn new(name: &str, seed: u64) -> RandomProgram {
        RandomProgram { trace: Trace::new(Origin::new(name, "")), next: 0, random: seed }
    }

    /// Allocates a block and returns its id.
    pub fn allocate(&mut self, size: u64) -> u64 {
        self.next += 1;
        self.push(Action::Allocate { id: self.next, size: Bytes(size), alignment: 0 });
        self.next
    }

    pub fn free(&mut self, id: u64) {
        self.push(Action::Free { id });
    }

    fn push(&mut self, action: Action) {
        let time = self.trace.events.len() as u64 * 1000;
        self.trace.events.push(Event::at(time, action));
    }

    /// A random number below `bound`: SplitMix64 (Steele, Lea, Flood 2014).
    pub fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ (mixed >> 31)) * u128::from(bound)) >> 64) as u64
    }

    pub fn packed(self) -> Result<PackedTrace, ExperimentError> {
        Ok(PackedTrace::new(&self.trace)?)
    }
}

/// Nothing is freed before the end: what a linear allocator is for.
pub(super) fn phase(blocks: u64, seed: u64) -> RandomProgram {
    let mut program = RandomProgram::new("one phase", seed);
    for _ in 0..blocks {
        let size = 1 + program.below(1024);
        program.allocate(size);
    }
    program
}

/// Allocated and freed in reverse order, in rises and falls: what a stack is for.
pub(super) fn last_in_first_out(blocks: u64, seed: u64) -> RandomProgram {
    let mut program = RandomProgram::new("last in, first out", seed);
    let mut stack = Vec::new();
    for _ in 0..blocks {
        let size = 1 + program.below(1024);
        stack.push(program.allocate(size));
        while program.below(2) == 0
            && let Some(top) = stack.pop()
        {
            program.free(top);
        }
    }
    while let Some(top) = stack.pop() {
        program.free(top);
    }
    program
}

/// As many blocks live, of sizes from `min` to `max`, one after another replaced at random.
pub(crate) fn churn(name: &str, live: u64, rounds: u64, sizes: (u64, u64), seed: u64) -> RandomProgram {
    let mut program = RandomProgram::new(name, seed);
    let size = |program: &mut RandomProgram| sizes.0 + program.below(sizes.1 - sizes.0 + 1);
    let mut blocks = Vec::new();
    for _ in 0..live {
        let size = size(&mut program);
        blocks.push(program.allocate(size));
    }
    for _ in 0..rounds {
        let which = program.below(live) as usize;
        program.free(blocks[which]);
        let size = size(&mut program);
        blocks[which] = program.allocate(size);
    }
    program
}

/// First in, first out: as many blocks live, the oldest replaced.
pub(super) fn queue(live: u64, rounds: u64, seed: u64) -> RandomProgram {
    let mut program = RandomProgram::new("first in, first out", seed);
    let mut blocks = std::collections::VecDeque::new();
    for round in 0..live + rounds {
        if round >= live
            && let Some(oldest) = blocks.pop_front()
        {
            program.free(oldest);
        }
        let size = 1 + program.below(1024);
        blocks.push_back(program.allocate(size));
    }
    program
}
