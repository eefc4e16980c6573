//! Search for a placement within a capacity, bottom up, for some thousand blocks.
//!
//! ```text
//!   capacity ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄        a step: one block at the lowest offset that what is placed
//!            │    ┌───┐                leaves it, never below the block before
//!            │┌───┴┬──┴─┐   ┌──┐       cut: what lives at some moment no longer fits above the
//!            └┴────┴────┴───┴──┴       lowest offset that is left there
//! ```
//!
//! Any placement can be let down until every block lies on another or on the bottom; taken from the bottom up it is
//! then a sequence of such steps, and one order of equal offsets is enough. So the search, if it ends, has
//! found a placement or shown that there is none. It cuts a branch where
//!
//! 1. at some moment the lowest offset left and the bytes still to be placed exceed the capacity;
//! 2. a block could have been placed whole below all that follows (a placement that does so is found elsewhere);
//! 3. blocks that are left fall apart into groups that do not meet in time: each is searched by itself.
//!
//! Source: Moffitt, MiniMalloc (ASPLOS 2023), written anew from its description; canonical solutions, section
//! inference, dominance and dynamic decomposition are its words for them. A search that takes long mostly took a wrong
//! turn early (Gomes, Selman, Kautz, AAAI 1998), so it is begun again: each capacity in several orders of equal offsets, with
//! ever more steps, and after the first round also in orders that draws have loosened.

use heapsmith_trace::Draws;

use super::lifetimes::{Lifetime, Lifetimes};
use super::order::PlacementOrder;
use super::{Best, Method, Placement, align_up};

/// Blocks that are searched at most: a step is a level of recursion.
const BLOCKS: usize = 4096;
/// Moments of all blocks together, at most: the lists of who lives when.
const MOMENTS: u64 = 4_000_000;

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchEnd {
    /// All blocks are placed.
    Solved,
    /// There is no placement within the capacity.
    Impossible,
    /// The work was done first.
    GaveUp,
}

/// A search over some lifetimes.
pub(super) struct ExactSearch<'l> {
    all: &'l [Lifetime],
    capacity: u64,
    /// Place of each block among those of equal offset.
    rank: Vec<u32>,
    /// Blocks that live at each moment.
    living: Vec<Vec<u32>>,
    /// Offset of a placed block; the lowest left to one that is not.
    offsets: Vec<u64>,
    is_placed: Vec<bool>,
    /// Bytes still to be placed at each moment.
    left: Vec<u64>,
    /// Offsets before they were raised, and blocks that were placed, to go back.
    trail: Vec<TrailStep>,
    /// Work done, and what may be.
    pub work: u64,
    limit: u64,
}

enum TrailStep {
    Raised(u32, u64),
    Solution(u32),
}

impl<'l> ExactSearch<'l> {
    /// A search; none if there are too many blocks for one.
    pub fn new(lifetimes: &'l Lifetimes) -> Option<ExactSearch<'l>> {
        let all = lifetimes.all();
        let moments: u64 = all.iter().map(|lifetime| u64::from(lifetime.length())).sum();
        if all.len() > BLOCKS || moments > MOMENTS {
            return None;
        }
        let mut living = vec![Vec::new(); lifetimes.moments() as usize];
        for (block, lifetime) in all.iter().enumerate() {
            (lifetime.start..lifetime.end).for_each(|moment| living[moment as usize].push(block as u32));
        }
        let count = all.len();
        Some(ExactSearch {
            all,
            capacity: 0,
            rank: vec![0; count],
            living,
            offsets: vec![0; count],
            is_placed: vec![false; count],
            left: Vec::new(),
            trail: Vec::new(),
            work: 0,
            limit: 0,
        })
    }

    /// Looks for a placement within `capacity`, of equal offsets the first in `order` first.
    pub fn run(&mut self, lifetimes: &Lifetimes, capacity: u64, order: &[u32], work: u64) -> SearchEnd {
        (self.capacity, self.limit) = (capacity, self.work + work);
        order.iter().enumerate().for_each(|(rank, &block)| self.rank[block as usize] = rank as u32);
        self.offsets.fill(0);
        self.is_placed.fill(false);
        self.trail.clear();
        self.left = lifetimes.live_bytes();
        if self.left.iter().any(|&left| left > capacity) {
            return SearchEnd::Impossible;
        }
        let mut blocks: Vec<u32> = (0..self.all.len() as u32).collect();
        self.apart(&mut blocks, (0, 0))
    }

    /// The placement that was found.
    pub fn placement(&self) -> Placement {
        let ends = self.all.iter().zip(&self.offsets).map(|(lifetime, offset)| offset + lifetime.size);
        Placement { offsets: self.offsets.clone(), footprint: ends.max().unwrap_or(0) }
    }

    /// Places these blocks, group by group: groups do not meet in time. Blocks are in the order of starts.
    fn apart(&mut self, blocks: &mut [u32], from: (u64, u32)) -> SearchEnd {
        let mark = self.trail.len();
        let mut remainder = blocks;
        while let Some(&first) = remainder.first() {
            let mut end = self.all[first as usize].end;
            let mut count = 1;
            while let Some(&next) = remainder.get(count)
                && self.all[next as usize].start < end
            {
                end = end.max(self.all[next as usize].end);
                count += 1;
            }
            let (group, others) = remainder.split_at_mut(count);
            let outcome = self.group(group, from);
            if outcome != SearchEnd::Solved {
                self.back_to(mark);
                return outcome;
            }
            remainder = others;
        }
        SearchEnd::Solved
    }

    /// Places blocks that hang together, none below `from`: an offset, and a rank among equal offsets.
    fn group(&mut self, blocks: &[u32], from: (u64, u32)) -> SearchEnd {
        self.work += blocks.len() as u64;
        if self.work > self.limit {
            return SearchEnd::GaveUp;
        }
        let end = |&block: &u32| self.offsets[block as usize] + self.all[block as usize].size;
        // What ends lowest of all that could be next: nothing begins above it.
        let lowest_end = blocks.iter().map(end).min().unwrap_or(0);
        let mut next: Vec<(u64, u32, u32)> = blocks
            .iter()
            .map(|&block| (self.offsets[block as usize], self.rank[block as usize], block))
            .filter(|&(offset, rank, _)| (offset, rank) >= from && offset < lowest_end)
            .collect();
        next.sort_unstable();
        let max_left = self.max_left(blocks);
        for (offset, rank, block) in next {
            // All that is left lies at this offset or above.
            if offset + max_left > self.capacity {
                break;
            }
            let mark = self.trail.len();
            if self.put(block) {
                let mut others: Vec<u32> = blocks.iter().copied().filter(|&other| other != block).collect();
                let outcome = self.apart(&mut others, (offset, rank + 1));
                if outcome != SearchEnd::Impossible {
                    return outcome;
                }
            }
            self.back_to(mark);
        }
        SearchEnd::Impossible
    }

    /// Most bytes still to be placed at a moment of these blocks, which hang together.
    fn max_left(&mut self, blocks: &[u32]) -> u64 {
        let first = blocks.first().map_or(0, |&block| self.all[block as usize].start);
        let last = blocks.iter().map(|&block| self.all[block as usize].end).max().unwrap_or(0);
        let left = &self.left[first as usize..last as usize];
        self.work += left.len() as u64 / 8;
        left.iter().copied().max().unwrap_or(0)
    }

    /// Places a block at the lowest offset left to it; false if then not everything can be placed.
    fn put(&mut self, block: u32) -> bool {
        let lifetime = &self.all[block as usize];
        let (offset, size) = (self.offsets[block as usize], lifetime.size);
        self.is_placed[block as usize] = true;
        self.trail.push(TrailStep::Solution(block));
        for moment in lifetime.start as usize..lifetime.end as usize {
            self.left[moment] -= size;
        }
        let end = offset + size;
        let (mut first, mut last) = (lifetime.start, lifetime.end);
        for moment in lifetime.start..lifetime.end {
            // Each block that meets this one once: where it begins, or at this one's first moment.
            for place in 0..self.living[moment as usize].len() {
                let other = self.living[moment as usize][place];
                let neighbour = &self.all[other as usize];
                if self.is_placed[other as usize] || (neighbour.start != moment && moment != lifetime.start) {
                    continue;
                }
                self.work += 1;
                let raised = align_up(end, neighbour.alignment);
                if self.offsets[other as usize] < raised {
                    if raised + neighbour.size > self.capacity {
                        return false;
                    }
                    self.trail.push(TrailStep::Raised(other, self.offsets[other as usize]));
                    self.offsets[other as usize] = raised;
                    (first, last) = (first.min(neighbour.start), last.max(neighbour.end));
                }
            }
        }
        (first..last).all(|moment| self.fits_at(moment as usize, offset))
    }

    /// Whether what is left to be placed at a moment fits above the lowest offset left there.
    fn fits_at(&mut self, moment: usize, min: u64) -> bool {
        let left = self.left[moment];
        if left == 0 || left + min > self.capacity {
            return left == 0;
        }
        let living = &self.living[moment];
        self.work += living.len() as u64 / 8;
        // One that can begin low enough is all that it takes.
        let lowest = self.capacity - left;
        living.iter().any(|&block| !self.is_placed[block as usize] && self.offsets[block as usize] <= lowest)
    }

    /// Takes steps back.
    fn back_to(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(TrailStep::Raised(block, offset)) => self.offsets[block as usize] = offset,
                Some(TrailStep::Solution(block)) => {
                    let lifetime = &self.all[block as usize];
                    self.is_placed[block as usize] = false;
                    for moment in lifetime.start as usize..lifetime.end as usize {
                        self.left[moment] += lifetime.size;
                    }
                }
                None => {}
            }
        }
    }
}

/// Orders of equal offsets, in turns.
const TURNS: &[PlacementOrder] = &[
    PlacementOrder::CrowdLength,
    PlacementOrder::Crowd,
    PlacementOrder::Length,
    PlacementOrder::Area,
    PlacementOrder::Size,
];

/// Searches for placements lower than the best, for as long as `work` goes. Each round halves the capacities between what is
/// impossible and what is found, and gives each search four times the work of the round before.
pub(super) fn lower(lifetimes: &Lifetimes, best: &mut Best, work: u64) {
    let Some(mut search) = ExactSearch::new(lifetimes) else { return };
    let orders: Vec<Vec<u32>> = TURNS.iter().map(|order| order.of(lifetimes)).collect();
    let unit = unit(lifetimes);
    let mut each = 50 * lifetimes.all().len() as u64;
    let mut draws = Draws::new(best.effort.seed);
    let mut orders = orders;
    while search.work < work && !best.is_optimal() {
        let mut min = best.min;
        while min < best.placed.placement.footprint && search.work < work {
            let capacity = min + (best.placed.placement.footprint - unit - min) / 2 / unit * unit;
            let before = search.work;
            let mut outcomes = orders.iter().map(|order| {
                let remainder = work.saturating_sub(search.work);
                search.run(lifetimes, capacity, order, each.min(remainder))
            });
            let outcome = outcomes.find(|&outcome| outcome != SearchEnd::GaveUp);
            best.placed.placements += 1;
            best.placed.work += search.work - before;
            match outcome {
                Some(SearchEnd::Solved) => best.take(Method::ExactSearch, search.placement()),
                Some(SearchEnd::Impossible) => {
                    min = capacity + unit;
                    best.min = min;
                }
                _ => min = capacity + unit,
            }
        }
        each *= 4;
        orders.truncate(TURNS.len());
        orders.extend(TURNS.iter().map(|order| loosened(order.of(lifetimes), &mut draws)));
    }
}

/// What divides every offset that a block can be let down to.
fn unit(lifetimes: &Lifetimes) -> u64 {
    let divisor = |a: u64, b: u64| {
        let (mut a, mut b) = (a, b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    // An offset of 0 has every alignment, so only what is rounded up must be divided: to an alignment above 1.
    let all = lifetimes.all().iter();
    let alignments = all.clone().map(|lifetime| lifetime.alignment).filter(|&alignment| alignment > 1);
    all.map(|lifetime| lifetime.size).chain(alignments).fold(0, divisor).max(1)
}

/// An order in which blocks have moved by up to a quarter of its length.
fn loosened(mut order: Vec<u32>, draws: &mut Draws) -> Vec<u32> {
    let max = order.len() as u64 / 4 + 1;
    let mut places: Vec<(u64, u32)> =
        order.iter().enumerate().map(|(place, &block)| (place as u64 + draws.below(max), block)).collect();
    places.sort();
    order.clear();
    order.extend(places.into_iter().map(|(_, block)| block));
    order
}
