//! `cargo xtask bench record`: how much slower programs are while they are recorded.
//!
//! Each program measures itself, from its first allocation to its last, and is run plain,
//! recorded, recorded with call sites, and under heaptrack in turns, so that whatever else the
//! machine does falls on all four. The fastest of the rounds counts for each, by the clock and by the processors'
//! time: on a machine that has other things to do, only the second says much. (The time of the
//! programs that heaptrack also starts is in neither.)

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::run::{Outcome, cargo, compile, root};
use crate::tools;

const ROUNDS: usize = 9;

/// Frames of call sites, as `record --sites` has them by default.
const FRAMES: &str = "6";

/// A program of `xtask/bench`, and its arguments.
struct Program {
    name: &'static str,
    arguments: &'static [&'static str],
    about: &'static str,
    /// What the ratio should not be above.
    target: Option<f64>,
}

const PROGRAMS: &[Program] = &[
    Program { name: "document", arguments: &["1", "100"], about: "parse and free, one thread", target: Some(1.5) },
    Program { name: "document", arguments: &["2", "50"], about: "parse and free, two threads", target: Some(1.5) },
    Program { name: "pairs", arguments: &["1", "3000000"], about: "nothing but malloc and free", target: None },
    Program { name: "pairs", arguments: &["2", "1500000"], about: "the same in two threads", target: None },
];

/// Prints the ratios.
pub fn record() -> Outcome {
    tools::install(&[tools::CC, tools::HEAPTRACK])?;
    let bench = Bench::new()?;
    println!(
        "{:<28} {:>16} {:>13} {:>13} {:>15}   file",
        "clock, processors", "plain", "recorded", "with sites", "heaptrack"
    );
    for program in PROGRAMS {
        bench.measure(program)?;
    }
    println!(
        "the fastest of {ROUNDS} rounds; the target for the first two is 1.50 and less than heaptrack; none for sites"
    );
    Ok(())
}

struct Bench {
    folder: PathBuf,
}

impl Bench {
    fn new() -> Result<Bench, String> {
        let folder = root().join("target/bench/record");
        std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        let bench = Bench { folder };
        for name in ["document", "pairs"] {
            compile(&format!("xtask/bench/{name}.c"), &bench.folder.join(name))?;
        }
        // As `heapsmith record` puts its library where the caller says, and over no other: an earlier build's is another.
        let _ = std::fs::remove_file(bench.path("recorder.so"));
        let library = format!("env.HEAPSMITH_LIBRARY={:?}", bench.path("recorder.so"));
        let place = ["run", "--quiet", "--package", "heapsmith-launch", "--example", "place", "--config", &library];
        cargo(&place)?;
        Ok(bench)
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn measure(&self, program: &Program) -> Outcome {
        let mut best = [[u64::MAX; 2]; 4];
        let mut bytes = 0;
        for _ in 0..ROUNDS {
            let recordings = self.folder.join("recordings");
            let with_sites = self.folder.join("recordings-with-sites");
            for folder in [&recordings, &with_sites] {
                let _ = std::fs::remove_dir_all(folder);
                std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
            }
            let plain = Command::new(self.path(program.name));
            let mut recorded = Command::new(self.path(program.name));
            recorded.env("LD_PRELOAD", self.path("recorder.so")).env("HEAPSMITH_RECORD", &recordings);
            let mut sites = Command::new(self.path(program.name));
            sites.env("LD_PRELOAD", self.path("recorder.so")).env("HEAPSMITH_RECORD", &with_sites);
            sites.env("HEAPSMITH_SITES", FRAMES);
            let mut heaptrack = Command::new("heaptrack");
            heaptrack.args(["-o", &self.path("heaptrack"), &self.path(program.name)]);
            for (best, command) in best.iter_mut().zip([plain, recorded, sites, heaptrack]) {
                let took = nanoseconds(command, program.arguments)?;
                *best = [took[0].min(best[0]), took[1].min(best[1])];
            }
            bytes = size(&recordings);
        }
        let [plain, recorded, sites, heaptrack] = best.map(|times| times.map(|time| time as f64));
        let ratios = |times: [f64; 2]| format!("{:.2}x {:.2}x", times[0] / plain[0], times[1] / plain[1]);
        let verdict = match program.target {
            Some(target) if recorded[1] / plain[1] > target => "  MISSED",
            _ => "",
        };
        println!(
            "{:<28} {:>6.1} {:>6.1} ms {:>13} {:>13} {:>15}   {:.1} MB{verdict}",
            program.about,
            plain[0] / 1e6,
            plain[1] / 1e6,
            ratios(recorded),
            ratios(sites),
            ratios(heaptrack),
            bytes as f64 / 1e6
        );
        Ok(())
    }
}

/// What a program says that it took, by the clock and of its processors: the first line that begins with two numbers.
fn nanoseconds(mut command: Command, arguments: &[&str]) -> Result<[u64; 2], String> {
    let output = command.args(arguments).stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let two = |line: &str| {
        let mut words = line.split_whitespace();
        Some([words.next()?.parse().ok()?, words.next()?.parse().ok()?])
    };
    let first = text.lines().find_map(two);
    first.ok_or_else(|| format!("{command:?} reported no time: {}", String::from_utf8_lossy(&output.stderr)))
}

fn size(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}
