//! The numbers of two-level segregated fit, and of half-fit.

use heapsmith::parts::TwoLevel;
use heapsmith_spec::build::words_for;
use heapsmith_spec::{Largest, Spec};
use serde::Serialize;

use super::{Chain, IndexPlan};
use crate::plan::max_words;

/// Lists by a power of two and a part of it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TwoLevelPlan {
    /// Binary logarithm of the parts of a power of two; 0: half-fit.
    second: u32,
    /// The parts.
    parts: u64,
    /// Words of a map of the second level.
    row_words: u64,
    /// Last list and first head follow from the length of the region.
    pub(in crate::plan) by_region: bool,
    /// The last list.
    last: u64,
    /// The first head.
    heads: u64,
    /// Max blocks that a search visits in a full region.
    second_look: u64,
}

/// The list of blocks of `words`, were there no last one, as `heapsmith::parts::TwoLevel` counts.
fn list_floor(second: u32, words: u64) -> u64 {
    match words.checked_ilog2() {
        Some(log) if log >= second => (u64::from(log - second) << second) + (words >> (log - second)),
        _ => words,
    }
}

/// The first list whose blocks all have `words`.
fn list_ceil(second: u32, words: u64) -> u64 {
    match words.checked_ilog2() {
        Some(log) if log >= second => list_floor(second, words + (1 << (log - second)) - 1),
        _ => words,
    }
}

pub(in crate::plan) fn two_level(second: u8, largest: Largest, spec: &Spec) -> IndexPlan {
    let words = match largest {
        Largest::Bytes(size) => words_for(spec, size).map(|words| words as u64),
        Largest::Word | Largest::Region => None,
    };
    let by_region = largest == Largest::Region;
    let plan = two_level_of(second, words.unwrap_or(max_words(spec.word)), spec);
    IndexPlan { rounds: !by_region, levels: TwoLevelPlan { by_region, ..plan.levels }, ..plan }
}

/// Lists for requests of up to `words`, whatever they go by.
pub(in crate::plan) fn two_level_of(second: u8, words: u64, spec: &Spec) -> IndexPlan {
    let second = u32::from(second);
    let bits = spec.word.bytes() * 8;
    let last = list_ceil(second, words);
    let rows = (last >> second) + 1;
    let row_words = if second == 0 { 0 } else { (1_u64 << second).div_ceil(bits.into()) };
    let invariants = if second == 0 {
        vec!["5   every free block is in the list of its size", "7   a bit says whether a list is empty"]
    } else {
        vec![
            "5   every free block is in the list of its size",
            "6   a bit of the second level says whether its list is empty",
            "7   a bit of the first level says whether all of its lists are",
        ]
    };
    IndexPlan {
        kind: "two_level",
        file: "index/two_level.c",
        control_words: 1 + rows * row_words + last + 1,
        linked: true,
        by_size: true,
        checks: true,
        clears_all: true,
        rounds: true,
        finds_larger: true,
        logarithm: true,
        bit_map: true,
        bits,
        levels: TwoLevelPlan {
            second,
            parts: 1 << second,
            row_words,
            by_region: false,
            last,
            heads: 3 + rows * row_words,
            second_look: TwoLevel::SECOND_LOOK as u64,
        },
        invariants,
        chain: Some(Chain { front: true, unlink: true, ..Chain::default() }),
        ..IndexPlan::default()
    }
}
