//! Orders in which blocks are placed.
//!
//! Sources: by size, Pisarchyk and Lee (2020); by the bytes that overlap with a block, by its
//! lifetime and by its area, Moffitt, MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated
//! Machine Learning (ASPLOS 2023), which tries such orders in turns.

use std::cmp::Reverse;

use super::lifetimes::Lifetimes;

/// What comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlacementOrder {
    /// The largest.
    Size,
    /// The most bytes times moments.
    Area,
    /// The longest-lived.
    Length,
    /// The first to be allocated, the largest of a moment before.
    Start,
    /// What lives when the most bytes do; of those the largest area.
    Crowd,
    /// What lives when the most bytes do; of those the longest-lived.
    CrowdLength,
}

impl PlacementOrder {
    /// Every order.
    pub const ALL: &'static [PlacementOrder] = &[
        PlacementOrder::Size,
        PlacementOrder::Area,
        PlacementOrder::Length,
        PlacementOrder::Crowd,
        PlacementOrder::CrowdLength,
        PlacementOrder::Start,
    ];

    /// The blocks in this order; of equals the first to be allocated first.
    pub fn of(self, lifetimes: &Lifetimes) -> Vec<u32> {
        let all = lifetimes.all();
        let mut blocks: Vec<u32> = (0..all.len() as u32).collect();
        let of = |block: &u32| &all[*block as usize];
        let area = |block: &u32| u128::from(of(block).size) * u128::from(of(block).length());
        match self {
            PlacementOrder::Size => blocks.sort_by_key(|block| Reverse((of(block).size, of(block).length()))),
            PlacementOrder::Area => blocks.sort_by_cached_key(|block| Reverse(area(block))),
            PlacementOrder::Length => blocks.sort_by_key(|block| Reverse((of(block).length(), of(block).size))),
            PlacementOrder::Start => blocks.sort_by_key(|block| (of(block).start, Reverse(of(block).size))),
            PlacementOrder::Crowd | PlacementOrder::CrowdLength => {
                let crowds = Crowds::new(lifetimes.live_bytes());
                let crowd = |block: &u32| crowds.max(of(block).start as usize, of(block).end as usize);
                match self {
                    PlacementOrder::Crowd => blocks.sort_by_cached_key(|block| Reverse((crowd(block), area(block)))),
                    _ => blocks.sort_by_cached_key(|block| Reverse((crowd(block), u128::from(of(block).length())))),
                }
            }
        }
        blocks
    }
}

impl std::fmt::Display for PlacementOrder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            PlacementOrder::Size => "the largest first",
            PlacementOrder::Area => "the most bytes times moments first",
            PlacementOrder::Length => "the longest-lived first",
            PlacementOrder::Start => "in the order of time",
            PlacementOrder::Crowd => "the most crowded first, then by area",
            PlacementOrder::CrowdLength => "the most crowded first, then by lifetime",
        })
    }
}

/// Peak live bytes in a stretch of moments: a tree of maxima.
struct Crowds {
    leaves: usize,
    max: Vec<u64>,
}

impl Crowds {
    fn new(live: Vec<u64>) -> Crowds {
        let leaves = live.len();
        let mut max = vec![0; leaves];
        max.extend(live);
        (1..leaves).rev().for_each(|node| max[node] = max[2 * node].max(max[2 * node + 1]));
        Crowds { leaves, max }
    }

    fn max(&self, start: usize, end: usize) -> u64 {
        let (mut left, mut right, mut max) = (start + self.leaves, end + self.leaves, 0);
        while left < right {
            if left % 2 == 1 {
                max = max.max(self.max[left]);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                max = max.max(self.max[right]);
            }
            (left, right) = (left / 2, right / 2);
        }
        max
    }
}
