//! One run of a program with an allocator before it: figures, output, witnesses.
//!
//! ```text
//!   timeout ─▶ [heapsmith run ─▶] measure ─▶ the program, and what it starts
//!                                    │            └─▶ witness of each process
//!                                    └─▶ figures
//! ```

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::allocators::Allocator;
use super::instruments::Instruments;
use super::program::{Client, Task, Words};
use super::witness::{self, Witness};

/// One run, finished.
#[derive(Clone, Debug)]
pub struct Run {
    /// By the clock.
    pub clock: Duration,
    /// Of processors, for the program and for the system on its behalf.
    pub processors: Duration,
    /// Most bytes resident in one of its processes.
    pub peak: u64,
    /// What is compared.
    pub output: String,
    /// Whose malloc its processes called.
    pub witnesses: Vec<Witness>,
}

/// A place to run in.
pub struct Launcher<'a> {
    /// What measures.
    pub instruments: &'a Instruments,
    /// The folder of the program's scratch folder and of its output.
    pub folder: &'a Path,
}

/// How long a server may take to answer.
const START: Duration = Duration::from_secs(20);

/// Exit code of `timeout` where the time was over.
const TIME_IS_OVER: i32 = 124;

impl Launcher<'_> {
    /// The folder that is empty when a program starts.
    pub fn scratch(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    /// Runs a task; what went wrong otherwise, crash and time limit too.
    pub fn launch(&self, task: &Task, allocator: &Allocator, c_library: &Path, limit: Duration) -> Result<Run, String> {
        let library = match &allocator.library {
            Some(library) => library.display().to_string(),
            None if task.brings_allocator && allocator.before.is_empty() => c_library.display().to_string(),
            None => String::new(),
        };
        self.empty()?;
        let child = self.start(task, &allocator.before, &library, limit)?;
        let (clients, clock) = self.finish(task, child, limit)?;
        self.collect(task, clients, clock)
    }

    /// Runs a task once more on glibc; how often all of its processes called malloc and its relatives.
    pub fn count(&self, task: &Task, c_library: &Path, limit: Duration) -> Result<u64, String> {
        let count = self.instruments.count.display();
        let library =
            if task.brings_allocator { format!("{count}:{}", c_library.display()) } else { count.to_string() };
        self.empty()?;
        let child = self.start(task, &[], &library, limit)?;
        self.finish(task, child, limit)?;
        let bytes =
            std::fs::read(self.folder.join("count")).map_err(|error| format!("nothing was counted: {error}"))?;
        let bytes = bytes.try_into().map_err(|_| "the count is not 8 bytes")?;
        Ok(u64::from_ne_bytes(bytes))
    }

    fn empty(&self) -> Result<(), String> {
        let scratch = self.scratch();
        let _ = std::fs::remove_dir_all(&scratch);
        for name in ["figures", "witness", "count"] {
            let _ = std::fs::remove_file(self.folder.join(name));
        }
        std::fs::create_dir_all(&scratch).map_err(|error| format!("cannot make {}: {error}", scratch.display()))
    }

    fn start(&self, task: &Task, before: &[String], library: &str, limit: Duration) -> Result<Child, String> {
        let file = |name: &str| {
            File::create(self.folder.join(name)).map_err(|error| format!("cannot write the program's output: {error}"))
        };
        let Instruments { measure, witness, .. } = self.instruments;
        Command::new("timeout")
            .args(["--kill-after=5", &format!("{}s", limit.as_secs())])
            .args(before)
            .arg(measure)
            .args([&self.folder.join("figures"), witness])
            .arg(library)
            .args(&task.command)
            .env("LC_ALL", "C.UTF-8")
            .env("REAL_WITNESS", self.folder.join("witness"))
            .env("REAL_COUNT", self.folder.join("count"))
            .envs(task.environment.iter().map(|(key, value)| (key, value)))
            .current_dir(self.scratch())
            .stdin(Stdio::null())
            .stdout(file("stdout")?)
            .stderr(file("stderr")?)
            .spawn()
            .map_err(|error| format!("cannot run timeout, which coreutils has: {error}"))
    }

    /// Waits for the end of a program, or of a server whose clients have done what they do.
    fn finish(&self, task: &Task, mut child: Child, limit: Duration) -> Result<(String, Option<Duration>), String> {
        let served = task.client.as_ref().map(|client| serve(client, &mut child));
        if matches!(&served, Some(Err(_))) && child.try_wait().is_ok_and(|ended| ended.is_none()) {
            // `timeout` hands the signal on to all that it started.
            let _ = Command::new("kill").arg(child.id().to_string()).status();
        }
        let status = child.wait().map_err(|error| format!("cannot wait for the program: {error}"))?;
        match (status.code(), served) {
            (Some(TIME_IS_OVER), _) => Err(format!("stopped after {} s", limit.as_secs())),
            (Some(0), None) => Ok((String::new(), None)),
            (Some(0), Some(Ok((output, clock)))) => Ok((output, Some(clock))),
            (Some(0), Some(Err(error))) => Err(error),
            (_, served) => Err(self.ended(status.code(), served.and_then(Result::err))),
        }
    }

    /// How a program ended that did not end well.
    fn ended(&self, code: Option<i32>, served: Option<String>) -> String {
        let how = match code {
            Some(code @ 129..) => format!("killed by signal {}", code - 128),
            Some(code) => format!("exit code {code}"),
            None => "killed".to_owned(),
        };
        let tail = |name: &str| {
            let text = std::fs::read(self.folder.join(name)).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            text.lines().rev().find(|line| !line.trim().is_empty()).map(|line| format!("; {name}: {line}"))
        };
        [Some(how), served.map(|error| format!("; {error}")), tail("stdout"), tail("stderr")]
            .into_iter()
            .flatten()
            .collect()
    }

    fn collect(&self, task: &Task, clients: String, clock: Option<Duration>) -> Result<Run, String> {
        let read = |name: &str| {
            let bytes =
                std::fs::read(self.folder.join(name)).map_err(|error| format!("cannot read {name}: {error}"))?;
            Ok::<_, String>(String::from_utf8_lossy(&bytes).into_owned())
        };
        let figures = Figures::parse(&read("figures")?)?;
        let mut output = (task.lasting)(&read("stdout")?) + &clients;
        for command in &task.evidence {
            output += &client(command)?;
        }
        if !output.contains(task.proof) {
            return Err(format!("its output has no {:?}", task.proof));
        }
        Ok(Run {
            clock: clock.unwrap_or(figures.clock),
            processors: figures.processors,
            peak: figures.peak,
            output,
            witnesses: witness::parse(&read("witness")?)?,
        })
    }
}

/// Lets clients do what they do; their output that is compared, and the time of all of it.
fn serve(clients: &Client, server: &mut Child) -> Result<(String, Duration), String> {
    let began = Instant::now();
    while let Err(error) = client(&clients.ready) {
        if began.elapsed() > START || server.try_wait().is_ok_and(|ended| ended.is_some()) {
            return Err(format!("the server does not answer: {error}"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let began = Instant::now();
    let mut output = String::new();
    for step in &clients.steps {
        let printed = client(&step.command)?;
        if step.compared {
            output += &printed;
        }
    }
    let clock = began.elapsed();
    // The server may close the connection before it answers.
    let _ = client(&clients.stop);
    Ok((output, clock))
}

/// Runs a program without the allocator; what it prints.
fn client(command: &Words) -> Result<String, String> {
    let output = Command::new(&command[0])
        .args(&command[1..])
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run {}: {error}", command[0]))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let said = text + &String::from_utf8_lossy(&output.stderr);
    Err(format!("{} failed: {}", command.join(" "), said.trim()))
}

/// What `measure` writes.
struct Figures {
    clock: Duration,
    processors: Duration,
    peak: u64,
}

impl Figures {
    fn parse(line: &str) -> Result<Figures, String> {
        let numbers: Option<Vec<u64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[clock, processors, peak, _]) => Ok(Figures {
                clock: Duration::from_nanos(clock),
                processors: Duration::from_micros(processors),
                peak: peak * 1024,
            }),
            _ => Err(format!("figures of a run are {line:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Figures;
    use std::time::Duration;

    #[test]
    fn figures_have_the_units_of_measure() {
        let figures = Figures::parse("1500000000 250000 2048 0\n").expect("a line");
        assert_eq!(figures.clock, Duration::from_millis(1500));
        assert_eq!(figures.processors, Duration::from_millis(250));
        assert_eq!(figures.peak, 2 << 20);
        assert!(Figures::parse("1500000000 250000 2048").is_err());
    }
}
