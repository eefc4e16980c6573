//! A process that is started under limits, and what became of it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Exit codes that `heapsmith --help` names.
const DOCUMENTED: [i32; 6] = [0, 1, 2, 3, 4, 130];

/// How long a process that was asked to end may take for it.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// So much of what a process printed is read, in bytes.
const READ: u64 = 1 << 20;

/// A process about to start, in a group of its own.
pub struct Launch {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    folder: PathBuf,
    /// It must end within this time; else it is asked to, and killed if it does not.
    limit: Duration,
    /// Its address space, in bytes; 0 for no limit.
    memory: u64,
    stdout: Option<Stdio>,
}

impl Launch {
    /// A program that will run in a folder.
    pub fn new(program: impl AsRef<OsStr>, folder: &Path) -> Launch {
        Launch {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: folder.to_owned(),
            limit: Duration::from_secs(60),
            memory: 0,
            stdout: None,
        }
    }

    /// More arguments.
    pub fn arguments<S: AsRef<OsStr>>(&mut self, arguments: &[S]) -> &mut Launch {
        self.arguments.extend(arguments.iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// One more variable of its environment.
    pub fn environment(&mut self, name: &str, value: impl AsRef<OsStr>) -> &mut Launch {
        self.environment.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// It runs in this folder.
    pub fn inside(&mut self, folder: &Path) -> &mut Launch {
        folder.clone_into(&mut self.folder);
        self
    }

    /// Its limit of time, in seconds.
    pub fn within(&mut self, seconds: u64) -> &mut Launch {
        self.limit = Duration::from_secs(seconds);
        self
    }

    /// Its limit of address space, in bytes.
    pub fn memory(&mut self, bytes: u64) -> &mut Launch {
        self.memory = bytes;
        self
    }

    /// Its standard output goes elsewhere.
    pub fn stdout(&mut self, stdout: Stdio) -> &mut Launch {
        self.stdout = Some(stdout);
        self
    }

    /// Starts it.
    pub fn start(&mut self) -> Result<Running, String> {
        let mut command = match self.memory {
            0 => Command::new(&self.program),
            bytes => {
                let mut shell = Command::new("sh");
                let script = format!("ulimit -v {}; exec \"$0\" \"$@\"", bytes / 1024);
                shell.args(["-c", &script]).arg(&self.program);
                shell
            }
        };
        // Printed into files outside of the folder, so that the folder has only what the process left there.
        let printed = tempfile::tempdir_in(self.folder.parent().unwrap_or(&self.folder));
        let printed = printed.map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let file =
            |name: &str| File::create(printed.path().join(name)).map_err(|error| format!("cannot write: {error}"));
        let stdout = match self.stdout.take() {
            Some(stdout) => stdout,
            None => file("stdout")?.into(),
        };
        command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("COLUMNS", "1000")
            .env("RUST_BACKTRACE", "0")
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(file("stderr")?)
            .process_group(0);
        let child = command.spawn().map_err(|error| format!("cannot run {}: {error}", self.program.display()))?;
        let words = std::iter::once(&self.program).chain(&self.arguments).map(|word| shown(word)).collect::<Vec<_>>();
        Ok(Running { child, printed, limit: self.limit, began: Instant::now(), words: words.join(" ") })
    }

    /// Starts it, and waits until it ends.
    pub fn run(&mut self) -> Result<Launched, String> {
        self.start()?.wait()
    }
}

/// A process that was started. Whatever is left of its group is killed when this goes.
pub struct Running {
    child: Child,
    printed: tempfile::TempDir,
    limit: Duration,
    began: Instant,
    words: String,
}

impl Running {
    /// The process's number, which is also its group's.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for so long, or until it ends; whether it runs still.
    pub fn runs_after(&mut self, time: Duration) -> Result<bool, String> {
        let until = Instant::now() + time;
        // A short wait at first, as most end soon.
        let mut nap = Duration::from_micros(500);
        loop {
            if self.ended()?.is_some() {
                return Ok(false);
            }
            let now = Instant::now();
            if now >= until {
                return Ok(true);
            }
            std::thread::sleep(nap.min(until - now));
            nap = (nap * 2).min(Duration::from_millis(20));
        }
    }

    /// Kills it at once.
    pub fn kill(&mut self) -> Result<(), String> {
        self.child.kill().map_err(|error| format!("cannot kill {}: {error}", self.words))?;
        self.child.wait().map(drop).map_err(|error| format!("cannot wait for {}: {error}", self.words))
    }

    /// Waits until it ends; when its time is over it is asked to end, then killed.
    pub fn wait(mut self) -> Result<Launched, String> {
        let left = self.limit.saturating_sub(self.began.elapsed());
        let late = self.runs_after(left)?;
        let mut hung = false;
        if late {
            signal("TERM", self.id());
            hung = self.runs_after(LAST_WORDS)?;
            if hung {
                signal("KILL", self.id());
            }
        }
        let status = self.child.wait().map_err(|error| format!("cannot wait for {}: {error}", self.words))?;
        let read = |name: &str| {
            let mut text = Vec::new();
            // What was printed elsewhere is empty here.
            let _ = File::open(self.printed.path().join(name)).and_then(|file| file.take(READ).read_to_end(&mut text));
            text
        };
        let (out, err) = (read("stdout"), read("stderr"));
        Ok(Launched { code: status.code(), signal: status.signal(), late, hung, out, err, words: self.words.clone() })
    }

    fn ended(&mut self) -> Result<Option<ExitStatus>, String> {
        self.child.try_wait().map_err(|error| format!("cannot wait for {}: {error}", self.words))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        signal("KILL", self.id());
        let _ = self.child.wait();
    }
}

/// Sends a signal to a group of processes, if there still is one.
pub fn signal(name: &str, group: u32) {
    let to = format!("-{group}");
    let _ = Command::new("kill").args(["-s", name, "--", &to]).stderr(Stdio::null()).status();
}

/// The outcome of a process.
pub struct Launched {
    /// The exit code, unless a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it ended only when it was asked to.
    pub late: bool,
    /// Whether it did not even then.
    pub hung: bool,
    /// The first megabyte of what it printed.
    pub out: Vec<u8>,
    /// The same of standard error.
    pub err: Vec<u8>,
    words: String,
}

impl Launched {
    /// Fails unless it ended in time, without a signal or a panic, and with a documented code.
    pub fn is_documented(&self) -> Result<(), String> {
        if self.late {
            return Err(self.describe("did not end in time"));
        }
        self.ends_when_asked()
    }

    /// The same, for work that has no end before it is asked to: then it ends soon.
    pub fn ends_when_asked(&self) -> Result<(), String> {
        if self.hung {
            return Err(self.describe("did not end when it was asked to"));
        }
        if contains(&self.err, b"panicked at") || contains(&self.out, b"panicked at") {
            return Err(self.describe("panicked"));
        }
        match (self.code, self.signal) {
            (Some(code), _) if DOCUMENTED.contains(&code) => Ok(()),
            (Some(code), _) => Err(self.describe(&format!("ended with the code {code}, which is not documented"))),
            // What has nothing to keep may leave an interruption to the system.
            (None, Some(15)) if self.late => Ok(()),
            (None, signal) => Err(self.describe(&format!("was ended by signal {}", signal.unwrap_or(0)))),
        }
    }

    /// What it was, what it did, and the end of what it said.
    pub fn describe(&self, what: &str) -> String {
        let text = String::from_utf8_lossy(&self.err);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(4)..].join(" | ");
        let code = self.code.map_or(String::new(), |code| format!(" (exit code {code})"));
        format!("{what}{code}: {}\n    {}", self.words, shortened(&last, 600))
    }

    /// Whether standard error has these words.
    pub fn says(&self, words: &str) -> bool {
        contains(&self.err, words.as_bytes())
    }
}

fn contains(text: &[u8], words: &[u8]) -> bool {
    text.windows(words.len()).any(|part| part == words)
}

/// A word as one would type it, at most 300 characters of it.
fn shown(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=:,%+".contains(c));
    shortened(&if plain { text.into_owned() } else { format!("{text:?}") }, 300)
}

fn shortened(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    format!("{}… ({} characters)", text.chars().take(max).collect::<String>(), text.chars().count())
}
