//! Blocks one behind the other, not freed one by one: `bump(reclaim=empty)`.

use std::fmt::{Display, Formatter};

use heapsmith::{Frees, Meter, Source, Word};

use super::Family;
use crate::ast::Layer;
use crate::build::{BuildError, Job, Parts};
use crate::catalogue::PoolPromise;
use crate::keyword::Keyword;
use crate::parse::cursor::{Cursor, Result};
use crate::parse::keys::{self, Key, equals};
use crate::print::word;

/// Blocks one behind the other, nothing freed: `bump`, `bump(reclaim=empty)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bump {
    /// When the region's bytes can be used again.
    pub reclaim: Reclaim,
}

/// When a bump allocator starts over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reclaim {
    /// Never: what was allocated is gone, and no request is served again once the region is full.
    #[default]
    Never,
    /// When the last live block is freed; until then nothing that was freed is served again.
    Empty,
}

impl Family for Bump {
    const WORD: &'static str = "bump";
    const GENERAL: bool = false;

    fn read(cursor: &mut Cursor<'_>) -> Result<Bump> {
        let mut bump = Bump::default();
        keys::optional(cursor, "bump", KEYS, &mut bump)?;
        Ok(bump)
    }

    fn refuses(&self, layer: &Layer) -> Option<&'static str> {
        match layer {
            Layer::FreeLists(_) => Some("its lists are for pools that search, split or coalesce"),
            layer if self.reclaim == Reclaim::Empty && (layer.keeps_blocks() || matches!(layer, Layer::Reserve(_))) => {
                Some("reclaim=empty waits for the last block, and the layer keeps one")
            }
            _ => None,
        }
    }

    fn promise(&self) -> PoolPromise {
        PoolPromise::constant(match self.reclaim {
            Reclaim::Never => "all that was ever asked for",
            Reclaim::Empty => "all that was asked for since no block was live",
        })
    }

    fn never_again(&self) -> Option<&'static str> {
        (self.reclaim == Reclaim::Never).then_some("never serves again what was allocated: nothing is freed")
    }

    fn links_and_tags(&self) -> Option<(usize, bool)> {
        Some((0, false))
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        parts.linear::<W>(match self.reclaim {
            Reclaim::Never => Frees::Never,
            Reclaim::Empty => Frees::WhenEmpty,
        })
    }
}

const KEYS: &[Key<Bump>] = &[Key {
    word: "reclaim",
    forms: &["reclaim="],
    read: |cursor, bump| equals(cursor, "reclaim").map(|reclaim| bump.reclaim = reclaim),
}];

impl Display for Bump {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        if self.reclaim == Reclaim::Never {
            return f.write_str(Bump::WORD);
        }
        f.write_str("bump(reclaim=")?;
        word(f, self.reclaim)?;
        f.write_str(")")
    }
}

impl Keyword for Reclaim {
    const WORDS: &'static [(&'static str, Self)] = &[("never", Self::Never), ("empty", Self::Empty)];
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::Strategy;

    use super::{Bump, Reclaim};
    use crate::arbitrary::{generated, word};

    generated!(Bump, word::<Reclaim>().prop_map(|reclaim| Bump { reclaim }));
}
