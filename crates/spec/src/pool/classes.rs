//! The pool that knows a fixed set of block sizes: `classes(16..=4096 double, then step 4096)`.

use std::fmt::{Display, Formatter};

use heapsmith::parts::{self, Fit};
use heapsmith::{Meter, Source, Word};

use super::Family;
use super::factors::BlockFactors;
use crate::ast::Sizes;
use crate::build::{BuildError, Job, Parts, step_in_words};
use crate::catalogue::{NEVER_JOINED, PoolPromise};
use crate::parse::cursor::{Cursor, Result};
use crate::parse::sizes;
use crate::print::items;
use crate::validate::{Bounds, Check, Place};

/// Fixed size classes: `classes(16..=4096 double, then step 4096)`.
///
/// A request gets a block of the smallest class that holds it, from that class's list or cut
/// anew from the wilderness. Blocks are neither split nor coalesced, so a block keeps its size for ever: once
/// the region is full of small blocks, a request for a large one is refused for good, though all of them are free.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Classes {
    /// The sizes of the classes, ascending; the upper ends of [`Sizes::ranges`].
    /// [`Sizes::Range`] has no meaning here and is refused.
    pub sizes: Vec<Sizes>,
    /// Requests above the largest class are rounded up to a multiple of this many bytes;
    /// without it they are refused.
    pub beyond: Option<u64>,
}

impl Classes {
    /// Classes of these sizes, and nothing beyond them.
    pub fn new(sizes: impl Into<Vec<Sizes>>) -> Self {
        Self { sizes: sizes.into(), beyond: None }
    }
}

impl Family for Classes {
    const WORD: &'static str = "classes";

    const CHECKED: bool = true;

    fn read(cursor: &mut Cursor<'_>) -> Result<Classes> {
        let opened = cursor.open("classes")?;
        let place = |item, part| Place::Classes { item, part };
        let (sizes, more) = sizes::items(cursor, opened, place)?;
        let mut classes = Classes::new(sizes);
        if more {
            cursor.word("then")?;
            classes.beyond = Some(sizes::step(cursor, |_| Place::Beyond)?);
            cursor.close(opened)?;
        }
        Ok(classes)
    }

    fn check(&self, bounds: &mut Bounds) -> Check {
        bounds.classes(self)
    }

    fn max_request(&self) -> Option<u64> {
        if self.beyond.is_some() {
            return None;
        }
        self.sizes.last().and_then(Sizes::span).map(|(_, max)| max)
    }

    /// Free blocks that are not joined or not divided serve their own sizes only.
    fn promise(&self) -> PoolPromise {
        PoolPromise::constant("sum over the sizes of the most that was live of each")
    }

    fn never_again(&self) -> Option<&'static str> {
        Some(NEVER_JOINED)
    }

    fn links_and_tags(&self) -> Option<(usize, bool)> {
        Some((1, false))
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        let policy = parts.policy(Fit::First, &BlockFactors::WHOLE);
        let beyond = step_in_words(parts.spec, self);
        let index = parts::Classes::new(parts.class_table(self), beyond);
        parts.layered::<W, _, false>(index, policy)
    }
}

impl Display for Classes {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("classes(")?;
        items(f, &self.sizes)?;
        if let Some(step) = self.beyond {
            write!(f, ", then step {step}")?;
        }
        f.write_str(")")
    }
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::option;
    use proptest::prelude::Strategy;

    use super::Classes;
    use crate::arbitrary::{LARGEST, as_class, generated, rows};

    generated!(
        Classes,
        (rows().prop_map(|rows| rows.into_iter().map(as_class).collect::<Vec<_>>()), option::of(1..=LARGEST))
            .prop_map(|(sizes, beyond)| Classes { sizes, beyond })
    );
}
