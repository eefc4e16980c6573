//! Attacks on reference allocators, each program in a process of its own.
//!
//! What a request takes is not known of them, so it is measured first: of six blocks of one size that are asked for together
//! the two nearest. Where an allocator puts blocks of one size next to one another that is the block with its header; where it
//! does not, the attack is one that knows less.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use heapsmith_replay::{Drive, Extent, PeerProcess, PeerProcessError, PlacedBlock, Reference};
use heapsmith_trace::Bytes;

use super::adversary::{Adversary, AttackOutcome, blocks_of};
use super::model::{BlockModel, MeasuredBlocks};
use super::target::Target;
use super::{Attack, AttackError, AttackOptions, Progress, attack_target};
use crate::bound::{ProgramClass, SizeStep};

/// A reference allocator that is attacked.
#[derive(Debug, Clone, Copy)]
pub struct PeerTarget<'t> {
    /// The command, which is run again for each program.
    pub command: &'t Path,
    /// The allocator.
    pub reference: &'t Reference,
    /// What is its footprint.
    pub extent: Extent,
    /// Bytes of the region of an allocator that has one.
    pub region: Bytes,
}

/// The region of an allocator that has one: as that of a heap of heapsmith.
pub fn peer_region(program: ProgramClass) -> Bytes {
    Bytes(program.live.saturating_mul(32).saturating_add(16 << 20))
}

/// Attacks a reference allocator with programs within the limits of `program`, until all is tried or `stop` is set. Its
/// accesses are 0: nobody counts them.
///
/// # Errors
///
/// The allocator cannot be run, or refuses the smallest request.
pub fn attack_peer(
    target: PeerTarget<'_>,
    program: ProgramClass,
    options: AttackOptions,
    stop: &AtomicBool,
    progress: impl FnMut(Progress),
) -> Result<Attack, AttackError> {
    let blocks = measured(&mut target.start(6)?, program)
        .ok_or_else(|| AttackError::Refuses(format!("{} refuses {} bytes", target.reference, program.min_size)))?;
    let mut measured = Measured { target, blocks: blocks.clone() };
    attack_target(&mut measured, &BlockModel::Measured(blocks), target.region, options, stop, progress)
}

impl PeerTarget<'_> {
    fn start(&self, blocks: u32) -> Result<PeerProcess, PeerProcessError> {
        PeerProcess::start(self.command, self.reference, self.extent, self.region, blocks)
    }
}

/// Blocks of one size that are asked for together.
const TOGETHER: usize = 6;

/// Block sizes of the allocator; none if it refuses the smallest.
fn measured(process: &mut PeerProcess, program: ProgramClass) -> Option<MeasuredBlocks> {
    let mut steps: Vec<SizeStep> = Vec::new();
    // A process is asked for no alignment.
    let mut served = ProgramClass { alignment: 1, ..program };
    let mut from = program.min_size;
    while from <= program.max_size {
        let to = (from + (from / 64).max(1) - 1).min(program.max_size);
        let Some(block) = distance(process, to) else { break };
        served.max_size = to;
        // What is rounded up never takes less.
        let need = steps.last().map_or(block, |last| block.max(last.need));
        match steps.last_mut() {
            Some(last) if last.need == need => last.to = to,
            _ => steps.push(SizeStep { from, to, need }),
        }
        from = to + 1;
    }
    let granule = steps.iter().map(|step| step.need).reduce(gcd)?;
    Some(MeasuredBlocks { program: served, steps, granule: granule.min(64) })
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The least distance between two blocks of this size; none if one is refused.
fn distance(process: &mut PeerProcess, size: u64) -> Option<u64> {
    let blocks: Vec<PlacedBlock> = (0..TOGETHER).map_while(|_| process.allocate(size)).collect();
    blocks.iter().for_each(|block| process.free(block.slot));
    if blocks.len() < TOGETHER {
        return None;
    }
    let mut places: Vec<u64> = blocks.iter().map(|block| block.offset).collect();
    places.sort_unstable();
    places.windows(2).map(|two| two[1] - two[0]).min().map(|near| near.max(size))
}

/// A reference allocator whose blocks are known.
struct Measured<'t> {
    target: PeerTarget<'t>,
    blocks: MeasuredBlocks,
}

impl Target for Measured<'_> {
    fn play(
        &mut self,
        program: ProgramClass,
        max_operations: usize,
        plan: &mut dyn FnMut(&mut Adversary<'_>),
    ) -> Result<AttackOutcome, AttackError> {
        let mut process = self.target.start(blocks_of(program, max_operations))?;
        let mut driven = MeasuredProcess { process: &mut process, blocks: &self.blocks };
        let outcome = Adversary::new(&mut driven, program, 0, max_operations, false).carry_out(|adversary| {
            plan(adversary);
        });
        process.look();
        let crashed = process.is_dead();
        let refused = outcome.refused.filter(|_| !crashed);
        Ok(AttackOutcome { footprint: process.footprint_peak().0, crashed, refused, ..outcome })
    }
}

/// A process whose blocks are known.
struct MeasuredProcess<'p> {
    process: &'p mut PeerProcess,
    blocks: &'p MeasuredBlocks,
}

impl Drive for MeasuredProcess<'_> {
    fn allocate(&mut self, size: u64) -> Option<PlacedBlock> {
        let placed = self.process.allocate(size)?;
        Some(PlacedBlock { block: self.blocks.block(size), ..placed })
    }

    fn free(&mut self, slot: u32) {
        self.process.free(slot);
    }

    fn requested_peak(&self) -> Bytes {
        self.process.requested_peak()
    }

    fn footprint_peak(&self) -> Bytes {
        self.process.footprint_peak()
    }

    fn accesses_max(&self) -> u64 {
        self.process.accesses_max()
    }
}
