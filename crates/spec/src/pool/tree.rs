//! All free blocks in a tree by size: `tree(red-black, fit=best, split=always)`.

use std::fmt::{Display, Formatter};

use heapsmith::{Meter, Source, Word};

use super::Family;
use crate::ast::{Coalescing, Splitting};
use crate::build::{BuildError, Job, Parts};
use crate::catalogue::{PoolPromise, best_fit};
use crate::keyword::Keyword;
use crate::lexer::Kind;
use crate::parse::cursor::{Cursor, Result};
use crate::parse::factor::key;
use crate::parse::keys::{Key, Keys, equals};
use crate::print::{without, word};
use crate::validate::{Bounds, Check, check_levels};

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

impl Family for Tree {
    const WORD: &'static str = "tree";

    fn read(cursor: &mut Cursor<'_>) -> Result<Tree> {
        let mut tree = Tree::default();
        if !matches!(cursor.peek(), Kind::Open) {
            return Ok(tree);
        }
        let opened = cursor.open("tree")?;
        tree.balance = cursor.keyword("tree")?;
        Keys::new("tree", KEYS).remainder(cursor, opened, &mut tree)?;
        Ok(tree)
    }

    fn check(&self, bounds: &mut Bounds) -> Check {
        check_levels(self.split, self.coalesce, bounds)
    }

    fn promise(&self) -> PoolPromise {
        PoolPromise {
            allocate: "log of the free sizes",
            free: "log of the free sizes",
            footprint: best_fit(self.split, self.coalesce),
        }
    }

    fn links_and_tags(&self) -> Option<(usize, bool)> {
        Some((2, self.tags))
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        parts.tree::<W>(self)
    }
}

const KEYS: &[Key<Tree>] = &[
    Key { word: "fit", forms: &["fit="], read: |cursor, tree| equals(cursor, "fit").map(|fit| tree.fit = fit) },
    key!(split),
    key!(coalesce),
    key!(tags),
];

impl Display for Tree {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { balance, fit, split, coalesce, tags } = self;
        f.write_str("tree(")?;
        word(f, *balance)?;
        f.write_str(", fit=")?;
        word(f, *fit)?;
        write!(f, ", {split}, {coalesce}{})", without(*tags))
    }
}

impl Keyword for Balance {
    const WORDS: &'static [(&'static str, Self)] = &[("red-black", Self::RedBlack)];
}

impl Keyword for TreeFit {
    const WORDS: &'static [(&'static str, Self)] = &[("best", Self::Best)];
}
