//! Pools of fixed blocks for a trace: how many blocks each has to have.

use super::LiveSizes;
use crate::{Bytes, Operation, PackedTrace};

/// A pool of blocks of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedPool {
    /// The smallest request that it serves.
    pub from: Bytes,
    /// The size of its blocks, and the largest request.
    pub block: Bytes,
    /// Allocations and reallocations to its sizes.
    pub requests: u64,
    /// Its blocks: the peak of those that are live at once.
    pub blocks: u64,
    /// The operations that its blocks are live for, summed over the blocks.
    pub live: u128,
    /// The bytes requested in them, summed over the operations.
    pub requested: u128,
}

impl FixedPool {
    /// The memory of its blocks; the largest number there is where that does not fit.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.block.0.saturating_mul(self.blocks))
    }

    /// What live blocks have beyond the requests in them, as a share of the bytes requested in them: means over the operations.
    /// 0 where none was live.
    pub fn internal(&self) -> f64 {
        share(self.excess(), self.requested)
    }

    fn excess(&self) -> u128 {
        u128::from(self.block.0) * self.live - self.requested
    }
}

/// A pool for each class: the memory of a program that allocates from pools of fixed blocks, each for the sizes above the
/// one below, and borrows no block from a larger one.
///
/// A reallocation within a class leaves its block where it is. One to another class takes a block there and then frees its
/// own, which is never in the same pool, so it needs no more blocks than the two requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedPools {
    /// The pools, by ascending blocks.
    pub pools: Vec<FixedPool>,
    /// The operations of the trace.
    pub operations: u64,
}

impl FixedPools {
    /// At most `count` pools for a trace with the classes that are optimal for it ([`LiveSizes::optimal`]), whose blocks are
    /// multiples of `alignment`, which is not 0.
    pub fn optimal(trace: &PackedTrace, count: usize, alignment: u64) -> FixedPools {
        let sizes = LiveSizes::of(std::slice::from_ref(trace));
        let blocks = sizes.rounded(|size| size.0.checked_next_multiple_of(alignment).map(Bytes));
        FixedPools::of(trace, &blocks.optimal(count))
    }

    /// Those that serve all of a trace with blocks of these sizes, which ascend. What is larger than all of them is not
    /// served, and not counted.
    ///
    /// ```
    /// use heapsmith_trace::{Action, Bytes, Event, FixedPools, Origin, PackedTrace, Trace};
    ///
    /// let mut trace = Trace::new(Origin::new("example", "none"));
    /// for (id, size) in [(0, 60), (1, 64), (2, 1500)] {
    ///     trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
    /// }
    /// let pools = FixedPools::of(&PackedTrace::new(&trace)?, &[Bytes(64), Bytes(1536)]);
    /// assert_eq!(pools.pools.iter().map(|pool| pool.blocks).collect::<Vec<_>>(), [2, 1]);
    /// assert_eq!(pools.bytes(), Bytes(2 * 64 + 1536));
    /// # Ok::<(), heapsmith_trace::TraceError>(())
    /// ```
    pub fn of(trace: &PackedTrace, classes: &[Bytes]) -> FixedPools {
        let below = [Bytes(0)].into_iter().chain(classes.iter().copied());
        let pool = |(below, &block): (Bytes, &Bytes)| FixedPool {
            from: below + Bytes(1),
            block,
            requests: 0,
            blocks: 0,
            live: 0,
            requested: 0,
        };
        let mut pools: Vec<FixedPool> = below.zip(classes).map(pool).collect();
        let mut live = vec![0; pools.len()];
        // The pool, the size and the beginning of the block in each slot.
        let mut slots: Vec<Option<(usize, u64, u64)>> = vec![None; trace.slots];
        let ended = |pool: &mut FixedPool, size: u64, operations: u64| {
            pool.live += u128::from(operations);
            pool.requested += u128::from(size) * u128::from(operations);
        };
        let mut now = 0;
        for event in &*trace.events {
            let slot = &mut slots[event.slot as usize];
            if let Some((pool, size, since)) = slot.take() {
                live[pool] -= 1;
                ended(&mut pools[pool], size, now - since);
            }
            let pool = classes.partition_point(|class| class.0 < event.size.max(1));
            if event.operation != Operation::Free && pool < pools.len() {
                *slot = Some((pool, event.size, now));
                live[pool] += 1;
                pools[pool].requests += 1;
                pools[pool].blocks = pools[pool].blocks.max(live[pool]);
            }
            now += 1;
        }
        for (pool, size, since) in slots.into_iter().flatten() {
            ended(&mut pools[pool], size, now - since);
        }
        FixedPools { pools, operations: now }
    }

    /// The memory of all pools; the largest number there is where that does not fit.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.pools.iter().map(|pool| pool.bytes().0).fold(0, u64::saturating_add))
    }

    /// What live blocks have beyond the requests in them, as a share of the live bytes: means over the operations. 0 where
    /// none was live.
    pub fn internal(&self) -> f64 {
        let sum = |part: fn(&FixedPool) -> u128| self.pools.iter().map(part).sum();
        share(sum(FixedPool::excess), sum(|pool| pool.requested))
    }

    /// The mean of the live blocks of a pool over the operations.
    pub fn mean_live(&self, pool: &FixedPool) -> f64 {
        share(pool.live, u128::from(self.operations))
    }
}

fn share(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
