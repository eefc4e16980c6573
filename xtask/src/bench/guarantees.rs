//! Whether every pick has a guarantee: that it is never refused in a region of N bytes, whatever program of the trace's
//! kind asks, or a named design within 2% of it that is not; a design further away is named with what it takes in addition.
//!
//! Nothing here measures: it runs the command that people run, and keeps the line that they read.

use std::fmt::Write;

use super::{peers, robust};
use crate::run::{Outcome, cargo, output, root, target};

/// No input has more events: an exploration takes seconds then.
const EVENTS: &str = "60000";

/// Writes `bench/results/guarantees.csv`.
pub fn guarantees() -> Outcome {
    let inputs: Vec<(String, String, Option<&str>)> = robust::inputs()
        .map(|(name, trace, workload)| (name.to_owned(), trace, workload))
        .chain(peers::recorded()?.into_iter().map(|(name, trace)| (name, trace, None)))
        .collect();
    cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
    let command = target().join("release/heapsmith").display().to_string();
    let out = target().join("bench/guarantees").display().to_string();
    let mut csv = String::from("trace,pick,guarantee\n");
    let mut without = Vec::new();
    for (name, trace, workload) in &inputs {
        let _ = std::fs::remove_dir_all(&out);
        let mut arguments = vec!["explore", trace, "--limit", EVENTS, "--rounds", "0", "--no-peers", "--out", &out];
        arguments.extend(workload.iter().flat_map(|workload| ["--as", *workload]));
        let answer = output(&command, &arguments)?;
        let line = |name: &str| {
            let found = answer.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
            found.ok_or_else(|| format!("the answer on {trace} has no line {name}:\n{answer}"))
        };
        let (pick, guarantee) = (line("Pick")?, line("Guarantee")?);
        println!("{name:24} {guarantee}");
        let _ = writeln!(csv, "{name:?},{pick:?},{guarantee:?}");
        let is_near = guarantee.contains("(up to 2% more)");
        if guarantee.starts_with("no guarantee") || (guarantee.starts_with("none") && !is_near) {
            without.push(name.as_str());
        }
    }
    println!(
        "{} of {} picks have a guarantee or name a design near that has one",
        inputs.len() - without.len(),
        inputs.len()
    );
    let path = root().join("bench/results/guarantees.csv");
    std::fs::write(&path, csv).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    match without.as_slice() {
        [] => Ok(()),
        without => Err(format!("without a guarantee: {}", without.join(", "))),
    }
}
