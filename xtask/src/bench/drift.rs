//! `cargo xtask bench drift`: whether memory grows over many requests as a short recording says.
//!
//! ```text
//!   redis, three passes of requests ──record──▶ trace ──replay --loop──▶ growth of the footprint, as predicted
//!   redis on the heap, a thousand passes ──what the system says is resident after each──▶ growth as it is
//! ```
//!
//! Growth is from a tenth of the run, when all keys are there, to the last tenth.

use std::fmt::Write;
use std::process::Command;

use clap::Args;
use serde_json::Value;

use super::redis::{COMMANDS, PASSES, Server};
use super::{redis, trace_in};
use crate::origin::commit;
use crate::run::{Outcome, output, root, target};

/// What is run.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Requests of the long run; the results are kept where it is 100 million or more
    #[arg(long, default_value_t = 100_000_000)]
    requests: u64,
    /// A heap
    #[arg(long, default_value = "bins(lea) word=8")]
    heap: String,
}

/// Passes that are recorded.
const RECORDED: u64 = 3;

/// How often the recording is replayed.
const LOOPS: &str = "100";

/// How far the growth that was predicted may be from that which was: parts of what is resident.
const WITHIN: f64 = 0.02;

/// Prints what was predicted and what was, and keeps it in `bench/results/drift.txt`.
pub fn drift(arguments: &Arguments) -> Outcome {
    let folder = redis::prepare("drift")?;
    let command = target().join("release/heapsmith");
    let Arguments { requests, heap } = arguments;
    let mut told = format!("cargo xtask bench drift: redis on {heap}, {requests} requests; commit {}\n", commit()?);

    let traces = folder.join("recorded");
    let server = Server::start(&folder, Some(Command::new(&command).arg("record").arg("-o").arg(&traces)))?;
    (0..RECORDED).try_for_each(|pass| server.serve(&folder, pass))?;
    server.end()?;
    let trace = trace_in(&traces)?;
    let said = output(
        &command.display().to_string(),
        &["replay", &trace, "--heap", heap, "--loop", LOOPS, "--format", "json"],
    )?;
    let rows: Vec<Value> = serde_json::from_str(&said).map_err(|error| format!("replay --loop: {error}"))?;
    let peaks: Vec<f64> =
        rows[0]["footprint_peaks"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    let predicted = growth(&peaks);
    let _ = writeln!(told, "predicted: {RECORDED} passes, {LOOPS} times: {predicted}");

    let server = Server::start(&folder, Some(Command::new(&command).args(["run", "--heap", heap])))?;
    let mut resident = Vec::new();
    for pass in 0..(requests / COMMANDS).max(PASSES) {
        server.serve(&folder, pass % PASSES)?;
        resident.push(server.resident()?);
        if (pass + 1) % 50 == 0 {
            eprintln!("xtask: {} requests, {:.1} MB resident", (pass + 1) * COMMANDS, resident[pass as usize] / 1e6);
        }
    }
    server.end()?;
    let ran = growth(&resident);
    let _ = writeln!(told, "ran: resident {ran}");
    let holds = (predicted.share - ran.share).abs() <= WITHIN;
    let _ = writeln!(told, "{} within {:.0}%", if holds { "holds:" } else { "MISSED:" }, WITHIN * 100.0);
    print!("{told}");
    if *requests >= 100_000_000 {
        let path = root().join("bench/results/drift.txt");
        std::fs::write(&path, &told).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    if holds { Ok(()) } else { Err("memory did not grow as was predicted".to_owned()) }
}

/// From the second tenth to the last.
struct Growth {
    first: f64,
    last: f64,
    share: f64,
}

fn growth(series: &[f64]) -> Growth {
    let tenth = (series.len() / 10).max(1);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let (first, last) = (mean(&series[tenth..2 * tenth]), mean(&series[series.len() - tenth..]));
    Growth { first, last, share: last / first - 1.0 }
}

impl std::fmt::Display for Growth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:.2} MB in the second tenth, {:.2} in the last: {:+.2}%",
            self.first / 1e6,
            self.last / 1e6,
            self.share * 100.0
        )
    }
}
