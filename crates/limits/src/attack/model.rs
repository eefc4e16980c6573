//! What an adversary knows of the blocks of a heap: how many bytes a request takes.
//!
//! | of | from |
//! |---|---|
//! | a heap of heapsmith | its demand, layers included |
//! | a reference allocator | [measured](super::peer): the least distance between two of a few blocks that were asked for together |

use heapsmith_spec::Pool;

use crate::bound::{Demand, ProgramClass, SizeStep};

/// The blocks of a heap, as an adversary needs them.
#[derive(Debug)]
pub enum BlockModel<'d, 's> {
    /// Those of a heap of heapsmith.
    Heap(&'d Demand<'s>),
    /// Those that were measured.
    Measured(MeasuredBlocks),
}

/// Blocks of an allocator that is looked at from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredBlocks {
    /// The programs.
    pub program: ProgramClass,
    /// Sizes that share a block size; from the smallest request to the largest, blocks ascending. Never empty.
    pub steps: Vec<SizeStep>,
    /// Bytes that every block is a multiple of.
    pub granule: u64,
}

impl MeasuredBlocks {
    fn step(&self, size: u64) -> SizeStep {
        let place = self.steps.partition_point(|step| step.to < size);
        self.steps[place.min(self.steps.len() - 1)]
    }

    /// Bytes of the block of a request.
    pub fn block(&self, size: u64) -> u64 {
        self.step(size).need.max(size)
    }
}

impl BlockModel<'_, '_> {
    /// The limits of the programs; the largest request is one that is served.
    pub fn program(&self) -> ProgramClass {
        match self {
            BlockModel::Heap(demand) => {
                let ProgramClass { live, max_blocks, .. } = demand.program;
                let moves = u64::from(demand.moving > 0);
                ProgramClass { live: live - demand.moving, max_blocks: max_blocks - moves, ..demand.program }
            }
            BlockModel::Measured(blocks) => blocks.program,
        }
    }

    /// Bytes of a word.
    pub fn word(&self) -> u64 {
        match self {
            BlockModel::Heap(demand) => demand.word,
            BlockModel::Measured(_) => 8,
        }
    }

    /// Bytes that every block is a multiple of.
    pub fn granule(&self) -> u64 {
        match self {
            BlockModel::Heap(demand) => demand.granule,
            BlockModel::Measured(blocks) => blocks.granule,
        }
    }

    /// Bytes of the block for a request; none if it is refused.
    pub fn need(&self, size: u64) -> Option<u64> {
        match self {
            BlockModel::Heap(demand) => demand.need(size),
            BlockModel::Measured(blocks) => Some(blocks.block(size)),
        }
    }

    /// Bytes of the smallest block.
    pub fn min_block(&self) -> u64 {
        self.need(self.program().min_size).unwrap_or(self.granule())
    }

    /// Bytes of the largest block.
    pub fn largest_block(&self) -> u64 {
        self.need(self.program().max_size).unwrap_or(self.granule())
    }

    /// The smallest request whose block has `block` bytes or more.
    pub fn first_request(&self, block: u64) -> u64 {
        match self {
            BlockModel::Heap(demand) => demand.first_request(block),
            BlockModel::Measured(blocks) => {
                let place = blocks.steps.partition_point(|step| step.need < block);
                blocks.steps.get(place).map_or(blocks.program.max_size, |step| step.from)
            }
        }
    }

    /// The largest request whose block has `block` bytes at most; the smallest request if none has.
    pub fn last_request(&self, block: u64) -> u64 {
        match self {
            BlockModel::Heap(demand) => demand.last_request(block),
            BlockModel::Measured(blocks) => {
                let place = blocks.steps.partition_point(|step| step.need <= block);
                place.checked_sub(1).map_or(blocks.program.min_size, |last| blocks.steps[last].to)
            }
        }
    }

    /// Whether blocks must be freed in the reverse order of their allocation.
    pub fn frees_in_order(&self) -> bool {
        matches!(self, BlockModel::Heap(demand) if demand.spec.pool.frees_in_order())
    }

    /// Bytes of a page of objects, if the heap has such pages.
    pub fn page(&self) -> Option<u64> {
        match self {
            BlockModel::Heap(demand) => match &demand.spec.pool {
                Pool::Pages(pages) => Some(pages.page),
                _ => None,
            },
            BlockModel::Measured(_) => None,
        }
    }
}
