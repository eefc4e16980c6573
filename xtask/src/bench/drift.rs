//! `cargo xtask bench drift`: whether memory grows over many requests as a short recording says.
//!
//! ```text
//!   redis, three passes of requests ──record──▶ trace ──replay --loop──▶ growth of the footprint, as predicted
//!   redis on the heap, a thousand passes ──what the system says is resident after each──▶ growth as it is
//! ```
//!
//! A pass is 100,000 commands, drawn so that what is stored comes and goes and does not grow. Ten different passes take turns. Growth
//! is from a tenth of the run, when all keys are there, to the last tenth.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use clap::Args;
use serde_json::Value;

use super::trace_in;
use crate::origin::commit;
use crate::run::{Outcome, answers, cargo, output, root, target};
use crate::tools::{self, Tool};

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

/// Commands of a pass, different passes, and those that are recorded.
const COMMANDS: u64 = 100_000;
const PASSES: u64 = 10;
const RECORDED: u64 = 3;

/// How often the recording is replayed.
const LOOPS: &str = "100";

/// How far the growth that was predicted may be from that which was: parts of what is resident.
const WITHIN: f64 = 0.02;

/// Prints what was predicted and what was, and keeps it in `bench/results/drift.txt`.
pub fn drift(arguments: &Arguments) -> Outcome {
    let redis = |name| Tool { name, package: "redis-server", why: "to run it" };
    tools::install(&[redis("redis-server"), redis("redis-cli")])?;
    cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
    let folder = target().join("bench/drift");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    (0..PASSES).try_for_each(|pass| write_pass(&folder, pass))?;
    let command = target().join("release/heapsmith");
    let Arguments { requests, heap } = arguments;
    let mut told = format!("cargo xtask bench drift: redis on {heap}, {requests} requests; commit {}\n", commit()?);

    let traces = folder.join("recorded");
    let server = Server::start(&folder, Command::new(&command).arg("record").arg("-o").arg(&traces))?;
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

    let server = Server::start(&folder, Command::new(&command).args(["run", "--heap", heap]))?;
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

/// Writes the commands of a pass: strings, hashes, lists that are cut, sorted sets and sets of few members, and deletions.
fn write_pass(folder: &Path, pass: u64) -> Outcome {
    let mut text = String::new();
    let mut state = pass + 1;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut left = COMMANDS;
    while left > 0 {
        let value = "v".repeat(1 + (draw(20) * draw(20)) as usize);
        let _ = match draw(20) {
            0..=8 => writeln!(text, "SET key:{} {value}", draw(20_000)),
            9..=11 => writeln!(text, "HSET hash:{} field:{} {value}", draw(500), draw(97)),
            12 | 13 if left > 1 => {
                left -= 1;
                let list = draw(300);
                writeln!(text, "LPUSH list:{list} {value}\nLTRIM list:{list} 0 49")
            }
            14 | 15 => writeln!(text, "ZADD sorted:{} {} member:{}", draw(50), draw(10_000), draw(400)),
            16 => writeln!(text, "SADD set:{} {}", draw(40), draw(1000)),
            17 => writeln!(text, "SREM set:{} {}", draw(40), draw(1000)),
            _ => writeln!(text, "DEL key:{}", draw(20_000)),
        };
        left -= 1;
    }
    let path = commands(folder, pass);
    std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn commands(folder: &Path, pass: u64) -> PathBuf {
    folder.join(format!("commands-{pass}"))
}

/// A server under a command of heapsmith.
struct Server {
    child: Child,
    socket: String,
}

impl Server {
    fn start(folder: &Path, before: &mut Command) -> Result<Server, String> {
        // Paths of sockets are short; nobody else has this process's number.
        let socket = std::env::temp_dir().join(format!("redis-{}.socket", std::process::id())).display().to_string();
        let arguments = ["--port", "0", "--unixsocket", &socket, "--save", "", "--appendonly", "no", "--dir"];
        before.args(["--", "redis-server"]).args(arguments).arg(folder).stdout(Stdio::null());
        let child = before.spawn().map_err(|error| format!("cannot start redis: {error}"))?;
        let server = Server { child, socket };
        answers(|| server.ask(&["ping"]))?;
        Ok(server)
    }

    fn ask(&self, words: &[&str]) -> Result<String, String> {
        output("redis-cli", &[&["-s", &self.socket], words].concat())
    }

    /// Has it do the commands of a pass.
    fn serve(&self, folder: &Path, pass: u64) -> Outcome {
        let line = format!("redis-cli -s '{}' --pipe <'{}'", self.socket, commands(folder, pass).display());
        let said = output("sh", &["-c", &line])?;
        if said.contains("errors: 0") { Ok(()) } else { Err(format!("redis refused commands: {said}")) }
    }

    /// Bytes that it has resident.
    fn resident(&self) -> Result<f64, String> {
        let info = self.ask(&["info", "server"])?;
        let number =
            info.lines().find_map(|line| line.strip_prefix("process_id:")).ok_or("redis does not say who it is")?;
        let path = format!("/proc/{}/statm", number.trim());
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let pages = text.split_whitespace().nth(1).and_then(|pages| pages.parse::<f64>().ok());
        pages.map(|pages| pages * 4096.0).ok_or(format!("{path}: {text}"))
    }

    fn end(mut self) -> Outcome {
        // It answers no more.
        let _ = self.ask(&["shutdown", "nosave"]);
        let status = self.child.wait().map_err(|error| format!("redis: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("redis: {status}")) }
    }
}
