//! The fixed words that a value may be.
//!
//! One table serves the parser, the printer and the lists of alternatives in error messages,
//! so that the three cannot disagree.

use crate::ast::{
    Check, Coalescing, EmptySpans, Flush, FreeBlocks, GuardPages, HugePages, Metadata, NextSpan, Order, Purge,
    Splitting, Threads, WordSize,
};

/// A value with a word for each, or most, of its cases.
pub(crate) trait Keyword: Copy + PartialEq + 'static {
    /// The words and their values.
    const WORDS: &'static [(&'static str, Self)];

    /// How the cases that carry a number are written, as examples.
    const FORMS: &'static [&'static str] = &[];

    /// The value of a word.
    fn from_word(word: &str) -> Option<Self> {
        let (_, value) = Self::WORDS.iter().find(|(known, _)| *known == word)?;
        Some(*value)
    }

    /// The word for this value; none if the value carries a number.
    fn word(self) -> Option<&'static str> {
        let (word, _) = Self::WORDS.iter().find(|(_, value)| *value == self)?;
        Some(word)
    }
}

impl Keyword for Threads {
    const WORDS: &'static [(&'static str, Self)] =
        &[("one", Self::One), ("each", Self::Each), ("lists", Self::Lists), ("owned", Self::Owned)];
    const FORMS: &'static [&'static str] = &["lists(32K)"];
}

impl Keyword for Purge {
    const WORDS: &'static [(&'static str, Self)] = &[("top", Self::Top), ("never", Self::Never)];
    const FORMS: &'static [&'static str] = &["after(4096)", "after(100ms)", "lazy(4096)"];
}

impl Keyword for HugePages {
    const WORDS: &'static [(&'static str, Self)] = &[("off", Self::Off)];
    const FORMS: &'static [&'static str] = &["from(16M)"];
}

impl Keyword for Check {
    const WORDS: &'static [(&'static str, Self)] = &[("off", Self::Off), ("header", Self::Header)];
    const FORMS: &'static [&'static str] = &[Self::FULL];
}

impl Keyword for GuardPages {
    const WORDS: &'static [(&'static str, Self)] =
        &[("off", Self::Off), ("sampled", Self::Sampled), ("all", Self::All)];
}

impl Keyword for Order {
    const WORDS: &'static [(&'static str, Self)] = &[("lifo", Self::Lifo), ("fifo", Self::Fifo)];
}

impl Keyword for Flush {
    const WORDS: &'static [(&'static str, Self)] = &[("all", Self::All)];
    const FORMS: &'static [&'static str] = &["bounded(8)"];
}

impl Keyword for FreeBlocks {
    const WORDS: &'static [(&'static str, Self)] = &[("list", Self::List), ("bitmap", Self::Bitmap)];
}

impl Keyword for NextSpan {
    const WORDS: &'static [(&'static str, Self)] =
        &[("first", Self::First), ("last", Self::Last), ("fullest", Self::Fullest), ("lowest", Self::Lowest)];
}

impl Keyword for EmptySpans {
    const WORDS: &'static [(&'static str, Self)] = &[("return", Self::Return)];
    const FORMS: &'static [&'static str] = &["keep(1)"];
}

impl Keyword for Metadata {
    const WORDS: &'static [(&'static str, Self)] = &[("inside", Self::Inside), ("outside", Self::Outside)];
}

impl Keyword for Splitting {
    const WORDS: &'static [(&'static str, Self)] = &[("never", Self::Never), ("always", Self::Always)];
}

impl Keyword for Coalescing {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("never", Self::Never),
        ("immediate", Self::Immediate),
        ("deferred", Self::Deferred),
        ("every-call", Self::EveryCall),
    ];
}

/// Boundary tags: a yes or no.
impl Keyword for bool {
    const WORDS: &'static [(&'static str, Self)] = &[("on", true), ("off", false)];
}

/// Numbers, but so few that they are listed like words.
impl Keyword for WordSize {
    const WORDS: &'static [(&'static str, Self)] = &[("2", Self::Two), ("4", Self::Four), ("8", Self::Eight)];
}
