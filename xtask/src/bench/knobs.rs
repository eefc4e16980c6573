//! `cargo xtask bench knobs`: whether the lines of environment that `explore --space knobs` answers with are worth it in the programs
//! themselves.
//!
//! ```text
//!   a program ──record (--peer)──▶ trace(s) ──explore --space knobs──▶ a line of environment for each allocator
//!   the program on each allocator, with its line, and glibc with GreenMalloc's tunables, in turns ──race──▶ memory, time
//! ```
//!
//! The programs are redis as a cache that is filled, expires, and is filled again, and two of threads that free what others allocated.
//! Redis asks how large its blocks are, so it is recorded on each of the allocators.

mod rounds;

use std::fmt::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::trace_in;
use crate::origin::commit;
use crate::run::{Outcome, answers, cargo, compile, output, root, target};
use crate::tools::{self, Tool};
use rounds::Rounds;

/// Keys and bytes of a value of each filling; of ten keys nine expire before the next.
const FILLINGS: [(u32, usize); 4] = [(60_000, 64), (60_000, 400), (30_000, 1_500), (60_000, 150)];

/// A program with threads, of `examples/threads`.
struct Threaded {
    name: &'static str,
    about: &'static str,
    arguments: &'static [&'static str],
}

const THREADED: [Threaded; 2] = [
    Threaded { name: "mstress", about: "threads free what others put in a table", arguments: &["2", "200000", "20"] },
    Threaded { name: "xmalloc", about: "a thread frees what another allocates", arguments: &["1", "10000"] },
];

/// Recordings of each program on an allocator: no two are equal.
const RECORDINGS: u32 = 3;

/// Runs of each in the races: of redis, which takes six seconds, and of the others, which take less than one.
const RUNS: (&str, &str) = ("20", "40");

/// Of an allocator whose defaults are the answer, how many of the settings that came next are raced.
const RUNNERS_UP: usize = 3;
const NEXT: &str = "what came next";

/// Prints the answers and the races of all programs, or of one of them, and keeps those of all in `bench/results/knobs.txt`.
pub fn knobs(only: Option<&str>) -> Outcome {
    let names: Vec<&str> = ["redis"].into_iter().chain(THREADED.map(|program| program.name)).collect();
    if let Some(other) = only.filter(|only| !names.contains(only)) {
        return Err(format!("{other}: write one of {}", names.join(", ")));
    }
    let redis = |name| Tool { name, package: "redis-server", why: "to run it" };
    tools::install(&[redis("redis-server"), redis("redis-cli")])?;
    cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
    let folder = target().join("bench/knobs");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let command = target().join("release/heapsmith").display().to_string();
    let mut told = format!("cargo xtask bench knobs; commit {}\n\n", commit()?);
    if only.is_none_or(|only| only == "redis") {
        told.push_str(&of_redis(&command, &folder)?);
    }
    for program in THREADED.iter().filter(|program| only.is_none_or(|only| only == program.name)) {
        if !told.ends_with("\n\n") {
            told.push('\n');
        }
        told.push_str(&of_threads(&command, &folder, program)?);
    }
    println!("{told}");
    if only.is_some() {
        return Ok(());
    }
    let path = root().join("bench/results/knobs.txt");
    std::fs::write(&path, &told).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Redis, whose own allocator is jemalloc.
fn of_redis(command: &str, folder: &Path) -> Result<String, String> {
    let socket = std::env::temp_dir().join(format!("redis-knobs-{}.socket", std::process::id())).display().to_string();
    let load = load(folder, &socket)?;
    let server = ["redis-server", "--port", "0", "--unixsocket", &socket, "--save", "", "--appendonly", "no"];
    let allocators = ["jemalloc", "libc"];
    let mut traces = Vec::new();
    for (allocator, number) in
        allocators.iter().flat_map(|allocator| (0..RECORDINGS).map(move |number| (allocator, number)))
    {
        let dir = folder.join(format!("redis-{allocator}-{number}"));
        let traced = dir.display().to_string();
        let recorded =
            started(command, &[&["record", "--peer", allocator, "-o", &traced, "--"], &server[..]].concat())?;
        answers(|| output("redis-cli", &["-s", &socket, "ping"]))?;
        output("sh", &[&load])?;
        ended(recorded, &socket)?;
        traces.push(trace_in(&dir)?);
    }
    let (load, ready) = (format!("sh {load}"), format!("redis-cli -s {socket} ping"));
    let more = ["--runs", RUNS.0, "--load", &load, "--ready", &ready];
    let told = raced(command, folder, "redis", &traces, &allocators, &more, &server)?;
    Ok(format!("redis, a cache that is filled, expires, and is filled again\n{told}"))
}

/// A program with threads, that does not ask how large its blocks are.
fn of_threads(command: &str, folder: &Path, program: &Threaded) -> Result<String, String> {
    let Threaded { name, about, arguments } = program;
    let built = folder.join(format!("{name}.program"));
    compile(&format!("examples/threads/{name}.c"), &built)?;
    let built = built.display().to_string();
    let words = [&[built.as_str()][..], arguments].concat();
    let mut traces = Vec::new();
    for number in 0..RECORDINGS {
        let dir = folder.join(format!("{name}-{number}"));
        output(command, &[&["record", "-o", &dir.display().to_string(), "--"], &words[..]].concat())?;
        traces.push(trace_in(&dir)?);
    }
    let told = raced(command, folder, name, &traces, &["libc", "tcmalloc"], &["--runs", RUNS.1], &words)?;
    Ok(format!("{name} {}: {about}\n{told}", arguments.join(" ")))
}

/// Searches the knobs of these allocators on what was recorded of a program, and races the program on what is found; both as text.
fn raced(
    command: &str,
    folder: &Path,
    name: &str,
    traces: &[String],
    allocators: &[&str],
    more: &[&str],
    program: &[&str],
) -> Result<String, String> {
    let place = |what: &str| folder.join(format!("{name}-{what}")).display().to_string();
    let (answer, race) = (place("answer"), place("race"));
    let peers = allocators.iter().flat_map(|name| ["--peer", name]);
    let explore = ["--space", "knobs", "-o", &answer, "--format", "json"];
    let words = ["explore"].into_iter().chain(traces.iter().map(String::as_str)).chain(explore).chain(peers);
    let said = output(command, &words.collect::<Vec<_>>())?;
    let rows: Vec<Value> = serde_json::from_str(&said).map_err(|error| format!("explore: {error}"))?;
    let (mut entrants, mut next, mut told) = (Vec::new(), Vec::new(), String::new());
    for allocator in allocators {
        let own = format!("peer:{allocator}");
        let of = |row: &&Value| text(row, "allocator").split('(').next() == Some(own.as_str());
        let chosen = [("answer", "yes", "the answer"), ("tried_as", "greenmalloc", "GreenMalloc's tunables")];
        let found: Vec<_> = chosen
            .iter()
            .filter_map(|(key, value, what)| {
                Some((rows.iter().filter(of).find(|row| text(row, key) == *value)?, *what))
            })
            .collect();
        let mut found = found;
        if !found.iter().any(|(_, what)| *what == chosen[0].2) {
            let _ = writeln!(told, "{allocator}: keep its defaults");
            let next = rows.iter().filter(of).filter(|row| text(row, "tried_as") == "levels");
            found.extend(next.take(RUNNERS_UP).map(|row| (row, NEXT)));
        }
        for (row, what) in &found {
            let change = |key: &str| row[key].as_f64().map_or_else(String::new, percent);
            let changes = ["peak", "mean", "cpu"].map(|key| format!("{key} {}", change(&format!("{key}_change"))));
            let _ = writeln!(told, "{what} in plays: {}\n    {}", changes.join(", "), text(row, "environment"));
        }
        if !found.is_empty() {
            entrants.push((own.clone(), None));
            entrants.extend(found.iter().map(|(row, _)| (text(row, "allocator").to_owned(), Some(own.clone()))));
            next.extend(
                found.iter().filter(|(_, what)| *what == NEXT).map(|(row, _)| text(row, "allocator").to_owned()),
            );
        }
    }
    let run = |entrants: &[(String, Option<String>)], dir: &str| {
        let named: Vec<String> = entrants.iter().flat_map(|(name, _)| ["--peer".to_owned(), bare(name)]).collect();
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        output(command, &[&["race", "--no-peers", "-o", dir][..], &named, more, &["--"], program].concat())?;
        Rounds::read(&Path::new(dir).join("race.json"))
    };
    let rounds = run(&entrants, &race)?;
    told.push_str(&results(&rounds, &entrants)?);
    // What a race chooses of several is raced anew, as chance helps to choose.
    let raced = entrants.iter().filter(|(name, _)| next.contains(name));
    let better: Vec<_> = raced
        .filter(|(name, default)| default.as_ref().is_some_and(|own| rounds.is_better(name, own)))
        .cloned()
        .collect();
    if !better.is_empty() {
        let defaults =
            entrants.iter().filter(|(own, _)| better.iter().any(|(_, default)| default.as_ref() == Some(own)));
        let again: Vec<_> = defaults.chain(&better).cloned().collect();
        told.push_str("what plays did not name and the race did, again:\n");
        told.push_str(&results(&run(&again, &place("race-again"))?, &again)?);
    }
    Ok(told)
}

/// How each compares with the defaults of its allocator.
fn results(rounds: &Rounds, entrants: &[(String, Option<String>)]) -> Result<String, String> {
    let mut told = format!("raced {} times in turns (95% intervals of the ratios):\n", rounds.count());
    for (name, default) in entrants.iter().filter_map(|(name, default)| Some((name, default.as_ref()?))) {
        let change = |(what, key): (&str, &str)| Ok(format!("{what} {}", rounds.change(name, default, key)?));
        let changes: Vec<String> = rounds::FIGURES.into_iter().map(change).collect::<Result<_, String>>()?;
        let _ = writeln!(told, "{} to {}: {}", bare(name), bare(default), changes.join(", "));
    }
    Ok(told)
}

fn bare(entrant: &str) -> String {
    entrant.trim_start_matches("peer:").to_owned()
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_default()
}

/// `-8.1%` of 0.919.
fn percent(ratio: f64) -> String {
    format!("{:+.1}%", (ratio - 1.0) * 100.0)
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
