//! The programs of the paper that are here, with what they do besides allocating.

use heapsmith_replay::Region;
use heapsmith_trace::{PackedTrace, Trace};

use super::costs::{Allocating, Costs, SEARCHES};
use crate::error::ExperimentError;
use crate::input::Input;
use crate::setting::Setting;

/// A program.
#[derive(Debug)]
pub(super) struct PointerProgram {
    /// Its name.
    pub name: &'static str,
    /// The workload's parameters; none if it was recorded.
    settings: Option<&'static [(&'static str, &'static str)]>,
    /// The same for a test.
    small: &'static [(&'static str, &'static str)],
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

/// The recording of perl.
const PERL: Input = Input::recorded("perl", "perl/perfect.parquet");
/// Instructions of that run.
const PERL_WORK: &str = "perl/work.txt";
/// Samples that the programs need.
pub(super) const FILES: &[&str] = &[PERL.file, PERL_WORK];

/// In the paper's order, with its inputs.
pub(super) const PROGRAMS: [PointerProgram; 7] = [
    PointerProgram {
        name: "cfrac",
        settings: Some(&[("number", "3141592653377433689557")]),
        small: &[("number", "1000036000099")],
        share: 0.297,
        paper: [189.7, 148.1],
    },
    PointerProgram { name: "perl", settings: None, small: &[], share: 0.107, paper: [135.5, 127.3] },
    PointerProgram {
        name: "treeadd",
        settings: Some(&[("depth", "20")]),
        small: &[("depth", "9")],
        share: 0.482,
        paper: [160.4, 112.4],
    },
    PointerProgram {
        name: "voronoi",
        settings: Some(&[("points", "20000")]),
        small: &[("points", "200")],
        share: 0.104,
        paper: [128.8, 122.3],
    },
    PointerProgram {
        name: "bisort",
        settings: Some(&[("depth", "17")]),
        small: &[("depth", "8")],
        share: 0.023,
        paper: [424.1, 418.1],
    },
    PointerProgram {
        name: "perimeter",
        settings: Some(&[("depth", "12")]),
        small: &[("depth", "6")],
        share: 0.163,
        paper: [42.11, 37.97],
    },
    PointerProgram {
        name: "health",
        settings: Some(&[("levels", "5"), ("steps", "500")]),
        small: &[("levels", "2"), ("steps", "60")],
        share: 0.049,
        paper: [383.0, 372.2],
    },
];

/// What the programs are here, for every experiment on them.
pub(super) const SET_UP: &str = "Instructions stand for cycles, one each, and one cycle for each instruction of the unit; \
    the paper simulates a processor that issues four. The Olden programs and cfrac are this project's own, written from \
    their descriptions; their work is counted in words read and written, at the instructions that a word takes in a \
    compiled treeadd. perl is recorded. espresso, boxed-sim and parser are not here.";

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
        let (trace, work) = program.run(setting, costs)?;
        let packed = PackedTrace::new(&trace)?;
        let mut region = Region::for_trace(&packed)?;
        let mut allocating = [Allocating { software: 0.0, unit: 0.0 }; SEARCHES.len()];
        for (place, search) in SEARCHES.into_iter().enumerate() {
            allocating[place] = costs.of(search, &packed, &mut region)?;
        }
        let sizes = packed.events.iter().filter(|event| event.size > 0);
        let (requests, bytes) =
            sizes.fold((0_u64, 0_u64), |(requests, bytes), event| (requests + 1, bytes + event.size));
        let mean_size = bytes as f64 / requests.max(1) as f64;
        all.push(Cost { program, events: packed.events.len() as u64, mean_size, work, allocating });
    }
    Ok(all)
}

impl PointerProgram {
    /// Its trace, and its instructions besides allocating.
    fn run(&self, setting: &mut Setting<'_>, costs: &Costs) -> Result<(Trace, f64), ExperimentError> {
        let Some(whole) = self.settings else {
            let trace = (*setting.trace(PERL)?).clone();
            let kept = std::fs::read_to_string(setting.samples.join(PERL_WORK))?;
            let count = |name: &str| -> f64 {
                kept.lines()
                    .find_map(|line| line.strip_prefix(name))
                    .and_then(|count| count.trim().parse().ok())
                    .unwrap_or(0.0)
            };
            return Ok((trace, count("whole") - count("allocating")));
        };
        let trace = setting.computed(self.name, setting.of(whole, self.small))?;
        // The clock of a computed program is its work.
        let words = trace.events.last().map_or(0, |event| event.time.0);
        Ok((trace, words as f64 * costs.work))
    }
}
