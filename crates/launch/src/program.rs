//! A program, started with a library before its allocator, and how it ended.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::Library;

/// The program as it is to be started, with these libraries, the first one first, before what is to be preloaded anyway;
/// standard input, output and error are the caller's own.
pub fn preloading(libraries: &[&Path], command: &[OsString]) -> Command {
    let program = command.first().map(OsString::as_os_str).unwrap_or(OsStr::new(""));
    let others = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty());
    let all: Vec<OsString> = libraries.iter().map(OsString::from).chain(others).collect();
    let preload = all.join(OsStr::new(":"));
    let mut started = Command::new(program);
    started.args(command.iter().skip(1)).env("LD_PRELOAD", preload);
    started
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It ended itself, with this code.
    Code(u8),
    /// A signal ended it.
    Signal(i32),
}

impl Ended {
    /// The exit code with the same meaning, as in shells: 128 and the signal's number.
    pub fn code(self) -> u8 {
        match self {
            Ended::Code(code) => code,
            Ended::Signal(signal) => 128_u8.wrapping_add(signal as u8),
        }
    }
}

/// The signal that the system sends where a filter of system calls (seccomp) forbids one.
const BAD_SYSTEM_CALL: i32 = 31;

impl Ended {
    /// What is to be said of `program` where a signal ended it, for a program that was started with `library`.
    pub fn by_signal(self, program: &OsStr, library: Library) -> Option<String> {
        let Ended::Signal(signal) = self else { return None };
        let shown = program.display();
        if signal != BAD_SYSTEM_CALL {
            return Some(format!("{shown} was ended by signal {signal}"));
        }
        Some(format!(
            "{shown} was ended by signal {signal} (SIGSYS): a filter of system calls (seccomp) forbids one that it made, or one \
             of the library's; that calls {}",
            library.system_calls()
        ))
    }
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Ended {
        match status.signal() {
            Some(signal) => Ended::Signal(signal),
            None => Ended::Code(status.code().unwrap_or(0) as u8),
        }
    }
}
