//! The factors of all pools of blocks: splitting, coalescing and boundary tags.
//!
//! Such a pool holds [`BlockFactors`] in its field `factors`. Its file adds `block_keys!` to the keys that it reads, prints
//! the factors and calls their check.

use std::fmt::{Display, Formatter};

use heapsmith::parts::Format;

use crate::WordSize;
use crate::ast::{Coalescing, Splitting};
use crate::validate::{Bounds, Check, Place};

/// When blocks are split and joined, and whether they carry boundary tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockFactors {
    /// Whether the remainder of a block becomes a free block.
    pub split: Splitting,
    /// Bytes of the smallest remainder that is split off, header included; 0: as small as a block may be.
    pub remainder: u64,
    /// When neighbouring free blocks become one.
    pub coalesce: Coalescing,
    /// Whether blocks carry boundary tags. Without them a search from the start of the region finds the block before.
    pub tags: bool,
}

impl BlockFactors {
    /// Blocks are always split, joined as they are freed, and carry boundary tags.
    pub const DEFAULT: Self =
        Self { split: Splitting::Always, remainder: 0, coalesce: Coalescing::Immediate, tags: true };

    /// Blocks keep their size, without boundary tags: those of [`Classes`](crate::Classes).
    pub const WHOLE: Self = Self { split: Splitting::Never, remainder: 0, coalesce: Coalescing::Never, tags: false };

    /// Whether the levels of splitting and coalescing can occur.
    pub(crate) fn check(&self, bounds: &Bounds) -> Check {
        if let Splitting::From(level) = self.split {
            bounds.fits(Place::Splitting, level)?;
        }
        bounds.fits(Place::Remainder, self.remainder)?;
        if let Coalescing::From(level) = self.coalesce {
            bounds.fits(Place::Coalescing, level)?;
        }
        Ok(())
    }

    /// Words of the smallest remainder that is split off, of blocks with this format.
    pub fn smallest_remainder(&self, format: Format, word: WordSize) -> usize {
        let words = self.remainder.div_ceil(word.bytes().into()).next_multiple_of(format.granule as u64);
        format.min.max(usize::try_from(words).unwrap_or(usize::MAX))
    }

    /// Whether all free neighbours are joined before a request fails, and all remainders split off that are large enough.
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

/// `split=always, coalesce=immediate`; remainders and boundary tags are worth a word only off their default.
impl Display for BlockFactors {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { split, remainder, coalesce, tags } = self;
        write!(f, "{split}, ")?;
        if *remainder > 0 {
            write!(f, "remainder={remainder}, ")?;
        }
        write!(f, "{coalesce}{}", if *tags { "" } else { ", tags=off" })
    }
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::{Just, Strategy, any, prop_oneof};

    use super::{BlockFactors, Coalescing, Splitting};
    use crate::arbitrary::{LARGEST, generated, word};

    fn split() -> impl Strategy<Value = Splitting> {
        prop_oneof![word::<Splitting>(), (0..=LARGEST).prop_map(Splitting::From)]
    }

    fn coalesce() -> impl Strategy<Value = Coalescing> {
        prop_oneof![word::<Coalescing>(), (0..=LARGEST).prop_map(Coalescing::From)]
    }

    fn remainder() -> impl Strategy<Value = u64> {
        prop_oneof![4 => Just(0), 1 => 1..=LARGEST]
    }

    generated!(
        BlockFactors,
        (split(), remainder(), coalesce(), any::<bool>()).prop_map(|(split, remainder, coalesce, tags)| BlockFactors {
            split,
            remainder,
            coalesce,
            tags
        })
    );
}
