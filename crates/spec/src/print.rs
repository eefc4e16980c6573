//! Spec to text, in its one canonical form.
//!
//! `split`, `coalesce` and what orders a pool are always printed, because they are what heaps
//! are compared by; all else only where it is not the default. Printing what was parsed and
//! parsing what was printed change nothing. Pools are printed by their files in `pool`.

use std::fmt::{Display, Formatter, Result};

use crate::ast::{
    Coalescing, Delay, EmptySpans, Flush, FreeBlocks, FreeLists, Guard, HugePages, Layer, Metadata, NamedRegion,
    NextSpan, Order, Purge, Regions, Sizes, Spans, Spec, Splitting, Threads,
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
        if self.threads != Default::default() {
            write!(f, " {}", self.threads)?;
        }
        if self.purge != Default::default() {
            write!(f, " {}", self.purge)?;
        }
        if self.huge != Default::default() {
            write!(f, " {}", self.huge)?;
        }
        if self.check != Default::default() {
            f.write_str(" check=")?;
            word(f, self.check)?;
        }
        Ok(())
    }
}

impl Display for Threads {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("threads=")?;
        match *self {
            Self::ListsWithin(bytes) => write!(f, "lists({bytes})"),
            threads => word(f, threads),
        }
    }
}

impl Display for Purge {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("purge=")?;
        match *self {
            Self::After(delay) => write!(f, "after({delay})"),
            Self::Lazy(delay) => write!(f, "lazy({delay})"),
            purge => word(f, purge),
        }
    }
}

impl Display for Delay {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match *self {
            Self::Frees(frees) => write!(f, "{frees}"),
            Self::Milliseconds(milliseconds) => write!(f, "{milliseconds}ms"),
        }
    }
}

impl Display for HugePages {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("huge=")?;
        match *self {
            Self::From(bytes) => write!(f, "from({bytes})"),
            huge => word(f, huge),
        }
    }
}

impl Display for Layer {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Regions(regions) => regions.fmt(f),
            Self::FreeLists(free_lists) => free_lists.fmt(f),
            Self::Spans(spans) => spans.fmt(f),
            Self::Guard(guard) => guard.fmt(f),
            Self::Reserve(reserve) => write!(f, "reserve(high={}%)", reserve.high),
            Self::Zero => f.write_str("zero"),
        }
    }
}

impl Display for Regions {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("regions(")?;
        for (number, region) in self.regions.iter().enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            write!(f, "{comma}{region}")?;
        }
        f.write_str(")")
    }
}

impl Display for NamedRegion {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { name, size, cost, up_to } = self;
        write!(f, "{name}({size}")?;
        if *cost != 1 {
            write!(f, ", cost={cost}")?;
        }
        if let Some(up_to) = up_to {
            write!(f, ", up-to={up_to}")?;
        }
        f.write_str(")")
    }
}

impl Display for Guard {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "guard(quarantine={}", self.quarantine)?;
        if self.pages != Default::default() {
            f.write_str(", pages=")?;
            word(f, self.pages)?;
        }
        f.write_str(")")
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
        if let Flush::Bounded(blocks) = self.flush {
            write!(f, ", flush=bounded({blocks})")?;
        }
        if let Some(places) = self.magazine {
            write!(f, ", magazine={places}")?;
        }
        f.write_str(")")
    }
}

impl Display for Spans {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { sizes, span, free, next, empty, metadata } = self;
        f.write_str("spans(")?;
        items(f, sizes)?;
        write!(f, ", span={span}")?;
        if *free != FreeBlocks::default() {
            f.write_str(", free=")?;
            word(f, *free)?;
        }
        if *next != NextSpan::default() {
            f.write_str(", next=")?;
            word(f, *next)?;
        }
        if let EmptySpans::Keep(spans) = empty {
            write!(f, ", empty=keep({spans})")?;
        }
        if *metadata != Metadata::default() {
            f.write_str(", metadata=")?;
            word(f, *metadata)?;
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
            Self::Doubles { from, to, parts: 1 } => write!(f, "{from}..={to} double"),
            Self::Doubles { from, to, parts } => write!(f, "{from}..={to} double({parts})"),
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

/// The keyword of a value that has one.
pub(crate) fn word(f: &mut Formatter<'_>, value: impl Keyword) -> Result {
    f.write_str(value.word().unwrap_or_default())
}

/// The items of a list of sizes.
pub(crate) fn items(f: &mut Formatter<'_>, sizes: &[Sizes]) -> Result {
    for (index, item) in sizes.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(f, "{comma}{item}")?;
    }
    Ok(())
}
