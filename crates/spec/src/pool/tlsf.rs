//! Two-level segregated fit, which finds a block in constant time: `tlsf(second-level=5, largest=64K)`.

use std::fmt::{Display, Formatter};

use heapsmith::{Meter, Source, Word};

use super::{BlockFactors, Family};
use crate::build::{BuildError, Job, Parts};
use crate::catalogue::PoolPromise;
use crate::keyword::Keyword;
use crate::lexer::Kind;
use crate::parse::cursor::{Cursor, Result};
use crate::parse::keys::{self, Key};
use crate::problem::Problem;
use crate::validate::{Bounds, Check, Fault, Place};

/// Two-level segregated fit: `tlsf(second-level=5)`, always split, coalesced at once, with boundary tags.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tlsf {
    /// Each power of two is divided into 2^`second_level` lists.
    pub second_level: u8,
    /// The largest request that is served. A smaller one saves control words.
    pub largest: Largest,
}

/// The largest request of two-level segregated fit, from which its control words follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Largest {
    /// All that the word can name: 3,452 bytes of control words of four bytes with `second-level=5`.
    #[default]
    Word,
    /// All that fits into the region, whose length is known when the heap is made: `largest=region`. With
    /// `second-level=5`, 1,340 bytes for 64 KiB. Payloads lie elsewhere in a region of another length.
    Region,
    /// This many bytes: `largest=64K`. Larger requests are refused.
    Bytes(u64),
}

impl Tlsf {
    /// The division where the text names none.
    pub const SECOND_LEVEL: u8 = 5;
    /// The finest division.
    pub const MAX_SECOND_LEVEL: u8 = 6;
}

impl Default for Tlsf {
    fn default() -> Self {
        Self { second_level: Self::SECOND_LEVEL, largest: Largest::Word }
    }
}

impl Family for Tlsf {
    const WORD: &'static str = "tlsf";

    const CHECKED: bool = true;

    fn read(cursor: &mut Cursor<'_>) -> Result<Tlsf> {
        let mut tlsf = Tlsf::default();
        keys::optional(cursor, "tlsf", KEYS, &mut tlsf)?;
        Ok(tlsf)
    }

    fn check(&self, bounds: &mut Bounds) -> Check {
        if let Some(problem) = second_level_problem(self.second_level.into()) {
            return Err(Fault::new(Place::SecondLevel, problem));
        }
        match self.largest {
            Largest::Bytes(0) => Err(Fault::new(Place::Largest, Problem::SizeZero)),
            Largest::Bytes(size) => bounds.fits(Place::Largest, size),
            Largest::Word | Largest::Region => Ok(()),
        }
    }

    fn max_request(&self) -> Option<u64> {
        match self.largest {
            Largest::Bytes(size) => Some(size),
            Largest::Word | Largest::Region => None,
        }
    }

    fn grows_with_region(&self) -> bool {
        self.largest == Largest::Region
    }

    fn promise(&self) -> PoolPromise {
        PoolPromise::constant("M + B (r - 1), r the request rounded up to its list: holes below r may be passed over")
    }

    /// Always split, joined at once, with boundary tags.
    fn factors(&self) -> Option<BlockFactors> {
        Some(BlockFactors::DEFAULT)
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        parts.two_level::<W>(self.second_level, self.largest)
    }
}

const KEYS: &[Key<Tlsf>] = &[
    Key {
        word: "second-level",
        forms: &["second-level="],
        read: |cursor, tlsf| second_level(cursor).map(|level| tlsf.second_level = level),
    },
    Key {
        word: "largest",
        forms: &["largest="],
        read: |cursor, tlsf| largest(cursor).map(|largest| tlsf.largest = largest),
    },
];

/// The `=64K` or `=region` of `largest`.
fn largest(cursor: &mut Cursor<'_>) -> Result<Largest> {
    cursor.sign(&Kind::Equals, "=")?;
    cursor.note(Place::Largest);
    if matches!(cursor.peek(), Kind::Number(_)) {
        return cursor.number("a number of bytes").map(Largest::Bytes);
    }
    cursor.keyword("largest")
}

fn second_level(cursor: &mut Cursor<'_>) -> Result<u8> {
    cursor.sign(&Kind::Equals, "=")?;
    cursor.note(Place::SecondLevel);
    // Checked before it is narrowed, so that the message shows the number as written.
    if let Kind::Number(level) = *cursor.peek()
        && let Some(problem) = second_level_problem(level)
    {
        let choices = (1..=Tlsf::MAX_SECOND_LEVEL).map(|level| level.to_string());
        return Err(cursor.error(problem, choices));
    }
    let level = cursor.number("a number of levels")?;
    Ok(u8::try_from(level).unwrap_or(u8::MAX))
}

/// The problem with this second level.
fn second_level_problem(level: u64) -> Option<Problem> {
    let known = (1..=u64::from(Tlsf::MAX_SECOND_LEVEL)).contains(&level);
    (!known).then_some(Problem::SecondLevel(level))
}

impl Display for Tlsf {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "tlsf(second-level={}", self.second_level)?;
        match self.largest {
            Largest::Word => f.write_str(")"),
            Largest::Region => f.write_str(", largest=region)"),
            Largest::Bytes(size) => write!(f, ", largest={size})"),
        }
    }
}

impl Keyword for Largest {
    const WORDS: &'static [(&'static str, Self)] = &[("region", Self::Region)];
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::{Just, Strategy, prop_oneof};

    use super::{Largest, Tlsf};
    use crate::arbitrary::{LARGEST, generated};

    generated!(
        Tlsf,
        (
            1..=Tlsf::MAX_SECOND_LEVEL,
            prop_oneof![Just(Largest::Word), Just(Largest::Region), (1..=LARGEST).prop_map(Largest::Bytes)]
        )
            .prop_map(|(second_level, largest)| Tlsf { second_level, largest })
    );
}
