//! How many blocks of each size are live, and how well a set of classes serves them.

use std::collections::{BTreeMap, HashMap};

use super::optimum;
use crate::{Bytes, Operation, PackedTrace};

/// A size, and how long blocks of it are live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveSize {
    /// The size.
    pub size: Bytes,
    /// The operations that its blocks are live for, summed over the blocks: the mean of live blocks times the operations.
    pub live: u128,
}

/// The distinct sizes of traces, ascending, with their live blocks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LiveSizes {
    /// The sizes, ascending.
    pub sizes: Vec<LiveSize>,
    /// The operations of all traces.
    pub operations: u64,
}

/// A live block while a trace is walked.
#[derive(Debug, Clone, Copy, Default)]
struct Live {
    /// Index of its size.
    size: u32,
    /// The operation that gave it this size.
    since: u64,
}

impl LiveSizes {
    /// Those of all traces together.
    pub fn of(traces: &[PackedTrace]) -> LiveSizes {
        let mut found = Found::default();
        traces.iter().for_each(|trace| found.walk(trace));
        let mut sizes: Vec<LiveSize> = found.sizes;
        sizes.sort_unstable_by_key(|size| size.size);
        LiveSizes { sizes, operations: found.operations }
    }

    /// The same blocks with the sizes that `block` gives for them, which do not fall as sizes grow. Sizes for which it gives
    /// none are left out.
    pub fn rounded(&self, block: impl Fn(Bytes) -> Option<Bytes>) -> LiveSizes {
        let mut sizes: BTreeMap<Bytes, u128> = BTreeMap::new();
        for &LiveSize { size, live } in &self.sizes {
            let Some(block) = block(size) else { continue };
            *sizes.entry(block).or_default() += live;
        }
        let sizes = sizes.into_iter().map(|(size, live)| LiveSize { size, live }).collect();
        LiveSizes { sizes, operations: self.operations }
    }

    /// The `classes` classes with the smallest [`excess`](LiveSizes::excess), ascending; the last is the largest size. All
    /// sizes, where they are no more than that; none for no class.
    ///
    /// Of sets that are equally good one is chosen by a fixed rule, which prefers smaller classes.
    ///
    /// ```
    /// use heapsmith_trace::{Bytes, LiveSize, LiveSizes};
    ///
    /// let size = |(size, live)| LiveSize { size: Bytes(size), live };
    /// let sizes = [(16, 50), (24, 40), (40, 1), (64, 10), (1000, 2)].map(size).to_vec();
    /// let sizes = LiveSizes { sizes, operations: 100 };
    /// let classes = sizes.optimal(4);
    /// assert_eq!(classes, [16, 24, 64, 1000].map(Bytes));
    /// assert_eq!(sizes.excess(&classes), 24);
    /// ```
    pub fn optimal(&self, classes: usize) -> Vec<Bytes> {
        optimum::ends(&self.sizes, classes).into_iter().map(|end| self.sizes[end - 1].size).collect()
    }

    /// Bytes that live blocks have beyond their sizes, summed over the operations, where each is served by the smallest of
    /// `classes`, which ascend, that holds it. Blocks larger than every class are served by something else, and count nothing.
    pub fn excess(&self, classes: &[Bytes]) -> u128 {
        let class_of = |size: &LiveSize| classes.get(classes.partition_point(|&class| class < size.size));
        let served = self.sizes.iter().filter_map(|size| Some((size, *class_of(size)?)));
        served.map(|(size, class)| u128::from((class - size.size).0) * size.live).sum()
    }
}

/// Sizes as they are found.
#[derive(Debug, Default)]
struct Found {
    sizes: Vec<LiveSize>,
    numbers: HashMap<u64, u32>,
    operations: u64,
}

impl Found {
    fn walk(&mut self, trace: &PackedTrace) {
        let mut slots = vec![None; trace.slots];
        let mut now = 0;
        for event in &*trace.events {
            let number = match event.operation {
                Operation::Free => None,
                Operation::Allocate | Operation::Reallocate => Some(self.number(event.size.max(1))),
            };
            let new = number.map(|size| Live { size, since: now });
            let old = std::mem::replace(&mut slots[event.slot as usize], new);
            self.lived(old, now);
            now += 1;
        }
        slots.into_iter().for_each(|block| self.lived(block, now));
        self.operations += now;
    }

    fn number(&mut self, size: u64) -> u32 {
        let next = self.sizes.len() as u32;
        let number = *self.numbers.entry(size).or_insert(next);
        if number == next {
            self.sizes.push(LiveSize { size: Bytes(size), live: 0 });
        }
        number
    }

    fn lived(&mut self, block: Option<Live>, until: u64) {
        if let Some(block) = block {
            self.sizes[block.size as usize].live += u128::from(until - block.since);
        }
    }
}
