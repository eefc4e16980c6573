//! All free blocks in a skip list by size: `skiplist(seed=1, split=always)`.

use std::fmt::{Display, Formatter};

use heapsmith::{Meter, Source, Word};

use super::Family;
use crate::ast::{Coalescing, Splitting};
use crate::build::{BuildError, Job, Parts};
use crate::catalogue::{PoolPromise, best_fit};
use crate::lexer::Kind;
use crate::parse::cursor::{Cursor, Result};
use crate::parse::factor::key;
use crate::parse::keys::{self, Key};
use crate::print::without;
use crate::validate::{Bounds, Check, check_levels};

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

impl Family for SkipList {
    const WORD: &'static str = "skiplist";

    fn read(cursor: &mut Cursor<'_>) -> Result<SkipList> {
        let mut list = SkipList::default();
        keys::optional(cursor, "skiplist", KEYS, &mut list)?;
        Ok(list)
    }

    fn check(&self, bounds: &mut Bounds) -> Check {
        check_levels(self.split, self.coalesce, bounds)
    }

    fn promise(&self) -> PoolPromise {
        PoolPromise {
            allocate: "log of the free sizes, expected",
            free: "log of the free sizes, expected",
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
        parts.skip_list::<W>(self)
    }
}

const KEYS: &[Key<SkipList>] = &[
    Key {
        word: "seed",
        forms: &["seed="],
        read: |cursor, list| {
            cursor.sign(&Kind::Equals, "=")?;
            cursor.number("a number").map(|seed| list.seed = seed)
        },
    },
    key!(split),
    key!(coalesce),
    key!(tags),
];

impl Display for SkipList {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { seed, split, coalesce, tags } = self;
        write!(f, "skiplist(seed={seed}, {split}, {coalesce}{})", without(*tags))
    }
}
