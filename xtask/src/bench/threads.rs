//! `cargo xtask bench threads`: whether what a counted replay says of threads is so where they run.
//!
//! ```text
//!   program ──record──▶ trace ──replay --threaded────────▶ cost of a play, by the model ─┐ Spearman over all designs
//!                         └────replay --threaded --time──▶ processor time of a play ───┘ ≥ 0.8
//!   program ──run --stats --record──▶ stranded bytes, a trace ──replay --threaded──▶ stranded bytes   within 10%
//! ```
//!
//! Designs are the three ways to share times sizes of caches: no free lists, those up to 128 bytes and up to 1,024, and where each thread has
//! lists, what they may hold.

mod programs;

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::ranks::spearman;
use super::trace_in;
use crate::origin::commit;
use crate::run::{Outcome, cargo, output, root, target};
use crate::tools::{self, Tool};
use programs::Program;

/// What is run.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// Programs; all where none is named. The results are kept where all ran
    names: Vec<String>,
    /// Rounds of plays, twice
    #[arg(long, default_value_t = 7)]
    rounds: usize,
}

/// The pool, and what is before it.
const POOL: &str = "bins(lea) word=8";
const SMALL: &str = "freelists(16..=128 step 16) ";
const LARGE: &str = "freelists(16..=1024 step 16) ";

/// Layers before the pool, and how threads share.
const DESIGNS: [(&str, &str); 12] = [
    ("", "one"),
    ("", "each"),
    (SMALL, "one"),
    (SMALL, "each"),
    (SMALL, "lists(1K)"),
    (SMALL, "lists(8K)"),
    (SMALL, "lists"),
    (LARGE, "one"),
    (LARGE, "each"),
    (LARGE, "lists(1K)"),
    (LARGE, "lists(8K)"),
    (LARGE, "lists"),
];

/// Designs whose stranded bytes are compared with those of the program that runs on them.
const STRANDING: [(&str, &str); 3] = [(LARGE, "each"), (LARGE, "lists(8K)"), (LARGE, "lists")];

/// Events of a recording that are replayed.
const EVENTS: &str = "1000000";

/// What has to hold.
const CORRELATION: f64 = 0.8;
const STRANDED: f64 = 0.1;

/// What the model says of the order of a play, whose threads are never busy with anything else.
const PLAYED: &str = "ns_per_op_played";

/// Bytes below which what is stranded is nothing.
const NOTHING: f64 = 4096.0;

fn spec((layers, way): (&str, &str)) -> String {
    format!("{layers}{POOL} threads={way}")
}

/// Prints the tables, and writes `bench/results/threads.csv` and `threads.txt` where all ran; fails if a target is missed.
pub fn threads(arguments: &Arguments) -> Outcome {
    let redis = |name| Tool { name, package: "redis-server", why: "to record it" };
    tools::install(&[tools::CC, redis("redis-server"), redis("redis-benchmark")])?;
    cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
    let folder = target().join("bench/threads");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
    let bench = Bench { command: target().join("release/heapsmith"), folder, rounds: arguments.rounds };
    let is_wanted = |name: &str| arguments.names.is_empty() || arguments.names.iter().any(|wanted| wanted == name);
    let mut report = Report::new(arguments.rounds)?;
    for program in programs::all(&bench.folder)?.iter().filter(|program| is_wanted(program.name)) {
        bench.compare(program, &mut report)?;
        bench.strand(program, &mut report)?;
    }
    if arguments.names.is_empty() {
        for (name, text) in [("threads.csv", &report.csv), ("threads.txt", &report.text)] {
            let path = root().join("bench/results").join(name);
            std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            println!("{}", path.display());
        }
    }
    if report.missed.is_empty() { Ok(()) } else { Err(format!("missed: {}", report.missed.join("; "))) }
}

/// What is written.
struct Report {
    text: String,
    csv: String,
    missed: Vec<String>,
}

impl Report {
    fn new(rounds: usize) -> Result<Report, String> {
        let text =
            format!("cargo xtask bench threads: means of two medians of {rounds} rounds; commit {}\n", commit()?);
        print!("{text}");
        let csv = "program,kind,allocator,model_ns,cpu_ns,wall_ns,peak_bytes,stranded_mean,stranded_peak\n".to_owned();
        Ok(Report { text, csv, missed: Vec::new() })
    }

    fn say(&mut self, line: &str) {
        println!("{line}");
        self.text += line;
        self.text += "\n";
    }

    fn verify(&mut self, holds: bool, what: String) {
        self.say(&format!("{} {what}", if holds { "holds:" } else { "MISSED:" }));
        if !holds {
            self.missed.push(what);
        }
    }
}

struct Bench {
    command: PathBuf,
    folder: PathBuf,
    rounds: usize,
}

impl Bench {
    /// The rows that a command of heapsmith prints as JSON.
    fn rows(&self, arguments: &[&str]) -> Result<Vec<Value>, String> {
        let text = output(&self.command.display().to_string(), &[arguments, &["--format", "json"]].concat())?;
        serde_json::from_str(&text).map_err(|error| format!("heapsmith {}: {error}", arguments.join(" ")))
    }

    /// Counts and times all designs on a program's recording.
    fn compare(&self, program: &Program, report: &mut Report) -> Outcome {
        let traces = self.folder.join(format!("{}-recorded", program.name));
        program.run(Command::new(&self.command).arg("record").arg("-o").arg(&traces))?;
        let trace = trace_in(&traces)?;
        let specs = DESIGNS.map(spec);
        let heaps: Vec<&str> = specs.iter().flat_map(|spec| ["--heap", spec]).collect();
        let replay = [&["replay", trace.as_str(), "--limit", EVENTS], &heaps[..]].concat();
        let counted = self.rows(&[&replay[..], &["--threaded"]].concat())?;
        let peers = ["--heap", "peer:libc", "--heap", "peer:mimalloc", "--heap", "peer:jemalloc"];
        let rounds = self.rounds.to_string();
        let timed = [&replay[..], &peers, &["--threaded", "--time", "--rounds", &rounds]].concat();
        // Twice: no model agrees with a measurement better than another measurement does.
        let (timed, again) = (self.rows(&timed)?, self.rows(&timed)?);
        report.say(&format!(
            "\n{}: {} operations by {} threads",
            program.name,
            of(&timed[0], "operations"),
            of(&timed[0], "threads")
        ));
        report.say(&format!("{:>8} {:>8} {:>8} {:>12}", "model ns", "cpu ns", "wall ns", "peak, bytes"));
        for (number, (row, again)) in timed.iter().zip(&again).enumerate() {
            let each = |key: &str| (of(row, key) + of(again, key)) / 2.0 * 1e9 / of(row, "operations");
            let (cpu, wall, peak) = (each("cpu_time"), each("wall_time"), of(row, "peak"));
            let model = counted.get(number).map_or(String::new(), |row| format!("{:.1}", of(row, PLAYED)));
            let name = row["allocator"].as_str().unwrap_or_default();
            report.say(&format!("{model:>8} {cpu:>8.1} {wall:>8.1} {peak:>12}  {name}"));
            let _ = writeln!(report.csv, "{},play,\"{name}\",{model},{cpu:.2},{wall:.2},{peak},,", program.name);
        }
        let column =
            |rows: &[Value], key: &str| rows[..DESIGNS.len()].iter().map(|row| of(row, key)).collect::<Vec<_>>();
        let (first, second) = (column(&timed, "cpu_time"), column(&again, "cpu_time"));
        let (itself, designs) = (spearman(&first, &second), DESIGNS.len());
        report.say(&format!("{}: Spearman {itself:.2} of timed time and the same timed again", program.name));
        let both: Vec<f64> = first.iter().zip(&second).map(|(first, second)| first + second).collect();
        let rank = spearman(&column(&counted, PLAYED), &both);
        let what =
            format!("{}: Spearman {rank:.2} of counted cost and timed time over {designs} designs", program.name);
        report.verify(rank >= CORRELATION, what);
        Ok(())
    }

    /// Compares what is stranded while a program runs with what a counted replay of that very run says.
    fn strand(&self, program: &Program, report: &mut Report) -> Outcome {
        for (number, design) in STRANDING.into_iter().enumerate() {
            let (spec, name) = (spec(design), program.name);
            let (traces, stats) = (self.folder.join(format!("{name}-run-{number}")), self.folder.join("stats.json"));
            let mut run = Command::new(&self.command);
            run.args(["run", "--heap", &spec, "--record"]).arg(&traces).arg("--stats").arg(&stats);
            program.run(&mut run)?;
            let text = std::fs::read_to_string(&stats).map_err(|error| format!("{}: {error}", stats.display()))?;
            let ran: Value = serde_json::from_str(&text).map_err(|error| format!("statistics of {name}: {error}"))?;
            let counted = self.rows(&["replay", &trace_in(&traces)?, "--threaded=0", "--heap", &spec])?;
            for key in ["stranded_mean", "stranded_peak"] {
                let (counted, ran) = (of(&counted[0], key), of(&ran, key));
                let share = counted / ran.max(1.0);
                let holds = (share - 1.0).abs() <= STRANDED || counted.max(ran) < NOTHING;
                let what = format!("{name}: {key} counted {counted}, ran {ran} bytes ({share:.2}): {spec}");
                report.verify(holds, what);
            }
            let [mean, peak] = ["stranded_mean", "stranded_peak"].map(|key| of(&counted[0], key));
            let _ = writeln!(report.csv, "{name},counted,\"{spec}\",,,,,{mean},{peak}");
            let [mean, peak] = ["stranded_mean", "stranded_peak"].map(|key| of(&ran, key));
            let _ = writeln!(report.csv, "{name},run,\"{spec}\",,,,,{mean},{peak}");
        }
        Ok(())
    }
}

/// A number of a row; not a number, where it has none.
fn of(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or(f64::NAN)
}
