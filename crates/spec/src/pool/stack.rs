//! Blocks one behind the other, freed in the reverse order: `stack`.

use std::fmt::{Display, Formatter};

use heapsmith::{Frees, Meter, Source, Word};

use super::Family;
use crate::ast::Layer;
use crate::build::{BuildError, Job, Parts};
use crate::catalogue::PoolPromise;
use crate::parse::cursor::{Cursor, Result};

/// Blocks one behind the other, freed last in, first out. A block that is freed out of order stays used, and its
/// memory is not served again until those after it are freed and it is freed once more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stack;

impl Family for Stack {
    const WORD: &'static str = "stack";
    const GENERAL: bool = false;

    fn read(_: &mut Cursor<'_>) -> Result<Stack> {
        Ok(Stack)
    }

    fn refuses(&self, layer: &Layer) -> Option<&'static str> {
        match layer {
            Layer::Regions(_) => Some("a block that moves to another region leaves a stack out of order"),
            layer => layer.keeps_blocks().then_some("a stack takes blocks back last in first out, and not later"),
        }
    }

    fn frees_in_order(&self) -> bool {
        true
    }

    fn promise(&self) -> PoolPromise {
        PoolPromise::constant("M: there are no holes")
    }

    fn links_and_tags(&self) -> Option<(usize, bool)> {
        Some((0, false))
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        parts.linear::<W>(Frees::LastFirst)
    }
}

impl Display for Stack {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(Stack::WORD)
    }
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::Just;

    use super::Stack;
    use crate::arbitrary::generated;

    generated!(Stack, Just(Stack));
}
