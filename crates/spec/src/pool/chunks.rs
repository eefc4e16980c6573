//! One free chunk at the start, and headers that say how long the chunk before is, as the heaps of firmware have:
//! `chunks(header=tags, index=two-level, fit=first, sizes=powers, unit=32, remainder=24, coalesce=never, ends>=64)`.

use std::fmt::{Display, Formatter};

use heapsmith::parts::{ChunkHeader, ChunkIndex, ChunkValues};
use heapsmith::{Meter, Source, Word};

use super::Family;
use crate::ast::{Layer, Purge, Spec, WordSize};
use crate::build::{BuildError, Job, Parts, bytes};
use crate::catalogue::{HOLES, NEVER_JOINED, NONE, PoolPromise};
use crate::keyword::Keyword;
use crate::lexer::Kind;
use crate::parse::cursor::{Cursor, Result};
use crate::parse::keys::{self, Key, equals, number};
use crate::print::word;
use crate::problem::Problem;
use crate::validate::{Bounds, Check, Fault, Place};

/// One free chunk at the start: `chunks(header=2, index=lifo, fit=first)`, with joining at each free.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chunks {
    /// What is before a payload: `tags`, `packed`, or a number of words.
    pub header: ChunkHead,
    /// How free chunks are found.
    pub index: ChunkIndex,
    /// Which chunk of one list serves a request.
    pub fit: ChunkFit,
    /// What sizes the chunks of requests have.
    pub sizes: ChunkSizes,
    /// Bytes that all chunks are a multiple of; at least the alignment.
    pub unit: Option<u64>,
    /// Bytes of the smallest remainder that is split off; none: as much as a chunk needs.
    pub remainder: Option<u64>,
    /// When free neighbours are joined.
    pub coalesce: Joining,
    /// The smallest request, in bytes, that is served from above, of a list by address; none: all are served from below.
    pub ends: Option<u64>,
}

/// What is before the payload of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChunkHead {
    /// A word; the size of a free chunk is at its end, too.
    Tags,
    /// A word of four bytes for the sizes of a chunk and of the one before. Regions of up to 32,767 units, 256 KiB at most.
    Packed,
    /// This many words, from 2 on: the size of the chunk before and its own. More are space that an original needs.
    Words(u64),
}

/// Which chunk of one list serves a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChunkFit {
    /// The first that is large enough.
    #[default]
    First,
    /// The smallest that is large enough, of equals the first.
    Best,
}

/// What sizes the chunks of requests have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChunkSizes {
    /// Multiples of the unit.
    #[default]
    Units,
    /// Powers of two of units.
    Powers,
}

/// When free neighbours are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Joining {
    /// As they are freed.
    #[default]
    Immediate,
    /// Never.
    Never,
}

impl Chunks {
    /// The most words of a header.
    pub const MAX_HEAD: u64 = 16;

    /// The heap's levels, in a heap with this alignment.
    pub fn values(&self, spec: &Spec) -> ChunkValues {
        let header = match self.header {
            ChunkHead::Tags => ChunkHeader::Tags,
            ChunkHead::Packed => ChunkHeader::Packed,
            ChunkHead::Words(words) => ChunkHeader::Words(bytes(words)),
        };
        ChunkValues {
            unit: bytes(self.unit.unwrap_or(0)).max(spec.alignment as usize),
            header,
            powers: self.sizes == ChunkSizes::Powers,
            index: self.index,
            best: self.fit == ChunkFit::Best,
            remainder: bytes(self.remainder.unwrap_or(0)),
            joins: self.coalesce == Joining::Immediate,
            above: bytes(self.ends.unwrap_or(0)),
        }
    }

    /// Words before a payload, of the smallest chunk, and of the smallest remainder that is split off.
    pub fn sizes(&self, spec: &Spec) -> [usize; 3] {
        let values = self.values(spec);
        let (head, min, remainder) = match spec.word {
            WordSize::Two => values.sizes::<u16>(),
            WordSize::Four => values.sizes::<u32>(),
            WordSize::Eight => values.sizes::<u64>(),
        };
        [head, min, remainder]
    }

    /// Words of the largest free chunk that a search for a chunk of `need` words passes over, though it finds no other.
    pub fn passed_over(&self, spec: &Spec, need: usize) -> usize {
        let values = self.values(spec);
        match spec.word {
            WordSize::Two => values.passed_over::<u16>(need),
            WordSize::Four => values.passed_over::<u32>(need),
            WordSize::Eight => values.passed_over::<u64>(need),
        }
    }

    /// Whether chunks are in one list, of which a search may look at all.
    fn is_one_list(&self) -> bool {
        matches!(self.index, ChunkIndex::Lifo | ChunkIndex::Address | ChunkIndex::Size)
    }
}

impl Default for Chunks {
    fn default() -> Self {
        Chunks {
            header: ChunkHead::Words(2),
            index: ChunkIndex::default(),
            fit: ChunkFit::default(),
            sizes: ChunkSizes::default(),
            unit: None,
            remainder: None,
            coalesce: Joining::default(),
            ends: None,
        }
    }
}

impl Family for Chunks {
    const WORD: &'static str = "chunks";

    fn read(cursor: &mut Cursor<'_>) -> Result<Chunks> {
        let mut chunks = Chunks::default();
        keys::optional(cursor, "chunks", KEYS, &mut chunks)?;
        Ok(chunks)
    }

    fn check(&self, bounds: &mut Bounds) -> Check {
        let fault = |place, level, why| Err(Fault::new(place, Problem::ChunkLevel { level, why }));
        match (self.header, self.index) {
            (ChunkHead::Words(words), _) if !(2..=Self::MAX_HEAD).contains(&words) => {
                return Err(Fault::new(Place::ChunkHeader, Problem::ChunkHeader(words)));
            }
            (ChunkHead::Packed, _) if bounds.word() != WordSize::Four => {
                return fault(Place::ChunkHeader, "header=packed", "it packs two sizes into a word of 4 bytes");
            }
            (ChunkHead::Packed, ChunkIndex::Powers | ChunkIndex::TwoLevel) => {
                return fault(Place::ChunkHeader, "header=packed", "links share a word in one list and in rings only");
            }
            _ => {}
        }
        if self.fit == ChunkFit::Best && !matches!(self.index, ChunkIndex::Lifo | ChunkIndex::Address) {
            return fault(Place::ChunkFit, "fit=best", "it is a search of one list, by address or last in first out");
        }
        match self.ends {
            Some(0) => return Err(Fault::new(Place::ChunkEnds, Problem::SizeZero)),
            Some(_) if self.index != ChunkIndex::Address => {
                return fault(Place::ChunkEnds, "ends", "both ends are those of one list by address: index=address");
            }
            Some(_) if self.fit == ChunkFit::Best => {
                return fault(Place::ChunkEnds, "ends", "best fit places small blocks at either end: fit=first");
            }
            Some(size) => bounds.fits(Place::ChunkEnds, size)?,
            None => {}
        }
        if let Some(unit) = self.unit
            && (!unit.is_power_of_two() || unit > u64::from(Spec::MAX_ALIGNMENT))
        {
            return Err(Fault::new(Place::ChunkUnit, Problem::ChunkUnit(unit)));
        }
        match self.remainder {
            Some(0) => Err(Fault::new(Place::Remainder, Problem::SizeZero)),
            Some(remainder) => bounds.fits(Place::Remainder, remainder),
            None => Ok(()),
        }
    }

    fn refuses(&self, layer: &Layer) -> Option<&'static str> {
        match layer {
            Layer::FreeLists(_) => Some("its lists are for pools that take blocks from a wilderness"),
            Layer::Guard(_) | Layer::Reserve(_) | Layer::Spans(_) if self.ends.is_some() => {
                Some("with ends the wilderness is between blocks, where the layer looks for none")
            }
            _ => None,
        }
    }

    fn max_region(&self, spec: &Spec) -> Option<u64> {
        let words = match spec.word {
            WordSize::Four if self.header == ChunkHead::Packed => self.values(spec).max_words::<u32>(),
            _ => return None,
        };
        Some(words as u64 * u64::from(spec.word.bytes()))
    }

    /// One that grows from both ends has no top to give back.
    fn purged(&self, purge: Purge) -> Purge {
        if self.ends.is_some() { Purge::Never } else { purge }
    }

    fn promise(&self) -> PoolPromise {
        let search = if self.is_one_list() { "linear in the free blocks" } else { "constant" };
        let ordered = matches!(self.index, ChunkIndex::Address | ChunkIndex::Size);
        let footprint = match self.index {
            _ if self.coalesce == Joining::Never => NONE,
            _ if self.ends.is_some() => HOLES,
            ChunkIndex::Address if self.fit == ChunkFit::First => "about M log2 n (Robson 1977)",
            _ => HOLES,
        };
        PoolPromise { allocate: search, free: if ordered { search } else { "constant" }, footprint }
    }

    fn never_again(&self) -> Option<&'static str> {
        (self.coalesce == Joining::Never).then_some(NEVER_JOINED)
    }

    fn words_for(&self, spec: &Spec, size: u64) -> Option<usize> {
        let (values, size) = (self.values(spec), usize::try_from(size).ok()?);
        match spec.word {
            WordSize::Two => values.words_for::<u16>(size),
            WordSize::Four => values.words_for::<u32>(size),
            WordSize::Eight => values.words_for::<u64>(size),
        }
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        let values = self.values(parts.without_free_lists()?);
        Ok(parts.job.run(heapsmith::parts::Chunks::<W, S, M>::from_parts(parts.source, values, parts.meter)?))
    }
}

const KEYS: &[Key<Chunks>] = &[
    Key { word: "header", forms: &["header="], read: |cursor, chunks| head(cursor).map(|head| chunks.header = head) },
    Key {
        word: "index",
        forms: &["index="],
        read: |cursor, chunks| equals(cursor, "index").map(|index| chunks.index = index),
    },
    Key {
        word: "fit",
        forms: &["fit="],
        read: |cursor, chunks| {
            cursor.sign(&Kind::Equals, "=")?;
            cursor.note(Place::ChunkFit);
            cursor.keyword("fit").map(|fit| chunks.fit = fit)
        },
    },
    Key {
        word: "sizes",
        forms: &["sizes="],
        read: |cursor, chunks| equals(cursor, "sizes").map(|sizes| chunks.sizes = sizes),
    },
    Key {
        word: "unit",
        forms: &["unit="],
        read: |cursor, chunks| {
            number(cursor, Place::ChunkUnit, "a number of bytes").map(|unit| chunks.unit = Some(unit))
        },
    },
    Key {
        word: "remainder",
        forms: &["remainder="],
        read: |cursor, chunks| {
            number(cursor, Place::Remainder, "a number of bytes").map(|bytes| chunks.remainder = Some(bytes))
        },
    },
    Key {
        word: "coalesce",
        forms: &["coalesce="],
        read: |cursor, chunks| equals(cursor, "coalesce").map(|coalesce| chunks.coalesce = coalesce),
    },
    Key {
        word: "ends",
        forms: &["ends>="],
        read: |cursor, chunks| {
            cursor.sign(&Kind::AtLeast, ">=")?;
            cursor.note(Place::ChunkEnds);
            cursor.number("a number of bytes").map(|size| chunks.ends = Some(size))
        },
    },
];

/// The `=tags`, `=packed` or `=2` of `header`.
fn head(cursor: &mut Cursor<'_>) -> Result<ChunkHead> {
    cursor.sign(&Kind::Equals, "=")?;
    cursor.note(Place::ChunkHeader);
    if matches!(cursor.peek(), Kind::Number(_)) {
        return cursor.number("a number of words").map(ChunkHead::Words);
    }
    cursor.keyword("header")
}

impl Display for Chunks {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { header, index, fit, sizes, unit, remainder, coalesce, ends } = self;
        f.write_str("chunks(header=")?;
        match header {
            ChunkHead::Words(words) => write!(f, "{words}")?,
            other => word(f, *other)?,
        }
        f.write_str(", index=")?;
        word(f, *index)?;
        if *fit != ChunkFit::default() || matches!(index, ChunkIndex::Lifo | ChunkIndex::Address) {
            f.write_str(", fit=")?;
            word(f, *fit)?;
        }
        if *sizes != ChunkSizes::default() {
            f.write_str(", sizes=")?;
            word(f, *sizes)?;
        }
        if let Some(unit) = unit {
            write!(f, ", unit={unit}")?;
        }
        if let Some(remainder) = remainder {
            write!(f, ", remainder={remainder}")?;
        }
        f.write_str(", coalesce=")?;
        word(f, *coalesce)?;
        if let Some(size) = ends {
            write!(f, ", ends>={size}")?;
        }
        f.write_str(")")
    }
}

impl Keyword for ChunkHead {
    const WORDS: &'static [(&'static str, Self)] = &[("tags", Self::Tags), ("packed", Self::Packed)];
    const FORMS: &'static [&'static str] = &["2"];
}

impl Keyword for ChunkIndex {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("lifo", Self::Lifo),
        ("address", Self::Address),
        ("size", Self::Size),
        ("rings", Self::Rings),
        ("powers", Self::Powers),
        ("two-level", Self::TwoLevel),
    ];
}

impl Keyword for ChunkFit {
    const WORDS: &'static [(&'static str, Self)] = &[("first", Self::First), ("best", Self::Best)];
}

impl Keyword for ChunkSizes {
    const WORDS: &'static [(&'static str, Self)] = &[("units", Self::Units), ("powers", Self::Powers)];
}

impl Keyword for Joining {
    const WORDS: &'static [(&'static str, Self)] = &[("immediate", Self::Immediate), ("never", Self::Never)];
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::option;
    use proptest::prelude::{Just, Strategy, prop_oneof};

    use super::{ChunkFit, ChunkHead, ChunkIndex, ChunkSizes, Chunks, Joining};
    use crate::arbitrary::{generated, word};

    fn head() -> impl Strategy<Value = ChunkHead> {
        prop_oneof![word::<ChunkHead>(), (2..=5_u64).prop_map(ChunkHead::Words)]
    }

    fn joining() -> impl Strategy<Value = Joining> {
        prop_oneof![4 => Just(Joining::Immediate), 1 => Just(Joining::Never)]
    }

    generated!(
        Chunks,
        (
            head(),
            word::<ChunkIndex>(),
            word::<ChunkFit>(),
            word::<ChunkSizes>(),
            option::of((1..=7_u32).prop_map(|power| 1 << power)),
            option::weighted(0.3, 1..=100_u64),
            joining(),
            option::weighted(0.4, 1..=300_u64),
        )
            .prop_map(|(header, index, fit, sizes, unit, remainder, coalesce, ends)| {
                let is_searched = matches!(index, ChunkIndex::Lifo | ChunkIndex::Address);
                let fit = if is_searched { fit } else { ChunkFit::First };
                let ends = ends.filter(|_| index == ChunkIndex::Address && fit == ChunkFit::First);
                Chunks { header, index, fit, sizes, unit, remainder, coalesce, ends }
            })
    );
}
