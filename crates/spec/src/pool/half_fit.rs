//! Half-fit, which finds a block in constant time: `half-fit`.

use std::fmt::{Display, Formatter};

use heapsmith::{Meter, Source, Word};

use super::{BlockFactors, Family, Largest};
use crate::build::{BuildError, Job, Parts};
use crate::catalogue::PoolPromise;
use crate::parse::cursor::{Cursor, Result};

/// Lists of powers of two, with requests rounded up to the next; always split, coalesced at once, with boundary tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HalfFit;

impl Family for HalfFit {
    const WORD: &'static str = "half-fit";

    const CHECKED: bool = true;

    fn read(_: &mut Cursor<'_>) -> Result<HalfFit> {
        Ok(HalfFit)
    }

    fn promise(&self) -> PoolPromise {
        PoolPromise::constant("M + B (2n - 1): a hole of less than twice the request may be passed over")
    }

    /// Always split, joined at once, with boundary tags.
    fn factors(&self) -> Option<BlockFactors> {
        Some(BlockFactors::DEFAULT)
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        parts.two_level::<W>(0, Largest::Word)
    }
}

impl Display for HalfFit {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(HalfFit::WORD)
    }
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::Just;

    use super::HalfFit;
    use crate::arbitrary::generated;

    generated!(HalfFit, Just(HalfFit));
}
