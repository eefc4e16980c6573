//! A trace replayed by virtual threads, which share heaps as a spec says: what locks, remote frees and caches do is counted.
//!
//! ```text
//!   ThreadSteps ─▶ orders ─▶ the recorded order, and others that threads could have had
//!                              │ one operation at a time, each for its thread
//!   Spec ─▶ virtual threads ◀──┘
//!            │ heapsmith_sharing: the routing of the library that `heapsmith run` preloads
//!            └▶ arenas: heaps that count, a lock with its last holder, the list of blocks that others freed
//! ```
//!
//! Everything is a function of trace, spec and seed. What a lock, a moved cache line and a mapping take is that of the model
//! ([`ThreadCost`]); whether threads wait for each other is not counted, as it depends on when they run.
//!
//! Where a thread ends ([`Ending`](heapsmith_trace::Ending)), what waits on its lists goes to the pool, and its heap serves the next thread that begins.

#[allow(unsafe_code)]
mod arena;
#[allow(unsafe_code)]
mod blocks;
mod lives;
mod orders;
mod pages;
mod process;
mod turns;

use heapsmith_spec::{Spec, Threads};
use heapsmith_trace::{Bytes, ThreadSteps};

use crate::error::ReplayError;
use orders::Orders;
use turns::Heaps;

/// What is assumed of the machine, and how many orders are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadedOptions {
    /// Orders besides the recorded one.
    pub orders: usize,
    /// What they are drawn with.
    pub seed: u64,
    /// Processors: with `threads=each` a process has four heaps for each at most.
    pub processors: usize,
}

impl Default for ThreadedOptions {
    fn default() -> Self {
        ThreadedOptions { orders: 3, seed: 1, processors: 2 }
    }
}

/// What sharing took in one order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThreadCounts {
    /// Allocations, frees and reallocations.
    pub operations: u64,
    /// Metadata words read and written, of heaps and of lists.
    pub accesses: u64,
    /// Locks that were taken while there were two threads or more.
    pub acquisitions: u64,
    /// Those of them that another thread had held last: a cache line moves between processors, with what the lock guards.
    pub moves: u64,
    /// Blocks that were sent back to the heap of another thread.
    pub remote_frees: u64,
    /// Blocks that were mapped by themselves.
    pub mapped: u64,
    /// Bytes of pages that got memory because a heap grew into them, again after it went back too.
    pub grown: Bytes,
    /// System calls that gave pages of heaps back.
    pub purges: u64,
    /// Blocks that were visited to find free ones.
    pub visited: u64,
    /// Huge pages that got memory by one fault each, as the heap asks for them.
    pub huge_faults: u64,
    /// Faults of pages that got memory: those that heaps grew into, and those of mapped blocks.
    pub faults: u64,
    /// Most bytes in pages that have memory, of heaps and mapped blocks; a program writes to all that it asks for.
    pub resident_peak: Bytes,
    /// The same after each operation, on average.
    pub resident_mean: Bytes,
    /// The same over the time of the trace, on average; over operations where no time passes in it.
    pub resident_in_time: Bytes,
    /// Those of the heaps in huge pages of 2 MB all of whose pages have memory: the system can serve each with one translation of addresses.
    /// On average, where regions begin at a huge page.
    pub huge_mean: Bytes,
    /// Those of the heaps that the system may take when it lacks memory (`purge=lazy(N)`), on average. Here it takes none.
    pub lazy_mean: Bytes,
    /// Most bytes of all heaps and mapped blocks at once.
    pub footprint_peak: Bytes,
    /// The same after each operation, on average.
    pub footprint_mean: Bytes,
    /// Most bytes that waited on lists or in heaps of threads other than the one that made an operation.
    pub stranded_peak: Bytes,
    /// The same after each operation, on average.
    pub stranded_mean: Bytes,
    /// Most blocks that waited on lists of other threads, or to be sent back to their heaps.
    pub stranded_blocks_peak: u64,
    /// The same after each operation, on average and rounded down.
    pub stranded_blocks_mean: u64,
}

/// What work takes in the model.
///
/// An access hits the cache of its processor. A lock costs two atomic operations, and a move the transfer of the lock's line and of
/// those lines of the heap that its holder wrote: about three. A remote free takes an atomic operation on the head of a list (13 ns were measured), and
/// later the transfer of the block's line, for its link: a third of a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreadCost {
    /// An access of metadata.
    pub access: f64,
    /// A lock, taken and released.
    pub acquisition: f64,
    /// A lock taken that another thread held last, in addition.
    pub moved: f64,
    /// A block sent back to another heap.
    pub remote_free: f64,
    /// A block mapped and unmapped by the system.
    pub mapped: f64,
    /// A page that gets memory.
    pub page: f64,
    /// A huge page that gets memory by one fault.
    pub huge_page: f64,
    /// A call that gives pages back.
    pub purge: f64,
    /// A block that is visited to find free ones.
    pub visit: f64,
}

impl ThreadCost {
    /// In nanoseconds, of a machine whose processors share their last cache.
    pub const MODEL: ThreadCost = ThreadCost {
        access: 2.0,
        acquisition: 10.0,
        moved: 50.0,
        remote_free: 30.0,
        mapped: 4000.0,
        page: 700.0,
        huge_page: 190_000.0,
        purge: 1000.0,
        visit: 4.0,
    };

    /// What counts come to, in nanoseconds an operation.
    pub fn of(&self, counts: &ThreadCounts) -> f64 {
        let parts = [
            (counts.accesses, self.access),
            (counts.acquisitions, self.acquisition),
            (counts.moves, self.moved),
            (counts.remote_frees, self.remote_free),
            (counts.mapped, self.mapped),
            (counts.grown.0 / 4096 - counts.huge_faults * 512, self.page),
            (counts.huge_faults, self.huge_page),
            (counts.purges, self.purge),
            (counts.visited, self.visit),
        ];
        parts.iter().map(|(count, each)| *count as f64 * each).sum::<f64>() / counts.operations.max(1) as f64
    }
}

/// What was counted of a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadMeasures {
    /// In the recorded order.
    pub recorded: ThreadCounts,
    /// In the order of threads that do nothing but these operations, on the processors of the options: what a timed play does.
    pub played: ThreadCounts,
    /// In the orders that were drawn.
    pub drawn: Vec<ThreadCounts>,
    /// Of the same heap, which all threads share (`threads=one`), in the recorded order.
    pub one: ThreadCounts,
}

impl ThreadMeasures {
    /// The footprint's peak, over that of one heap that all threads share.
    pub fn blow_up(&self) -> f64 {
        self.recorded.footprint_peak.0 as f64 / self.one.footprint_peak.0.max(1) as f64
    }

    /// The least and the most that an order comes to, the recorded one among them.
    pub fn range(&self, value: impl Fn(&ThreadCounts) -> f64) -> (f64, f64) {
        let all = self.drawn.iter().chain([&self.recorded]).map(value);
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| (min.min(value), max.max(value)))
    }
}

/// Replays a trace by virtual threads that share the heap of `spec`, which suits malloc ([`Spec::for_malloc`]).
///
/// # Errors
///
/// The heap cannot be made, or the system does not grant its regions.
pub fn threaded(spec: &Spec, trace: &ThreadSteps, options: ThreadedOptions) -> Result<ThreadMeasures, ReplayError> {
    let orders = Orders::of(trace);
    let play = |spec: &Spec, order: &[u32]| Heaps::play(spec, trace, order, options.processors, true);
    let recorded = as_recorded(spec, trace, options)?;
    let one = match spec.threads {
        Threads::One => recorded,
        _ => as_recorded(&Spec { threads: Threads::One, ..spec.clone() }, trace, options)?,
    };
    // The threads of a play are all there when it begins.
    let played =
        Heaps::play(spec, trace, &orders.play(options.processors.max(1)), options.processors, trace.threads < 2)?;
    let drawn = (0..options.orders as u64).map(|number| play(spec, &orders.draw(options.seed + number)));
    Ok(ThreadMeasures { recorded, played, drawn: drawn.collect::<Result<_, _>>()?, one })
}

/// Counts the recorded order alone: the first of what [`threaded`] counts.
///
/// # Errors
///
/// As there.
pub fn as_recorded(spec: &Spec, trace: &ThreadSteps, options: ThreadedOptions) -> Result<ThreadCounts, ReplayError> {
    let order: Vec<u32> = (0..trace.steps.len() as u32).collect();
    Heaps::play(spec, trace, &order, options.processors, true)
}

#[cfg(test)]
mod tests;
