//! What layers keep: blocks that are used in the eyes of the pool and not with the program.
//!
//! - A *quarantine* of q blocks keeps q blocks of whatever size.
//! - A *free list* of block size c takes a new block from the pool only when it is empty, so when all blocks of that
//!   size are with the program: of each size there are never more than the program can have live at once. Of those that wait
//!   in a *magazine* there are no more than it has places.
//!
//! The second needs that nothing but a request of its own list becomes a block of size c. A pool that leaves a remainder
//! smaller than the smallest block with the block gives larger blocks than were asked for: then a freed block may
//! go to the list of a larger size, where it waits for requests that may never come. Nothing bounds how many.

use heapsmith_spec::Layer;
use heapsmith_spec::build::words_for;

use super::demand::{Demand, saturated};

/// Why free lists before some pools give no bound.
pub(super) const TRAPS: &str = "free lists can hold on to memory: a block that was larger than its request, because its \
    remainder was too small to split off, joins the list of the larger size when it is freed, and stays there until \
    the region is full. A smallest block of one granule leaves no such remainder and has a bound";

/// The same where blocks are resized.
pub(super) const TRAPS_RESIZED: &str = "free lists can hold on to memory: a block that was resized in place joins the list of its new \
    size when it is freed, whatever that list holds, and stays there until the region is full";

/// Blocks that layers keep, at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retained {
    /// How many.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The blocks that layers keep for their own words, from the beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Own {
    /// How many.
    pub blocks: u64,
    /// Their bytes, at most.
    pub bytes: u64,
    /// Bytes of the smallest, at least; none if there are none.
    pub min_size: Option<u64>,
    /// Bytes of the largest, at most.
    pub max: u64,
}

impl Demand<'_> {
    /// What layers keep for their own words: a reserve one, a guard with a quarantine three.
    pub fn own_blocks(&self) -> Own {
        let owns = |layer: &&Layer| match layer {
            Layer::Reserve(_) => true,
            Layer::Guard(guard) => guard.quarantine > 0,
            _ => false,
        };
        let blocks = self.spec.layers.iter().filter(owns).count() as u64;
        if blocks == 0 {
            return Own::default();
        }
        // At most three words, through the guards below; at least one.
        let max = self.need(3 * self.word).unwrap_or(0);
        let min_size = words_for(self.spec, self.word).map(|words| words as u64 * self.word);
        Own { blocks, bytes: blocks * max, min_size, max }
    }

    /// Blocks that wait in quarantines, at most.
    pub fn quarantined(&self) -> u64 {
        let quarantines = self.spec.layers.iter().map(|layer| match layer {
            Layer::Guard(guard) => u64::from(guard.quarantine),
            _ => 0,
        });
        quarantines.sum()
    }

    /// What layers keep in addition to what is live, at most.
    pub fn retained(&self) -> Retained {
        let quarantined = self.quarantined();
        let max_size = self.largest_block() + self.slack;
        let mut retained = Retained { blocks: quarantined, bytes: quarantined.saturating_mul(max_size) };
        let places = self.spec.layers.iter().find_map(|layer| match layer {
            Layer::FreeLists(lists) => lists.magazine,
            _ => None,
        });
        for block in self.listed().filter(|&block| self.is_asked_for(block)) {
            let max = self.count_from(self.program.live, self.first_request(block)) + quarantined;
            let max = places.map_or(max, |places| max.min(places.into()));
            retained.blocks += max;
            retained.bytes = saturated(u128::from(retained.bytes) + u128::from(max) * u128::from(block));
        }
        retained
    }

    /// Whether some request of the program needs a block of just `block` bytes.
    fn is_asked_for(&self, block: u64) -> bool {
        let request = self.first_request(block);
        self.need(request) == Some(block)
    }

    /// Whether free lists keep any size.
    pub fn lists_anything(&self) -> bool {
        self.listed().next().is_some()
    }

    /// Whether blocks of other sizes may come to a free list.
    pub fn traps_blocks(&self) -> bool {
        if self.lists_anything() && (self.program.reallocates || self.aligning > 0) {
            // A block that shrinks in place becomes one of a list's size, whatever the list holds.
            return true;
        }
        if self.slack == 0 {
            return false;
        }
        // A block for `need` bytes may have up to `slack` more.
        self.listed().any(|block| {
            let low = block.saturating_sub(self.slack);
            let request = self.first_request(low);
            self.need(request).is_some_and(|need| need >= low && need < block)
        })
    }
}
