//! How much memory long traces take. A sample's trace is made longer by copies of it that
//! share the heap (`--copies`), imported, and replayed; the system's own figure of the most
//! memory that a process ever held is printed (GNU time).

use std::path::Path;
use std::process::Command;

use crate::run::{Outcome, cargo, is_there, root, target};

/// Events of the sample's trace as drr.
const EVENTS: u64 = 192_672;
const TIME: &str = "/usr/bin/time";

/// Imports and replays traces of growing length.
pub fn import(large: bool) -> Outcome {
    if !is_there(TIME) {
        return Err(format!("{TIME} is missing: install the package time"));
    }
    cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
    let dir = root().join("target/bench/import");
    std::fs::create_dir_all(&dir).map_err(|error| format!("cannot make {}: {error}", dir.display()))?;
    println!("{:>12}  {:<8}  {:>9}  {:>9}", "events", "command", "memory MB", "seconds");
    let powers = if large { 6..=8 } else { 6..=7 };
    for copies in powers.map(|power| 10_u64.pow(power).div_ceil(EVENTS)) {
        let trace = dir.join(format!("{copies}.parquet"));
        let (trace, scale) = (trace.display().to_string(), copies.to_string());
        let import = ["import", "samples/ftp.pcap.xz", "--as", "drr", "--copies", &scale, "--out", &trace];
        let replay = ["replay", &trace, "--heap", "list(order=lifo, fit=first)"];
        let again = dir.join("again.parquet").display().to_string();
        let copy = ["import", &trace, "--slice", "0..", "--out", &again];
        for (name, arguments) in [("make", &import[..]), ("import", &copy[..]), ("replay", &replay[..])] {
            measured(copies * EVENTS, name, arguments)?;
        }
        for file in [&trace, &again] {
            std::fs::remove_file(Path::new(file)).map_err(|error| format!("cannot remove {file}: {error}"))?;
        }
    }
    Ok(())
}

fn measured(events: u64, name: &str, arguments: &[&str]) -> Outcome {
    let target = target();
    let output = Command::new(TIME)
        .args(["-f", "%M %e"])
        .arg(target.join("release/heapsmith"))
        .args(arguments)
        .current_dir(root())
        .output()
        .map_err(|error| format!("cannot run {TIME}: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("heapsmith {} failed: {told}", arguments.join(" ")));
    }
    let last = told.lines().last().unwrap_or_default();
    let (memory, seconds) = last.split_once(' ').ok_or_else(|| format!("{TIME} said {last:?}"))?;
    let memory: u64 = memory.parse().map_err(|_| format!("{TIME} said {last:?}"))?;
    println!("{events:>12}  {name:<8}  {:>9}  {seconds:>9}", memory / 1024);
    Ok(())
}
