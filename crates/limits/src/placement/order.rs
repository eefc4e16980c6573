//! Orders in which blocks are placed.
//!
//! Sources: by size, Pisarchyk and Lee (2020); by the bytes that live beside a block, by its
//! lifetime and by its area, Moffitt, MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated
//! Machine Learning (ASPLOS 2023), which tries such orders in turns.

use std::cmp::Reverse;

use super::lifetimes::Lifetimes;

/// What comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
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

impl Order {
    /// Every order.
    pub const ALL: &'static [Order] =
        &[Order::Size, Order::Area, Order::Length, Order::Crowd, Order::CrowdLength, Order::Start];

    /// The blocks in this order; of equals the first to be allocated first.
    pub fn of(self, lifetimes: &Lifetimes) -> Vec<u32> {
        let all = lifetimes.all();
        let mut blocks: Vec<u32> = (0..all.len() as u32).collect();
        let of = |block: &u32| &all[*block as usize];
        let area = |block: &u32| u128::from(of(block).size) * u128::from(of(block).length());
        match self {
            Order::Size => blocks.sort_by_key(|block| Reverse((of(block).size, of(block).length()))),
            Order::Area => blocks.sort_by_cached_key(|block| Reverse(area(block))),
            Order::Length => blocks.sort_by_key(|block| Reverse((of(block).length(), of(block).size))),
            Order::Start => blocks.sort_by_key(|block| (of(block).start, Reverse(of(block).size))),
            Order::Crowd | Order::CrowdLength => {
                let crowds = Crowds::new(lifetimes.live_bytes());
                let crowd = |block: &u32| crowds.most(of(block).start as usize, of(block).end as usize);
                match self {
                    Order::Crowd => blocks.sort_by_cached_key(|block| Reverse((crowd(block), area(block)))),
                    _ => blocks.sort_by_cached_key(|block| Reverse((crowd(block), u128::from(of(block).length())))),
                }
            }
        }
        blocks
    }
}

impl std::fmt::Display for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Order::Size => "the largest first",
            Order::Area => "the most bytes times moments first",
            Order::Length => "the longest-lived first",
            Order::Start => "in the order of time",
            Order::Crowd => "the most crowded first, then by area",
            Order::CrowdLength => "the most crowded first, then by lifetime",
        })
    }
}

/// Most live bytes in a stretch of moments: a tree of maxima.
struct Crowds {
    leaves: usize,
    most: Vec<u64>,
}

impl Crowds {
    fn new(live: Vec<u64>) -> Crowds {
        let leaves = live.len();
        let mut most = vec![0; leaves];
        most.extend(live);
        (1..leaves).rev().for_each(|node| most[node] = most[2 * node].max(most[2 * node + 1]));
        Crowds { leaves, most }
    }

    fn most(&self, start: usize, end: usize) -> u64 {
        let (mut left, mut right, mut most) = (start + self.leaves, end + self.leaves, 0);
        while left < right {
            if left % 2 == 1 {
                most = most.max(self.most[left]);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                most = most.max(self.most[right]);
            }
            (left, right) = (left / 2, right / 2);
        }
        most
    }
}
