//! A program that sees where its blocks are, and keeps to its limits.
//!
//! ```text
//!   plan ─▶ Adversary: allocate, free ─▶ heap        sizes from least to largest, at most `live` bytes and `max_blocks` at once
//!              ▲ offset and size of every live block
//!              └──────────────────────────── Tape    what was done, for replay
//! ```
//!
//! The first request that would exceed the region ends the attack: a region of a replay has its limits, and a refusal
//! is no footprint.

use std::collections::BTreeMap;

use heapsmith_replay::{Drive, Region, ReplayError, drive_in};
use heapsmith_spec::{Buddy, Pool, Spec, Start};
use heapsmith_trace::Bytes;

use super::tape::{Tape, TapeStep};
use crate::bound::{ProgramClass, bound_of};

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
    /// Bytes requested and live at the end.
    pub live: u64,
    /// Bytes of the request that was refused, which ended it. It is not on the tape.
    pub refused: Option<u64>,
    /// What the address of the request that came last was to be a multiple of.
    pub alignment: u64,
    /// Whether a reference allocator crashed, which ended it: the last operation of the tape is what it was asked for before.
    pub crashed: bool,
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
pub struct Adversary<'d> {
    heap: &'d mut dyn Drive,
    program: ProgramClass,
    /// Bytes that a live block counts beyond its request.
    header: u64,
    used: u64,
    /// What addresses are to be multiples of from now on.
    alignment: u64,
    max_operations: usize,
    tape: Tape,
    /// By payload offset.
    blocks: BTreeMap<u64, Block>,
    next_id: u64,
    /// Frees other than of the last block are refused by the heap.
    last_first: bool,
    over: Option<u64>,
}

/// The region that attacks on a heap by these programs have: what a replay reserves for them. A heap that begins as one
/// block takes all of its region, whatever is asked for, and the control words of some grow with theirs: these have that of
/// their bound, if they have a bound.
///
/// # Errors
///
/// The address space has no room for it.
pub fn region_for(spec: &Spec, program: ProgramClass) -> Result<Region, ReplayError> {
    let reserved = Bytes(program.live.saturating_mul(32).saturating_add(16 << 20));
    let own = match &spec.pool {
        Pool::Buddy(Buddy { start: Start::OneBlock, .. }) => bound_of(spec, program).footprint,
        pool if pool.grows_with_region() => bound_of(spec, program).room,
        _ => None,
    };
    match own.map(Bytes) {
        Some(bytes) => Region::exactly(bytes.min(reserved)),
        None => Region::new(reserved),
    }
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
    plan: impl FnOnce(&mut Adversary<'_>),
) -> Result<AttackOutcome, ReplayError> {
    run_in(spec, program, charge, (region, Bytes(u64::MAX)), max_operations, plan)
}

/// The same in the first bytes of a region.
pub fn run_in(
    spec: &Spec,
    program: ProgramClass,
    charge: Charge,
    (region, bytes): (&mut Region, Bytes),
    max_operations: usize,
    plan: impl FnOnce(&mut Adversary<'_>),
) -> Result<AttackOutcome, ReplayError> {
    let header = match charge {
        Charge::Requests => 0,
        Charge::WithHeader(header) => header,
    };
    drive_in(spec, region, bytes, blocks_of(program, max_operations), |heap| {
        Adversary::new(heap, program, header, max_operations, spec.pool.frees_in_order()).carry_out(plan)
    })
}

/// Most blocks that are live at once: no more than there are operations.
pub fn blocks_of(program: ProgramClass, max_operations: usize) -> u32 {
    (program.live / program.min_size).min(program.max_blocks).min(max_operations as u64) as u32 + 1
}

impl std::fmt::Debug for Adversary<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Adversary").field("used", &self.used).field("operations", &self.tape.steps.len()).finish()
    }
}

impl<'d> Adversary<'d> {
    /// A program that has done nothing yet. `last_first`: frees other than of the last block are refused by the heap.
    pub fn new(
        heap: &'d mut dyn Drive,
        program: ProgramClass,
        header: u64,
        max_operations: usize,
        last_first: bool,
    ) -> Adversary<'d> {
        let (tape, blocks) = (Tape::default(), BTreeMap::new());
        Adversary {
            heap,
            program,
            header,
            used: 0,
            alignment: 1,
            max_operations,
            tape,
            blocks,
            next_id: 0,
            last_first,
            over: None,
        }
    }

    /// Lets `plan` attack, and says what it came to.
    pub fn carry_out(mut self, plan: impl FnOnce(&mut Adversary<'_>)) -> AttackOutcome {
        plan(&mut self);
        AttackOutcome {
            live_peak: self.heap.requested_peak().0,
            footprint: self.heap.footprint_peak().0,
            accesses_max: self.heap.accesses_max(),
            live: self.used,
            refused: self.over,
            alignment: self.alignment,
            crashed: false,
            tape: self.tape,
        }
    }
}

impl Adversary<'_> {
    /// Asks for addresses that are multiples of this number from now on, as far as the program's limit goes.
    pub fn align(&mut self, alignment: u64) {
        self.alignment = alignment.clamp(1, self.program.alignment.max(1));
    }

    /// Asks for a block of `size` bytes, brought into the limits of the sizes; none if that would exceed the live
    /// bytes, the operations or the region.
    pub fn allocate(&mut self, size: u64) -> Option<Block> {
        let size = size.clamp(self.program.min_size, self.program.max_size);
        if self.is_over() || !self.has_room(size) {
            return None;
        }
        let alignment = self.alignment;
        let Some(placed) = self.heap.allocate_aligned(size, alignment) else {
            // The heap may have done something before it refused; nothing that follows would replay.
            self.over = Some(size);
            return None;
        };
        let (at, bytes, slot) = (placed.offset, placed.block, placed.slot);
        let block = Block { at, bytes, requested: size, slot, id: self.next_id };
        self.next_id += 1;
        self.used += size + self.header;
        self.tape.steps.push(TapeStep::Allocate { id: block.id, size, alignment });
        self.blocks.insert(at, block);
        Some(block)
    }

    /// Frees the block whose payload lies at `at`. A stack's blocks below the last stay.
    pub fn free(&mut self, at: u64) {
        let last = self.blocks.last_key_value().map(|(&last, _)| last);
        if self.over.is_some() || self.tape.steps.len() >= self.max_operations || self.last_first && last != Some(at) {
            return;
        }
        if let Some(block) = self.blocks.remove(&at) {
            self.heap.free(block.slot);
            self.used -= block.requested + self.header;
            self.tape.steps.push(TapeStep::Free { id: block.id });
        }
    }

    /// Resizes the block whose payload lies at `at`, within the limits; none if it is refused or exceeds them.
    pub fn reallocate(&mut self, at: u64, size: u64) -> Option<Block> {
        let size = size.clamp(self.program.min_size, self.program.max_size);
        let old = *self.blocks.get(&at)?;
        let is_within = self.program.reallocates && size.saturating_sub(old.requested) <= self.left();
        if self.is_over() || !is_within {
            return None;
        }
        let Some(placed) = self.heap.reallocate(old.slot, size) else {
            self.over = Some(size);
            return None;
        };
        self.blocks.remove(&at);
        let block = Block { at: placed.offset, bytes: placed.block, requested: size, ..old };
        self.used = self.used - old.requested + size;
        self.tape.steps.push(TapeStep::Reallocate { id: old.id, size });
        self.blocks.insert(block.at, block);
        Some(block)
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

    /// Blocks that may still be asked for.
    pub fn blocks_left(&self) -> u64 {
        self.program.max_blocks - self.blocks.len() as u64
    }

    /// Whether a block of `size` bytes may be asked for.
    pub fn has_room(&self, size: u64) -> bool {
        self.left() >= size + self.header && self.blocks_left() > 0
    }

    /// Whether nothing more can be done.
    pub fn is_over(&self) -> bool {
        self.over.is_some() || self.tape.steps.len() >= self.max_operations
    }

    /// The limits.
    pub fn program(&self) -> ProgramClass {
        self.program
    }
}
