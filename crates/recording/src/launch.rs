//! Starting a program with the recorder in front of its allocator.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// A program to record.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The program and its arguments.
    pub command: &'a [OsString],
    /// The library to preload.
    pub library: &'a Path,
    /// An absolute path of a folder for the recordings.
    pub folder: &'a Path,
    /// The most frames of a call site; 0 to record none.
    pub frames: u8,
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
    /// The exit code that tells the same, as shells do it: 128 and the signal's number.
    pub fn code(self) -> u8 {
        match self {
            Ended::Code(code) => code,
            Ended::Signal(signal) => 128_u8.wrapping_add(signal as u8),
        }
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

impl Launch<'_> {
    /// The program as it is to be started; standard input, output and error are the caller's own.
    pub fn command(&self) -> Command {
        let program = self.command.first().map(OsString::as_os_str).unwrap_or(OsStr::new(""));
        let mut command = Command::new(program);
        command
            .args(self.command.iter().skip(1))
            .env("LD_PRELOAD", self.preload())
            .env("HEAPSMITH_RECORD", self.folder)
            .env("HEAPSMITH_SITES", self.frames.to_string());
        command
    }

    /// The recorder first, then what was to be preloaded anyway.
    fn preload(&self) -> OsString {
        let mut preload = OsString::from(self.library);
        if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
            preload.push(":");
            preload.push(others);
        }
        preload
    }

    /// The recordings in the folder.
    ///
    /// # Errors
    ///
    /// What the system says when the folder cannot be read.
    pub fn recordings(folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == "recording") {
                found.push(path);
            }
        }
        found.sort();
        Ok(found)
    }
}
