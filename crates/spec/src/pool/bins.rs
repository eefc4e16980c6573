//! The pool that is many lists, one for a range of sizes:
//! `bins(exact 16..=512 step 16, then log, order=fifo, split=always, coalesce=immediate)`.

use std::fmt::{Display, Formatter};

use heapsmith::parts::{self, BinList, RedBlack, SpacedBins};
use heapsmith::{Meter, Source, Word};

use super::{BlockFactors, Family};
use crate::ast::{BinOrder, Coalescing, Fit};
use crate::build::{BuildError, Job, Parts, spacing};
use crate::catalogue::{HOLES, NONE, PoolPromise};
use crate::keyword::Keyword;
use crate::lexer::Kind;
use crate::parse::cursor::{Cursor, Result};
use crate::parse::factor::block_keys;
use crate::parse::keys::{Key, Keys, equals};
use crate::parse::sizes;
use crate::print::word;
use crate::problem::Problem;
use crate::validate::{Bounds, Check, Fault, Part, Place};

/// Segregated bins of free blocks:
/// `bins(exact 16..=512 step 16, then log, order=fifo, split=always, coalesce=immediate)`.
///
/// A request looks into the bin of its size, then into the bins above it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bins {
    /// Which sizes share a bin.
    pub layout: BinLayout,
    /// The structure of each bin.
    pub each: Each,
    /// The order of a bin that is a list; the default for other bins.
    pub order: BinOrder,
    /// How far a bin that is an unsorted list is searched; the default for other bins.
    pub tries: Tries,
    /// When blocks are split and joined, and whether they carry boundary tags.
    pub factors: BlockFactors,
}

impl Bins {
    /// Bins of this layout, all else at its default.
    pub fn new(layout: BinLayout) -> Self {
        Self {
            layout,
            each: Each::default(),
            order: BinOrder::default(),
            tries: Tries::default(),
            factors: BlockFactors::default(),
        }
    }
}

/// Which sizes share a bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinLayout {
    /// A bin for each step up to `to`; above it bins that grow with the size, or a single
    /// one: `exact 16..=512 step 16, then log`.
    Exact {
        /// The upper end of the first bin.
        from: u64,
        /// The upper end of the last exact bin; `from` plus a whole number of steps.
        to: u64,
        /// How far apart the upper ends are.
        step: u64,
        /// Bins for each doubling above `to`; without it one bin holds all larger blocks.
        then_log: Option<u8>,
    },
    /// Bins that grow with the size: `log(8)`.
    Log {
        /// Bins for each doubling of the size: a power of two up to 16.
        per_doubling: u8,
    },
    /// The 128 bins of Lea's allocator: 8 bytes apart up to 512, then 64, 512, 4096, … apart.
    Lea,
}

impl BinLayout {
    /// Bins for each doubling where the text names no number.
    pub const PER_DOUBLING: u8 = 4;

    /// The numbers of bins that a doubling may have: powers of two, so that a bin's index is
    /// a count of leading zeros and a few bits; at most 16, so that the bins of the largest
    /// region are fewer than [`Spec::MAX_LISTS`](crate::Spec::MAX_LISTS).
    pub const PER_DOUBLING_CHOICES: [u8; 5] = [1, 2, 4, 8, 16];
}

/// The structure of each bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Each {
    /// A list, in one of several orders.
    #[default]
    List,
    /// A red-black tree by size.
    Tree,
    /// A skip list by size.
    SkipList,
}

/// How many blocks of its own bin a request looks at before it takes one of a bin above, where
/// every block serves. Without such a bin it looks at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tries {
    /// All: first fit inside the bin, as in segregated fits without a bound.
    All,
    /// This many, at least one: `tries=8`.
    Max(u32),
}

impl Default for Tries {
    /// No source names a bound; with this one the search no longer grows with the heap.
    fn default() -> Self {
        Self::Max(8)
    }
}

impl Family for Bins {
    const WORD: &'static str = "bins";

    const CHECKED: bool = true;

    fn read(cursor: &mut Cursor<'_>) -> Result<Bins> {
        let opened = cursor.open("bins")?;
        let mut bins = Bins::new(layout(cursor)?);
        Keys::new("bins", KEYS).remainder(cursor, opened, &mut bins)?;
        Ok(bins)
    }

    fn check(&self, bounds: &mut Bounds) -> Check {
        let per_doubling = match self.layout {
            BinLayout::Exact { from, to, step, then_log } => {
                bounds.exact_bins(from, to, step)?;
                then_log
            }
            BinLayout::Log { per_doubling } => Some(per_doubling),
            BinLayout::Lea => None,
        };
        if let Some(number) = per_doubling
            && let Some(problem) = per_doubling_problem(number.into())
        {
            return Err(Fault::new(Place::PerDoubling, problem));
        }
        if self.each != Each::List && self.order != BinOrder::default() {
            return Err(Fault::new(Place::BinOrder, Problem::OrderOfNoList));
        }
        match self.tries {
            Tries::Max(0) => return Err(Fault::new(Place::Tries, Problem::NoTries)),
            tries if tries != Tries::default() && (self.each != Each::List || self.order == BinOrder::Size) => {
                return Err(Fault::new(Place::Tries, Problem::TriesOfSorted));
            }
            _ => {}
        }
        self.factors.check(bounds)
    }

    fn promise(&self) -> PoolPromise {
        let (allocate, free) = match (self.each, self.order) {
            (Each::Tree, _) => ("log of the bin's sizes", "log of the bin's sizes"),
            (Each::SkipList, _) => ("log of the bin's sizes, expected", "log of the bin's sizes, expected"),
            (Each::List, BinOrder::Size) => ("linear in the bin", "linear in the bin"),
            (Each::List, _) if self.tries != Tries::All => {
                ("constant while a larger bin has blocks, else linear in the bin", "constant")
            }
            (Each::List, _) => ("linear in the bin", "constant"),
        };
        let free = if self.factors.tags && self.factors.coalesce != Coalescing::EveryCall {
            free
        } else {
            "linear in the blocks"
        };
        PoolPromise { allocate, free, footprint: if self.factors.joins() { HOLES } else { NONE } }
    }

    fn factors(&self) -> Option<BlockFactors> {
        Some(self.factors)
    }

    fn factors_mut(&mut self) -> Option<&mut BlockFactors> {
        Some(&mut self.factors)
    }

    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError> {
        // A sorted list is searched to the best block.
        let tries = match self.tries {
            Tries::Max(max) if self.order != BinOrder::Size => max as usize,
            _ => usize::MAX,
        };
        let map = SpacedBins::new(spacing(self.layout, W::BYTES), W::BYTES);
        let (fit, factors) = (Fit::First, &self.factors);
        match self.each {
            Each::List => {
                parts.blocks::<W, _>(parts::Bins::new(map, BinList { order: self.order, tries }), fit, factors)
            }
            Each::Tree => parts.blocks::<W, _>(parts::Bins::new(map, RedBlack), fit, factors),
            Each::SkipList => {
                let each = parts::SkipList::new(super::SkipList::SEED, parts::SkipList::BIN_LEVELS);
                parts.blocks::<W, _>(parts::Bins::new(map, each), fit, factors)
            }
        }
    }
}

const KEYS: &[Key<Bins>] = block_keys![
    Key {
        word: "order",
        forms: &["order="],
        read: |cursor, bins| {
            cursor.note(Place::BinOrder);
            equals(cursor, "order").map(|order| bins.order = order)
        },
    },
    Key { word: "tries", forms: &["tries="], read: |cursor, bins| tries(cursor).map(|tries| bins.tries = tries) },
    Key { word: "each", forms: &["each="], read: |cursor, bins| equals(cursor, "each").map(|each| bins.each = each) },
];

/// The `=8` or `=all` of `tries`.
fn tries(cursor: &mut Cursor<'_>) -> Result<Tries> {
    cursor.sign(&Kind::Equals, "=")?;
    cursor.note(Place::Tries);
    if !matches!(cursor.peek(), Kind::Number(_)) {
        return cursor.keyword("tries");
    }
    // No list is so long that what does not fit would differ from the most that does.
    let max = cursor.number("a number of blocks")?;
    Ok(Tries::Max(u32::try_from(max).unwrap_or(u32::MAX)))
}

fn layout(cursor: &mut Cursor<'_>) -> Result<BinLayout> {
    if cursor.sees_word("exact") {
        cursor.advance();
        exact(cursor)
    } else if cursor.sees_word("log") {
        let per_doubling = log(cursor)?;
        Ok(BinLayout::Log { per_doubling })
    } else if cursor.sees_word("lea") {
        cursor.advance();
        Ok(BinLayout::Lea)
    } else {
        let forms = ["exact 16..=512 step 16", "log", "lea"];
        Err(cursor.unexpected("the layout of the bins", forms))
    }
}

fn exact(cursor: &mut Cursor<'_>) -> Result<BinLayout> {
    cursor.note(Place::ExactBins(Part::From));
    let from = cursor.number("a size")?;
    let to = sizes::through(cursor, Place::ExactBins)?;
    let step = sizes::step(cursor, Place::ExactBins)?;
    Ok(BinLayout::Exact { from, to, step, then_log: then_log(cursor)? })
}

/// The `, then log(8)` behind exact bins.
fn then_log(cursor: &mut Cursor<'_>) -> Result<Option<u8>> {
    let follows = matches!(cursor.peek(), Kind::Comma) && matches!(cursor.peek_second(), Kind::Word("then"));
    if !follows {
        return Ok(None);
    }
    cursor.advance();
    cursor.advance();
    log(cursor).map(Some)
}

/// `log` or `log(8)`.
fn log(cursor: &mut Cursor<'_>) -> Result<u8> {
    cursor.word("log")?;
    if !matches!(cursor.peek(), Kind::Open) {
        return Ok(BinLayout::PER_DOUBLING);
    }
    let opened = cursor.open("log")?;
    cursor.note(Place::PerDoubling);
    // Checked before it is narrowed, so that the message shows the number as written.
    if let Kind::Number(bins) = *cursor.peek()
        && let Some(problem) = per_doubling_problem(bins)
    {
        let choices = BinLayout::PER_DOUBLING_CHOICES.map(|bins| bins.to_string());
        return Err(cursor.error(problem, choices));
    }
    let bins = cursor.number("a number of bins")?;
    cursor.close(opened)?;
    Ok(u8::try_from(bins).unwrap_or(u8::MAX))
}

/// The problem with this number of bins for each doubling.
fn per_doubling_problem(bins: u64) -> Option<Problem> {
    let mut choices = BinLayout::PER_DOUBLING_CHOICES.into_iter();
    let known = choices.any(|choice| u64::from(choice) == bins);
    (!known).then_some(Problem::PerDoubling(bins))
}

impl Display for Bins {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { layout, each, order, tries, factors } = self;
        write!(f, "bins({layout}")?;
        if *each != Each::default() {
            f.write_str(", each=")?;
            word(f, *each)?;
        }
        // A tree or a skip list is ordered by size, and nothing else can be said of it.
        if *each == Each::List || *order != BinOrder::default() {
            f.write_str(", order=")?;
            word(f, *order)?;
        }
        match tries {
            _ if *tries == Tries::default() => {}
            Tries::Max(max) => write!(f, ", tries={max}")?,
            Tries::All => f.write_str(", tries=all")?,
        }
        write!(f, ", {factors})")
    }
}

impl Display for BinLayout {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact { from, to, step, then_log } => {
                write!(f, "exact {from}..={to} step {step}")?;
                let Some(per_doubling) = then_log else {
                    return Ok(());
                };
                f.write_str(", then ")?;
                print_log(f, *per_doubling)
            }
            Self::Log { per_doubling } => print_log(f, *per_doubling),
            Self::Lea => f.write_str("lea"),
        }
    }
}

fn print_log(f: &mut Formatter<'_>, per_doubling: u8) -> std::fmt::Result {
    match per_doubling {
        BinLayout::PER_DOUBLING => f.write_str("log"),
        other => write!(f, "log({other})"),
    }
}

impl Keyword for BinOrder {
    const WORDS: &'static [(&'static str, Self)] = &[("lifo", Self::Lifo), ("fifo", Self::Fifo), ("size", Self::Size)];
}

impl Keyword for Each {
    const WORDS: &'static [(&'static str, Self)] =
        &[("list", Self::List), ("tree", Self::Tree), ("skiplist", Self::SkipList)];
}

impl Keyword for Tries {
    const WORDS: &'static [(&'static str, Self)] = &[("all", Self::All)];
    const FORMS: &'static [&'static str] = &["8"];
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::option;
    use proptest::prelude::{Just, Strategy, any, prop_oneof};
    use proptest::sample::select;

    use super::{BinLayout, BinOrder, Bins, BlockFactors, Each, Tries};
    use crate::arbitrary::{generated, word};

    fn layout() -> impl Strategy<Value = BinLayout> {
        let per_doubling = || select(BinLayout::PER_DOUBLING_CHOICES.as_slice());
        let exact = (1..=64_u64, 1..=64_u64, 0..=64_u64, option::of(per_doubling()));
        prop_oneof![
            exact.prop_map(|(from, step, steps, then_log)| BinLayout::Exact {
                from,
                to: from + step * steps,
                step,
                then_log,
            }),
            per_doubling().prop_map(|per_doubling| BinLayout::Log { per_doubling }),
            Just(BinLayout::Lea),
        ]
    }

    /// What is in a bin, its order and how far it is searched.
    fn inside() -> impl Strategy<Value = (Each, BinOrder, Tries)> {
        let tries = prop_oneof![Just(Tries::default()), Just(Tries::All), (1..=20_u32).prop_map(Tries::Max)];
        let unsorted = select(vec![BinOrder::Lifo, BinOrder::Fifo]);
        prop_oneof![
            2 => (unsorted, tries).prop_map(|(order, tries)| (Each::List, order, tries)),
            1 => Just((Each::List, BinOrder::Size, Tries::default())),
            3 => word::<Each>().prop_map(|each| (each, BinOrder::default(), Tries::default())),
        ]
    }

    generated!(
        Bins,
        (layout(), inside(), any::<BlockFactors>()).prop_map(|(layout, (each, order, tries), factors)| Bins {
            layout,
            each,
            order,
            tries,
            factors
        })
    );
}
