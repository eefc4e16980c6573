//! The pool that is one list: `list(order=address, fit=best(30%), split>=512, coalesce=immediate, tags=on)`.

use std::fmt::{Display, Formatter};

use heapsmith::parts::{AddressOrder, Fifo, Implicit, Lifo};
use heapsmith::{Meter, Source, Word};

use super::{BlockFactors, Family};
use crate::ast::{Coalescing, Fit};
use crate::build::{BuildError, Job, Parts};
use crate::catalogue::{HOLES, NONE, PoolPromise, best_fit};
use crate::keyword::Keyword;
use crate::lexer::Kind;
use crate::parse::cursor::{Cursor, Result};
use crate::parse::factor::block_keys;
use crate::parse::keys::{self, Key, equals};
use crate::print::word;
use crate::problem::Problem;
use crate::validate::{Bounds, Check, Fault, Place};

/// One list of free blocks: `list(order=address, fit=first, split=always, coalesce=immediate)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct List {
    /// The order of the list.
    pub order: ListOrder,
    /// Which free block serves a request.
    pub fit: Fit,
    /// When blocks are split and joined, and whether they carry boundary tags.
    pub factors: BlockFactors,
}

/// The order of a list of free blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ListOrder {
    /// The block freed last comes first.
    Lifo,
    /// The block freed first comes first.
    Fifo,
    /// Ascending addresses.
    #[default]
    Address,
    /// No links at all: the headers lead from block to block, so a search steps through used
    /// and free blocks alike.
    Implicit,
}

impl Family for List {
    const WORD: &'static str = "list";

    const CHECKED: bool = true;

    fn read(cursor: &mut Cursor<'_>) -> Result<List> {
        let mut list = List::default();
        keys::optional(cursor, "list", KEYS, &mut list)?;
        Ok(list)
    }

    fn check(&self, bounds: &mut Bounds) -> Check {
        if let Fit::Best { depth } = self.fit
            && let Some(problem) = depth_problem(depth.into())
        {
            return Err(Fault::new(Place::Depth, problem));
        }
        self.factors.check(bounds)
    }

    fn promise(&self) -> PoolPromise {
        let allocate = match (self.order, self.factors.coalesce) {
            (ListOrder::Implicit, _) | (_, Coalescing::EveryCall) => "linear in the blocks",
            _ => "linear in the free blocks",
        };
        let free = match (self.order, self.factors.tags, self.factors.coalesce) {
            (_, _, Coalescing::EveryCall) | (_, false, _) => "linear in the blocks",
            (ListOrder::Address, ..) => "constant next to a free block, else linear in the free blocks",
            _ => "constant",
        };
        let ordered = matches!(self.order, ListOrder::Address | ListOrder::Implicit);
        let footprint = match self.fit {
            _ if !self.factors.joins() => NONE,
            Fit::First if ordered => "about M log2 n (Robson 1977)",
            Fit::Best { .. } => best_fit(&self.factors),
            _ => HOLES,
        };
        PoolPromise { allocate, free, footprint }
    }

    fn links_and_tags(&self) -> Option<(usize, bool)> {
        Some((if self.order == ListOrder::Implicit { 0 } else { 2 }, self.factors.tags))
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
        match self.order {
            ListOrder::Lifo => parts.blocks::<W, _>(Lifo::default(), self.fit, &self.factors),
            ListOrder::Fifo => parts.blocks::<W, _>(Fifo::default(), self.fit, &self.factors),
            ListOrder::Address => parts.blocks::<W, _>(AddressOrder::default(), self.fit, &self.factors),
            ListOrder::Implicit => parts.blocks::<W, _>(Implicit::default(), self.fit, &self.factors),
        }
    }
}

const KEYS: &[Key<List>] = block_keys![
    Key {
        word: "order",
        forms: &["order="],
        read: |cursor, list| equals(cursor, "order").map(|order| list.order = order),
    },
    Key { word: "fit", forms: &["fit="], read: |cursor, list| fit(cursor).map(|fit| list.fit = fit) },
];

fn fit(cursor: &mut Cursor<'_>) -> Result<Fit> {
    let fit = equals(cursor, "fit")?;
    match cursor.peek() {
        Kind::Open if fit == Fit::BEST => depth(cursor),
        _ => Ok(fit),
    }
}

/// The `(30%)` of `best(30%)`.
fn depth(cursor: &mut Cursor<'_>) -> Result<Fit> {
    let opened = cursor.open("best")?;
    cursor.note(Place::Depth);
    // Checked before it is narrowed, so that the message shows the number as written.
    if let Kind::Number(percent) = *cursor.peek()
        && let Some(problem) = depth_problem(percent)
    {
        return Err(cursor.error(problem, ["1% to 100%"]));
    }
    let percent = cursor.number("a percentage")?;
    cursor.sign(&Kind::Percent, "%")?;
    cursor.close(opened)?;
    Ok(Fit::Best { depth: u8::try_from(percent).unwrap_or(u8::MAX) })
}

/// The problem with this depth, in percent of a list.
fn depth_problem(percent: u64) -> Option<Problem> {
    match percent {
        0 => Some(Problem::DepthZero),
        1..=100 => None,
        _ => Some(Problem::DepthAbove(percent)),
    }
}

impl Display for List {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { order, fit, factors } = self;
        write!(f, "list(order={order}, fit={}, {factors})", FitText(*fit))
    }
}

impl Display for ListOrder {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        word(f, *self)
    }
}

/// A fit as it is written; the type is another crate's.
struct FitText(Fit);

impl Display for FitText {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Fit::Best { depth } if self.0 != Fit::BEST => write!(f, "best({depth}%)"),
            other => word(f, other),
        }
    }
}

impl Keyword for ListOrder {
    const WORDS: &'static [(&'static str, Self)] =
        &[("lifo", Self::Lifo), ("fifo", Self::Fifo), ("address", Self::Address), ("implicit", Self::Implicit)];
}

impl Keyword for Fit {
    const WORDS: &'static [(&'static str, Self)] =
        &[("first", Self::First), ("next", Self::Next), ("best", Self::BEST), ("worst", Self::Worst)];
    const FORMS: &'static [&'static str] = &["best(30%)"];
}

/// Strategies for property tests.
#[cfg(any(test, feature = "arbitrary"))]
mod generated {
    use proptest::prelude::{Strategy, any, prop_oneof};

    use super::{BlockFactors, Fit, List, ListOrder};
    use crate::arbitrary::{generated, word};

    fn fit() -> impl Strategy<Value = Fit> {
        prop_oneof![word::<Fit>(), (1..=100_u8).prop_map(|depth| Fit::Best { depth })]
    }

    generated!(
        List,
        (word::<ListOrder>(), fit(), any::<BlockFactors>()).prop_map(|(order, fit, factors)| List {
            order,
            fit,
            factors
        })
    );
}
