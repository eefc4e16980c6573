//! Placement in the order of time: best fit, as a heap without headers would.
//!
//! Blocks are placed in the order of their starts, each into the smallest hole that holds it
//! between the blocks that live then. It is what is left for traces of millions of blocks;
//! run backwards, from ends to starts, it gives a second chance at the same price.
//!
//! Time O(n log n), space O(most blocks live at once).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::lifetimes::Lifetime;
use super::{Placement, align_up};

/// Best fit in the order of starts, of lifetimes in any order.
pub(super) fn best_fit(lifetimes: &[Lifetime]) -> Placement {
    let mut order: Vec<usize> = (0..lifetimes.len()).collect();
    order.sort_by_key(|&block| lifetimes[block].start);
    let mut offsets = vec![0_u64; lifetimes.len()];
    let mut holes = Holes::default();
    let mut live: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
    for block in order {
        let lifetime = &lifetimes[block];
        while let Some(&Reverse((end, gone))) = live.peek()
            && end <= lifetime.start
        {
            live.pop();
            holes.give_back(offsets[gone], lifetimes[gone].size);
        }
        offsets[block] = holes.take(lifetime.size, lifetime.alignment);
        live.push(Reverse((lifetime.end, block)));
    }
    Placement { offsets, footprint: holes.footprint }
}

/// The free memory now.
#[derive(Default)]
struct Holes {
    /// Sizes by offset; no two touch, and none touches the top.
    by_offset: BTreeMap<u64, u64>,
    by_size: BTreeSet<(u64, u64)>,
    /// Above it nothing lives.
    top: u64,
    footprint: u64,
}

impl Holes {
    fn take(&mut self, size: u64, alignment: u64) -> u64 {
        let fits = |&&(hole, offset): &&(u64, u64)| align_up(offset, alignment) - offset + size <= hole;
        match self.by_size.range((size, 0)..).find(fits) {
            Some(&(hole, offset)) => {
                self.remove(offset, hole);
                let place = align_up(offset, alignment);
                self.insert(offset, place - offset);
                self.insert(place + size, offset + hole - place - size);
                place
            }
            None => {
                let place = align_up(self.top, alignment);
                self.insert(self.top, place - self.top);
                self.top = place + size;
                self.footprint = self.footprint.max(self.top);
                place
            }
        }
    }

    fn give_back(&mut self, mut offset: u64, mut size: u64) {
        if let Some((&below, &hole)) = self.by_offset.range(..offset).next_back()
            && below + hole == offset
        {
            self.remove(below, hole);
            (offset, size) = (below, size + hole);
        }
        if let Some(&hole) = self.by_offset.get(&(offset + size)) {
            self.remove(offset + size, hole);
            size += hole;
        }
        if offset + size == self.top {
            self.top = offset;
        } else {
            self.insert(offset, size);
        }
    }

    fn insert(&mut self, offset: u64, size: u64) {
        if size > 0 {
            self.by_offset.insert(offset, size);
            self.by_size.insert((size, offset));
        }
    }

    fn remove(&mut self, offset: u64, size: u64) {
        self.by_offset.remove(&offset);
        self.by_size.remove(&(size, offset));
    }
}
