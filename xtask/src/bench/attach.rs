//! `cargo xtask bench attach`: what a server under load notices of `record --pid`.
//!
//! In each round redis serves the same requests twice, alone and while it is recorded, in turns which comes first. The ratio is that
//! of its processor time and of the time of the requests. A second server that nobody records serves as many: at the end both have
//! to store the same. Every trace is replayed with every block verified.

use std::fmt::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::redis::{self, COMMANDS, PASSES, Server};
use super::trace_in;
use crate::mean::Mean;
use crate::origin::commit;
use crate::run::{Outcome, output, root, target};

const ROUNDS: u64 = 12;
/// Passes of requests in a round, with and without.
const SERVED: u64 = 3;

/// Prints the ratios, and keeps them in `bench/results/attach.txt`.
pub fn attach() -> Outcome {
    let folder = redis::prepare("attach")?;
    let server = Server::start(&folder, None)?;
    let process = server.process()?;
    let serve = |pass: u64| server.serve(&folder, pass % PASSES);
    (0..PASSES).try_for_each(serve)?;
    let (mut busy, mut took, mut said) = (Vec::new(), Vec::new(), String::new());
    let mut served = PASSES;
    for round in 0..ROUNDS {
        let mut times = [(Duration::ZERO, Duration::ZERO); 2];
        for turn in 0..2 {
            let recorded = (round + turn) % 2 == 1;
            let recorder = recorded.then(|| Recorder::start(&folder, round, process)).transpose()?;
            let (before, begun) = (processor_time(process)?, Instant::now());
            // Both turns of a round serve the same.
            (round..round + SERVED).try_for_each(serve)?;
            served += SERVED;
            times[usize::from(recorded)] = (processor_time(process)? - before, begun.elapsed());
            if let Some(recorder) = recorder {
                said = recorder.end()?;
            }
        }
        let [alone, recorded] = times;
        busy.push(recorded.0.as_secs_f64() / alone.0.as_secs_f64());
        took.push(recorded.1.as_secs_f64() / alone.1.as_secs_f64());
        output(&command(), &["replay", &trace_in(&recordings(&folder, round))?, "--verify", "--heap", "tlsf"])?;
    }
    let digest = server.ask(&["debug", "digest"])?;
    server.end()?;
    let other = Server::start(&folder, None)?;
    let again = |pass: u64| other.serve(&folder, pass % PASSES);
    (0..PASSES).try_for_each(again)?;
    for round in 0..ROUNDS {
        (0..2).try_for_each(|_| (round..round + SERVED).try_for_each(again))?;
    }
    let unharmed = other.ask(&["debug", "digest"])? == digest;
    other.end()?;

    let mut told = format!(
        "cargo xtask bench attach: record --pid on redis, {ROUNDS} rounds, {} requests in all; commit {}\n",
        served * COMMANDS,
        commit()?
    );
    let busy = Mean::of(busy).ok_or("the server took no time")?;
    let took = Mean::of(took).ok_or("the requests took no time")?;
    let _ = writeln!(told, "processor time, recorded to alone: {busy}");
    let _ = writeln!(told, "time of the requests, recorded to alone: {took}");
    let _ = writeln!(told, "of the last round it says:\n{said}");
    let _ = writeln!(told, "{ROUNDS} traces replayed with every block verified");
    let holds = if unharmed { "holds:" } else { "MISSED:" };
    let _ = writeln!(told, "{holds} the server stores what one stores that was never recorded ({})", digest.trim());
    print!("{told}");
    let path = root().join("bench/results/attach.txt");
    std::fs::write(&path, &told).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    if unharmed { Ok(()) } else { Err("the server does not store what it should".to_owned()) }
}

/// `record --pid`, running.
struct Recorder(Child);

impl Recorder {
    /// Starts it, and waits until the server is being recorded.
    fn start(folder: &Path, round: u64, process: u32) -> Result<Recorder, String> {
        let to = recordings(folder, round);
        let mut command = Command::new(command());
        command.args(["record", "--pid", &process.to_string(), "-o"]).arg(&to).stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| format!("cannot record: {error}"))?;
        let has_begun = || std::fs::read_dir(&to).is_ok_and(|files| files.flatten().count() > 0);
        let until = Instant::now() + Duration::from_secs(20);
        while !has_begun() {
            if Instant::now() > until {
                return Err("the recording did not begin".to_owned());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        // The file is there a little before the first event.
        std::thread::sleep(Duration::from_millis(200));
        Ok(Recorder(child))
    }

    /// Ends it; what it says of the slow-down.
    fn end(self) -> Result<String, String> {
        output("kill", &["-INT", &self.0.id().to_string()])?;
        let done = self.0.wait_with_output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("heapsmith: ")).collect();
        if done.status.success() { Ok(lines.join("\n")) } else { Err(format!("record --pid: {said}")) }
    }
}

fn command() -> String {
    target().join("release/heapsmith").display().to_string()
}

fn recordings(folder: &Path, round: u64) -> std::path::PathBuf {
    folder.join(format!("recorded-{round}"))
}

/// The processor time that a process has taken.
fn processor_time(process: u32) -> Result<Duration, String> {
    let path = format!("/proc/{process}/schedstat");
    // That of the first thread, which serves all requests; in nanoseconds.
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let taken = text.split_whitespace().next().and_then(|taken| taken.parse().ok());
    taken.map(Duration::from_nanos).ok_or(format!("{path}: {text}"))
}
