//! Starting a Java program with the agent in its virtual machine (JVM).
//!
//! Every JVM reads `JAVA_TOOL_OPTIONS`, however it is started, so those that a program starts
//! record too. It says so in a line on standard error, which nothing keeps it from.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use heapsmith_launch::find;
use heapsmith_trace::Bytes;

use crate::file::Recording;
use crate::format::header;

/// A Java program to record.
#[derive(Debug)]
pub struct JavaLaunch<'a> {
    /// The program and its arguments: `java …`, or what starts it.
    pub command: &'a [OsString],
    /// The agent.
    pub agent: &'a Path,
    /// An absolute path of a folder for the recordings.
    pub folder: &'a Path,
    /// Bytes after whose allocation the JVM is made to collect; nothing where it collects when it likes.
    pub gc_every: Option<Bytes>,
}

impl JavaLaunch<'_> {
    /// The program as it is to be started; standard input, output and error are the caller's own.
    pub fn command(&self) -> Command {
        let program = self.command.first().map(OsString::as_os_str).unwrap_or(OsStr::new(""));
        let mut command = Command::new(program);
        command
            .args(self.command.iter().skip(1))
            .env("JAVA_TOOL_OPTIONS", self.options())
            .env("HEAPSMITH_RECORD", self.folder)
            .env_remove("HEAPSMITH_SAMPLE");
        command
    }

    /// The agent after the options that are there anyway.
    fn options(&self) -> OsString {
        let mut options = std::env::var_os("JAVA_TOOL_OPTIONS").unwrap_or_default();
        if !options.is_empty() {
            options.push(" ");
        }
        options.push("-agentpath:");
        options.push(self.agent);
        if let Some(Bytes(every)) = self.gc_every {
            options.push(format!("=collect={every}"));
        }
        options
    }
}

/// What a recording of a JVM cannot say, and how it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Java {
    /// Collections that the JVM reported: its own, and those on request.
    pub collections: u64,
    /// Bytes between two collections on request; 0 for none.
    pub gc_every: u64,
    /// Objects that were there before the program began; they are not in the trace.
    pub early_objects: u64,
    /// Their bytes.
    pub early_bytes: u64,
    /// Other objects without a tag in the heap when the JVM ended: what HotSpot fills holes with, and clones, which lose
    /// their tag in later versions (they are in the trace); 0 where the JVM did not end in order.
    pub unseen_objects: u64,
    /// Their bytes.
    pub unseen_bytes: u64,
}

impl Java {
    /// What the header of a recording says; nothing when it is not of a JVM.
    pub(crate) fn of(recording: &Recording, collections: u64) -> Option<Java> {
        (recording.word(header::JAVA) == 1).then(|| Java {
            collections,
            gc_every: recording.word(header::COLLECT_EVERY),
            early_objects: recording.word(header::EARLY_OBJECTS),
            early_bytes: recording.word(header::EARLY_OBJECTS + 1),
            unseen_objects: recording.word(header::UNSEEN_OBJECTS),
            unseen_bytes: recording.word(header::UNSEEN_OBJECTS + 1),
        })
    }

    /// Names and values for a trace's origin.
    pub(crate) fn settings(&self) -> [(&'static str, u64); 6] {
        [
            ("collections", self.collections),
            ("java-collect", self.gc_every),
            ("early-objects", self.early_objects),
            ("early-bytes", self.early_bytes),
            ("unseen-objects", self.unseen_objects),
            ("unseen-bytes", self.unseen_bytes),
        ]
    }
}

/// What is most likely the cause that no JVM was recorded, and what to do.
pub fn why_no_jvm_was_recorded(program: &OsStr) -> String {
    let shown = find(program).map_or_else(|| program.display().to_string(), |path| path.display().to_string());
    format!(
        "no Java virtual machine of version 11 or later ran in it. If {shown} is no Java program, leave out --java: \
         heapsmith record -- {} …. If it is one and the JVM said above that it cannot, run it with JDK 11 or later \
         (java -version prints it), and see that JAVA_TOOL_OPTIONS and HEAPSMITH_RECORD reach it",
        program.display()
    )
}
