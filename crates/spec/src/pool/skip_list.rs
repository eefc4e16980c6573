//! All free blocks in a skip list by size: `skiplist(seed=1, split=always)`.

use std::fmt::{Display, Formatter};

use heapsmith::parts::{self, BySize, Fit};
use heapsmith::{Meter, Source, Word};

use super::{BlockFactors, Family};
use crate::build::{BuildError, Job, Parts};
use crate::catalogue::{PoolPromise, best_fit};
use crate::lexer::Kind;
use crate::parse::cursor::{Cursor, Result};
use crate::parse::factor::block_keys;
use crate::parse::keys::{self, Key};

/// All free blocks in a skip list by size, best fit: `skiplist(seed=1, split=always, coalesce=immediate)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SkipList {
    /// Decides which sizes are on which levels.
    pub seed: u64,
    /// When blocks are split and joined, and whether they carry boundary tags.
    pub factors: BlockFactors,
}

impl SkipList {
    /// The seed where the text names none.
    pub const SEED: u64 = 1;
}

impl Default for SkipList {
    fn default() -> Self {
        Self { seed: Self::SEED, factors: BlockFactors::default() }
    }
}

impl Family for SkipList {
    const WORD: &'static str = "skiplist";

    const CHECKED: bool = true;

    fn read(cursor: &mut Cursor<'_>) -> Result<SkipList> {
        let mut list = SkipList::default();
        keys::optional(cursor, "skiplist", KEYS, &mut list)?;
        Ok(list)
    }

    fn promise(&self) -> PoolPromise {
        PoolPromise {
            allocate: "log of the free sizes, expected",
            free: "log of the free sizes, expected",
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
        let all = parts::SkipList::new(self.seed, parts::SkipList::MAX_LEVELS);
        parts.blocks::<W, _>(BySize::new(all), Fit::BEST, &self.factors)
    }
}

const KEYS: &[Key<SkipList>] = block_keys![Key {
    word: "seed",
    forms: &["seed="],
    read: |cursor, list| {
        cursor.sign(&Kind::Equals, "=")?;
        cursor.number("a number").map(|seed| list.seed = seed)
    },
},];

impl Display for SkipList {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { seed, factors } = self;
        write!(f, "skiplist(seed={seed}, {factors})")
    }
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::{Strategy, any};

    use super::{BlockFactors, SkipList};
    use crate::arbitrary::generated;

    generated!(SkipList, (any::<u64>(), any::<BlockFactors>()).prop_map(|(seed, factors)| SkipList { seed, factors }));
}
