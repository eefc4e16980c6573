//! Fuzzing that is guided by coverage: libFuzzer on each target of `heapsmith-fuzz`, one after the other.
//!
//! The program is built with the coverage of the compiler that is installed, optimised, with every assertion. What it learns is
//! kept under `target/guided/learned`, so that the next run goes on from there; what it finds, under `target/guided/found`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Outcome, cargo_with, root, target};
use crate::tools;

/// How much, and of what.
#[derive(Debug, Default, clap::Args)]
pub struct Guided {
    /// Coverage-guided, on every reader of files and texts, in place of the property tests
    #[arg(long)]
    pub guided: bool,
    /// With --guided: one target alone, a folder of crates/fuzz/corpus
    #[arg(long, value_name = "NAME", requires = "guided")]
    target: Option<String>,
    /// With --guided: executions of each target
    #[arg(long, value_name = "N", requires = "guided")]
    executions: Option<u64>,
    /// With --guided: seconds for each target at most [default: 30, without --executions]
    #[arg(long, value_name = "N", requires = "guided")]
    seconds: Option<u64>,
}

impl Guided {
    /// Every target for as long as is usual.
    pub fn on() -> Guided {
        Guided { guided: true, ..Guided::default() }
    }
}

/// The machine that is built for; naming it keeps the flags from build scripts.
const HOST: &str = "x86_64-unknown-linux-gnu";

/// What the compiler adds for libFuzzer: counters of edges, and the operands of comparisons.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares";

/// What a target came to.
struct Tried {
    executions: u64,
    /// The file that made it fail, or what it printed last.
    found: Option<String>,
}

/// Runs the targets, and fails if one of them did.
pub fn guided(arguments: &Guided) -> Outcome {
    if let [(tool, why)] = &tools::obtain(&[tools::CXX])[..] {
        eprintln!("xtask: NOT RUN: guided fuzzing: there is no {} ({why})", tool.name);
        return Ok(());
    }
    let place = target().join("guided");
    let names = names(arguments.target.as_deref())?;
    let program = build(&place)?;
    let mut failed = Vec::new();
    let mut sum = 0;
    for name in &names {
        let tried = run(&program, &place, name, arguments)?;
        println!("{name:<14} {:>12} executions{}", tried.executions, tried.found.as_ref().map_or("", |_| "  FAILED"));
        sum += tried.executions;
        failed.extend(tried.found.map(|found| format!("{name}: {found}")));
    }
    println!("{:<14} {sum:>12} executions", "all");
    if failed.is_empty() { Ok(()) } else { Err(format!("guided fuzzing failed:\n{}", failed.join("\n"))) }
}

/// The folder of the committed corpus.
fn corpus() -> PathBuf {
    root().join("crates/fuzz/corpus")
}

/// The targets: each has a folder of the corpus.
fn names(only: Option<&str>) -> Result<Vec<String>, String> {
    let entries = corpus().read_dir().map_err(|error| format!("cannot read {}: {error}", corpus().display()))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    match only {
        None => Ok(names),
        Some(name) if names.iter().any(|known| known == name) => Ok(vec![name.to_owned()]),
        Some(name) => Err(format!("no target is called {name}: {}", names.join(", "))),
    }
}

fn build(place: &Path) -> Result<PathBuf, String> {
    let folder = place.display().to_string();
    let of = ["--profile", "soak", "--target", HOST, "--target-dir", &folder];
    let what = ["--package", "heapsmith-fuzz", "--features", "guided", "--bin", "guided"];
    cargo_with(&[("RUSTFLAGS", FLAGS), ("CARGO_INCREMENTAL", "0")], &[&["build"][..], &of, &what].concat())?;
    Ok(place.join(HOST).join("soak/guided"))
}

/// Runs one target: its own corpus grows, and begins with the committed one.
fn run(program: &Path, place: &Path, name: &str, arguments: &Guided) -> Result<Tried, String> {
    let (learned, found) = (place.join("learned").join(name), place.join("found"));
    for folder in [&learned, &found] {
        std::fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    }
    let seconds = arguments.seconds.or(arguments.executions.is_none().then_some(30));
    let mut command = Command::new(program);
    command.env("HEAPSMITH_FUZZ_TARGET", name).current_dir(root()).arg(&learned).arg(corpus().join(name));
    // An attempt of over 10 seconds, or a process of over 2 GB, is a finding too.
    command.args(["-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1", "-verbosity=0", "-reload=0"]);
    command.arg(format!("-artifact_prefix={}/{name}-", found.display()));
    command.args(arguments.executions.map(|runs| format!("-runs={runs}")));
    command.args(seconds.map(|seconds| format!("-max_total_time={seconds}")));
    let output = command.output().map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let after =
        |key: &str| text.lines().filter_map(|line| line.split_once(key)).map(|(_, rest)| rest.trim()).next_back();
    let executions = after("stat::number_of_executed_units:").and_then(|number| number.parse().ok()).unwrap_or(0);
    if output.status.success() && executions > 0 {
        return Ok(Tried { executions, found: None });
    }
    eprintln!("{text}");
    let found = after("Test unit written to").map_or_else(|| output.status.to_string(), str::to_owned);
    Ok(Tried {
        executions,
        found: Some(format!("{found}; put the file into crates/fuzz/corpus/{name} and mend its cause")),
    })
}
