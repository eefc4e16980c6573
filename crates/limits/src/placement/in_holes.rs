//! Placement into holes: each block into a hole between those placed that overlap with it.
//!
//! ```text
//!   by start   │■ ■ · ■ · ■ ■ ■│      leaves: blocks in the order of their starts
//!              └──────┬────────┘      nodes: the latest end of a placed block below
//!   at the same time as [s,e): leaves with start < e, in subtrees with an end > s
//! ```
//!
//! The blocks that are live together with one are sorted by offset, and the first hole that holds it is taken, or
//! the tightest. First fit in order of decreasing size is what compilers of neural networks
//! plan memory by (Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net
//! Inference, 2020); the tightest hole is theirs.
//!
//! Time O(p log n) for p pairs of blocks that live together, space O(n).

use super::lifetimes::{Lifetime, Lifetimes};
use super::{Placement, align_up};

/// Which hole is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HoleFit {
    First,
    Tightest,
}

/// Places blocks into holes, in one order after another.
pub(super) struct InHoles<'l> {
    all: &'l [Lifetime],
    overlapping: Overlapping,
    /// The blocks that are live together with one: offset and end.
    found: Vec<(u64, u64)>,
    /// Blocks that were compared with another, and blocks placed.
    pub work: u64,
}

impl<'l> InHoles<'l> {
    pub fn new(lifetimes: &'l Lifetimes) -> InHoles<'l> {
        InHoles { all: lifetimes.all(), overlapping: Overlapping::new(lifetimes.all()), found: Vec::new(), work: 0 }
    }

    /// Places the blocks in this order; gives up as soon as one would end above `max`.
    pub fn place(&mut self, order: &[u32], fit: HoleFit, max: u64) -> Option<Placement> {
        self.overlapping.clear();
        let mut offsets = vec![0; self.all.len()];
        let mut footprint = 0;
        for &block in order {
            let lifetime = &self.all[block as usize];
            self.found.clear();
            let found = &mut self.found;
            self.overlapping.visit(lifetime, |other| {
                found.push((offsets[other], offsets[other] + self.all[other].size));
            });
            self.work += 1 + self.found.len() as u64;
            self.found.sort_unstable();
            let offset = match fit {
                HoleFit::First => first_fit(&self.found, lifetime),
                HoleFit::Tightest => tightest(&self.found, lifetime),
            };
            footprint = footprint.max(offset + lifetime.size);
            if footprint > max {
                return None;
            }
            offsets[block as usize] = offset;
            self.overlapping.insert(block as usize, lifetime.end);
        }
        Some(Placement { offsets, footprint })
    }
}

fn first_fit(overlapping: &[(u64, u64)], lifetime: &Lifetime) -> u64 {
    let mut place = 0;
    for &(offset, end) in overlapping {
        if place + lifetime.size <= offset {
            break;
        }
        place = place.max(align_up(end, lifetime.alignment));
    }
    place
}

fn tightest(overlapping: &[(u64, u64)], lifetime: &Lifetime) -> u64 {
    let (mut place, mut best) = (0, None);
    for &(offset, end) in overlapping {
        if place + lifetime.size <= offset {
            let left = offset - place - lifetime.size;
            if best.is_none_or(|(min, _)| left < min) {
                best = Some((left, place));
            }
        }
        place = place.max(align_up(end, lifetime.alignment));
    }
    best.map_or(place, |(_, hole)| hole)
}

/// The placed blocks by lifetime.
struct Overlapping {
    leaves: usize,
    /// Of a node, the latest end of a placed block below it; 0 if there is none.
    latest: Vec<u32>,
    /// Starts in their order.
    starts: Vec<u32>,
}

impl Overlapping {
    fn new(all: &[Lifetime]) -> Overlapping {
        let leaves = all.len().next_power_of_two();
        let starts = all.iter().map(|lifetime| lifetime.start).collect();
        Overlapping { leaves, latest: vec![0; 2 * leaves], starts }
    }

    fn clear(&mut self) {
        self.latest.fill(0);
    }

    fn insert(&mut self, block: usize, end: u32) {
        let mut node = self.leaves + block;
        while node > 0 && self.latest[node] < end {
            self.latest[node] = end;
            node /= 2;
        }
    }

    /// Visits each placed block that meets `lifetime`.
    fn visit(&self, lifetime: &Lifetime, mut visit: impl FnMut(usize)) {
        let begun = self.starts.partition_point(|&start| start < lifetime.end);
        // A path of the tree, down to the left: at most one node waits a level.
        let mut waiting = [0_usize; 64];
        let mut depth = 1;
        waiting[0] = 1;
        while depth > 0 {
            depth -= 1;
            let node = waiting[depth];
            if self.latest[node] <= lifetime.start {
                continue;
            }
            if node >= self.leaves {
                visit(node - self.leaves);
                continue;
            }
            let right = 2 * node + 1;
            if self.first_leaf(right) < begun {
                waiting[depth] = right;
                depth += 1;
            }
            waiting[depth] = 2 * node;
            depth += 1;
        }
    }

    /// The first block below a node.
    fn first_leaf(&self, node: usize) -> usize {
        let level = self.leaves.ilog2() - node.ilog2();
        (node << level) - self.leaves
    }
}
