//! A thread that is traced, from stop to stop.

use std::fs::File;
use std::io;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::attach::AttachError;
use crate::attach::process::Running;
use crate::process_memory::process_memory;

/// How long a stop that was asked for may take.
pub const SOON: Duration = Duration::from_secs(10);

/// Begins to trace a thread and stops it; nothing if it is gone.
pub fn seize(running: &Running, thread: Pid) -> Result<Option<File>, AttachError> {
    let memory = process_memory(running.process()).map_err(|error| of_memory(running, error))?;
    match ptrace::seize(thread, Options::PTRACE_O_TRACESYSGOOD) {
        Ok(()) => {}
        Err(Errno::ESRCH) => return Ok(None),
        Err(Errno::EPERM) => return Err(AttachError::NotPermitted(running.process())),
        Err(error) => return Err(system(error)),
    }
    ptrace::interrupt(thread).map_err(system)?;
    Ok(Some(memory))
}

/// The next stop, which the thread is asked for if none comes by itself.
pub fn wait_or_interrupt(thread: Pid, until: Instant) -> Result<Stop, AttachError> {
    match wait(thread, until) {
        Err(AttachError::NotHeld(..)) => {
            ptrace::interrupt(thread).map_err(system)?;
            wait(thread, Instant::now() + SOON)
        }
        other => other,
    }
}

/// Why a thread stopped.
pub enum Stop {
    /// As it was asked to, or with its whole process.
    Held,
    /// It is about to make a system call, or has made one.
    Call,
    /// It is about to get a signal.
    Signal(Signal),
    /// It has ended.
    Gone,
}

pub fn wait(thread: Pid, until: Instant) -> Result<Stop, AttachError> {
    let begun = Instant::now();
    loop {
        match waitpid(thread, Some(WaitPidFlag::WNOHANG | WaitPidFlag::__WALL)) {
            Ok(WaitStatus::StillAlive) => {}
            Ok(WaitStatus::PtraceSyscall(_)) => return Ok(Stop::Call),
            Ok(WaitStatus::PtraceEvent(..)) => return Ok(Stop::Held),
            Ok(WaitStatus::Stopped(_, signal)) => return Ok(Stop::Signal(signal)),
            Ok(_) | Err(Errno::ECHILD | Errno::ESRCH) => return Ok(Stop::Gone),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(system(error)),
        }
        let now = Instant::now();
        if now > until {
            return Err(AttachError::NotHeld(thread.as_raw() as u32, 0));
        }
        // Stops come within microseconds, and the thread does nothing until they are seen. Who sleeps for a moment is woken
        // before those that work; who yields is not.
        if now - begun > Duration::from_micros(30) {
            std::thread::sleep(Duration::from_micros(20));
        }
    }
}

fn of_memory(running: &Running, error: io::Error) -> AttachError {
    match error.kind() {
        io::ErrorKind::PermissionDenied => AttachError::NotPermitted(running.process()),
        _ => AttachError::Gone,
    }
}

pub fn system(error: Errno) -> AttachError {
    match error {
        Errno::ESRCH => AttachError::Gone,
        error => AttachError::System(io::Error::from_raw_os_error(error as i32)),
    }
}
