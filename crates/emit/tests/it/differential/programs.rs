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

/// Programs for the heap of `spec`.
pub fn programs(spec: &Spec, heap: usize) -> Vec<Program> {
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
    let requests = long_program(2500, heap as u64).into_iter().map(Request::Random).collect();
    programs.push(Program { region: if narrow { 30 << 10 } else { 192 << 10 }, requests, every: 500 });
    for trace in traces() {
        let requests = trace.events.iter().take(EVENTS).copied().map(Request::Traced).collect();
        programs.push(Program { region: LARGEST, requests, every: 2000 });
    }
    programs
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
