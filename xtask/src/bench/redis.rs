//! A redis server that serves always the same requests.
//!
//! A pass is 100,000 commands, drawn so that what is stored comes and goes and does not grow. Ten different passes take turns.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::run::{Outcome, answers, cargo, output, target};
use crate::tools::{self, Tool};

/// Commands of a pass.
pub const COMMANDS: u64 = 100_000;
/// Different passes.
pub const PASSES: u64 = 10;

/// Installs redis, builds the command, and writes the commands of all passes into an empty folder of this name.
pub fn prepare(name: &str) -> Result<PathBuf, String> {
    let redis = |name| Tool { name, package: "redis-server", why: "to run it" };
    tools::install(&[redis("redis-server"), redis("redis-cli")])?;
    cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
    let folder = target().join("bench").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    (0..PASSES).try_for_each(|pass| write_pass(&folder, pass))?;
    Ok(folder)
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

/// It says what all that it stores comes to, when asked.
const DIGESTS: [&str; 2] = ["--enable-debug-command", "yes"];

/// A server.
pub struct Server {
    child: Child,
    socket: String,
}

impl Server {
    /// Starts one, under a command of heapsmith or without.
    pub fn start(folder: &Path, under: Option<&mut Command>) -> Result<Server, String> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        // Paths of sockets are short; nobody else has this process's number.
        let name = format!("redis-{}-{}.socket", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        let socket = std::env::temp_dir().join(name).display().to_string();
        let arguments = ["--port", "0", "--unixsocket", &socket, "--save", "", "--appendonly", "no", "--dir"];
        let mut itself = Command::new("redis-server");
        let command = match under {
            Some(command) => command.args(["--", "redis-server"]),
            None => &mut itself,
        };
        let started = command.args(arguments).arg(folder).args(DIGESTS).stdout(Stdio::null()).spawn();
        let child = started.map_err(|error| format!("cannot start redis: {error}"))?;
        let server = Server { child, socket };
        answers(|| server.ask(&["ping"]))?;
        Ok(server)
    }

    /// What it answers.
    pub fn ask(&self, words: &[&str]) -> Result<String, String> {
        output("redis-cli", &[&["-s", &self.socket], words].concat())
    }

    /// Has it do the commands of a pass.
    pub fn serve(&self, folder: &Path, pass: u64) -> Outcome {
        let line = format!("redis-cli -s '{}' --pipe <'{}'", self.socket, commands(folder, pass).display());
        let said = output("sh", &["-c", &line])?;
        if said.contains("errors: 0") { Ok(()) } else { Err(format!("redis refused commands: {said}")) }
    }

    /// The number of its process.
    pub fn process(&self) -> Result<u32, String> {
        let info = self.ask(&["info", "server"])?;
        let number = info.lines().find_map(|line| line.strip_prefix("process_id:"));
        number.and_then(|number| number.trim().parse().ok()).ok_or("redis does not say who it is".to_owned())
    }

    /// Bytes that it has resident.
    pub fn resident(&self) -> Result<f64, String> {
        let path = format!("/proc/{}/statm", self.process()?);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let pages = text.split_whitespace().nth(1).and_then(|pages| pages.parse::<f64>().ok());
        pages.map(|pages| pages * 4096.0).ok_or(format!("{path}: {text}"))
    }

    /// Ends it.
    pub fn end(mut self) -> Outcome {
        // It answers no more.
        let _ = self.ask(&["shutdown", "nosave"]);
        let status = self.child.wait().map_err(|error| format!("redis: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("redis: {status}")) }
    }
}
