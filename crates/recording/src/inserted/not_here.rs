//! In place of [`inserted`](super) where nothing can be put into a program: neither Linux nor x86-64.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command};

/// The first argument of the command that becomes the program.
pub const HELD_CHILD: &str = "--become-held";

/// Ends with this code.
pub fn become_held(_: &[OsString]) -> i32 {
    1
}

/// Nothing is put into programs here.
pub fn start_static(_: &Command) -> io::Result<Child> {
    Err(io::ErrorKind::Unsupported.into())
}
