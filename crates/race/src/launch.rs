//! One run of a program on an entrant.
//!
//! ```text
//!   spawn, in a process group of its own ─▶ watch ─▶ [server: ready, load, end] ─▶ waitid ─▶ wait4 ─▶ Outcome
//!                                             └─ interrupt or limit: the group is killed
//! ```

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use heapsmith_launch::{Effect, Ended, Witness, end_descendants, preloading, why_it_had_no_effect};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, wait, waitid};
use wait4::Wait4;

use crate::effect::{self, Bindings};
use crate::entrant::{Entrant, Proof};
use crate::load::LoadFigures;
use crate::printed::Printed;
use crate::server;
use crate::watch::{Watch, own_record};

/// What every entrant is run on.
#[derive(Debug, Clone)]
pub struct Task {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// What it reads from standard input; nothing without.
    pub input: Option<PathBuf>,
    /// For a server: what is done with it.
    pub served: Option<Served>,
}

/// A server's load.
#[derive(Debug, Clone)]
pub struct Served {
    /// The load command, of a shell.
    pub load: String,
    /// A command that succeeds once the server is ready; without, it is when it listens.
    pub ready: Option<String>,
    /// The command that ends the server; without, it gets SIGTERM.
    pub stop: Option<String>,
}

/// A run that came to its end.
pub struct Outcome {
    /// Seconds of processors.
    pub processors: f64,
    /// Seconds by the clock.
    pub clock: f64,
    /// Bytes resident at the peak.
    pub peak: u64,
    /// Bytes resident on average.
    pub mean: f64,
    /// What the load command printed.
    pub load: LoadFigures,
    /// How it ended.
    pub ended: Ended,
    /// What it printed to standard output.
    pub printed: Printed,
    /// The last line of its standard error.
    pub last_error: Option<String>,
    /// Why the allocator did not serve it.
    pub no_effect: Option<String>,
    /// The libraries that served `malloc`, where the linker was asked.
    pub serving: Vec<PathBuf>,
}

/// Why a run gives nothing.
#[derive(Debug)]
pub enum LaunchError {
    /// The user stopped it.
    Interrupted,
    /// It took longer than the limit, and was ended.
    TooLong(Duration),
    /// The system, or the server.
    Other(String),
}

impl From<io::Error> for LaunchError {
    fn from(error: io::Error) -> LaunchError {
        LaunchError::Other(error.to_string())
    }
}

/// Between looks whether all have ended.
const LOOK: Duration = Duration::from_millis(10);

/// How a run is to be made.
pub struct Launcher<'a> {
    /// What is run.
    pub task: &'a Task,
    /// A private folder.
    pub folder: &'a Path,
    /// Set when the user stops it.
    pub stop: &'static AtomicBool,
}

impl Launcher<'_> {
    /// Runs the task on an entrant; `asks` the linker whose `malloc` it is, which takes time.
    pub fn launch(&self, entrant: &Entrant, limit: Duration, asks: bool) -> Result<Outcome, LaunchError> {
        let (printed, errors) = (Printed::new()?, Printed::new()?);
        let mut command = self.command(entrant, &printed, &errors)?;
        let witness = (entrant.proof == Proof::Witness).then(Witness::new).transpose()?;
        witness.iter().for_each(|witness| witness.announce(&mut command));
        if asks {
            effect::ask(&mut command, self.folder);
        }
        let own = own_record();
        let began = Instant::now();
        let mut child = command
            .spawn()
            .map_err(|error| LaunchError::Other(format!("cannot run {}: {error}", self.task.command[0].display())))?;
        let forced = Arc::new(AtomicBool::new(false));
        let watch = self.watch(&child, &forced, limit);
        let watch = watch.inspect_err(|_| end_group(&child))?;
        let loaded = self.task.served.as_ref().map(|served| {
            let loaded = server::load(served, &child, &|| has_ended(&child));
            loaded.inspect_err(|_| end_group(&child))
        });
        let name = heapsmith_launch::name_at_end(&child);
        let ended_at = Instant::now();
        let used = child.wait4()?;
        let samples = watch.end();
        // What a program left running has no part in the next run.
        end_all();
        if self.stop.load(Ordering::Relaxed) {
            return Err(LaunchError::Interrupted);
        }
        if forced.load(Ordering::Relaxed) {
            return Err(LaunchError::TooLong(limit));
        }
        let ended = Ended::from(used.status);
        let loaded = match loaded.transpose() {
            Ok(loaded) => loaded,
            Err(why) => {
                let last = errors.last_line().or_else(|| printed.last_line());
                return Err(LaunchError::Other(last.map_or(why.clone(), |last| format!("{why} (it said: {last})"))));
            }
        };
        let (from, to) = loaded.as_ref().map_or((began, ended_at), |loaded| (loaded.began, loaded.ended));
        // The record of a child begins with that of its parent, so it says something only above it.
        let record = Some(used.rusage.maxrss).filter(|&record| record > own).unwrap_or(0);
        let serving = asks.then(|| Bindings::of(self.folder, child.id())).flatten();
        let no_effect = match &witness {
            Some(witness) => {
                let witnessed = witness.read(ended, name)?;
                // What ends by a signal before it notes anything has failed anyway.
                let has_failed = matches!(ended, Ended::Signal(_)) && witnessed.effect == Effect::NotLoaded;
                if has_failed { None } else { why_it_had_no_effect(&self.task.command[0], &witnessed.effect) }
            }
            None => asks.then(|| self.binding_missed(entrant, serving.as_ref())).flatten(),
        };
        Ok(Outcome {
            processors: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
            clock: (to - from).as_secs_f64(),
            peak: samples.peak().max(record),
            mean: samples.mean(from, to),
            load: loaded.map(|loaded| loaded.figures).unwrap_or_default(),
            ended,
            last_error: errors.last_line(),
            printed,
            no_effect,
            serving: serving.iter().flat_map(Bindings::serving).map(Path::to_owned).collect(),
        })
    }

    fn command(&self, entrant: &Entrant, printed: &Printed, errors: &Printed) -> Result<Command, LaunchError> {
        let words = &self.task.command;
        let mut command = match &entrant.preload {
            Some(library) => preloading(&[library], words),
            None => {
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]);
                command
            }
        };
        let input = self.task.input.as_ref().map(File::open).transpose()?;
        for name in &entrant.unset {
            command.env_remove(name);
        }
        command
            .envs(entrant.environment.iter().map(|(name, value)| (name, value)))
            .stdin(input.map_or_else(Stdio::null, Stdio::from))
            .stdout(printed.handle()?)
            .stderr(errors.handle()?)
            .process_group(0);
        Ok(command)
    }

    fn watch(&self, child: &Child, forced: &Arc<AtomicBool>, limit: Duration) -> io::Result<Watch> {
        let (group, stop, forced) = (Pid::from_child(child), self.stop, Arc::clone(forced));
        Watch::begin(child.id(), move |elapsed| {
            let is_late = elapsed > limit;
            if is_late || stop.load(Ordering::Relaxed) {
                forced.store(is_late, Ordering::Relaxed);
                let _ = kill_process_group(group, Signal::KILL);
                return true;
            }
            false
        })
    }

    /// Why a reference allocator did not serve the program.
    fn binding_missed(&self, entrant: &Entrant, bindings: Option<&Bindings>) -> Option<String> {
        let library = entrant.preload.as_ref().filter(|_| entrant.proof == Proof::Binding)?;
        let shown = self.task.command[0].display();
        match bindings {
            Some(bindings) if bindings.are_to(library) => None,
            Some(_) => {
                Some(format!("{shown} never called malloc of {}: it has an allocator of its own", library.display()))
            }
            None => Some(format!(
                "nothing was preloaded into {shown}: it is linked statically, set-user-id, or not of the GNU C library"
            )),
        }
    }
}

/// From here on what programs leave behind, as daemons, becomes children of this process.
pub fn adopt() {
    #[cfg(target_os = "linux")]
    // Where the system refuses it, they stay.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Ends all that this process started or adopted.
fn end_all() {
    const TRIES: usize = 100;
    for _ in 0..TRIES {
        end_descendants(Signal::KILL);
        match wait(WaitOptions::NOHANG) {
            Ok(None) => thread::sleep(LOOK),
            Ok(Some(_)) => {}
            // There is none left.
            Err(_) => return,
        }
    }
}

/// Ends all that a program started in its process group.
fn end_group(child: &Child) {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

fn has_ended(child: &Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
}
