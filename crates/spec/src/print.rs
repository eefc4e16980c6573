//! Spec to text, in its one canonical form.
//!
//! `split`, `coalesce` and what orders a pool are always printed, because they are what heaps
//! are compared by; all else only where it is not the default. Printing what was parsed and
//! parsing what was printed change nothing.

use std::fmt::{Display, Formatter, Result};

use crate::ast::{
    BinLayout, BinOrder, Bins, Classes, Coalesce, Ends, Fit, FreeLists, Layer, List, Order, Pool, Reclaim, Sizes, Spec,
    Split,
};
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
        if self.order != Ends::default() {
            write!(f, ", order={}", self.order)?;
        }
        f.write_str(")")
    }
}

impl Display for List {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { order, fit, split, coalesce, tags } = self;
        write!(f, "list(order={order}, fit={fit}, {split}, {coalesce}{})", without(*tags))
    }
}

impl Display for Bins {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { layout, order, split, coalesce, tags } = self;
        write!(f, "bins({layout}, order={order}, {split}, {coalesce}{})", without(*tags))
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

impl Display for Fit {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Best { depth } if *self != Self::BEST => write!(f, "best({depth}%)"),
            other => word(f, *other),
        }
    }
}

/// With its key, because a level changes the sign between them: `split>=512`.
impl Display for Split {
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
impl Display for Coalesce {
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

impl Display for Ends {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        word(f, *self)
    }
}

impl Display for Order {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        word(f, *self)
    }
}

impl Display for BinOrder {
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
