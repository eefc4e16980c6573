//! `cargo xtask bench knobs`: whether the line of environment that `explore --space knobs` answers with is worth it in the program itself.
//!
//! ```text
//!   redis, a cache that is filled, expires, and is filled again ──record──▶ trace ──explore --space knobs──▶ one line of environment
//!   redis as it is, and with that line, 20 times in turns ──race──▶ peak and mean memory, time
//! ```

use std::fmt::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::trace_in;
use crate::origin::commit;
use crate::run::{Outcome, answers, cargo, output, root, target};
use crate::tools::{self, Tool};

/// Keys and bytes of a value of each filling; of ten keys nine expire before the next.
const FILLINGS: [(u32, usize); 4] = [(60_000, 64), (60_000, 400), (30_000, 1_500), (60_000, 150)];

/// Runs of each in the race.
const RUNS: &str = "20";

/// Prints the answer and the race, and keeps both in `bench/results/knobs.txt`.
pub fn knobs() -> Outcome {
    let redis = |name| Tool { name, package: "redis-server", why: "to run it" };
    tools::install(&[redis("redis-server"), redis("redis-cli")])?;
    cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
    let folder = target().join("bench/knobs");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let socket = std::env::temp_dir().join(format!("redis-knobs-{}.socket", std::process::id())).display().to_string();
    let load = load(&folder, &socket)?;
    let server = ["redis-server", "--port", "0", "--unixsocket", &socket, "--save", "", "--appendonly", "no"];
    let command = target().join("release/heapsmith").display().to_string();

    let traces = folder.join("recorded").display().to_string();
    let recorded = started(&command, &[&["record", "-o", &traces, "--"], &server[..]].concat())?;
    answers(|| output("redis-cli", &["-s", &socket, "ping"]))?;
    output("sh", &[&load])?;
    ended(recorded, &socket)?;
    let trace = trace_in(Path::new(&traces))?;
    let answer = folder.join("answer").display().to_string();
    let explore = ["explore", &trace, "--space", "knobs", "--peer", "jemalloc", "--peer", "libc", "-o", &answer];
    let mut told = format!("cargo xtask bench knobs; commit {}\n\n", commit()?);
    let said = output(&command, &explore)?;
    // Not where the table is.
    said.lines().filter(|line| !line.starts_with("Table")).for_each(|line| told.extend([line, "\n"]));
    let asked = said.lines().find_map(|line| Some(line.strip_prefix("jemalloc ")?.trim()));
    let Some(setting) = asked.and_then(|line| line.strip_prefix("MALLOC_CONF=")) else {
        println!("{told}");
        return Err("no setting of jemalloc is named, so there is nothing to race".to_owned());
    };
    let peer = format!("jemalloc({})", setting.replace(':', "="));
    let ready = format!("redis-cli -s {socket} ping");
    let race = ["race", "--runs", RUNS, "--peer", "jemalloc", "--peer", &peer, "--load", &format!("sh {load}")];
    let raced = folder.join("race").display().to_string();
    let more = ["--ready", &ready, "--format", "json", "-o", &raced, "--"];
    let rows: Vec<Value> = serde_json::from_str(&output(&command, &[&race[..], &more, &server[..]].concat())?)
        .map_err(|error| format!("race: {error}"))?;
    let _ = writeln!(told, "\n{RUNS} runs of each in turns, compared with the server as it is (95% intervals):");
    for row in &rows {
        let change = |of: &str| {
            let part = |end: &str| row[format!("{of}_{end}")].as_f64().map(|ratio| (ratio - 1.0) * 100.0);
            match (part("change"), part("low"), part("high")) {
                (Some(change), Some(low), Some(high)) => format!("{change:+.1}% ({low:+.1} to {high:+.1})"),
                _ => "-".to_owned(),
            }
        };
        let changes = ["peak", "mean", "cpu", "wall"].map(|of| format!("{of} {}", change(of)));
        let _ = writeln!(told, "{:<36} {}", row["allocator"].as_str().unwrap_or_default(), changes.join(", "));
    }
    println!("{told}");
    let path = root().join("bench/results/knobs.txt");
    std::fs::write(&path, &told).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Writes the commands of the fillings, and the script that has the server do them; the script's path.
fn load(folder: &Path, socket: &str) -> Result<String, String> {
    let mut script = "set -e\n".to_owned();
    for (round, (keys, bytes)) in FILLINGS.into_iter().enumerate() {
        let value = "v".repeat(bytes);
        let set: String = (0..keys).map(|key| format!("SET key:{round}:{key} {value}\n")).collect();
        let expire = (0..keys).filter(|key| key % 10 > 0).map(|key| format!("DEL key:{round}:{key}\n"));
        for (name, commands) in [("set", set), ("expire", expire.collect())] {
            let path = folder.join(format!("{name}-{round}")).display().to_string();
            std::fs::write(&path, commands).map_err(|error| format!("cannot write {path}: {error}"))?;
            let _ = writeln!(script, "redis-cli -s '{socket}' --pipe <'{path}' >/dev/null");
        }
        script.push_str("sleep 1\n");
    }
    let path = folder.join("load.sh").display().to_string();
    std::fs::write(&path, script).map_err(|error| format!("cannot write {path}: {error}"))?;
    Ok(path)
}

fn started(command: &str, arguments: &[&str]) -> Result<Child, String> {
    let started = Command::new(command).args(arguments).stdout(Stdio::null()).spawn();
    started.map_err(|error| format!("cannot run {command}: {error}"))
}

/// Ends the server, which is recorded.
fn ended(mut recorded: Child, socket: &str) -> Outcome {
    // It answers no more.
    let _ = output("redis-cli", &["-s", socket, "shutdown", "nosave"]);
    let status = recorded.wait().map_err(|error| format!("record: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("record: {status}")) }
}
