//! Why a running program could not be recorded.

use std::io;
use std::path::PathBuf;

use heapsmith_launch::LibraryError;

/// Why a running program could not be recorded, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttachError {
    /// The recorder does not know this system.
    #[error("running programs can be recorded on Linux on x86-64")]
    NotHere,
    /// There is no such process.
    #[error("no process {0} runs; pgrep NAME prints the numbers of processes")]
    NoProcess(u32),
    /// The number is that of a thread.
    #[error("{thread} is a thread of process {process}: use --pid {process}")]
    Thread {
        /// The number that was given.
        thread: u32,
        /// The process that it is of.
        process: u32,
    },
    /// The process ended meanwhile.
    #[error("the process ended before its recording began")]
    Gone,
    /// It may not be looked at or held.
    #[error(
        "process {0} may not be traced: run this as root, or as the process's own user where \
         /proc/sys/kernel/yama/ptrace_scope is 0; a container needs the capability SYS_PTRACE"
    )]
    NotPermitted(u32),
    /// A debugger holds it.
    #[error("process {process} is traced by process {by} (a debugger, strace); end that first")]
    Traced {
        /// The process.
        process: u32,
        /// Who traces it.
        by: u32,
    },
    /// Another heapsmith records it.
    #[error("process {0} is being recorded by another heapsmith")]
    Recorded(u32),
    /// It is not of this processor.
    #[error("{} is no program of 64 bits for x86-64", .0.display())]
    OtherProgram(PathBuf),
    /// Its system calls are restricted, and more so than here.
    #[error(
        "process {0} restricts its system calls (seccomp), and may be ended when it makes those that a recording needs; run this \
         inside of its container, or record it from its start: heapsmith record -- PROGRAM"
    )]
    Restricted(u32),
    /// Nothing can be loaded into it.
    #[error(
        "{} is linked statically, so nothing can be loaded into it; link it dynamically, or have it write a trace \
         (docs/reference/traces.md)",
        .0.display()
    )]
    Static(PathBuf),
    /// No thread came to where it could be held.
    #[error(
        "no thread of process {0} came within {1} seconds to where it may be held: a system call that waits (reads, writes, sleeps) \
         or a call of the allocator; try again when it does something"
    )]
    NotHeld(u32, u64),
    /// The library could not be loaded.
    #[error("the process could not load the recorder: {0}")]
    NotLoaded(String),
    /// A call of the recorder ended with a signal; the thread is as it was before.
    #[error("the recorder did not begin: {0} in the process, which runs on as before")]
    Crashed(String),
    /// There is nothing that could be recorded.
    #[error(
        "no module of {} calls malloc of another one: it has an allocator of its own linked into it; link it without, so that \
         malloc is the C library's",
        .0.display()
    )]
    NoCalls(PathBuf),
    /// The recording could not begin.
    #[error("its recording could not begin: {0}; choose another place with -o")]
    Refused(io::Error),
    /// The recording is not there.
    #[error("the process began to record, and left no file")]
    NoRecording,
    /// No folder for the recording, or it cannot be read.
    #[error("the folder for the recording: {0}")]
    Folder(io::Error),
    /// The system refused something else.
    #[error("the process cannot be held: {0}")]
    System(io::Error),
    /// There is no library to load.
    #[error(transparent)]
    Library(#[from] LibraryError),
}
