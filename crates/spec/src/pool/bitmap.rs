//! Blocks without headers, and a table outside of where they begin: `bitmap`.

use std::fmt::{Display, Formatter};

use heapsmith::parts::BitmappedFits;
use heapsmith::{Meter, Source, Word};

use super::Family;
use crate::ast::{Layer, Purge, Spec};
use crate::build::{BuildError, Job, Parts};
use crate::catalogue::PoolPromise;
use crate::parse::cursor::{Cursor, Result};

/// Words of a free block: its link, and its units.
const LINKS: u64 = 2;

/// Blocks without headers, of units of the alignment; a bit for each unit, in a table at the end of the region, says whether a
/// block begins there (*bitmapped fits*). Free blocks are in a list by address, and the first that is large enough serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bitmap;

impl Family for Bitmap {
    const WORD: &'static str = "bitmap";
    const TABLE: bool = true;

    fn read(_: &mut Cursor<'_>) -> Result<Bitmap> {
        Ok(Bitmap)
    }

    fn refuses(&self, layer: &Layer) -> Option<&'static str> {
        matches!(layer, Layer::FreeLists(_)).then_some("its lists are for pools whose blocks have headers")
    }

    /// Blocks have no header.
    fn words_for(&self, spec: &Spec, size: u64) -> Option<usize> {
        let word = u64::from(spec.word.bytes());
        let bytes =
            Some(size).filter(|&size| size > 0)?.max(LINKS * word).checked_next_multiple_of(spec.alignment.into())?;
        if bytes > spec.max_region() { None } else { usize::try_from(bytes / word).ok() }
    }

    /// Units of the alignment.
    fn room_for(&self, spec: &Spec, size: u64) -> Option<usize> {
        usize::try_from(size.div_ceil(spec.alignment.into())).ok()
    }

    /// What lies above the footprint is not all free: the table is there.
    fn purged(&self, _: Purge) -> Purge {
        Purge::Never
    }

    fn promise(&self) -> PoolPromise {
        PoolPromise {
            allocate: "linear in the free blocks",
            free: "linear in the free blocks",
            footprint: "about M log2 n (Robson 1977)",
        }
    }

    fn links_and_tags(&self) -> Option<(usize, bool)> {
        Some((LINKS as usize - 1, false))
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        let alignment = parts.without_free_lists()?.alignment as usize;
        Ok(parts.job.run(BitmappedFits::<W, S, M>::from_parts(parts.source, alignment, parts.meter)?))
    }
}

impl Display for Bitmap {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(Bitmap::WORD)
    }
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::Just;

    use super::Bitmap;
    use crate::arbitrary::generated;

    generated!(Bitmap, Just(Bitmap));
}
