//! A replay of a trace on fixed pools, block by block: what proves that their counts serve it.
//!
//! It counts nothing that [`FixedPools::of`](super::FixedPools::of) counts. Each pool has a stack of free blocks; a request takes one
//! of them, and a free gives it back.

use super::FixedPools;
use crate::{Bytes, Operation, PackedTrace};

/// Why pools do not serve a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unserved {
    /// A request is larger than the blocks of every pool.
    #[error("event {event} asks for {size}, which no pool serves")]
    TooLarge {
        /// The number of the event, from 0.
        event: usize,
        /// What it asks for.
        size: Bytes,
    },
    /// The pool of a request has no free block.
    #[error("event {event} finds the pool of {block} blocks empty")]
    Empty {
        /// The number of the event, from 0.
        event: usize,
        /// The size of the pool's blocks.
        block: Bytes,
    },
}

impl FixedPools {
    /// Replays a trace on pools with these sizes and counts of blocks. A reallocation to another pool takes its block there before it
    /// gives its own back.
    ///
    /// Time O(n) an operation for n pools; memory for every block and for the live ones.
    ///
    /// # Errors
    ///
    /// The first request that is not served.
    pub fn serves(&self, trace: &PackedTrace) -> Result<(), Unserved> {
        let mut free: Vec<Vec<u64>> = self.pools.iter().map(|pool| (0..pool.blocks).collect()).collect();
        let mut slots: Vec<Option<(usize, u64)>> = vec![None; trace.slots];
        for (number, event) in trace.events.iter().enumerate() {
            let slot = &mut slots[event.slot as usize];
            let pool = self.pools.iter().position(|pool| pool.block.0 >= event.size.max(1));
            let stays = event.operation == Operation::Reallocate && slot.is_some_and(|(held, _)| Some(held) == pool);
            if stays {
                continue;
            }
            let mut taken = None;
            if event.operation != Operation::Free {
                let pool = pool.ok_or(Unserved::TooLarge { event: number, size: Bytes(event.size) })?;
                let empty = Unserved::Empty { event: number, block: self.pools[pool].block };
                taken = Some((pool, free[pool].pop().ok_or(empty)?));
            }
            if let Some((pool, block)) = slot.take() {
                free[pool].push(block);
            }
            *slot = taken;
        }
        Ok(())
    }

    /// Whether no pool can do with a block less: with any one of its blocks gone, a request of the trace is not served.
    pub fn is_tight(&self, trace: &PackedTrace) -> bool {
        (0..self.pools.len()).filter(|&pool| self.pools[pool].blocks > 0).all(|pool| {
            let mut fewer = self.clone();
            fewer.pools[pool].blocks -= 1;
            fewer.serves(trace).is_err()
        })
    }
}
