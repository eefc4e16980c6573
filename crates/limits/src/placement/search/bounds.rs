//! The lowest offsets that are left to blocks, and what they rule out.
//!
//! ```text
//!            ┌──── lowest    where a block can lie at the lowest
//!            │
//!   ─────────┴───  supported where the blocks placed below it end
//!   ██████████     placed
//! ```
//!
//! A block is put where it is supported, if nothing says that its lowest offset is higher. One that is passed over does not lie
//! there, so it lies on a block that is not placed yet and lives at the same time: its lowest offset is at least the end of
//! the lowest-ending of those, each at its own lowest offset.
//!
//! At a moment, the blocks whose lowest offsets are L or above all lie above L. So the sum of their sizes and L is within the
//! capacity, for each L: the bound of machines that jobs reach at release dates.
//!
//! Changes are written down, so that they can be taken back.

use super::super::align_up;
use super::super::lifetimes::{Lifetime, Lifetimes};

/// Blocks, placed and not.
pub(super) struct Bounds<'l> {
    pub all: &'l [Lifetime],
    pub capacity: u64,
    /// Blocks that live at the same time as one.
    neighbours: Vec<Vec<u32>>,
    /// Blocks that live at each moment.
    living: Vec<Vec<u32>>,
    /// Where placed blocks below one end; of a placed block its offset.
    pub supported: Vec<u64>,
    /// The lowest offset left to one, at least where it is supported.
    pub lowest: Vec<u64>,
    is_placed: Vec<bool>,
    /// Place of each block among those of equal offset.
    pub rank: Vec<u32>,
    /// Bytes still to be placed at each moment.
    pub left: Vec<u64>,
    trail: Vec<Change>,
    /// Lowest offsets and sizes at a moment.
    above: Vec<(u64, u64)>,
    /// Blocks looked at.
    pub work: u64,
}

enum Change {
    Supported(u32, u64),
    Lowest(u32, u64),
    Ranked(u32, u32),
    Placed(u32),
}

impl<'l> Bounds<'l> {
    pub fn new(lifetimes: &'l Lifetimes) -> Bounds<'l> {
        let all = lifetimes.all();
        let mut living = vec![Vec::new(); lifetimes.moments() as usize];
        let mut neighbours = vec![Vec::new(); all.len()];
        for (block, lifetime) in all.iter().enumerate() {
            (lifetime.start..lifetime.end).for_each(|moment| living[moment as usize].push(block as u32));
            // In the order of starts: what begins later and before its end.
            let later = all[block + 1..].iter().take_while(|other| other.start < lifetime.end).count();
            for other in block + 1..=block + later {
                neighbours[block].push(other as u32);
                neighbours[other].push(block as u32);
            }
        }
        Bounds {
            all,
            capacity: 0,
            neighbours,
            living,
            supported: Vec::new(),
            lowest: Vec::new(),
            is_placed: Vec::new(),
            rank: Vec::new(),
            left: Vec::new(),
            trail: Vec::new(),
            above: Vec::new(),
            work: 0,
        }
    }

    /// Begins again with nothing placed.
    pub fn begin(&mut self, lifetimes: &Lifetimes, capacity: u64) {
        let count = self.all.len();
        self.capacity = capacity;
        self.supported = vec![0; count];
        self.lowest = vec![0; count];
        self.is_placed = vec![false; count];
        self.rank = vec![0; count];
        self.left = lifetimes.live_bytes();
        self.trail.clear();
    }

    /// How far changes go until now.
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Takes back what was changed since `mark`.
    pub fn back_to(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Change::Supported(block, before)) => self.supported[block as usize] = before,
                Some(Change::Lowest(block, before)) => self.lowest[block as usize] = before,
                Some(Change::Ranked(block, before)) => self.rank[block as usize] = before,
                Some(Change::Placed(block)) => {
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

    /// Whether a block can be put where it is supported.
    pub fn is_ready(&self, block: u32) -> bool {
        self.lowest[block as usize] <= self.supported[block as usize]
    }

    /// Gives a block another rank.
    pub fn set_rank(&mut self, block: u32, rank: u32) {
        self.trail.push(Change::Ranked(block, self.rank[block as usize]));
        self.rank[block as usize] = rank;
    }

    /// Puts a block where it is supported; false if then not everything can be placed.
    pub fn put(&mut self, block: u32) -> bool {
        let lifetime = &self.all[block as usize];
        let offset = self.supported[block as usize];
        self.is_placed[block as usize] = true;
        self.trail.push(Change::Placed(block));
        for moment in lifetime.start as usize..lifetime.end as usize {
            self.left[moment] -= lifetime.size;
        }
        let (mut first, mut last) = (lifetime.start, lifetime.end);
        for place in 0..self.neighbours[block as usize].len() {
            let other = self.neighbours[block as usize][place] as usize;
            if self.is_placed[other] {
                continue;
            }
            self.work += 1;
            let neighbour = &self.all[other];
            let end = align_up(offset + lifetime.size, neighbour.alignment);
            if self.supported[other] >= end {
                continue;
            }
            self.trail.push(Change::Supported(other as u32, self.supported[other]));
            self.supported[other] = end;
            if self.lowest[other] < end {
                if !self.set_lowest(other, end) {
                    return false;
                }
                (first, last) = (first.min(neighbour.start), last.max(neighbour.end));
            }
        }
        (first..last).all(|moment| self.fits_at(moment as usize, offset))
    }

    /// Raises a block that does not lie where it is supported onto what it can lie on, all of which is at `from` or above; false
    /// if that is nothing, or if then not everything can be placed.
    pub fn raise(&mut self, block: u32, from: u64) -> bool {
        let lifetime = &self.all[block as usize];
        let neighbours = &self.neighbours[block as usize];
        let ends = neighbours.iter().map(|&other| other as usize).filter(|&other| !self.is_placed[other]);
        let end = ends.map(|other| self.lowest[other].max(from) + self.all[other].size).min();
        self.work += 1 + neighbours.len() as u64 / 4;
        let Some(end) = end.map(|end| align_up(end, lifetime.alignment)) else { return false };
        end <= self.lowest[block as usize]
            || self.set_lowest(block as usize, end)
                && (lifetime.start..lifetime.end).all(|moment| self.fits_at(moment as usize, from))
    }

    /// False if the block would end above the capacity.
    fn set_lowest(&mut self, block: usize, lowest: u64) -> bool {
        self.trail.push(Change::Lowest(block as u32, self.lowest[block]));
        self.lowest[block] = lowest;
        lowest + self.all[block].size <= self.capacity
    }

    /// Whether what is left to be placed at a moment can lie within the capacity, all of it at `from` or above.
    fn fits_at(&mut self, moment: usize, from: u64) -> bool {
        let left = self.left[moment];
        if left == 0 || left + from > self.capacity {
            return left == 0;
        }
        let room = self.capacity - left;
        let living = &self.living[moment];
        self.work += 1 + living.len() as u64 / 8;
        self.above.clear();
        let mut lowest = u64::MAX;
        for &block in living {
            let block = block as usize;
            if !self.is_placed[block] {
                lowest = lowest.min(self.lowest[block]);
                // Others cannot be too high: all that is left fits above them.
                if self.lowest[block] > room {
                    self.above.push((self.lowest[block], self.all[block].size));
                }
            }
        }
        self.above.sort_unstable();
        let mut sizes = 0;
        lowest <= room
            && self.above.iter().rev().all(|&(lowest, size)| {
                sizes += size;
                lowest + sizes <= self.capacity
            })
    }
}
