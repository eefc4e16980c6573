//! What is asked of the heaps: random programs, and the beginnings of real traces.

use std::path::PathBuf;
use std::sync::OnceLock;

use heapsmith_spec::{Spec, WordSize};
use heapsmith_trace::{PackedEvent, PackedTrace};
use heapsmith_trial::{Operation, Random, long_program};
use heapsmith_workload::load;

/// One request.
#[derive(Clone, Copy, Debug)]
pub enum Request {
    /// Blocks are named by their number among the live ones, in address order.
    Random(Operation),
    /// Blocks are named by their slot.
    Traced(PackedEvent),
}

/// What is asked of one heap.
pub struct Program {
    pub region: usize,
    pub requests: Vec<Request>,
    /// Steps from one look at the region to the next.
    pub every: usize,
}

/// The largest region of a program.
pub const LARGEST: usize = 4 << 20;

/// Events of a trace that are played.
const EVENTS: usize = 4000;

/// Programs for the heap of `spec`; one in several regions has these, whatever the program.
pub fn programs(spec: &Spec, heap: usize) -> Vec<Program> {
    let mut programs = in_one_region(spec, heap);
    if let Some(regions) = spec.regions() {
        programs.iter_mut().for_each(|program| program.region = regions.size() as usize);
    }
    programs
}

fn in_one_region(spec: &Spec, heap: usize) -> Vec<Program> {
    let narrow = spec.word == WordSize::Two;
    let mut programs = Vec::new();
    // A region that is too small must be refused, and one that just is not must serve.
    for seed in 0..6 {
        let seed = (heap * 64 + seed) as u64;
        let mut random = Random::new(!seed);
        let max = if narrow { 30 << 10 } else { 256 << 10 };
        let region = random.one_of(&[1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 30 << 10, 64 << 10]).min(max);
        // Neither a multiple of a large alignment, nor of every word.
        let region = region + 2 * random.below(8);
        let requests = long_program(600, seed).into_iter().map(Request::Random).collect();
        programs.push(Program { region, requests, every: 40 });
    }
    for (number, size) in [8, 40, 100, 600].into_iter().enumerate() {
        programs.push(Program { region: 16 << 10, requests: starving(size, 16 << 10, heap * 4 + number), every: 400 });
    }
    let requests = long_program(2500, heap as u64).into_iter().map(Request::Random).collect();
    programs.push(Program { region: if narrow { 30 << 10 } else { 192 << 10 }, requests, every: 500 });
    for trace in traces() {
        let requests = trace.events.iter().take(EVENTS).copied().map(Request::Traced).collect();
        programs.push(Program { region: LARGEST, requests, every: 2000 });
    }
    programs
}

/// Fills the region with blocks of `size` bytes, frees some or all, and asks for large blocks, by new blocks and by old
/// ones: what free lists keep and what thresholds leave apart is joined before a request is refused.
fn starving(size: usize, region: usize, seed: usize) -> Vec<Request> {
    let mut random = Random::new(seed as u64);
    let mut program = Vec::new();
    let fill = region / size + 2;
    for round in 0..3 {
        program.extend((0..fill).map(|_| Operation::Allocate { size, alignment: 1 }));
        for _ in 0..fill / 2 {
            program.push(Operation::Free { which: random.below(1 << 31) });
            if random.below(16) == 0 {
                let size = size * (1 + random.below(4));
                program.push(Operation::Reallocate { which: random.below(1 << 31), size });
                program.push(Operation::Allocate { size, alignment: 1 << random.below(8) });
            }
        }
        program.push(Operation::Allocate { size: 3 * size, alignment: 1 });
        let last = if round == 1 { Operation::Free { which: 0 } } else { Operation::FreeHighest };
        program.extend((0..fill + 8).map(|_| last));
        let ladder = (1..=16).rev().map(|part| Operation::Allocate { size: region * part / 16 - 64, alignment: 1 });
        program.extend(ladder.chain([Operation::Allocate { size: region / 4, alignment: 64 }]));
        program.extend((0..4).map(|_| Operation::FreeHighest));
    }
    program.into_iter().map(Request::Random).collect()
}

/// The beginnings of the samples.
fn traces() -> &'static [PackedTrace] {
    static TRACES: OnceLock<Vec<PackedTrace>> = OnceLock::new();
    TRACES.get_or_init(|| {
        [("ftp.pcap.xz", "drr"), ("web.pcap.xz", "easyport"), ("web.log.xz", "url")]
            .map(|(sample, workload)| {
                let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
                let trace = load(&path, Some(workload), &[]).unwrap_or_else(|error| panic!("{error}"));
                PackedTrace::new(&trace).unwrap_or_else(|error| panic!("{error}"))
            })
            .into()
    })
}
