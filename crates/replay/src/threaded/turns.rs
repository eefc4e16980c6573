//! An order played on a virtual process, and what is counted after each operation.

use heapsmith::Source;
use heapsmith_dispatch::counted;
use heapsmith_sharing::{MAP_FROM, Sizes, raised};
use heapsmith_spec::build::Storage;
use heapsmith_spec::{Spec, Threads};
use heapsmith_trace::{Bytes, Operation, ThreadStep, ThreadSteps};

use super::ThreadCounts;
use super::arena::{CountedArena, Turn};
use super::blocks::{Block, Blocks};
use super::lives::Lives;
use super::pages::PAGE;
use super::process::Process;
use crate::error::ReplayError;
use crate::region::Region;

/// Heaps for each processor, at most, where each thread has one.
const FOR_EACH_PROCESSOR: usize = 4;

/// What the header of a mapped block takes.
const MAPPED_HEADER: usize = 32;

/// The heaps of a replay and the memory that they are in.
pub(super) struct Heaps;

impl Heaps {
    /// Replays the steps in this order; until its second thread begins there is one, or there are more from the beginning.
    pub fn play(
        spec: &Spec,
        trace: &ThreadSteps,
        order: &[u32],
        processors: usize,
        begins_alone: bool,
    ) -> Result<ThreadCounts, ReplayError> {
        let (below, mut sizes) = match spec.threads.has_lists() {
            true => Sizes::split(spec),
            false => (spec.clone(), None),
        };
        let count = match spec.threads {
            Threads::Each => trace.threads.clamp(1, FOR_EACH_PROCESSOR * processors.max(1)),
            Threads::One | Threads::Lists | Threads::ListsWithin(_) | Threads::Owned => 1,
        };
        let enough = Bytes(enough(trace).min(spec.max_region()));
        let mut regions = (0..count).map(|_| Region::new(enough)).collect::<Result<Vec<_>, _>>()?;
        let mut sources: Vec<_> = regions.iter_mut().map(|region| region.source(Bytes(u64::MAX))).collect();
        let (turn, storages) = (Turn::default(), (0..count).map(|_| Storage::new()).collect::<Vec<_>>());
        let (mut arenas, mut ranges) = (Vec::new(), Vec::new());
        for (source, storage) in sources.iter_mut().zip(&storages) {
            let length = source.length();
            let heap = counted(&below, source, storage)?;
            let base = heap.base().as_ptr().addr();
            ranges.push(base..base + length);
            arenas.push(CountedArena::new(heap, spec, &turn, sizes.as_mut(), length));
        }
        let process = Process::new(spec, sizes, arenas, ranges, trace.threads, &turn);
        Ok(Player::new(&process, trace).play(order, begins_alone))
    }
}

/// Bytes in which every design but an absurd one has room.
fn enough(trace: &ThreadSteps) -> u64 {
    trace.requested_peak.0.saturating_mul(32).saturating_add(16 << 20)
}

/// Plays an order on a process, and sums up after each operation.
struct Player<'p, 'h> {
    process: &'p Process<'h>,
    trace: &'p ThreadSteps,
    blocks: Blocks,
    /// From which size on requests are mapped.
    map_from: usize,
    /// Bytes that are mapped.
    mapped: usize,
    /// Bytes and blocks on all lists.
    on_lists: (usize, u64),
    /// Nanoseconds of the trace, and bytes that are resident then.
    time: u64,
    resident: usize,
    counts: ThreadCounts,
    sums: Sums,
}

/// What is averaged over operations.
#[derive(Default)]
struct Sums {
    footprint: u128,
    resident: u128,
    /// Times nanoseconds until the next operation.
    resident_in_time: u128,
    huge: u128,
    lazy: u128,
    stranded: u128,
    blocks: u128,
}

impl<'p, 'h> Player<'p, 'h> {
    fn new(process: &'p Process<'h>, trace: &'p ThreadSteps) -> Self {
        Player {
            process,
            trace,
            blocks: Blocks::new(trace.blocks),
            map_from: MAP_FROM,
            mapped: 0,
            on_lists: (0, 0),
            time: 0,
            resident: 0,
            counts: ThreadCounts::default(),
            sums: Sums::default(),
        }
    }

    fn play(mut self, order: &[u32], begins_alone: bool) -> ThreadCounts {
        let mut lives = Lives::of(self.trace);
        let turn = self.process.turn;
        let thread = |number: &u32| self.trace.steps[*number as usize].thread;
        let second = order.iter().position(|number| order.first().map(thread) != Some(thread(number)));
        // The C library allocates for a thread that it creates when it counts it already: with the operation before its first.
        let alone = if begins_alone { second.map_or(order.len(), |second| second.saturating_sub(1)) } else { 0 };
        for (at, number) in order.iter().enumerate() {
            let step = &self.trace.steps[*number as usize];
            turn.thread.set(step.thread);
            turn.is_alone.set(at < alone);
            let before = self.process.on_own_lists();
            self.pass_until(step.time);
            self.step(step);
            let after = self.process.on_own_lists();
            self.on_lists = (self.on_lists.0 + after.0 - before.0, self.on_lists.1 + after.1 - before.1);
            self.tally();
            lives.made(step.thread).into_iter().for_each(|thread| self.end(thread));
        }
        self.finish()
    }

    /// A thread ends.
    fn end(&mut self, thread: u32) {
        self.process.turn.thread.set(thread);
        let own = self.process.on_own_lists();
        self.on_lists = (self.on_lists.0 - own.0, self.on_lists.1 - own.1);
        self.process.end_thread();
    }

    /// Time passes with what is resident now. In an order that was not recorded the clock stays where an operation comes late.
    fn pass_until(&mut self, time: u64) {
        let passed = time.saturating_sub(self.time);
        self.time += passed;
        self.process.turn.milliseconds.set(self.time / 1_000_000);
        self.sums.resident_in_time += self.resident as u128 * u128::from(passed);
    }

    fn step(&mut self, step: &ThreadStep) {
        let (size, alignment) = (step.size as usize, 1_usize << step.alignment_log2);
        match step.operation {
            Operation::Allocate => self.allocate(step.block, size, alignment),
            Operation::Free => self.free(step.block),
            Operation::Reallocate => match self.blocks.get(step.block) {
                Some(Block::In { .. }) if size < self.map_from => self.resize(step.block, size),
                // The system moves its pages.
                Some(Block::Mapped { requested }) if size >= self.map_from => {
                    self.mapped = self.mapped - pages(requested) + pages(size);
                    self.blocks.map(step.block, size);
                }
                Some(_) => {
                    self.free(step.block);
                    self.allocate(step.block, size, 1);
                }
                None => {}
            },
        }
    }

    fn allocate(&mut self, block: u32, size: usize, alignment: usize) {
        if size >= self.map_from || !self.blocks.allocate(self.process, block, size, alignment) {
            self.map(block, size);
        }
    }

    /// Makes a block in an arena another size; where no arena has room, it is mapped.
    fn resize(&mut self, block: u32, size: usize) {
        if !self.blocks.reallocate(self.process, block, size) {
            self.free(block);
            self.map(block, size);
        }
    }

    fn map(&mut self, block: u32, size: usize) {
        self.counts.mapped += 1;
        self.counts.faults += (pages(size) / PAGE) as u64;
        self.mapped += pages(size);
        self.blocks.map(block, size);
    }

    fn free(&mut self, block: u32) {
        if let Some(Block::Mapped { requested }) = self.blocks.get(block) {
            self.mapped -= pages(requested);
            self.map_from = raised(self.map_from, requested).unwrap_or(self.map_from);
        }
        self.blocks.free(self.process, block);
    }

    /// Notes what is held after an operation.
    fn tally(&mut self) {
        self.counts.operations += 1;
        let footprint = self.process.footprint() + self.mapped;
        let memory = self.process.memory();
        let resident = memory.resident + self.mapped;
        self.resident = resident;
        let (bytes, blocks) = self.process.stranded(self.on_lists);
        let counts = &mut self.counts;
        counts.resident_peak = counts.resident_peak.max(Bytes(resident as u64));
        counts.footprint_peak = counts.footprint_peak.max(Bytes(footprint as u64));
        counts.stranded_peak = counts.stranded_peak.max(Bytes(bytes as u64));
        counts.stranded_blocks_peak = counts.stranded_blocks_peak.max(blocks);
        self.sums.footprint += footprint as u128;
        self.sums.resident += resident as u128;
        self.sums.huge += memory.huge as u128;
        self.sums.lazy += memory.lazy as u128;
        self.sums.stranded += bytes as u128;
        self.sums.blocks += u128::from(blocks);
    }

    fn finish(self) -> ThreadCounts {
        let faults = self.process.turn.faults.get();
        let (process, operations) = (self.process, u128::from(self.counts.operations.max(1)));
        let of_heaps = process.arenas.iter().map(CountedArena::accesses).sum::<u64>();
        let mean = |sum: u128| (sum / operations) as u64;
        ThreadCounts {
            accesses: of_heaps + process.accesses.get(),
            acquisitions: process.turn.acquisitions.get(),
            moves: process.turn.moves.get(),
            remote_frees: process.turn.remote_frees.get(),
            grown: Bytes(faults.bytes() as u64),
            huge_faults: faults.huge as u64,
            purges: process.turn.purges.get(),
            visited: process.turn.visited.get(),
            faults: (faults.pages + faults.huge) as u64 + self.counts.faults,
            resident_mean: Bytes(mean(self.sums.resident)),
            resident_in_time: Bytes(match self.time {
                0 => mean(self.sums.resident),
                time => (self.sums.resident_in_time / u128::from(time)) as u64,
            }),
            huge_mean: Bytes(mean(self.sums.huge)),
            lazy_mean: Bytes(mean(self.sums.lazy)),
            footprint_mean: Bytes(mean(self.sums.footprint)),
            stranded_mean: Bytes(mean(self.sums.stranded)),
            stranded_blocks_mean: mean(self.sums.blocks),
            ..self.counts
        }
    }
}

/// Bytes of the pages of a block that is mapped by itself.
fn pages(size: usize) -> usize {
    (size + MAPPED_HEADER).next_multiple_of(PAGE)
}
