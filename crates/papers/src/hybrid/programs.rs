//! The programs of the paper, as they were recorded, with what they do besides allocating.

use heapsmith_replay::Region;
use heapsmith_trace::PackedTrace;

use super::costs::{Allocating, Costs, SEARCHES};
use crate::error::ExperimentError;
use crate::input::Input;
use crate::setting::Setting;

/// A program.
#[derive(Debug)]
pub(super) struct PointerProgram {
    /// Its name.
    pub name: &'static str,
    /// What it was started with.
    pub arguments: &'static str,
    /// What it requests and frees.
    recording: Input,
    /// Instructions of the program and of `malloc` and its kin in it, and of how many events if not of the recording's.
    work: &'static str,
    /// Bytes of an object in the paper, on average (Table III).
    pub paper_mean_size: u64,
    /// Share of its time that the paper finds spent in allocation (Table III).
    pub share: f64,
    /// Millions of cycles in the paper, with software and with the hybrid allocator (Table IV).
    pub paper: [f64; 2],
}

impl PointerProgram {
    /// The paper's speed-up (Table IV).
    pub fn paper_speed_up(&self) -> f64 {
        self.paper[0] / self.paper[1]
    }

    /// The paper's improvement of memory management, from its Tables III and IV.
    pub fn paper_improvement(&self) -> f64 {
        (self.paper[0] - self.paper[1]) / (self.share * self.paper[0])
    }
}

/// Samples that the programs need.
pub(super) const FILES: &[&str] = &[
    "programs/cfrac.parquet",
    "programs/cfrac.txt",
    "programs/espresso.parquet",
    "programs/espresso.txt",
    "programs/parser.parquet",
    "programs/parser.txt",
    "perl/perfect.parquet",
    "perl/work.txt",
    "programs/treeadd.parquet",
    "programs/treeadd.txt",
    "programs/voronoi.parquet",
    "programs/voronoi.txt",
    "programs/bisort.parquet",
    "programs/bisort.txt",
    "programs/perimeter.parquet",
    "programs/perimeter.txt",
    "programs/health.parquet",
    "programs/health.txt",
];

/// The paper's numbers of a program: bytes of an object, share of allocation, millions of cycles in software and hybrid.
type Printed = (u64, f64, [f64; 2]);

/// The program that has these two of [`FILES`].
const fn program(name: &'static str, arguments: &'static str, at: usize, printed: Printed) -> PointerProgram {
    let recording = Input::recorded(name, FILES[at]);
    let (paper_mean_size, share, paper) = printed;
    PointerProgram { name, arguments, recording, work: FILES[at + 1], paper_mean_size, share, paper }
}

/// In the paper's order.
pub(super) const PROGRAMS: [PointerProgram; 9] = [
    program("cfrac", "3141592653377433689557", 0, (8, 0.297, [189.7, 148.1])),
    program("espresso", "largest.espresso", 2, (250, 0.047, [5241.0, 5129.0])),
    program("parser", "ten sentences", 4, (16, 0.356, [27111.0, 21163.0])),
    program("perl", "perfect.pl", 6, (38, 0.107, [135.5, 127.3])),
    program("treeadd", "20 1", 8, (24, 0.482, [160.4, 112.4])),
    program("voronoi", "20000 1", 10, (40, 0.104, [128.8, 122.3])),
    program("bisort", "250000 1", 12, (24, 0.023, [424.1, 418.1])),
    program("perimeter", "10 1", 14, (48, 0.163, [42.11, 37.97])),
    program("health", "5 500 1", 16, (24, 0.049, [383.0, 372.2])),
];

/// What the programs are here, for every experiment on them.
pub(super) const SET_UP: &str = "Instructions stand for cycles, one each, and one cycle for each instruction of the unit; \
    the paper simulates a processor that issues four. The programs are recorded (samples/programs): cfrac and espresso of \
    mimalloc-bench, the Olden programs of LLVM's test suite, link-grammar's parser in place of the one of SPEC, and a script \
    in perl; inputs are the paper's, but for parser, perl and perimeter. espresso is its first 200,000 events, treeadd has one \
    addition of its tree, not the hundred of the suite. Instructions besides allocating are callgrind's. boxed-sim is not here.";

/// A program, and what it costs with each search.
#[derive(Debug)]
pub(super) struct Cost {
    /// The program.
    pub program: &'static PointerProgram,
    /// Its requests and frees.
    pub events: u64,
    /// Bytes of a request, on average.
    pub mean_size: f64,
    /// Instructions besides allocating.
    pub work: f64,
    /// Allocating by each of [`SEARCHES`].
    pub allocating: [Allocating; SEARCHES.len()],
    /// Allocating with a unit that holds the bitmap of every page, so that nothing is searched and nothing exchanged.
    pub ideal: Allocating,
    /// Requests.
    pub allocations: u64,
    /// Frees.
    pub frees: u64,
}

impl Cost {
    /// Cycles of the whole program with a search, by its place in [`SEARCHES`].
    pub fn cycles(&self, search: usize) -> f64 {
        self.work + self.allocating[search].cycles()
    }

    /// How much less memory management takes with one search than with another.
    pub fn improvement(&self, from: usize, to: usize) -> f64 {
        1.0 - self.allocating[to].cycles() / self.allocating[from].cycles()
    }

    /// How much less memory management takes with a unit that exchanges nothing than bit by bit.
    pub fn ideal_improvement(&self) -> f64 {
        1.0 - self.ideal.cycles() / self.allocating[super::BIT].cycles()
    }

    /// How much less memory management takes with the unit than bit by bit where a bit costs this many times as much.
    pub fn improvement_at(&self, charge: f64) -> f64 {
        1.0 - self.allocating[super::UNIT].cycles() / self.allocating[super::BIT].cycles_at(charge)
    }

    /// Share of the whole program that is allocating, bit by bit.
    pub fn share(&self) -> f64 {
        self.allocating[super::BIT].cycles() / self.cycles(super::BIT)
    }

    /// How much faster the program is with one search than with another.
    pub fn speed_up(&self, from: usize, to: usize) -> f64 {
        self.cycles(from) / self.cycles(to)
    }
}

/// What every program costs.
pub(super) fn costs(setting: &mut Setting<'_>, costs: &Costs) -> Result<Vec<Cost>, ExperimentError> {
    let mut all = Vec::new();
    for (number, program) in PROGRAMS.iter().enumerate() {
        setting.step(number, PROGRAMS.len(), program.name)?;
        let packed = program.trace(setting)?;
        let events = packed.events.len() as u64;
        let work = program.work(setting, events)?;
        let mut region = Region::for_trace(&packed)?;
        let mut allocating = [Allocating::default(); SEARCHES.len()];
        for (place, search) in SEARCHES.into_iter().enumerate() {
            allocating[place] = costs.of(search, &packed, &mut region)?;
        }
        let ideal = costs.ideal(&packed, &mut region)?;
        let PackedTrace { allocations, frees, .. } = packed;
        let mean_size = mean_size(&packed);
        all.push(Cost { program, events, mean_size, work, allocating, ideal, allocations, frees });
    }
    Ok(all)
}

/// Bytes of a request or reallocation, on average.
fn mean_size(trace: &PackedTrace) -> f64 {
    let sizes = trace.events.iter().filter(|event| event.size > 0);
    let (requests, bytes) = sizes.fold((0_u64, 0_u64), |(requests, bytes), event| (requests + 1, bytes + event.size));
    bytes as f64 / requests.max(1) as f64
}

impl PointerProgram {
    /// What it requests and frees.
    pub fn trace(&self, setting: &mut Setting<'_>) -> Result<PackedTrace, ExperimentError> {
        setting.packed(self.recording)
    }

    /// Instructions besides allocating, for this many of its events.
    fn work(&self, setting: &Setting<'_>, events: u64) -> Result<f64, ExperimentError> {
        let kept = std::fs::read_to_string(setting.samples.join(self.work))?;
        let count = |name: &str| -> Option<f64> {
            kept.lines().find_map(|line| line.strip_prefix(name)).and_then(|count| count.trim().parse().ok())
        };
        let all = count("whole").unwrap_or(0.0) - count("allocating").unwrap_or(0.0);
        Ok(all * events as f64 / count("events").unwrap_or(events as f64))
    }
}
