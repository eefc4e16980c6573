//! Nodes apart from the blocks, as the authors' tree has them: what they take beyond the blocks.
//!
//! ```text
//!   in the block   │ H │ links … free payload │              nothing beyond the block
//!   apart          │ H │ free payload         │   node ──▶   a node for each free block
//! ```

use heapsmith_replay::{BlockLives, Region, block_lives};
use heapsmith_spec::Spec;
use heapsmith_trace::PackedTrace;

use crate::error::ExperimentError;

/// Bytes of a word.
const WORD: u64 = 4;
/// A node of a tree: size, block, two children, parent with the colour.
const TREE_NODE: u64 = 5 * WORD;
/// A node of a list: block, next, previous.
const LIST_NODE: u64 = 3 * WORD;
/// The largest block that has a bin of one size in Lea's layout.
const EXACT_MAX: u64 = 512;

/// Free blocks at the end of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FreeBlocks {
    /// Those of sizes that have a bin of their own.
    pub small: u64,
    /// The others.
    pub large: u64,
}

impl FreeBlocks {
    /// Those of a heap that coalesces at once, after the last event.
    pub fn at_end(spec: &Spec, trace: &PackedTrace, region: &mut Region) -> Result<FreeBlocks, ExperimentError> {
        Ok(FreeBlocks::between(&block_lives(spec, trace, region)?))
    }

    /// What lies between the blocks that live at the end, and below them.
    fn between(lives: &BlockLives) -> FreeBlocks {
        let mut live: Vec<(u64, u64)> =
            lives.lives.iter().filter(|life| life.end == lives.events).map(|life| (life.offset, life.block)).collect();
        live.sort_unstable();
        let begin = lives.lives.iter().map(|life| life.offset).min().unwrap_or(0);
        let mut free = FreeBlocks { small: 0, large: 0 };
        let mut end = begin;
        for (offset, block) in live {
            match offset - end {
                0 => {}
                gap if gap - WORD <= EXACT_MAX => free.small += 1,
                _ => free.large += 1,
            }
            end = offset + block;
        }
        free
    }

    /// All of them.
    pub fn count(self) -> u64 {
        self.small + self.large
    }

    /// Bytes of a tree's nodes for them.
    pub fn in_tree(self) -> u64 {
        self.count() * TREE_NODE
    }

    /// Bytes of nodes where the small ones are in lists of one size each.
    pub fn in_bins(self) -> u64 {
        self.small * LIST_NODE + self.large * TREE_NODE
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_replay::BlockLife;

    use super::*;

    #[test]
    fn free_blocks_lie_below_and_between_those_that_live() {
        let life = |offset, block, end| BlockLife { begin: 0, end, offset, block, requested: 4 };
        let lives = vec![life(16, 8, 3), life(24, 8, 9), life(32, 600, 5), life(632, 8, 9), life(640, 8, 4)];
        let lives = BlockLives { lives, footprint: Vec::new(), events: 9 };
        assert_eq!(FreeBlocks::between(&lives), FreeBlocks { small: 1, large: 1 });
    }

    #[test]
    fn lists_have_smaller_nodes_than_trees() {
        let free = FreeBlocks { small: 3, large: 2 };
        assert_eq!((free.in_tree(), free.in_bins()), (100, 76));
    }
}
