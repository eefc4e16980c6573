//! How long an exploration takes until its answer is known, and until everything is: times, memory by pages, the page.
//!
//! ```text
//!   heapsmith explore ──stderr──▶ "the pick is design …": the answer is known
//!                     ──exit────▶ everything is
//! ```
//!
//! By the clock and by the processors: on a machine that has other things to do, only the second says much. Two quiet
//! processors take half of the second while designs are replayed, and all of it while heaps are timed.

use std::fmt::Write;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Instant;

use crate::run::{Outcome, cargo, output, root, target};
use crate::tools;

/// A number of 34 digits, which makes more events of the workload cfrac than are taken.
const NUMBER: &str = "number=2279841835491230874394477780015343";
/// Events of the long trace.
const EVENTS: &str = "10000000";
/// Lines of the generated C file of which a compiler makes 150,000 events.
const LINES: &str = "440";

/// What is explored.
struct Input {
    name: &'static str,
    trace: String,
    workload: Option<&'static str>,
    /// Seconds until the answer and until everything that are asked for, on two quiet processors.
    target: (Option<f64>, Option<f64>),
}

/// Writes `bench/results/answer.csv` and `answer.txt`.
pub fn answer(only: Option<&str>) -> Outcome {
    tools::install(&[tools::CC, tools::PYTHON])?;
    cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
    let dir = target().join("bench/answer");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).map_err(|error| format!("cannot make {}: {error}", dir.display()))?;
    let mut rows = Vec::new();
    let inputs = inputs(&dir)?;
    for input in inputs.iter().filter(|input| only.is_none_or(|only| input.name == only)) {
        eprintln!("exploring {}", input.name);
        let took = explore(input, &dir.join(input.name))?;
        rows.push((input, took));
    }
    let text = table(&rows);
    print!("{text}");
    if only.is_some() {
        return Ok(());
    }
    let results = root().join("bench/results");
    for (name, contents) in [("answer.csv", csv(&rows)), ("answer.txt", text)] {
        let file = results.join(name);
        std::fs::write(&file, contents).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    Ok(())
}

fn heapsmith() -> String {
    target().join("release/heapsmith").display().to_string()
}

/// A compiler recorded on the spot, a long trace, and the samples.
fn inputs(dir: &Path) -> Result<Vec<Input>, String> {
    let sample = |name, file: &str, workload| Input {
        name,
        trace: format!("samples/{file}"),
        workload: Some(workload),
        target: (None, None),
    };
    let long = dir.join("cfrac.parquet").display().to_string();
    output(&heapsmith(), &["import", "workload:cfrac", "--set", NUMBER, "--limit", EVENTS, "--out", &long])?;
    Ok(vec![
        Input { name: "gcc", trace: compiler(dir)?, workload: None, target: (Some(15.0), Some(60.0)) },
        Input { name: "cfrac", trace: long, workload: None, target: (Some(120.0), None) },
        sample("ftp", "ftp.pcap.xz", "drr"),
        sample("web", "web.pcap.xz", "drr"),
        sample("mixed", "mixed.pcapng.xz", "easyport"),
    ])
}

/// The recording of `gcc -O1 -c`: of the compiler proper, whose file is the largest.
fn compiler(dir: &Path) -> Result<String, String> {
    let text = output("python3", &["xtask/real/large.py", LINES])?;
    let [source, object, recordings] = ["large.c", "large.o", "recordings"].map(|name| dir.join(name));
    std::fs::write(&source, text).map_err(|error| format!("cannot write {}: {error}", source.display()))?;
    let [source, object, into] = [&source, &object, &recordings].map(|path| path.display().to_string());
    output(&heapsmith(), &["record", "-o", &into, "--", "gcc", "-O1", "-c", &source, "-o", &object])?;
    let files = std::fs::read_dir(&recordings).map_err(|error| format!("cannot read {into}: {error}"))?;
    let sizes = files.flatten().filter_map(|file| Some((file.metadata().ok()?.len(), file.path())));
    let (_, largest): (u64, PathBuf) = sizes.max().ok_or_else(|| format!("{into} has no recording"))?;
    Ok(largest.display().to_string())
}

/// Seconds by the clock, and of all processors.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Seconds {
    clock: f64,
    processors: f64,
}

/// What an exploration took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Took {
    answer: Seconds,
    everything: Seconds,
}

fn explore(input: &Input, out: &Path) -> Result<Took, String> {
    let out = out.display().to_string();
    let mut arguments = vec!["explore", &input.trace, "--out", &out];
    arguments.extend(input.workload.iter().flat_map(|workload| ["--as", workload]));
    let waited = processors("self", true)?;
    let start = Instant::now();
    let mut child: Child = Command::new(heapsmith())
        .args(&arguments)
        .current_dir(root())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run heapsmith: {error}"))?;
    let mut told = BufReader::new(child.stderr.take().ok_or("its standard error is not there")?);
    until_picked(&mut told)?;
    let answer =
        Seconds { clock: start.elapsed().as_secs_f64(), processors: processors(&child.id().to_string(), false)? };
    let mut rest = Vec::new();
    told.read_to_end(&mut rest).map_err(|error| format!("cannot read what heapsmith says: {error}"))?;
    let status = child.wait().map_err(|error| format!("cannot wait for heapsmith: {error}"))?;
    let everything = Seconds { clock: start.elapsed().as_secs_f64(), processors: processors("self", true)? - waited };
    if status.success() {
        Ok(Took { answer, everything })
    } else {
        Err(format!("heapsmith {} failed: {status}", arguments.join(" ")))
    }
}

/// Waits until the pick is said.
fn until_picked(told: &mut BufReader<ChildStderr>) -> Outcome {
    let mut line = String::new();
    while !line.starts_with("the pick is design ") {
        line.clear();
        match told.read_line(&mut line) {
            Ok(0) => return Err("heapsmith explore did not say what it picks".to_owned()),
            Ok(_) => {}
            Err(error) => return Err(format!("cannot read what heapsmith says: {error}")),
        }
    }
    Ok(())
}

/// Processor seconds of a process with its children that it waited for; of these alone where it is `children`.
fn processors(process: &str, children: bool) -> Result<f64, String> {
    let path = format!("/proc/{process}/stat");
    let stat = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {path}: {error}"))?;
    ticks(&stat, children).map(|ticks| ticks as f64 / 100.0).ok_or_else(|| format!("{path} makes no sense: {stat}"))
}

/// Hundredths of a second, the unit of `/proc` on Linux.
fn ticks(stat: &str, children: bool) -> Option<u64> {
    // The name of the program, in parentheses, may have spaces. utime is the 12th number behind it, then stime, cutime, cstime.
    let (_, behind) = stat.rsplit_once(')')?;
    let times: Vec<u64> = behind.split_whitespace().skip(11).take(4).filter_map(|word| word.parse().ok()).collect();
    let own = if children { 0 } else { times.first()? + times.get(1)? };
    Some(own + times.get(2)? + times.get(3)?)
}

fn table(rows: &[(&Input, Took)]) -> String {
    let mut text = format!("{:<8} {:>16} {:>16}   target\n", "", "answer", "everything");
    for (input, took) in rows {
        let both = |seconds: Seconds| format!("{:.1} s ({:.1})", seconds.clock, seconds.processors);
        let target = match input.target {
            (Some(answer), Some(everything)) => format!("answer {answer} s, everything {everything} s"),
            (Some(answer), None) => format!("answer {answer} s"),
            _ => String::new(),
        };
        let _ = writeln!(text, "{:<8} {:>16} {:>16}   {target}", input.name, both(took.answer), both(took.everything));
    }
    text + "seconds by the clock, and of all processors; targets are for two quiet processors\n"
}

fn csv(rows: &[(&Input, Took)]) -> String {
    let mut text = "input,answer_seconds,answer_processor_seconds,seconds,processor_seconds\n".to_owned();
    for (input, Took { answer, everything }) in rows {
        let Seconds { clock, processors } = everything;
        let _ =
            writeln!(text, "{},{:.2},{:.2},{clock:.2},{processors:.2}", input.name, answer.clock, answer.processors);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_read_behind_the_name_of_the_program() {
        let stat = "4711 (a (bad) name 1 2) S 1 4711 4711 0 -1 4194304 500 0 3 0 250 30 700 20 20 0 3 0 100 1000 50";
        assert_eq!(ticks(stat, false), Some(1000));
        assert_eq!(ticks(stat, true), Some(720));
        assert_eq!(ticks("4711 (cut) S 1", false), None);
    }
}
