//! The steps of the search: group by group, block by block.

use std::sync::atomic::{AtomicBool, Ordering};

use super::super::Placement;
use super::super::lifetimes::Lifetimes;
use super::SearchEnd;
use super::bounds::Bounds;
use super::failed::{Failed, number};
use super::rank::Ranking;

/// A search over some lifetimes, within one capacity after another.
pub(super) struct Descent<'l> {
    lifetimes: &'l Lifetimes,
    bounds: Bounds<'l>,
    failed: Failed,
    /// Work that may be done.
    limit: u64,
    stop: &'l AtomicBool,
}

impl<'l> Descent<'l> {
    pub fn new(lifetimes: &'l Lifetimes, stop: &'l AtomicBool) -> Descent<'l> {
        Descent { lifetimes, bounds: Bounds::new(lifetimes), failed: Failed::default(), limit: 0, stop }
    }

    /// Work done in all.
    pub fn work(&self) -> u64 {
        self.bounds.work
    }

    /// Whether there is work left, and nobody stopped it.
    pub fn goes_on(&self, work: u64) -> bool {
        self.bounds.work < work && !self.stop.load(Ordering::Relaxed)
    }

    /// Looks for a placement within `capacity`, of equal offsets the first of the ranking first.
    pub fn run(&mut self, capacity: u64, ranking: &Ranking, work: u64) -> SearchEnd {
        if self.lifetimes.live() > capacity {
            return SearchEnd::Impossible;
        }
        if self.bounds.capacity != capacity {
            self.failed = Failed::default();
        }
        self.limit = self.bounds.work + work;
        self.bounds.begin(self.lifetimes, capacity);
        let blocks: Vec<u32> = (0..self.lifetimes.all().len() as u32).collect();
        ranking.rank(&mut self.bounds, &blocks);
        self.apart(ranking, &blocks, 0)
    }

    /// The placement that was found.
    pub fn placement(&self) -> Placement {
        let ends =
            self.lifetimes.all().iter().zip(&self.bounds.supported).map(|(lifetime, offset)| offset + lifetime.size);
        Placement { offsets: self.bounds.supported.clone(), footprint: ends.max().unwrap_or(0) }
    }

    /// Places these blocks at `from` or above, group by group: groups do not meet in time. Blocks are in the order of starts.
    fn apart(&mut self, ranking: &Ranking, blocks: &[u32], from: u64) -> SearchEnd {
        let mut groups = Vec::new();
        let mut remainder = blocks;
        while let Some(&first) = remainder.first() {
            let mut end = self.bounds.all[first as usize].end;
            let mut count = 1;
            while let Some(&next) = remainder.get(count)
                && self.bounds.all[next as usize].start < end
            {
                end = end.max(self.bounds.all[next as usize].end);
                count += 1;
            }
            let (group, others) = remainder.split_at(count);
            groups.push(group);
            remainder = others;
        }
        let mark = self.bounds.mark();
        if groups.len() > 1 {
            groups.iter().for_each(|group| ranking.rank(&mut self.bounds, group));
            // The smallest fails soonest.
            groups.sort_by_key(|group| group.len());
        }
        for group in groups {
            let outcome = self.group(ranking, group, from);
            if outcome != SearchEnd::Solved {
                self.bounds.back_to(mark);
                return outcome;
            }
        }
        SearchEnd::Solved
    }

    /// Places blocks that hang together, none below `from`.
    fn group(&mut self, ranking: &Ranking, blocks: &[u32], from: u64) -> SearchEnd {
        self.bounds.work += blocks.len() as u64;
        if !self.goes_on(self.limit) {
            return SearchEnd::GaveUp;
        }
        let mark = self.bounds.mark();
        // What was passed over lies on others that have been raised since.
        let is_possible = blocks.iter().all(|&block| self.bounds.is_ready(block) || self.bounds.raise(block, from));
        let state = self.state(blocks);
        if is_possible && !self.failed.contains(state) {
            for (offset, block) in self.next(blocks) {
                let before = self.bounds.mark();
                if self.bounds.put(block) {
                    let others: Vec<u32> = blocks.iter().copied().filter(|&other| other != block).collect();
                    let outcome = self.apart(ranking, &others, offset);
                    if outcome != SearchEnd::Impossible {
                        return outcome;
                    }
                }
                self.bounds.back_to(before);
                if !self.bounds.raise(block, offset) {
                    break;
                }
            }
            self.failed.insert(state);
        }
        self.bounds.back_to(mark);
        SearchEnd::Impossible
    }

    /// The blocks of a group that can come next, with their offsets, the first to be tried first.
    fn next(&self, blocks: &[u32]) -> Vec<(u64, u32)> {
        let bounds = &self.bounds;
        let all = bounds.all;
        let end = |&block: &u32| bounds.supported[block as usize] + all[block as usize].size;
        // What ends lowest of all that could be next: nothing begins above it.
        let lowest_end = blocks.iter().map(end).min().unwrap_or(0);
        let first = blocks.first().map_or(0, |&block| all[block as usize].start);
        let last = blocks.iter().map(|&block| all[block as usize].end).max().unwrap_or(0);
        let left = bounds.left[first as usize..last as usize].iter().copied().max().unwrap_or(0);
        // All that is left lies at the next offset or above.
        let highest = bounds.capacity - left;
        let mut next: Vec<(u64, u32, u32)> = blocks
            .iter()
            .filter(|&&block| bounds.is_ready(block))
            .map(|&block| (bounds.supported[block as usize], bounds.rank[block as usize], block))
            .filter(|&(offset, _, _)| offset < lowest_end && offset <= highest)
            .collect();
        next.sort_unstable();
        next.into_iter().map(|(offset, _, block)| (offset, block)).collect()
    }

    /// What a group's outcome depends on, as a number.
    fn state(&self, blocks: &[u32]) -> u128 {
        let of =
            |&block: &u32| number(block, self.bounds.supported[block as usize], self.bounds.lowest[block as usize]);
        blocks.iter().map(of).fold(0, u128::wrapping_add)
    }
}
