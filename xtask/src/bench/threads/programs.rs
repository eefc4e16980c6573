//! The programs: those of examples/threads, the threaded sort of `cargo xtask real`, and redis with threads for its sockets.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::run::{answers, compile, output};

/// A program that allocates in threads.
pub struct Program {
    /// Its name in tables.
    pub name: &'static str,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Of a server: what its clients do once it answers, and what ends it.
    clients: Option<Clients>,
}

struct Clients {
    ready: Vec<String>,
    load: Vec<String>,
    end: Vec<String>,
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// All programs.
pub fn all(folder: &Path) -> Result<Vec<Program>, String> {
    let built = |source: &str| {
        let program = folder.join(Path::new(source).file_stem().unwrap_or_default());
        compile(source, &program).map(|()| program.display().to_string())
    };
    let [larson, mstress, xmalloc] =
        ["larson", "mstress", "xmalloc"].map(|name| built(&format!("examples/threads/{name}.c")));
    let (larson, mstress, xmalloc, strings) = (larson?, mstress?, xmalloc?, built("xtask/real/strings.c")?);
    let own = |name, command| Program { name, command, clients: None };
    Ok(vec![
        own("larson", words(&[&larson, "2", "1000", "100000", "3"])),
        own("mstress", words(&[&mstress, "2", "30000", "8"])),
        own("xmalloc", words(&[&xmalloc, "1", "1500"])),
        own("strings", words(&[&strings, "2", "20000", "3"])),
        redis(),
    ])
}

/// redis reads and writes its sockets with two threads, under a load of several kinds of commands.
fn redis() -> Program {
    // Paths of sockets are short; nobody else has this process's number.
    let socket = std::env::temp_dir().join(format!("redis-{}.socket", std::process::id())).display().to_string();
    let cli = |command: &[&str]| words(&[&["redis-cli", "-s", &socket], command].concat());
    let threads = ["--io-threads", "2", "--io-threads-do-reads", "yes"];
    let server = ["redis-server", "--port", "0", "--unixsocket", &socket, "--save", "", "--appendonly", "no"];
    let load = ["redis-benchmark", "-s", &socket, "-q", "-n", "20000", "-r", "5000", "-d", "200", "-P", "16", "-t"];
    Program {
        name: "redis",
        command: words(&[&server[..], &threads].concat()),
        clients: Some(Clients {
            ready: cli(&["ping"]),
            load: words(&[&load[..], &["set,get,lpush,rpop,hset,lrange_100,mset"]].concat()),
            end: cli(&["shutdown", "nosave"]),
        }),
    }
}

impl Program {
    /// Runs it behind the words of a command of heapsmith that starts it; of a server until its clients have done their work.
    pub fn run(&self, before: &mut Command) -> Result<(), String> {
        let command = before.arg("--").args(&self.command).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| format!("cannot start {}: {error}", self.name))?;
        let served = self.clients.as_ref().map_or(Ok(()), Clients::work);
        let output = child.wait_with_output().map_err(|error| format!("{}: {error}", self.name))?;
        served?;
        match output.status.success() {
            true => Ok(()),
            false => Err(format!("{} failed: {}", self.name, String::from_utf8_lossy(&output.stderr))),
        }
    }
}

impl Clients {
    fn work(&self) -> Result<(), String> {
        let asked = |command: &[String]| {
            let (program, arguments) = command.split_first().ok_or("a client without a command")?;
            output(program, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
        };
        answers(|| asked(&self.ready))?;
        let loaded = asked(&self.load);
        asked(&self.end)?;
        loaded.map(|_| ())
    }
}
