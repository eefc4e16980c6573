//! Starting a program with the recorder in front of its allocator.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_launch::preloading;

use crate::OwnFunctions;

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
    /// One block in this many is recorded; 1 for all.
    pub every: u32,
    /// The library that is to serve the program; its own allocator without.
    pub allocator: Option<&'a Path>,
    /// The functions that are recorded in place of `malloc`, in processes of the program that has them.
    pub own: Option<&'a OwnFunctions>,
}

impl Launch<'_> {
    /// The program as it is to be started; standard input, output and error are the caller's own.
    pub fn command(&self) -> Command {
        let libraries: Vec<&Path> = [self.library].into_iter().chain(self.allocator).collect();
        let mut command = preloading(&libraries, self.command);
        command.env("HEAPSMITH_RECORD", self.folder).env("HEAPSMITH_SITES", self.frames.to_string());
        command.env("HEAPSMITH_SAMPLE", self.every.to_string());
        command.envs(self.own.map(OwnFunctions::variable));
        command
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
