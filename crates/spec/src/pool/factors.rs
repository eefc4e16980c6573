//! The factors of all pools of blocks: splitting, coalescing and boundary tags.
//!
//! Such a pool holds [`BlockFactors`] in its field `factors`. Its file adds `block_keys!` to the keys that it reads, prints
//! the factors and calls their check.

use std::fmt::{Display, Formatter};

use crate::ast::{Coalescing, Splitting};
use crate::validate::{Bounds, Check, Place};

/// When blocks are split and joined, and whether they carry boundary tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockFactors {
    /// Whether the remainder of a block becomes a free block.
    pub split: Splitting,
    /// When neighbouring free blocks become one.
    pub coalesce: Coalescing,
    /// Whether blocks carry boundary tags. Without them a search from the start of the region finds the block before.
    pub tags: bool,
}

impl BlockFactors {
    /// Blocks are always split, joined as they are freed, and carry boundary tags.
    pub const DEFAULT: Self = Self { split: Splitting::Always, coalesce: Coalescing::Immediate, tags: true };

    /// Whether the levels of splitting and coalescing can occur.
    pub(crate) fn check(&self, bounds: &Bounds) -> Check {
        if let Splitting::From(level) = self.split {
            bounds.fits(Place::Splitting, level)?;
        }
        if let Coalescing::From(level) = self.coalesce {
            bounds.fits(Place::Coalescing, level)?;
        }
        Ok(())
    }

    /// Whether all free neighbours are joined before a request fails, and all remainders split off.
    pub(crate) fn joins(&self) -> bool {
        self.split == Splitting::Always
            && matches!(self.coalesce, Coalescing::Immediate | Coalescing::EveryCall | Coalescing::Deferred)
    }
}

impl Default for BlockFactors {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// `split=always, coalesce=immediate`; boundary tags are worth a word only where they are missing.
impl Display for BlockFactors {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { split, coalesce, tags } = self;
        write!(f, "{split}, {coalesce}{}", if *tags { "" } else { ", tags=off" })
    }
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::{Strategy, any, prop_oneof};

    use super::{BlockFactors, Coalescing, Splitting};
    use crate::arbitrary::{LARGEST, generated, word};

    fn split() -> impl Strategy<Value = Splitting> {
        prop_oneof![word::<Splitting>(), (0..=LARGEST).prop_map(Splitting::From)]
    }

    fn coalesce() -> impl Strategy<Value = Coalescing> {
        prop_oneof![word::<Coalescing>(), (0..=LARGEST).prop_map(Coalescing::From)]
    }

    generated!(
        BlockFactors,
        (split(), coalesce(), any::<bool>()).prop_map(|(split, coalesce, tags)| BlockFactors { split, coalesce, tags })
    );
}
