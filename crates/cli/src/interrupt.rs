//! Ctrl-C: the first asks the job to stop and keep what it has, the second ends at once. A job that keeps nothing ends at the
//! first. However it ends, no progress bar is left on the terminal, and no process that it started.
//!
//! ```text
//!   terminal ──Ctrl-C──▶ heapsmith ─ a program runs ─▶ nothing: the terminal reaches the program too
//!   kill(2) ──SIGTERM──▶ heapsmith ─ a program runs ─▶ the same signal, passed on
//!                                  └ none runs ──────▶ the job stops
//! ```

use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError, mpsc};
use std::{fs, io, thread};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::Origin;

use crate::console::note;

static STOP: AtomicBool = AtomicBool::new(false);
/// Whether somebody looks at the flag.
static IS_CAUGHT: AtomicBool = AtomicBool::new(false);
static HANDLER: Once = Once::new();
/// What is left to do when Ctrl-C ends the job.
static AT_END: OnceLock<fn()> = OnceLock::new();
/// The user's program, while one runs.
static PROGRAM: Mutex<Option<Pid>> = Mutex::new(None);

/// Catches Ctrl-C and termination from here on; the flag is raised when one comes. Where the system refuses the
/// thread that this takes, Ctrl-C ends the job at once, which loses nothing that is kept.
pub fn catch() -> &'static AtomicBool {
    IS_CAUGHT.store(true, Ordering::Relaxed);
    if let Err(error) = handle() {
        note!("heapsmith: Ctrl-C ends this at once, as it cannot be caught: {error}");
    }
    &STOP
}

/// Has something done when Ctrl-C ends the job.
pub fn at_end(job: fn()) {
    let _ = AT_END.set(job);
    end_with_all();
}

/// From here on Ctrl-C and termination end what this process started, too.
pub fn end_with_all() {
    // Without it a bar or a compiler stays, and nothing is lost.
    let _ = handle();
}

/// Lets a program of the user's run, started by `start` and awaited by `wait`. It decides how to react to what ends jobs: until
/// it has ended, such a signal is the program's.
///
/// # Errors
///
/// That of `start`.
pub fn while_it_runs<T>(
    start: impl FnOnce() -> io::Result<Child>,
    wait: impl FnOnce(&mut Child) -> T,
) -> io::Result<T> {
    let mut child = {
        // A signal that comes in between is passed on after it.
        let mut program = program();
        end_with_all();
        let child = start()?;
        *program = Some(Pid::from_child(&child));
        child
    };
    let outcome = wait(&mut child);
    *program() = None;
    Ok(outcome)
}

fn program() -> MutexGuard<'static, Option<Pid>> {
    PROGRAM.lock().unwrap_or_else(PoisonError::into_inner)
}

fn handle() -> Result<(), String> {
    let mut outcome = Ok(());
    HANDLER.call_once(|| {
        let (told, is_ready) = mpsc::channel();
        // A handler without its thread would swallow Ctrl-C.
        let thread = thread::Builder::new().spawn(move || match SignalsInfo::<WithOrigin>::new(caught()) {
            Ok(mut signals) => {
                let _ = told.send(Ok(()));
                signals.forever().for_each(|origin| take(&origin));
            }
            Err(error) => drop(told.send(Err(error))),
        });
        let ready = thread.and_then(|_| is_ready.recv().unwrap_or_else(|_| Err(io::ErrorKind::Other.into())));
        outcome = ready.map_err(|error| error.to_string());
    });
    outcome
}

/// The signals that end jobs, but for those that this process was started to ignore (nohup): the programs that it starts ignore
/// them then, too.
fn caught() -> impl Iterator<Item = i32> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    let ignored = ignored.unwrap_or(0);
    [SIGHUP, SIGINT, SIGTERM].into_iter().filter(move |signal| ignored >> (signal - 1) & 1 == 0)
}

/// Waits for an interrupt that is ending this process: what it does to others must not look like a failure of theirs.
pub fn settle() {
    drop(program());
}

fn take(origin: &Origin) {
    let program = program();
    if let Some(program) = *program {
        // A terminal reaches the program by itself, and it may take a second Ctrl-C for the wish to end at once.
        if origin.process.is_some()
            && let Some(signal) = Signal::from_named_raw(origin.signal)
        {
            // A program that has just ended needs none.
            let _ = kill_process(program, signal);
        }
    } else if STOP.swap(true, Ordering::Relaxed) || !IS_CAUGHT.load(Ordering::Relaxed) {
        AT_END.get().inspect(|job| job());
        heapsmith_launch::end_descendants(Signal::TERM);
        std::process::exit(130);
    }
}
