//! What a heap costs its program, in cycles of a model: an integer, and the same everywhere.
//!
//! ```text
//!   operation ──▶ heap ──▶ accesses, visits ───────────────┐
//!                   └────▶ where the block lies ──▶ lines ──┴──▶ model cycles
//!                                                  of headers, ends of blocks, payload
//!                                                  through a model cache of two levels
//! ```
//!
//! Metadata accesses alone rank heaps as a processor with one cost for every access would. Two things are missing there: an
//! access to a line that was used a moment ago costs next to nothing, and one to a line that nobody used for long costs as
//! much as a hundred others; and where a heap puts a block decides which lines the program itself finds in its
//! cache. So the model follows lines of 64 bytes through [`Cache`]:
//!
//! | operation | lines |
//! |---|---|
//! | allocation | the header, the payload as far as [`WRITTEN`]; the end of the block, where neighbours were looked at |
//! | free | the header with the first words; the end of the block, where neighbours were looked at |
//! | reallocation that moves | both payloads, whole |
//!
//! Which lines a search visits is not known: each visit counts as a load that depends on the one before.
//!
//! Accesses do not say what a path computes besides. So each family has instructions of its own for an operation that reaches the
//! pool ([`path`]), beyond those of a list, as Valgrind counts them (`crates/heapsmith/tests/instructions/hot_paths.txt`); a
//! test holds them against that file.
//!
//! The model is no processor's. What it is for is the order of heaps. Its cycles of accesses and visits were chosen on cfrac;
//! `cargo xtask bench truth` holds it against the processor time of other programs (`bench/results/truth.md`).

use heapsmith::{Counting, Heap};
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::{BinLayout, Layer, Pool, Spec};
use heapsmith_trace::{Bytes, Operation, PackedEvent, PackedTrace};

use crate::cache::CacheLevel;
use crate::error::ReplayError;
use crate::live::{Live, LiveTable};
use crate::region::Region;

/// Bytes of a line.
const LINE: usize = 64;

/// Bytes of a payload that a program writes at once when it got it; what is larger is filled later, if at all.
const WRITTEN: u64 = 512;

/// An operation with more accesses looks at the blocks next to its own: it is no hit of a free list.
const HIT: u64 = 5;

/// What a heap cost on a trace, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Operations: allocations, frees and reallocations.
    pub operations: u64,
    /// Metadata words read and written.
    pub accesses: u64,
    /// Blocks that searches examined: loads that depend on each other.
    pub visits: u64,
    /// Lines that were not in the first level of the model cache.
    pub first_misses: u64,
    /// Lines that were in neither level.
    pub second_misses: u64,
    /// Bytes that reallocations copied.
    pub copied: u64,
    /// Instructions of operations that reached the pool, beyond those of a list.
    pub path: u64,
    /// Tenths of a model cycle of a visit.
    visit: u64,
}

/// Tenths of a model cycle of one of each.
mod weight {
    /// A load or a store, most of them together with other instructions.
    pub const ACCESS: u64 = 11;
    /// A load that waits for the one before, a compare and a branch.
    pub const VISIT: u64 = 50;
    /// The same in a tree, where no predictor knows the branch.
    pub const VISIT_OF_TREE: u64 = 90;
    /// Instructions that run in a cycle.
    pub const TOGETHER: u64 = 3;
    /// A line from the second level.
    pub const FIRST_MISS: u64 = 60;
    /// A line from memory, or from a level that others share.
    pub const SECOND_MISS: u64 = 400;
    /// 32 bytes copied.
    pub const COPIED: u64 = 10;
}

impl Cost {
    /// Model cycles of all operations.
    pub fn cycles(&self) -> u64 {
        let tenths = self.accesses * weight::ACCESS
            + self.visits * self.visit
            + self.path * 10 / weight::TOGETHER
            + self.first_misses * weight::FIRST_MISS
            + self.second_misses * weight::SECOND_MISS
            + self.copied / 32 * weight::COPIED;
        tenths / 10
    }

    /// Model cycles of an operation, on average.
    pub fn per_operation(&self) -> f64 {
        self.cycles() as f64 / self.operations.max(1) as f64
    }
}

/// Instructions of an operation that reaches the pool, beyond those of a list that is last in, first out.
fn path(pool: &Pool) -> u64 {
    match pool {
        Pool::Tlsf(_) => 34,
        Pool::HalfFit(_) => 32,
        Pool::Bins(bins) if bins.layout == BinLayout::Lea => 35,
        Pool::Bins(_) => 48,
        Pool::SkipList(_) => 43,
        Pool::Tree(_) => 6,
        Pool::Pages(_) => 24,
        _ => 0,
    }
}

/// Counts what the heap of `spec` costs on `trace`.
///
/// # Errors
///
/// The region does not suit the heap.
pub fn cost(spec: &Spec, trace: &PackedTrace, region: &mut Region) -> Result<Cost, ReplayError> {
    let source = region.source_for(spec, Bytes(u64::MAX))?;
    Ok(with_dyn_heap(spec, source, |heap| {
        let mut model = Model::new(trace.slots, heap, spec);
        trace.events.iter().for_each(|event| model.step(heap, event));
        model.cost
    })?)
}

/// A replay with a cache.
struct Model {
    live: LiveTable,
    cache: Cache,
    cost: Cost,
    /// Instructions of an operation that reaches the pool.
    path: u64,
    /// Whether free lists are before the pool.
    listed: bool,
    before: Counting,
}

impl Model {
    fn new(slots: usize, heap: &dyn Heap<Meter = Counting>, spec: &Spec) -> Model {
        let visit = if matches!(spec.pool, Pool::Tree(_)) { weight::VISIT_OF_TREE } else { weight::VISIT };
        Model {
            live: LiveTable::new(slots),
            cache: Cache::default(),
            cost: Cost { visit, ..Cost::default() },
            path: path(&spec.pool),
            listed: spec.layers.iter().any(|layer| matches!(layer, Layer::FreeLists(_))),
            before: *heap.meter(),
        }
    }

    fn step(&mut self, heap: &mut dyn Heap<Meter = Counting>, event: &PackedEvent) {
        self.cost.operations += 1;
        match event.operation {
            Operation::Allocate => {
                let block = self.live.allocate(heap, event.slot, event.size, event.alignment());
                let looked = self.count(heap);
                if let Some(block) = block {
                    let at = self.live.offset(&*heap, block);
                    self.own(at, block, looked);
                    self.payload(at, block.requested.min(WRITTEN));
                }
            }
            Operation::Free => {
                let at = self.live.get(event.slot).map(|block| self.live.offset(&*heap, block));
                let block = self.live.free(heap, event.slot);
                let looked = self.count(heap);
                if let (Some(at), Some(block)) = (at, block) {
                    self.own(at, block, looked);
                }
            }
            Operation::Reallocate => {
                let from = self.live.get(event.slot).map(|block| self.live.offset(&*heap, block));
                let outcome = self.live.reallocate(heap, event.slot, event.size);
                let looked = self.count(heap);
                if let (Some(from), Ok(Some((old, new)))) = (from, outcome) {
                    let at = self.live.offset(&*heap, new);
                    self.own(at, new, looked);
                    if at != from {
                        let copied = old.requested.min(new.requested);
                        self.cost.copied += copied;
                        self.payload(from, copied);
                        self.payload(at, copied);
                    }
                }
            }
        }
    }

    /// Counts what the last operation did; whether it looked next to its block.
    fn count(&mut self, heap: &dyn Heap<Meter = Counting>) -> bool {
        let meter = *heap.meter();
        let accesses = meter.accesses - self.before.accesses;
        self.cost.accesses += accesses;
        self.cost.visits += meter.visits - self.before.visits;
        self.before = meter;
        if accesses > HIT || !self.listed {
            self.cost.path += self.path;
        }
        accesses > HIT
    }

    /// The heap's own lines of a block: its header, or the first words where it has none, and its end.
    fn own(&mut self, at: usize, block: Live, looked: bool) {
        self.touch(at.saturating_sub(4) / LINE);
        if looked {
            self.touch((at + block.block as usize) / LINE);
        }
    }

    fn payload(&mut self, at: usize, bytes: u64) {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        for line in at / LINE..(at + bytes).div_ceil(LINE) {
            self.touch(line);
        }
    }

    fn touch(&mut self, line: usize) {
        match self.cache.touch(line) {
            Found::First => {}
            Found::Second => self.cost.first_misses += 1,
            Found::Nowhere => {
                self.cost.first_misses += 1;
                self.cost.second_misses += 1;
            }
        }
    }
}

/// Where a line was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    First,
    Second,
    Nowhere,
}

/// A cache of two levels, each of sets of lines of which the least recently used goes: 32 KiB with 8 lines a set, and 512 KiB
/// with 8. What is around it on real processors (predictors, further levels, other data) is left out.
#[derive(Debug, Default)]
struct Cache {
    first: CacheLevel<64, 8>,
    second: CacheLevel<1024, 8>,
}

impl Cache {
    fn touch(&mut self, line: usize) -> Found {
        if self.first.touch(line) {
            return Found::First;
        }
        if self.second.touch(line) { Found::Second } else { Found::Nowhere }
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Event, Nanoseconds, Trace};

    use super::*;

    /// Blocks of 64 bytes, of which this many live, in turns.
    fn turns(live: u64, rounds: u64) -> PackedTrace {
        let mut trace = Trace::default();
        let mut put = |action| trace.events.push(Event { time: Nanoseconds(0), thread: 0, site: None, action });
        for id in 0..live * rounds {
            if id >= live {
                put(Action::Free { id: id - live });
            }
            put(Action::Allocate { id, size: Bytes(64), alignment: 0 });
        }
        PackedTrace::new(&trace).expect("a trace")
    }

    fn counted(heap: &str, trace: &PackedTrace) -> Cost {
        let spec = heap.parse().expect("a heap");
        cost(&spec, trace, &mut Region::for_trace(trace).expect("memory")).expect("it is replayed")
    }

    #[test]
    fn blocks_that_fit_the_cache_cost_less_than_those_that_do_not() {
        let heap = "freelists(64) list word=8";
        let (few, many) = (counted(heap, &turns(100, 200)), counted(heap, &turns(20_000, 4)));
        assert!(few.first_misses < 400 && few.second_misses == few.first_misses, "each line once: {few:?}");
        assert!(many.second_misses > 20_000, "{many:?}");
        assert!(few.per_operation() < many.per_operation());
        assert_eq!(few, counted(heap, &turns(100, 200)), "the same every time");
    }

    #[test]
    fn paths_have_the_instructions_that_valgrind_counts() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../heapsmith/tests/instructions/hot_paths.txt");
        let table = std::fs::read_to_string(file).expect("the table");
        let counted = |heap: &str, column: usize| -> f64 {
            let row = table.lines().find(|line| line.starts_with(&format!("{heap} "))).expect("a row");
            row.split_whitespace().nth(column).expect("a column").parse().expect("a count")
        };
        // Pairs of one block; with pages these empty a page each time, which programs do not, so packets of two sizes.
        for (heap, spec, column) in [
            ("tlsf", "tlsf", 1),
            ("half-fit", "half-fit", 1),
            ("bins-lea", "bins(lea)", 1),
            ("bins-log", "bins(log)", 1),
            ("red-black-tree", "tree", 1),
            ("skip-list", "skiplist", 1),
            ("phk-by-word", "pages", 2),
        ] {
            let spec: Spec = spec.parse().expect("a heap");
            let beyond = counted(heap, column) - counted("list-lifo", column);
            let known = path(&spec.pool) as f64;
            assert!((known - beyond).abs() <= 0.1 * beyond + 1.0, "{heap}: {beyond} counted, {known} in the model");
        }
    }

    #[test]
    fn what_looks_longer_costs_more() {
        let trace = turns(100, 200);
        let (lists, list) =
            (counted("freelists(64) list", &trace), counted("list(order=fifo, coalesce=deferred)", &trace));
        assert!(lists.cycles() < list.cycles(), "{lists:?} {list:?}");
    }
}
