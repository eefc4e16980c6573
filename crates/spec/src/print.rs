//! Spec to text, in its one canonical form.
//!
//! `split`, `coalesce` and what orders a pool are always printed, because they are what heaps
//! are compared by; all else only where it is not the default. Printing what was parsed and
//! parsing what was printed change nothing.

mod blocks_of_powers;

use std::fmt::{Display, Formatter, Result};

use crate::ast::{
    BinLayout, BinOrder, Bins, Classes, Coalescing, Fit, FreeLists, Layer, List, ListOrder, Order, Pool, Reclaim,
    Sizes, Spec, Splitting,
};
use crate::ast::{Each, SkipList, Tlsf, Tree, Tries};
use crate::keyword::Keyword;

impl Display for Spec {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for layer in &self.layers {
            write!(f, "{layer} ")?;
        }
        write!(f, "{}", self.pool)?;
        if self.word != Default::default() {
            write!(f, " word={}", self.word.bytes())?;
        }
        if self.alignment != self.word.bytes() {
            write!(f, " align={}", self.alignment)?;
        }
        if self.threads != Default::default() {
            f.write_str(" threads=")?;
            word(f, self.threads)?;
        }
        Ok(())
    }
}

impl Display for Layer {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::FreeLists(free_lists) => free_lists.fmt(f),
            Self::Guard(guard) => write!(f, "guard(quarantine={})", guard.quarantine),
            Self::Reserve(reserve) => write!(f, "reserve(high={}%)", reserve.high),
            Self::Zero => f.write_str("zero"),
        }
    }
}

impl Display for Pool {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::List(list) => list.fmt(f),
            Self::Bins(bins) => bins.fmt(f),
            Self::Classes(classes) => classes.fmt(f),
            Self::Tree(tree) => tree.fmt(f),
            Self::SkipList(list) => list.fmt(f),
            Self::Tlsf(tlsf) => tlsf.fmt(f),
            Self::HalfFit => f.write_str("half-fit"),
            Self::Buddy(buddy) => buddy.fmt(f),
            Self::Pages(pages) => pages.fmt(f),
            Self::Bump(bump) if bump.reclaim == Reclaim::Never => f.write_str("bump"),
            Self::Bump(bump) => {
                f.write_str("bump(reclaim=")?;
                word(f, bump.reclaim)?;
                f.write_str(")")
            }
            Self::Stack => f.write_str("stack"),
            Self::Fixed(size) => write!(f, "fixed({size})"),
        }
    }
}

impl Display for FreeLists {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("freelists(")?;
        items(f, &self.sizes)?;
        if self.order != Order::default() {
            f.write_str(", order=")?;
            word(f, self.order)?;
        }
        f.write_str(")")
    }
}

impl Display for List {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { order, fit, split, coalesce, tags } = self;
        write!(f, "list(order={order}, fit={}, {split}, {coalesce}{})", FitText(*fit), without(*tags))
    }
}

impl Display for Bins {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { layout, each, order, tries, split, coalesce, tags } = self;
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
        write!(f, ", {split}, {coalesce}{})", without(*tags))
    }
}

impl Display for Tree {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { balance, fit, split, coalesce, tags } = self;
        f.write_str("tree(")?;
        word(f, *balance)?;
        f.write_str(", fit=")?;
        word(f, *fit)?;
        write!(f, ", {split}, {coalesce}{})", without(*tags))
    }
}

impl Display for SkipList {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { seed, split, coalesce, tags } = self;
        write!(f, "skiplist(seed={seed}, {split}, {coalesce}{})", without(*tags))
    }
}

impl Display for Tlsf {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "tlsf(second-level={}", self.second_level)?;
        if let Some(size) = self.largest {
            write!(f, ", largest={size}")?;
        }
        f.write_str(")")
    }
}

impl Display for Classes {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("classes(")?;
        items(f, &self.sizes)?;
        if let Some(step) = self.beyond {
            write!(f, ", then step {step}")?;
        }
        f.write_str(")")
    }
}

impl Display for Sizes {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::One(size) => write!(f, "{size}"),
            Self::Range { from, to } => write!(f, "{from}..={to}"),
            Self::Steps { from, to, step } => write!(f, "{from}..={to} step {step}"),
            Self::Doubles { from, to } => write!(f, "{from}..={to} double"),
        }
    }
}

impl Display for BinLayout {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Exact { from, to, step, then_log } => {
                write!(f, "exact {from}..={to} step {step}")?;
                let Some(per_doubling) = then_log else {
                    return Ok(());
                };
                f.write_str(", then ")?;
                log(f, *per_doubling)
            }
            Self::Log { per_doubling } => log(f, *per_doubling),
            Self::Lea => f.write_str("lea"),
        }
    }
}

/// A fit as it is written; the type is another crate's.
struct FitText(Fit);

impl Display for FitText {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0 {
            Fit::Best { depth } if self.0 != Fit::BEST => write!(f, "best({depth}%)"),
            other => word(f, other),
        }
    }
}

/// With its key, because a level changes the sign between them: `split>=512`.
impl Display for Splitting {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::From(level) => write!(f, "split>={level}"),
            other => {
                f.write_str("split=")?;
                word(f, *other)
            }
        }
    }
}

/// With its key, because a level changes the sign between them: `coalesce>=512`.
impl Display for Coalescing {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::From(level) => write!(f, "coalesce>={level}"),
            other => {
                f.write_str("coalesce=")?;
                word(f, *other)
            }
        }
    }
}

impl Display for ListOrder {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        word(f, *self)
    }
}

/// The keyword of a value that has one.
fn word(f: &mut Formatter<'_>, value: impl Keyword) -> Result {
    f.write_str(value.word().unwrap_or_default())
}

fn items(f: &mut Formatter<'_>, sizes: &[Sizes]) -> Result {
    for (index, item) in sizes.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(f, "{comma}{item}")?;
    }
    Ok(())
}

fn log(f: &mut Formatter<'_>, per_doubling: u8) -> Result {
    match per_doubling {
        BinLayout::PER_DOUBLING => f.write_str("log"),
        other => write!(f, "log({other})"),
    }
}

/// Boundary tags are worth a word only where they are missing.
fn without(tags: bool) -> &'static str {
    if tags { "" } else { ", tags=off" }
}
