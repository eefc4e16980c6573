//! All free blocks in a tree by size: `tree(red-black, fit=best, split=always)`.

use std::fmt::{Display, Formatter};

use heapsmith::parts::{BySize, Fit, RedBlack};
use heapsmith::{Meter, Source, Word};

use super::{BlockFactors, Family};
use crate::build::{BuildError, Job, Parts};
use crate::catalogue::{PoolPromise, best_fit};
use crate::keyword::Keyword;
use crate::lexer::Kind;
use crate::parse::cursor::{Cursor, Result};
use crate::parse::factor::block_keys;
use crate::parse::keys::{Key, Keys, equals};
use crate::print::word;

/// All free blocks in a tree by size: `tree(red-black, fit=best, split=always, coalesce=immediate)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tree {
    /// How the tree is kept in balance.
    pub balance: Balance,
    /// Which free block serves a request.
    pub fit: TreeFit,
    /// When blocks are split and joined, and whether they carry boundary tags.
    pub factors: BlockFactors,
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

    const CHECKED: bool = true;

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

    fn promise(&self) -> PoolPromise {
        PoolPromise {
            allocate: "log of the free sizes",
            free: "log of the free sizes",
            footprint: best_fit(&self.factors),
        }
    }

    fn factors(&self) -> Option<BlockFactors> {
        Some(self.factors)
    }

    fn factors_mut(&mut self) -> Option<&mut BlockFactors> {
        Some(&mut self.factors)
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        match self.balance {
            Balance::RedBlack => parts.blocks::<W, _>(BySize::new(RedBlack), Fit::BEST, &self.factors),
        }
    }
}

const KEYS: &[Key<Tree>] = block_keys![Key {
    word: "fit",
    forms: &["fit="],
    read: |cursor, tree| equals(cursor, "fit").map(|fit| tree.fit = fit)
},];

impl Display for Tree {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { balance, fit, factors } = self;
        f.write_str("tree(")?;
        word(f, *balance)?;
        f.write_str(", fit=")?;
        word(f, *fit)?;
        write!(f, ", {factors})")
    }
}

impl Keyword for Balance {
    const WORDS: &'static [(&'static str, Self)] = &[("red-black", Self::RedBlack)];
}

impl Keyword for TreeFit {
    const WORDS: &'static [(&'static str, Self)] = &[("best", Self::Best)];
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::{Strategy, any};

    use super::{Balance, BlockFactors, Tree, TreeFit};
    use crate::arbitrary::{generated, word};

    generated!(
        Tree,
        (word::<Balance>(), word::<TreeFit>(), any::<BlockFactors>()).prop_map(|(balance, fit, factors)| Tree {
            balance,
            fit,
            factors
        })
    );
}
