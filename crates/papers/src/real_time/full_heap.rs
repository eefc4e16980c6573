//! A program in a heap of one size: what is dead waits until a request is refused, or is freed at once.
//!
//! ```text
//!   allocate ──▶ served
//!       └─ refused ──▶ all that is dead is freed, in the order of addresses, as a sweep finds it ──▶ once more
//! ```
//!
//! A program shorter than the heap is repeated in it: the objects that live at its end die then.

use heapsmith_replay::{Counting, Drive, Driven, PlacedBlock, Region, ServePath, drive};
use heapsmith_spec::resolve;
use heapsmith_trace::{Bytes, Operation, PackedTrace};

use super::objects::Collection;
use super::{ESTRANGED, KNUTH};
use crate::error::ExperimentError;

/// Bytes requested in all, in heaps.
pub(super) const HEAPFULS: u64 = 3;
/// The same in a test.
pub(super) const COUNTED: u64 = 2;
/// The most that a program is repeated.
const MAX_PASSES: u64 = 64;

/// What a heap did for a program.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Served {
    /// Requests, those refused after a collection among them.
    pub requests: u64,
    pub refused: u64,
    pub collections: u64,
    pub at_once: u64,
    pub after_split: u64,
    pub after_coalescing: u64,
    pub by_growing: u64,
    /// Bytes of all blocks that were handed out, headers included.
    pub block_bytes: u64,
    /// Metadata accesses of all operations.
    pub accesses: u64,
    /// Those of the costliest request and of the costliest free.
    pub allocate_max: u64,
    pub free_max: u64,
    /// Searched blocks and lists, and joins, of all operations.
    pub visits: u64,
    /// The same of the request with the most of them.
    pub visits_max: u64,
}

impl Served {
    /// The share of the requests that got a block at once.
    pub fn at_once_share(&self) -> f64 {
        self.at_once as f64 / self.requests.max(1) as f64
    }

    /// Accesses for an object: its allocation, and its free.
    pub fn accesses_per_object(&self) -> f64 {
        self.accesses as f64 / self.requests.max(1) as f64
    }
}

/// A region in which a heap that begins as one block has one of `block` bytes, 4096 or more. Its table is a part of what
/// is asked for; control words and alignment have the 4 KB that a region has beyond that.
pub(super) fn one_block(block: u64) -> Result<Region, ExperimentError> {
    Ok(Region::new(Bytes(block + block / 16))?)
}

/// A region in which a heap has `block` bytes for blocks.
fn region(text: &str, block: u64) -> Result<Region, ExperimentError> {
    if text.contains("start=one-block") { one_block(block) } else { Ok(Region::new(Bytes(block))?) }
}

/// Runs a program in a heap of `block` bytes until it requested N times as much, N the given number of heapfuls.
pub(super) fn run(
    text: &str,
    trace: &PackedTrace,
    block: u64,
    (collection, heapfuls): (Collection, u64),
) -> Result<Served, ExperimentError> {
    let mut memory = region(text, block)?;
    let requested: u64 = trace.events.iter().map(|event| event.size).sum();
    let passes = (heapfuls * block / requested.max(1)).clamp(1, MAX_PASSES);
    let blocks = u32::try_from(block / 8).unwrap_or(u32::MAX);
    Ok(drive(&resolve(text)?, &mut memory, blocks, |heap| {
        let live = vec![None; trace.slots];
        let mut program = Program { heap, collection, live, dead: Vec::new(), served: Served::default() };
        for _ in 0..passes {
            program.pass(trace);
        }
        program.finish()
    })?)
}

/// The same for several heaps at once, in their order, each on a thread.
pub(super) fn run_all<'h>(
    heaps: impl IntoIterator<Item = (&'h str, &'h str)>,
    trace: &PackedTrace,
    block: u64,
    when: (Collection, u64),
) -> Result<Vec<(&'h str, Served)>, ExperimentError> {
    std::thread::scope(|scope| {
        let spawn = |(name, text)| (name, scope.spawn(move || run(text, trace, block, when)));
        let threads: Vec<_> = heaps.into_iter().map(spawn).collect();
        let ended = threads.into_iter().map(|(name, thread)| {
            let served = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok((name, served))
        });
        ended.collect()
    })
}

/// The smallest power of two in which both buddy systems serve a program that is collected when the heap is full.
pub(super) fn smallest(trace: &PackedTrace) -> Result<u64, ExperimentError> {
    let mut block = trace.requested_peak.0.next_power_of_two().max(1 << 12);
    let refuses = |block: u64| -> Result<bool, ExperimentError> {
        for (_, text) in [KNUTH, ESTRANGED] {
            if run(text, trace, block, (Collection::Occasional, COUNTED))?.refused > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    };
    while refuses(block)? {
        block *= 2;
    }
    Ok(block)
}

struct Program<'p, 'h> {
    heap: &'p mut Driven<'h>,
    collection: Collection,
    live: Vec<Option<PlacedBlock>>,
    dead: Vec<PlacedBlock>,
    served: Served,
}

impl Program<'_, '_> {
    fn pass(&mut self, trace: &PackedTrace) {
        for event in trace.events.iter() {
            match event.operation {
                Operation::Allocate => {
                    self.served.requests += 1;
                    self.live[event.slot as usize] = self.request(event.size);
                }
                Operation::Free => self.dies(event.slot as usize),
                // No object of a Java program changes its size.
                Operation::Reallocate => {}
            }
        }
        (0..self.live.len()).for_each(|slot| self.dies(slot));
    }

    fn request(&mut self, size: u64) -> Option<PlacedBlock> {
        if let Some(block) = self.allocate(size) {
            return Some(block);
        }
        if !self.dead.is_empty() {
            self.collect();
        }
        let block = self.allocate(size);
        self.served.refused += u64::from(block.is_none());
        block
    }

    fn allocate(&mut self, size: u64) -> Option<PlacedBlock> {
        let before = self.heap.meter();
        let block = self.heap.allocate(size)?;
        let now = self.heap.meter();
        self.served.block_bytes += block.block;
        self.served.allocate_max = self.served.allocate_max.max(now.accesses - before.accesses);
        self.served.visits_max = self.served.visits_max.max(now.visits - before.visits);
        Some(block)
    }

    fn dies(&mut self, slot: usize) {
        let Some(block) = self.live[slot].take() else { return };
        match self.collection {
            Collection::Occasional => self.dead.push(block),
            Collection::Continuous => self.free(block),
        }
    }

    fn free(&mut self, block: PlacedBlock) {
        let before = self.heap.meter().accesses;
        self.heap.free(block.slot);
        self.served.free_max = self.served.free_max.max(self.heap.meter().accesses - before);
    }

    fn collect(&mut self) {
        self.served.collections += 1;
        let mut dead = std::mem::take(&mut self.dead);
        dead.sort_unstable_by_key(|block| block.offset);
        dead.into_iter().for_each(|block| self.free(block));
    }

    fn finish(self) -> Served {
        let Counting { accesses, visits, served, .. } = self.heap.meter();
        let of = |way: ServePath| served[way as usize];
        Served {
            accesses,
            visits,
            at_once: of(ServePath::AtOnce),
            after_split: of(ServePath::AfterSplit),
            after_coalescing: of(ServePath::AfterCoalescing),
            by_growing: of(ServePath::ByGrowing),
            ..self.served
        }
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Event, Trace};

    use super::*;

    #[test]
    fn a_region_has_one_block_of_the_bytes_that_are_asked_for() {
        for power in 12..=18 {
            let mut region = one_block(1 << power).expect("a region");
            let spec = resolve(ESTRANGED.1).expect("a heap");
            let blocks = drive(&spec, &mut region, 1 << 16, |heap| std::iter::from_fn(|| heap.allocate(16)).count());
            assert_eq!(blocks.expect("a heap"), 1 << (power - 4));
        }
    }

    #[test]
    fn what_is_dead_is_freed_when_the_heap_is_full_and_not_before() {
        let mut trace = Trace::default();
        for id in 0..1000 {
            trace.events.push(Event::at(0, Action::Allocate { id, size: Bytes(1000), alignment: 0 }));
            trace.events.push(Event::at(0, Action::Free { id }));
        }
        let trace = PackedTrace::new(&trace).expect("a trace");
        let [occasional, continuous] =
            Collection::BOTH.map(|collection| run(KNUTH.1, &trace, 4096, (collection, COUNTED)).expect("a run"));
        assert_eq!((occasional.refused, continuous.refused), (0, 0));
        // Four objects fill the heap.
        assert_eq!((occasional.requests, occasional.collections), (1000, 249));
        assert_eq!((continuous.collections, continuous.at_once), (0, 0));
    }
}
