//! The lower bound of traces: peak live bytes, and the lowest placement that was found with every lifetime known. Counted, so
//! the same on every machine, whatever the profile; times are printed on the way and not kept.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use crate::run::{Outcome, cargo, output, root, target};

/// Inputs of the repository, with what makes a trace of them.
const SAMPLES: &[(&str, &str)] =
    &[("ftp.pcap.xz", "drr"), ("web.pcap.xz", "drr"), ("mixed.pcapng.xz", "easyport"), ("web.log.xz", "url")];
/// Where the problems of compilers are.
const OFFLINE: &str = "../shared/data/alloc/offline";
/// Millions of comparisons for each.
const EFFORT: &str = "400";

/// Writes bench/results/lower-bound.csv and floor.txt.
pub fn lower_bound() -> Outcome {
    cargo(&["build", "--package", "heapsmith-cli"])?;
    let mut lines = Vec::new();
    let mut header = String::new();
    for (path, workload) in inputs()? {
        let begun = Instant::now();
        let mut arguments = vec!["inspect", &path, "--lower-bound", "--effort", EFFORT, "--format", "csv"];
        arguments.extend(workload.iter().flat_map(|workload| ["--as", workload]));
        let heapsmith = target().join("debug/heapsmith").display().to_string();
        let told = output(&heapsmith, &arguments)?;
        let mut told = told.lines();
        header = told.next().unwrap_or_default().to_owned();
        let line = told.next().ok_or_else(|| format!("nothing was told of {path}"))?;
        eprintln!("{line}  ({:.1} s)", begun.elapsed().as_secs_f64());
        lines.push(line.to_owned());
    }
    let dir = root().join("bench/results");
    let text = table(&lines)?;
    print!("{text}");
    for (name, contents) in
        [("lower-bound.csv", format!("{header}\n{}\n", lines.join("\n"))), ("lower-bound.txt", text)]
    {
        let file = dir.join(name);
        std::fs::write(&file, contents).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    Ok(())
}

/// Samples, and the problems that are there.
fn inputs() -> Result<Vec<(String, Option<&'static str>)>, String> {
    let mut inputs: Vec<_> =
        SAMPLES.iter().map(|(name, workload)| (format!("samples/{name}"), Some(*workload))).collect();
    let dir = root().join(OFFLINE);
    if !dir.is_dir() {
        eprintln!("left out: {OFFLINE} is not there; it holds problems of minimalloc, idealloc and others as CSV");
        return Ok(inputs);
    }
    let mut files: Vec<String> = std::fs::read_dir(&dir)
        .map_err(|error| format!("cannot read {OFFLINE}: {error}"))?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    files.sort();
    inputs.extend(files.into_iter().map(|name| (Path::new(OFFLINE).join(name).display().to_string(), None)));
    Ok(inputs)
}

/// The lines for people.
fn table(lines: &[String]) -> Result<String, String> {
    let mut text = format!(
        "The lower bound: peak live bytes, and the lowest placement found with every lifetime known and no block\n\
         moved, in {EFFORT} million comparisons. cargo xtask bench lower-bound writes this.\n\n\
         {:<50} {:>8} {:>12} {:>16} {:>16} {:>8}  method\n",
        "trace", "blocks", "pairs", "peak_live", "offline", "above"
    );
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let [trace, live, placed, above, is_optimal, method @ .., blocks, pairs, _, _] = &fields[..] else {
            return Err(format!("a line of {} fields: {line}", fields.len()));
        };
        let above: f64 = above.parse().map_err(|_| format!("no number: {above}"))?;
        let method = method.join(",").trim_matches('"').to_owned();
        let method = if *is_optimal == "yes" { format!("{method}: the least there is") } else { method };
        let above = format!("{:.2}%", above * 100.0);
        let _ = writeln!(text, "{trace:<50} {blocks:>8} {pairs:>12} {live:>16} {placed:>16} {above:>8}  {method}");
    }
    Ok(text)
}
