//! A program that sees where its blocks are, and keeps to its limits.
//!
//! ```text
//!   plan ─▶ Adversary: allocate, free ─▶ heap        sizes from least to largest, at most `live` bytes at once
//!              ▲ offset and size of every live block
//!              └──────────────────────────── Tape    what was done, for replay
//! ```
//!
//! The first request that would exceed the region ends the attack: a region of a replay has its limits, and a refusal
//! is no footprint.

use std::collections::BTreeMap;

use heapsmith_replay::{Driven, Region, ReplayError, drive};
use heapsmith_spec::{Buddy, Pool, Spec, Start};
use heapsmith_trace::Bytes;

use super::tape::{Tape, TapeStep};
use crate::bound::{ProgramClass, bound};

/// A live block of the adversary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Bytes from the region's base to its payload.
    pub at: u64,
    /// Bytes of the block, header included.
    pub bytes: u64,
    /// Bytes requested.
    pub requested: u64,
    slot: u32,
    id: u64,
}

impl Block {
    /// Where the payload of a block that touches this one would lie.
    pub fn end(&self) -> u64 {
        self.at + self.bytes
    }
}

/// What an attack came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttackOutcome {
    /// What was done.
    pub tape: Tape,
    /// Most bytes requested and live.
    pub live_peak: u64,
    /// Most bytes of the region ever used.
    pub footprint: u64,
    /// Most accesses of one operation.
    pub accesses_max: u64,
    /// Whether the heap refused a request, which ended it.
    pub refused: bool,
}

/// What counts towards the live bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// What is requested.
    Requests,
    /// What is requested, and this many bytes of header with each block: for comparison with theory, which has none.
    WithHeader(u64),
}

/// A program at work on a heap.
#[derive(Debug)]
pub struct Adversary<'d, 'h> {
    heap: &'d mut Driven<'h>,
    program: ProgramClass,
    /// Bytes that a live block counts beyond its request.
    header: u64,
    used: u64,
    max_operations: usize,
    tape: Tape,
    /// By payload offset.
    blocks: BTreeMap<u64, Block>,
    next_id: u64,
    /// Frees other than of the last block are refused by the heap.
    last_first: bool,
    over: bool,
}

/// The region that attacks on a heap by these programs have: what a replay reserves for them. A heap that begins as one
/// block takes all of its region, whatever is asked for, so it has that of its bound, if it has a bound.
///
/// # Errors
///
/// The address space has no room for it.
pub fn region_for(spec: &Spec, program: ProgramClass) -> Result<Region, ReplayError> {
    let reserved = Bytes(program.live.saturating_mul(32).saturating_add(16 << 20));
    let bytes = match &spec.pool {
        Pool::Buddy(Buddy { start: Start::OneBlock, .. }) => {
            bound(spec, program.live, program.max_size, program.min_size).footprint.map_or(reserved, Bytes)
        }
        _ => reserved,
    };
    Region::new(bytes.min(reserved))
}

/// Lets `plan` attack the heap of `spec` within the limits of `program`, in at most this many operations.
///
/// # Errors
///
/// The heap cannot be made.
pub fn run(
    spec: &Spec,
    program: ProgramClass,
    charge: Charge,
    region: &mut Region,
    max_operations: usize,
    plan: impl FnOnce(&mut Adversary<'_, '_>),
) -> Result<AttackOutcome, ReplayError> {
    // More blocks than operations there cannot be.
    let blocks = (program.live / program.min_size + 1).min(max_operations as u64 + 1) as u32;
    drive(spec, region, blocks, |heap| {
        let last_first = spec.pool.frees_in_order();
        let (tape, blocks) = (Tape::default(), BTreeMap::new());
        let header = match charge {
            Charge::Requests => 0,
            Charge::WithHeader(header) => header,
        };
        let (used, next_id, over) = (0, 0, false);
        let mut adversary =
            Adversary { heap, program, header, used, max_operations, tape, blocks, next_id, last_first, over };
        plan(&mut adversary);
        AttackOutcome {
            live_peak: adversary.heap.requested_peak().0,
            footprint: adversary.heap.footprint_peak().0,
            accesses_max: adversary.heap.accesses_max(),
            refused: adversary.over,
            tape: adversary.tape,
        }
    })
}

impl Adversary<'_, '_> {
    /// Asks for a block of `size` bytes, brought into the limits of the sizes; none if that would exceed the live
    /// bytes, the operations or the region.
    pub fn allocate(&mut self, size: u64) -> Option<Block> {
        let size = size.clamp(self.program.min_size, self.program.max_size);
        if self.over || self.left() < size + self.header || self.tape.steps.len() >= self.max_operations {
            return None;
        }
        let Some(placed) = self.heap.allocate(size) else {
            // The heap may have done something before it refused; nothing that follows would replay.
            self.over = true;
            return None;
        };
        let (at, bytes, slot) = (placed.offset, placed.block, placed.slot);
        let block = Block { at, bytes, requested: size, slot, id: self.next_id };
        self.next_id += 1;
        self.used += size + self.header;
        self.tape.steps.push(TapeStep::Allocate { id: block.id, size });
        self.blocks.insert(at, block);
        Some(block)
    }

    /// Frees the block whose payload lies at `at`. A stack's blocks below the last stay.
    pub fn free(&mut self, at: u64) {
        let last = self.blocks.last_key_value().map(|(&last, _)| last);
        if self.over || self.tape.steps.len() >= self.max_operations || self.last_first && last != Some(at) {
            return;
        }
        if let Some(block) = self.blocks.remove(&at) {
            self.heap.free(block.slot);
            self.used -= block.requested + self.header;
            self.tape.steps.push(TapeStep::Free { id: block.id });
        }
    }

    /// Frees every block that is not kept: in the order of addresses, or from the last to the first.
    pub fn keep(&mut self, upwards: bool, keep: impl Fn(&Block) -> bool) {
        let mut freed: Vec<u64> = self.blocks.values().filter(|block| !keep(block)).map(|block| block.at).collect();
        if !upwards {
            freed.reverse();
        }
        freed.into_iter().for_each(|at| self.free(at));
    }

    /// Asks for blocks of `size` bytes until `live` bytes are live, and says how many came.
    pub fn fill(&mut self, size: u64, live: u64) -> usize {
        let size = size.clamp(self.program.min_size, self.program.max_size);
        let mut count = 0;
        while self.used + size + self.header <= live && self.allocate(size).is_some() {
            count += 1;
        }
        count
    }

    /// The live blocks, by address.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.values()
    }

    /// Bytes that may still be asked for.
    pub fn left(&self) -> u64 {
        self.program.live - self.used
    }

    /// Whether nothing more can be done.
    pub fn is_over(&self) -> bool {
        self.over || self.tape.steps.len() >= self.max_operations
    }

    /// The limits.
    pub fn program(&self) -> ProgramClass {
        self.program
    }
}
