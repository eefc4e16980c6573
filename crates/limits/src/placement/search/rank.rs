//! Which of several blocks comes first at an equal offset.
//!
//! Source of the orders: Moffitt, MiniMalloc (ASPLOS 2023): total, width and area, in three sequences. When blocks fall apart into
//! groups, each group is ranked anew, as its totals are others.

use std::cmp::Reverse;

use heapsmith_trace::Draws;

use super::super::lifetimes::{Lifetime, Lifetimes};
use super::bounds::Bounds;

/// What a block is ranked by; the larger first.
#[derive(Debug, Clone, Copy)]
enum Key {
    /// Bytes still to be placed at the most crowded moment of its life.
    Total,
    /// Time that it lives.
    Span,
    /// Moments that it lives.
    Length,
    /// Bytes times time.
    Area,
    /// Bytes.
    Size,
}

const SEQUENCES: &[[Key; 3]] = &[
    [Key::Total, Key::Span, Key::Area],
    [Key::Total, Key::Area, Key::Span],
    [Key::Span, Key::Area, Key::Total],
    [Key::Area, Key::Total, Key::Span],
    [Key::Total, Key::Length, Key::Size],
    [Key::Length, Key::Size, Key::Total],
];

/// An order of blocks at equal offsets.
pub(super) struct Ranking {
    keys: [Key; 3],
    /// The rank of each block, if draws loosened it.
    loosened: Option<Vec<u32>>,
}

impl Ranking {
    /// Every order.
    pub fn all(lifetimes: &Lifetimes) -> Vec<Ranking> {
        let has_times = lifetimes.all().iter().any(|lifetime| lifetime.span != u64::from(lifetime.length()));
        let usual = SEQUENCES.iter().map(|&keys| Ranking { keys, loosened: None });
        // Without times the fifth is nearly the first.
        usual.take(if has_times { SEQUENCES.len() } else { 4 }).collect()
    }

    /// The same, in which blocks have moved by up to a quarter of its length.
    pub fn loosened(&self, lifetimes: &Lifetimes, draws: &mut Draws) -> Ranking {
        let all: Vec<u32> = (0..lifetimes.all().len() as u32).collect();
        let order = ranked(self.keys, lifetimes.all(), &lifetimes.live_bytes(), &all);
        let max = order.len() as u64 / [64, 16, 4][draws.below(3) as usize] + 1;
        let mut places: Vec<(u64, u32)> = order
            .iter()
            .enumerate()
            .map(|(place, &block)| (place as u64 * 16 + draws.below(max * 16), block))
            .collect();
        places.sort_unstable();
        let mut ranks = vec![0; all.len()];
        places.iter().enumerate().for_each(|(rank, &(_, block))| ranks[block as usize] = rank as u32);
        Ranking { keys: self.keys, loosened: Some(ranks) }
    }

    /// Ranks these blocks by what is left to be placed now.
    pub fn rank(&self, bounds: &mut Bounds<'_>, blocks: &[u32]) {
        bounds.work += blocks.len() as u64;
        match &self.loosened {
            Some(ranks) => blocks.iter().for_each(|&block| bounds.set_rank(block, ranks[block as usize])),
            None => {
                let order = ranked(self.keys, bounds.all, &bounds.left, blocks);
                order.iter().enumerate().for_each(|(rank, &block)| bounds.set_rank(block, rank as u32));
            }
        }
    }
}

/// The blocks in the order of these keys.
fn ranked(keys: [Key; 3], all: &[Lifetime], left: &[u64], blocks: &[u32]) -> Vec<u32> {
    let mut blocks = blocks.to_vec();
    blocks.sort_by_cached_key(|&block| {
        let lifetime = &all[block as usize];
        Reverse(keys.map(|key| match key {
            Key::Total => {
                let left = &left[lifetime.start as usize..lifetime.end as usize];
                u128::from(left.iter().copied().max().unwrap_or(0))
            }
            Key::Span => u128::from(lifetime.span),
            Key::Length => u128::from(lifetime.length()),
            Key::Area => u128::from(lifetime.span) * u128::from(lifetime.size),
            Key::Size => u128::from(lifetime.size),
        }))
    });
    blocks
}
