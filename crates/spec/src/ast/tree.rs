//! The pools that keep all free blocks in one structure by size.

use super::{Coalescing, Splitting};

/// All free blocks in a tree by size: `tree(red-black, fit=best, split=always, coalesce=immediate)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tree {
    /// How the tree is kept in balance.
    pub balance: Balance,
    /// Which free block serves a request.
    pub fit: TreeFit,
    /// Whether what is left over of a block becomes a free block.
    pub split: Splitting,
    /// When neighbouring free blocks become one.
    pub coalesce: Coalescing,
    /// Whether blocks carry boundary tags.
    pub tags: bool,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            balance: Balance::default(),
            fit: TreeFit::default(),
            split: Splitting::default(),
            coalesce: Coalescing::default(),
            tags: true,
        }
    }
}

/// How a tree is kept in balance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Balance {
    /// By colours: a red-black tree.
    #[default]
    RedBlack,
}

/// Which free block of a tree serves a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TreeFit {
    /// The smallest that is large enough, which is what a tree by size finds.
    #[default]
    Best,
}

/// All free blocks in a skip list by size, best fit: `skiplist(seed=1, split=always, coalesce=immediate)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SkipList {
    /// Decides which sizes are on which levels.
    pub seed: u64,
    /// Whether what is left over of a block becomes a free block.
    pub split: Splitting,
    /// When neighbouring free blocks become one.
    pub coalesce: Coalescing,
    /// Whether blocks carry boundary tags.
    pub tags: bool,
}

impl SkipList {
    /// The seed where the text names none.
    pub const SEED: u64 = 1;
}

impl Default for SkipList {
    fn default() -> Self {
        Self { seed: Self::SEED, split: Splitting::default(), coalesce: Coalescing::default(), tags: true }
    }
}
