//! The memory of another process.

use std::fs::File;
use std::io;

/// A process's memory as a file, to be read and written while one of its threads is held.
///
/// # Errors
///
/// What the system says, as where the process may not be traced.
#[allow(clippy::disallowed_methods, reason = "it is the memory of a process, and no file is made")]
pub(crate) fn process_memory(process: u32) -> io::Result<File> {
    File::options().read(true).write(true).open(format!("/proc/{process}/mem"))
}
