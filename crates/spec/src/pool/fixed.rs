//! Blocks of one size, without headers: `fixed(64)`.

use std::fmt::{Display, Formatter};

use heapsmith::{FixedSize, Meter, Source, Word};

use super::Family;
use crate::ast::{Layer, Spec};
use crate::build::{BuildError, Job, Parts, bytes};
use crate::catalogue::PoolPromise;
use crate::parse::cursor::{Cursor, Result};
use crate::problem::Problem;
use crate::validate::{Bounds, Check, Fault, Place};

/// Blocks of one size, without headers: `fixed(64)`. A larger request is never served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fixed {
    /// Bytes of every block.
    pub size: u64,
}

impl Family for Fixed {
    const WORD: &'static str = "fixed";
    const GENERAL: bool = false;

    fn read(cursor: &mut Cursor<'_>) -> Result<Fixed> {
        let opened = cursor.open("fixed")?;
        cursor.note(Place::FixedSize);
        let size = cursor.number("a number of bytes")?;
        cursor.close(opened)?;
        Ok(Fixed { size })
    }

    fn check(&self, bounds: &mut Bounds) -> Check {
        match self.size {
            0 => Err(Fault::new(Place::FixedSize, Problem::SizeZero)),
            size => bounds.fits(Place::FixedSize, size),
        }
    }

    fn refuses(&self, layer: &Layer) -> Option<&'static str> {
        matches!(layer, Layer::FreeLists(_)).then_some("its lists are for pools that search, split or coalesce")
    }

    fn max_request(&self) -> Option<u64> {
        Some(self.size)
    }

    /// Units of the alignment: blocks have no header.
    fn room_for(&self, spec: &Spec, size: u64) -> Option<usize> {
        usize::try_from(size.div_ceil(spec.alignment.into())).ok()
    }

    fn promise(&self) -> PoolPromise {
        PoolPromise::constant("B blocks")
    }

    fn links_and_tags(&self) -> Option<(usize, bool)> {
        Some((0, false))
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        let alignment = parts.without_free_lists()?.alignment as usize;
        let heap = FixedSize::<W, S, M>::from_parts(parts.source, bytes(self.size), alignment, parts.meter)?;
        Ok(parts.job.run(heap))
    }
}

impl Display for Fixed {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "fixed({})", self.size)
    }
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::Strategy;

    use super::Fixed;
    use crate::arbitrary::generated;

    generated!(Fixed, (1..=2048_u64).prop_map(|size| Fixed { size }));
}
