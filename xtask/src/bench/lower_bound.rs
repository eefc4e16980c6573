//! The lower bound of traces: peak live bytes, and the lowest placement that was found with every lifetime known. Samples go through
//! `heapsmith inspect`; placement problems go through `heapsmith plan`, whose placements are verified here (`verified.rs`). Steps are
//! counted, so they are the same on every machine, whatever the profile; seconds are processor time of one run, which other work on the
//! machine makes larger.

mod growth;
mod verified;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::run::{Outcome, cargo, output, processor_time, root, target};

/// Inputs of the repository, with what makes a trace of them.
const SAMPLES: &[(&str, &str)] =
    &[("ftp.pcap.xz", "drr"), ("web.pcap.xz", "drr"), ("mixed.pcapng.xz", "easyport"), ("web.log.xz", "url")];
/// Where the problems of compilers are.
const OFFLINE: &str = "../shared/data/alloc/offline";
/// Millions of steps for each.
const EFFORT: &str = "400";
/// The problems that were published with a capacity, and the capacity.
const HARD: (&str, u64) = ("minimalloc-", 1_048_576);
/// What idealloc reaches, run as its README says, with `-l 5` (`-l 3` for iopddl-G_1 and resnet50; cappadokes/idealloc @a21f84d): bytes by problem.
const IDEALLOC: &[(&str, u64)] = &[
    ("iopddl-G_1", 3_039_277_202),
    ("iopddl-S_1", 1_542_556_726),
    ("iopddl-Y_1", 499_031_546_849),
    ("somas_tensors-pangu_2.6B", 5_714_911_295),
    ("somas_tensors-resnet50", 1_525_214_892),
];

/// What was found of one input.
struct Found {
    name: String,
    blocks: u64,
    live: u64,
    placed: u64,
    /// No placement has less.
    proven: u64,
    steps: u64,
    method: String,
    seconds: f64,
}

/// Writes bench/results/lower-bound.csv and lower-bound.txt.
pub fn lower_bound() -> Outcome {
    cargo(&["build", "--package", "heapsmith-cli"])?;
    let mut all = Vec::new();
    for (name, workload) in SAMPLES {
        all.push(inspected(&format!("samples/{name}"), workload)?);
    }
    for path in problems()? {
        all.push(planned(&path, EFFORT)?);
    }
    let grown = growth::growth()?;
    let dir = root().join("bench/results");
    let text = table(&all) + &hard(&all)? + &idealloc(&all) + &grown;
    print!("{text}");
    for (name, contents) in [("lower-bound.csv", csv(&all)), ("lower-bound.txt", text)] {
        let file = dir.join(name);
        std::fs::write(&file, contents).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    Ok(())
}

fn heapsmith() -> String {
    target().join("debug/heapsmith").display().to_string()
}

/// The fields of the line that the command prints below its header; the method may have commas.
fn told(arguments: &[&str]) -> Result<(Vec<String>, f64), String> {
    let before = processor_time();
    let told = output(&heapsmith(), arguments)?;
    let line = told.lines().nth(1).ok_or_else(|| format!("nothing was told of {}", arguments.join(" ")))?;
    let spent = processor_time().zip(before).map(|(after, before)| after.saturating_sub(before));
    let seconds = spent.ok_or("the system does not tell processor times")?.as_secs_f64();
    eprintln!("{line}  ({seconds:.1} s)");
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for character in line.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            other => fields.last_mut().into_iter().for_each(|field| field.push(other)),
        }
    }
    Ok((fields, seconds))
}

fn number(fields: &[String], place: usize) -> Result<u64, String> {
    let field = fields.get(place).ok_or("too few fields")?;
    field.parse().map_err(|_| format!("no number: {field}"))
}

fn inspected(path: &str, workload: &str) -> Result<Found, String> {
    let arguments = ["inspect", path, "--as", workload, "--lower-bound", "--effort", EFFORT, "--format", "csv"];
    let (fields, seconds) = told(&arguments)?;
    let (live, placed) = (number(&fields, 1)?, number(&fields, 2)?);
    Ok(Found {
        name: fields[0].clone(),
        blocks: number(&fields, 6)?,
        live,
        placed,
        proven: if fields[4] == "yes" { placed } else { live },
        steps: number(&fields, 9)?,
        method: fields[5].clone(),
        seconds,
    })
}

/// Plans a list of buffers, and verifies the placement.
fn planned(path: &Path, effort: &str) -> Result<Found, String> {
    let dir = target().join("lower-bound");
    let (input, out) = (path.display().to_string(), dir.display().to_string());
    let arguments = ["plan", &input, "-o", &out, "--name", "bench", "--effort", effort, "--format", "csv", "--quiet"];
    let (fields, seconds) = told(&arguments)?;
    let placed = number(&fields, 2)?;
    verified::verify(path, &dir.join("bench.csv"), placed).map_err(|wrong| format!("{input}: {wrong}"))?;
    Ok(Found {
        name: path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .split(".csv")
            .next()
            .unwrap_or_default()
            .to_owned(),
        blocks: number(&fields, 1)?,
        live: number(&fields, 4)?,
        placed,
        proven: number(&fields, 5)?,
        steps: number(&fields, 9)?,
        method: fields[8].clone(),
        seconds,
    })
}

/// The problems that are there.
fn problems() -> Result<Vec<PathBuf>, String> {
    let dir = root().join(OFFLINE);
    if !dir.is_dir() {
        eprintln!("left out: {OFFLINE} is not there; it holds problems of minimalloc, idealloc and others as CSV");
        return Ok(Vec::new());
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .map_err(|error| format!("cannot read {OFFLINE}: {error}"))?
        .filter_map(|entry| Some(Path::new(OFFLINE).join(entry.ok()?.file_name())))
        .collect();
    files.sort();
    Ok(files)
}

fn csv(all: &[Found]) -> String {
    let mut text = String::from("trace,blocks,peak_live,offline,proven,steps,method\n");
    for Found { name, blocks, live, placed, proven, steps, method, .. } in all {
        let _ = writeln!(text, "{name},{blocks},{live},{placed},{proven},{steps},\"{method}\"");
    }
    text
}

/// The lines for people.
fn table(all: &[Found]) -> String {
    let mut text = format!(
        "The lower bound: peak live bytes, and the lowest placement found with every lifetime known and no block moved,\n\
         in {EFFORT} million steps. Placements of problems are verified by code that shares nothing with what finds them.\n\
         `gap` is what may still be saved: 0 is proven to be optimal. Seconds are those of a processor in one run, with reading the input.\n\
         cargo xtask bench lower-bound writes this.\n\n\
         {:<26} {:>7} {:>13} {:>13} {:>7} {:>7} {:>12} {:>8}  method\n",
        "trace", "blocks", "peak_live", "offline", "above", "gap", "steps", "seconds"
    );
    for Found { name, blocks, live, placed, proven, steps, method, seconds } in all {
        let above = |low: u64| format!("{:.2}%", (*placed as f64 / low.max(1) as f64 - 1.0) * 100.0);
        let (above, gap) = (above(*live), above(*proven));
        let _ = writeln!(
            text,
            "{name:<26} {blocks:>7} {live:>13} {placed:>13} {above:>7} {gap:>7} {steps:>12} {seconds:>8.1}  {method}"
        );
    }
    text
}

/// How many of the hard problems are within their capacity.
fn hard(all: &[Found]) -> Result<String, String> {
    let (prefix, capacity) = HARD;
    let hard: Vec<&Found> = all.iter().filter(|found| found.name.starts_with(prefix)).collect();
    if hard.is_empty() {
        return Ok(String::new());
    }
    let within: Vec<&&Found> = hard.iter().filter(|found| found.placed <= capacity).collect();
    let slowest = hard.iter().map(|found| found.seconds).fold(0.0, f64::max);
    let line = format!(
        "\n{} of {} problems of minimalloc within {capacity} bytes, the slowest in {slowest:.1} s of one core.\n",
        within.len(),
        hard.len()
    );
    if within.len() == hard.len() { Ok(line) } else { Err(line) }
}

/// The same problems by idealloc.
fn idealloc(all: &[Found]) -> String {
    let mut text = String::new();
    for (name, reached) in IDEALLOC {
        for found in all.iter().filter(|found| found.name == *name) {
            let ratio = (found.placed as f64 / *reached as f64 - 1.0) * 100.0;
            let _ = writeln!(text, "{name}: {ratio:+.2}% of the {reached} bytes of idealloc");
        }
    }
    text
}
