//! What levels mean in bytes: the requests of the traces that a space is made for.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::HashMap;

use heapsmith_spec::build::words_for;
use heapsmith_spec::{Sizes, Spec};
use heapsmith_trace::{Bytes, LiveSizes, Operation, PackedTrace};

/// By what the sizes of free lists are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum By {
    /// Requests of the block size.
    Popularity,
    /// Bytes that go through its blocks, which a list spares the pool.
    SavedBytes,
    /// The internal fragmentation of lists that serve every request, as classes do.
    Excess,
    /// None: every block size of requests of up to a number of bytes has a list.
    Every,
}

/// The requests of all traces.
pub(super) struct Requests<'t> {
    traces: &'t [PackedTrace],
    /// Their live blocks, which few spaces ask for.
    live: OnceCell<LiveSizes>,
    /// Distinct sizes, ascending, with their number.
    sizes: Vec<(u64, u64)>,
    total: u64,
}

impl Requests<'_> {
    pub fn of(traces: &[PackedTrace]) -> Requests<'_> {
        let mut counts: HashMap<u64, u64> = HashMap::new();
        let events = traces.iter().flat_map(|trace| &trace.events);
        for event in events.filter(|event| event.operation != Operation::Free) {
            *counts.entry(event.size.max(1)).or_default() += 1;
        }
        let total = counts.values().sum();
        let mut sizes: Vec<_> = counts.into_iter().collect();
        sizes.sort_unstable();
        Requests { traces, live: OnceCell::new(), sizes, total }
    }

    /// The least size of all.
    pub fn min(&self) -> u64 {
        self.sizes.first().map_or(0, |&(size, _)| size)
    }

    /// The least requested size from `min` on; 0 if that is the least of all.
    pub fn min_from(&self, min: u64) -> u64 {
        match self.sizes.partition_point(|&(size, _)| size < min) {
            0 => 0,
            index => self.sizes.get(index).map_or(u64::MAX, |&(size, _)| size),
        }
    }

    /// The smallest size of the largest `percent` of the requests.
    pub fn threshold(&self, percent: u8) -> u64 {
        let wanted = (u128::from(self.total) * u128::from(percent)).div_ceil(100) as u64;
        let mut seen = 0;
        for &(size, count) in self.sizes.iter().rev() {
            seen += count;
            if seen >= wanted {
                return size;
            }
        }
        0
    }

    /// Half of the most popular size: a size that changes by less than half of it stays on the same side.
    pub fn below_popular(&self) -> u64 {
        let popular = self.sizes.iter().max_by_key(|&&(size, count)| (count, size));
        popular.map_or(0, |&(size, _)| size / 2)
    }

    /// What `max` free lists serve that are chosen for a heap, ascending; of every block size those of up to `max` bytes.
    pub fn listed(&self, heap: &Spec, max: usize, by: By) -> Vec<Sizes> {
        match by {
            By::Popularity => self.ranked(heap, max, |requests, _| requests),
            By::SavedBytes => self.ranked(heap, max, |requests, words| requests.saturating_mul(words as u64)),
            By::Excess => self.optimal(heap, max),
            By::Every => every(heap, max as u64),
        }
    }

    /// A list for each of the `max` first block sizes of a heap by `rank`, of requests and words; it serves the most popular
    /// size of the block.
    fn ranked(&self, heap: &Spec, max: usize, rank: impl Fn(u64, usize) -> u64) -> Vec<Sizes> {
        let mut blocks: HashMap<usize, (u64, u64, u64)> = HashMap::new();
        for &(size, count) in &self.sizes {
            let Some(words) = words_for(heap, size) else { continue };
            let (total, best, chosen) = blocks.entry(words).or_default();
            *total += count;
            if count > *best {
                (*best, *chosen) = (count, size);
            }
        }
        let rank = |(words, (total, _, size))| (rank(total, words), size);
        let mut ranked: Vec<(u64, u64)> = blocks.into_iter().map(rank).collect();
        ranked.sort_unstable_by_key(|&(total, size)| (Reverse(total), size));
        let mut sizes: Vec<u64> = ranked.into_iter().take(max).map(|(_, size)| size).collect();
        sizes.sort_unstable();
        sizes.into_iter().map(Sizes::One).collect()
    }

    /// `max` lists without a gap from 1 byte to the largest request, whose blocks are the optimal classes of the heap's block
    /// sizes ([`LiveSizes::optimal`]). Each reaches to the largest request of its block.
    fn optimal(&self, heap: &Spec, max: usize) -> Vec<Sizes> {
        let live = self.live.get_or_init(|| LiveSizes::of(self.traces));
        let block = |size: u64| words_for(heap, size).map(|words| words as u64 * u64::from(heap.word.bytes()));
        let classes = live.rounded(|size| block(size.0).map(Bytes)).optimal(max);
        let end = |class: Bytes| {
            let held = self.sizes.partition_point(|&(size, _)| block(size).is_some_and(|block| block <= class.0));
            self.sizes[held - 1].0
        };
        let mut from = 1;
        let range = |to: u64| match std::mem::replace(&mut from, to + 1) {
            from if from == to => Sizes::One(to),
            from => Sizes::Range { from, to },
        };
        classes.into_iter().map(end).map(range).collect()
    }

    /// The `max` optimal classes for the requests of at most `largest` bytes, in multiples of `alignment` bytes
    /// ([`LiveSizes::optimal`]).
    pub fn classes(&self, alignment: u32, largest: u64, max: usize) -> Vec<u64> {
        let live = self.live.get_or_init(|| LiveSizes::of(self.traces));
        let block =
            |size: Bytes| Some(size.0.max(1).next_multiple_of(alignment.into())).filter(|&block| block <= largest);
        live.rounded(|size| block(size).map(Bytes)).optimal(max).into_iter().map(|class| class.0).collect()
    }
}

/// A list for every block size of a heap that requests of 1 to `largest` bytes get, each for the largest request of its block:
/// all such requests hit once their block was freed, and none gets a larger block than it has to.
fn every(heap: &Spec, largest: u64) -> Vec<Sizes> {
    let mut ends: Vec<u64> = Vec::new();
    let mut size = 1;
    while size <= largest {
        let Some(words) = words_for(heap, size) else { break };
        // Block sizes are monotonous: the last request of this block is found by doubling, then by halving.
        let has_more = |at: u64| words_for(heap, at) != Some(words);
        let mut above = size + 1;
        while !has_more(above) {
            above *= 2;
        }
        let mut at = size;
        while above - at > 1 {
            let middle = at + (above - at) / 2;
            (at, above) = if has_more(middle) { (at, middle) } else { (middle, above) };
        }
        ends.push(at);
        size = above;
    }
    let steps: Vec<u64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
    match (&ends[..], &steps[..]) {
        (&[from, .., to], &[step, ..]) if steps.iter().all(|&other| other == step) => {
            vec![Sizes::Steps { from, to, step }]
        }
        _ => ends.into_iter().map(Sizes::One).collect(),
    }
}
