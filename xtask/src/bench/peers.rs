//! `cargo xtask bench peers`: the designs that heapsmith finds, compared with the reference allocators.
//!
//! ```text
//!   each trace ─▶ explore --space wide ─▶ the fastest of the front, the tightest, the pick
//!                              │ run-off: the fastest of them, of three general heaps, and of the first few with magazines, on
//!                              │ times that decide nothing else
//!                              ▼
//!                replay: fastest, tightest, pick, and every peer in turns, in five processes one after another
//!                              ▼
//!                a table, and for each target whether it holds ─▶ bench/results/
//! ```
//!
//! Nothing here measures: it runs the command that people run, and compares what that prints. A
//! ratio is taken round by round, of two that ran in the same round; shown are the median of the
//! ratios and an interval that holds the true median with 95% confidence. Designs are timed as they ship: emitted as C and
//! compiled.

mod figures;
mod inputs;
mod ratio;
mod results;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::run::{Outcome, cargo, root, target};
use crate::tools;
use figures::Figures;
use inputs::Input;

/// How much is measured.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Rounds in which all take turns
    #[arg(long, default_value_t = Arguments::default().rounds)]
    rounds: u32,
    /// Events of each trace, at most
    #[arg(long, default_value_t = Arguments::default().events)]
    events: u64,
    /// Events of each recorded program, at most: it may have many blocks live, which list designs search
    #[arg(long, default_value_t = Arguments::default().program_events)]
    program_events: u64,
    /// Events for peers that may look at all free blocks for one request
    #[arg(long, default_value_t = Arguments::default().linear_events)]
    linear_events: u64,
    /// Only traces whose name holds this
    #[arg(long)]
    only: Option<String>,
    /// Leave out jemalloc, which compiles for minutes
    #[arg(long)]
    no_jemalloc: bool,
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments {
            rounds: 31,
            events: 200_000,
            program_events: 20_000,
            linear_events: 50_000,
            only: None,
            no_jemalloc: false,
        }
    }
}

/// Runs the comparison and prints it.
pub fn peers(arguments: &Arguments) -> Outcome {
    tools::install(&[tools::CC, tools::CXX, tools::PYTHON, tools::SQLITE, tools::PERL])?;
    let features = if arguments.no_jemalloc { "snmalloc" } else { "snmalloc,jemalloc" };
    cargo(&["build", "--release", "--package", "heapsmith-cli", "--features", features])?;
    let bench = Bench::new(arguments)?;
    let mut all = Vec::new();
    for input in inputs::all(&bench)? {
        if arguments.only.as_ref().is_some_and(|only| !input.name.contains(only.as_str())) {
            continue;
        }
        let compared = bench.compare(&input)?;
        verdict::print(&compared);
        all.push(compared);
    }
    if all.is_empty() {
        return Err("no trace has such a name: leave out --only to see all".to_owned());
    }
    verdict::print_summary(&all);
    results::write(&all, arguments.only.is_none())
}

/// Name and trace of the programs that are recorded for the comparison, recorded anew.
pub fn recorded() -> Result<Vec<(String, String)>, String> {
    tools::install(&[tools::CC, tools::PYTHON, tools::SQLITE, tools::PERL])?;
    cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
    let inputs = inputs::recorded(&Bench::new(&Arguments::default())?)?;
    Ok(inputs.into_iter().map(|input| (input.name, input.path.display().to_string())).collect())
}

/// One trace, compared.
struct Compared {
    name: String,
    about: String,
    /// The rows of `replay --format json`.
    rows: Vec<Value>,
    fastest: Figures,
    tightest: Figures,
    pick: Figures,
    /// The pick with payloads aligned as C programs on 64 bits expect; it may not be on the front.
    aligned_pick: Option<Figures>,
    peers: Vec<Figures>,
    null_allocator: f64,
    /// Peak live bytes, as requested.
    requested_peak: f64,
    /// Bytes of the offline placement with the alignment of the tightest design.
    placed: f64,
}

/// Designs of the front that are in the run-off.
const CANDIDATES: usize = 7;

/// Heaps for any program that are in it, too: of designs with the same counts the front has the plainest, and the fastest as C is
/// where every block size has a list.
const GENERAL: [&str; 3] = [
    "freelists(12..=1020 step 16) list(order=lifo, fit=first) align=16",
    "freelists(8..=2040 step 16) list(order=lifo, fit=first) word=8 align=16",
    "freelists(12..=2044 step 16) bins(lea) align=16",
];

/// Processes that a comparison is made in, each with a part of the rounds.
const PROCESSES: u32 = 5;

/// How many of all these are in it with magazines in place of lists, too: in counts they are alike, so no front has both.
const MAGAZINES: usize = 3;

/// Places of all magazines of a heap: 256 KB.
const MAX_PLACES: u64 = 65_536;

/// Where things are, and how much is asked for.
struct Bench<'a> {
    arguments: &'a Arguments,
    command: PathBuf,
    folder: PathBuf,
}

impl<'a> Bench<'a> {
    fn new(arguments: &'a Arguments) -> Result<Bench<'a>, String> {
        let target = target();
        let folder = target.join("bench/peers");
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(|error| format!("cannot empty {}: {error}", folder.display()))?;
        }
        std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        Ok(Bench { arguments, command: target.join("release/heapsmith"), folder })
    }

    fn compare(&self, input: &Input) -> Result<Compared, String> {
        eprintln!("xtask: {} ({})", input.name, input.about);
        let out = self.folder.join(&input.name).display().to_string();
        let explored = self.rows(
            input,
            &["explore"],
            &["--space", "wide", "--no-peers", "--rounds", "5", "--format", "json", "--out", &out],
        )?;
        let front: Vec<&Value> = explored.iter().filter(|row| row["design"].is_number()).collect();
        let min = |key: &str, rows: &[&Value]| -> Vec<String> {
            let mut rows: Vec<&Value> = rows.to_vec();
            rows.sort_by(|a, b| a[key].as_f64().unwrap_or(f64::MAX).total_cmp(&b[key].as_f64().unwrap_or(f64::MAX)));
            rows.iter().filter_map(|row| row["heap"].as_str().map(str::to_owned)).collect()
        };
        let pick = front.iter().find(|row| row["note"] == "pick").ok_or("explore picked nothing")?;
        let pick = pick["heap"].as_str().unwrap_or_default().to_owned();
        let tightest = min("fragmentation", &front).into_iter().next().ok_or("explore has no front")?;
        let mut candidates: Vec<String> = min("ns_per_op", &front).into_iter().take(CANDIDATES).collect();
        let others = std::iter::once(pick.as_str()).chain(GENERAL.iter().copied());
        let others: Vec<String> =
            others.filter(|&other| !candidates.iter().any(|one| one == other)).map(str::to_owned).collect();
        candidates.extend(others);
        let places = self.enough_places(input)?.next_power_of_two();
        let in_magazines: Vec<String> =
            candidates.iter().filter_map(|heap| with_magazines(heap, places)).take(MAGAZINES).collect();
        candidates.extend(in_magazines);
        let run_off = self.replay(input, &candidates)?;
        let fastest = min("ns_per_op", &run_off.iter().collect::<Vec<_>>()).into_iter().next().unwrap_or_default();

        let aligned = if pick.contains(" align=16") { pick.clone() } else { format!("{pick} align=16") };
        let heaps = [fastest, tightest, pick, aligned, "peer:all".to_owned()];
        let rows = self.replay(input, &heaps)?;
        let figures: Vec<Figures> = rows.iter().map(Figures::of).collect::<Result<_, _>>()?;
        let [fastest, tightest, pick, aligned, peers @ ..] = &figures[..] else {
            return Err(format!("replay printed {} rows", figures.len()));
        };
        let number = |key: &str| rows[0][key].as_f64().unwrap_or(0.0);
        let (null_allocator, requested_peak) = (number("null_ns_per_op"), number("requested_peak"));
        let align = alignment(&tightest.heap);
        let lower_bound = self.rows(input, &["inspect"], &["--lower-bound", "--align", align, "--format", "json"])?;
        let placed = lower_bound.first().and_then(|row| row["offline"].as_f64()).ok_or("inspect placed nothing")?;
        Ok(Compared {
            name: input.name.clone(),
            about: input.about.clone(),
            fastest: fastest.clone(),
            tightest: tightest.clone(),
            pick: pick.clone(),
            aligned_pick: Some(aligned.clone()),
            peers: peers.to_vec(),
            null_allocator,
            requested_peak,
            placed,
            rows,
        })
    }

    /// Places that are enough for what waits of any class: as many as blocks of all together, each class at its peak.
    fn enough_places(&self, input: &Input) -> Result<u64, String> {
        let classes = self.rows(input, &["inspect"], &["--classes", "16", "--format", "json"])?;
        Ok(classes.iter().filter_map(|row| row["blocks"].as_u64()).sum())
    }

    /// Replays in several processes, one after another, and gives the rows with the rounds of all: where code and memory lie is
    /// another matter in each, and makes a heap up to a twentieth faster or slower in all rounds of one.
    fn replay(&self, input: &Input, heaps: &[String]) -> Result<Vec<Value>, String> {
        let rounds = self.arguments.rounds.div_ceil(PROCESSES);
        let (each, linear) = (rounds.to_string(), self.arguments.linear_events.to_string());
        let mut options =
            vec!["--time", "--compiled", "--rounds", &each, "--linear-events", &linear, "--format", "json"];
        options.extend(heaps.iter().flat_map(|heap| ["--heap", heap]));
        let first = self.rows(input, &["replay"], &[&options[..], &["--pages"]].concat())?;
        let mut all = vec![first];
        for _ in 1..PROCESSES {
            all.push(self.rows(input, &["replay"], &options)?);
        }
        Ok(figures::pooled(all, rounds as usize))
    }

    /// The rows that the command prints of an input.
    fn rows(&self, input: &Input, before: &[&str], options: &[&str]) -> Result<Vec<Value>, String> {
        let events = input.events.to_string();
        let mut command = Command::new(&self.command);
        command.args(before).arg(&input.path).args(["--limit", &events]).args(options);
        if let Some(workload) = input.workload {
            command.args(["--as", workload]);
        }
        let text = self.output(command)?;
        serde_json::from_str(&text).map_err(|error| format!("the command printed no JSON: {error}"))
    }

    fn output(&self, mut command: Command) -> Result<String, String> {
        let output = command
            .current_dir(root())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot run {}: {error}", self.command.display()))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Runs a program recorded; the trace of the process that allocated most.
    fn record(&self, name: &str, program: &[String]) -> Result<PathBuf, String> {
        let folder = self.folder.join(format!("record-{name}"));
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
        }
        let mut command = Command::new(&self.command);
        command.arg("record").arg("-o").arg(&folder).arg("--").args(program);
        self.output(command)?;
        let size = |path: &Path| path.metadata().map_or(0, |file| file.len());
        let files = std::fs::read_dir(&folder).map_err(|error| format!("nothing was recorded of {name}: {error}"))?;
        let traces =
            files.flatten().map(|file| file.path()).filter(|path| path.extension().is_some_and(|e| e == "parquet"));
        traces.max_by_key(|path| size(path)).ok_or_else(|| format!("nothing was recorded of {name}"))
    }
}

/// The heap with its free lists as magazines of this many places, if it has lists that are taken from last in, first out, and
/// all of them together have at most [`MAX_PLACES`].
fn with_magazines(heap: &str, places: u64) -> Option<String> {
    let (sizes, pool) = heap.strip_prefix("freelists(")?.split_once(')')?;
    let all = sizes.split(',').map(lists).sum::<Option<u64>>()? * places;
    (1..=MAX_PLACES).contains(&all).then(|| format!("freelists({sizes}, magazine={places}){pool}"))
}

/// Lists of an item of sizes, at most: `40`, `16..=512 step 16`; none of any other.
fn lists(item: &str) -> Option<u64> {
    let number = |text: &str| text.parse::<u64>().ok();
    let Some((from, to)) = item.split_once("..=") else { return number(item).map(|_| 1) };
    let (to, step) = to.split_once(" step ")?;
    Some((number(to)?.checked_sub(number(from)?)?) / number(step)?.max(1) + 1)
}

/// What the payloads of a heap are multiples of, by its spec: the word, unless it says more.
fn alignment(spec: &str) -> &str {
    let level = |name: &str| spec.split(' ').find_map(|part| part.strip_prefix(name));
    level("align=").or(level("word=")).unwrap_or("4")
}

#[cfg(test)]
mod tests {
    use super::with_magazines;

    #[test]
    fn lists_become_magazines_where_they_are_plain_and_few() {
        let made = |heap: &str, places| with_magazines(heap, places).unwrap_or_default();
        assert_eq!(
            made("freelists(8,16..=32 step 8) list word=8", 64),
            "freelists(8,16..=32 step 8, magazine=64) list word=8"
        );
        for heap in ["list", "freelists(8, order=fifo) list", "freelists(16..=512 double) list", "spans(8) tree"] {
            assert_eq!(made(heap, 64), "", "{heap}");
        }
        assert_eq!(made("freelists(8..=1024 step 8) list", 8192), "");
    }
}
