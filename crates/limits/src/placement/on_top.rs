//! Placement on top: each block on the highest that is placed anywhere in its lifetime.
//!
//! ```text
//!   offset │      ┌──┐
//!          │  ┌───┴─┐│      a segment tree over the moments holds the skyline;
//!          │┌─┴──┐  ││      what is below it is never used again
//!          └┴────┴──┴┴─ moments
//! ```
//!
//! It leaves holes that a search of holes would fill, and needs no look at other blocks: so
//! any order of blocks can be tried, however many there are.
//!
//! Time O(n log m) for n blocks and m moments, space O(m).

use super::lifetimes::Lifetimes;
use super::{Placement, align_up};

/// Places the blocks in this order.
pub(super) fn on_top(lifetimes: &Lifetimes, order: &[u32]) -> Placement {
    let mut skyline = Skyline::new(lifetimes.moments() as usize);
    let mut offsets = vec![0; order.len()];
    let mut footprint = 0;
    for &block in order {
        let lifetime = &lifetimes.all()[block as usize];
        let span = (lifetime.start as usize, lifetime.end as usize);
        let offset = align_up(skyline.highest(span), lifetime.alignment);
        skyline.raise(span, offset + lifetime.size);
        footprint = footprint.max(offset + lifetime.size);
        offsets[block as usize] = offset;
    }
    Placement { offsets, footprint }
}

/// A height for each moment; stretches are raised and asked for their highest.
pub(super) struct Skyline {
    leaves: usize,
    /// The highest in the stretch of a node.
    highest: Vec<u64>,
    /// What the whole stretch of a node was raised to.
    raised: Vec<u64>,
}

impl Skyline {
    pub fn new(moments: usize) -> Skyline {
        let leaves = moments.next_power_of_two();
        Skyline { leaves, highest: vec![0; 2 * leaves], raised: vec![0; 2 * leaves] }
    }

    pub fn highest(&self, span: (usize, usize)) -> u64 {
        self.highest_in(1, (0, self.leaves), span)
    }

    fn highest_in(&self, node: usize, stretch: (usize, usize), span: (usize, usize)) -> u64 {
        if span.0 <= stretch.0 && stretch.1 <= span.1 {
            return self.highest[node];
        }
        let middle = stretch.0.midpoint(stretch.1);
        let mut highest = self.raised[node];
        if span.0 < middle {
            highest = highest.max(self.highest_in(2 * node, (stretch.0, middle), span));
        }
        if span.1 > middle {
            highest = highest.max(self.highest_in(2 * node + 1, (middle, stretch.1), span));
        }
        highest
    }

    /// Raises a stretch to at least `height`.
    pub fn raise(&mut self, span: (usize, usize), height: u64) {
        self.raise_in(1, (0, self.leaves), span, height);
    }

    fn raise_in(&mut self, node: usize, stretch: (usize, usize), span: (usize, usize), height: u64) {
        self.highest[node] = self.highest[node].max(height);
        if span.0 <= stretch.0 && stretch.1 <= span.1 {
            self.raised[node] = self.raised[node].max(height);
            return;
        }
        let middle = stretch.0.midpoint(stretch.1);
        if span.0 < middle {
            self.raise_in(2 * node, (stretch.0, middle), span, height);
        }
        if span.1 > middle {
            self.raise_in(2 * node + 1, (middle, stretch.1), span, height);
        }
    }
}
