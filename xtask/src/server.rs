//! `cargo xtask server`: what a server's loop holds resident on `heapsmith run`, compared with the C library.
//!
//! The loop is `crates/launch/tests/programs/server.c`: connections that come and go, random sizes and lifetimes, blocks that
//! other threads free, workers that end and are replaced. A short run of it is among the tests of `heapsmith-launch`.

use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::origin::commit;
use crate::run::{Outcome, cargo, compile, root, target};
use crate::tools;

/// The heap of a library that is preloaded without a spec, with each way that threads share it.
const HEAP: &str = "freelists(16..=1024 step 16) bins(lea) word=8";
const SHARED: [&str; 3] = ["threads=one", "threads=each", "threads=lists"];

/// What is resident on a heap, at most, of what is resident with the C library.
const LIMIT: f64 = 1.3;

/// Arguments of `server`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// For how long, each
    #[arg(long, default_value_t = 3)]
    minutes: u64,
    /// Threads that serve
    #[arg(long, default_value_t = 64)]
    workers: u64,
    /// Connections at once, at most
    #[arg(long, default_value_t = 4096)]
    connections: u64,
}

/// Prints the table, and keeps it in `bench/results/server.txt`.
pub fn server(arguments: &Arguments) -> Outcome {
    tools::install(&[tools::CC])?;
    let server = Server::new(arguments)?;
    let mut table = String::new();
    let mut say = |line: String| {
        println!("{line}");
        table += &format!("{line}\n");
    };
    let Arguments { minutes, workers, connections } = arguments;
    say(format!("{HEAP}; {workers} threads, {connections} connections, {minutes} minutes each; commit {}", commit()?));
    say(format!(
        "{:<14} {:>14} {:>12} {:>14} {:>13} {:>8}",
        "", "resident, kB", "peak, kB", "asked for, kB", "requests", "of libc"
    ));
    let own = server.measure(None)?;
    say(own.line("libc", &own));
    let mut above = Vec::new();
    for threads in SHARED {
        let measured = server.measure(Some(&format!("{HEAP} {threads}")))?;
        say(measured.line(threads, &own));
        if measured.of(&own) > LIMIT {
            above.push(threads);
        }
    }
    say("resident: the mean of the second half".to_owned());
    let path = root().join("bench/results/server.txt");
    std::fs::write(&path, table).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    if above.is_empty() { Ok(()) } else { Err(format!("above {LIMIT} times the C library: {}", above.join(", "))) }
}

struct Server {
    program: PathBuf,
    library: PathBuf,
    words: [String; 3],
}

/// What the program printed.
struct Measured {
    peak: u64,
    resident: u64,
    live: u64,
    requests: u64,
}

impl Measured {
    fn of(&self, own: &Measured) -> f64 {
        self.resident as f64 / own.resident.max(1) as f64
    }

    fn line(&self, name: &str, own: &Measured) -> String {
        let Measured { peak, resident, live, requests } = self;
        format!("{name:<14} {resident:>14} {peak:>12} {live:>14} {requests:>13} {:>8.2}", self.of(own))
    }
}

impl Server {
    fn new(arguments: &Arguments) -> Result<Server, String> {
        let folder = target().join("server");
        std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        let (program, library) = (folder.join("server"), folder.join("preload.so"));
        compile("crates/launch/tests/programs/server.c", &program)?;
        // One of an earlier run would be refused: it is not the library that this run compiled.
        match std::fs::remove_file(&library) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(format!("cannot remove {}: {error}", library.display()));
            }
            _ => {}
        }
        let put = format!("env.HEAPSMITH_LIBRARY={:?}", library.display().to_string());
        let place = ["run", "--quiet", "--package", "heapsmith-launch", "--example", "place", "--config", &put, "--"];
        cargo(&[&place[..], &["malloc"]].concat())?;
        let Arguments { minutes, workers, connections } = arguments;
        let words = [workers.to_string(), connections.to_string(), format!("{}s", minutes * 60)];
        Ok(Server { program, library, words })
    }

    fn measure(&self, heap: Option<&str>) -> Result<Measured, String> {
        let mut command = Command::new(&self.program);
        command.args(&self.words);
        if let Some(heap) = heap {
            command.env("LD_PRELOAD", &self.library).env("HEAPSMITH_HEAP", heap);
        }
        let output = command.output().map_err(|error| format!("cannot run the server: {error}"))?;
        let shown = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<u64> = shown.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [peak, resident, live, requests] => Ok(Measured { peak, resident, live, requests }),
            _ => Err(format!("the server ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
        }
    }
}
