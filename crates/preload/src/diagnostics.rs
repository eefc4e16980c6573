//! The library's messages: on standard error, at once, without allocating.

use core::fmt::{self, Write};

/// Text of a limited length; what is longer is cut.
pub struct Line<const ROOM: usize> {
    text: [u8; ROOM],
    length: usize,
}

impl<const ROOM: usize> Line<ROOM> {
    /// Nothing.
    pub const fn new() -> Self {
        Line { text: [0; ROOM], length: 0 }
    }

    /// The text.
    pub fn bytes(&self) -> &[u8] {
        self.text.get(..self.length).unwrap_or(&[])
    }
}

impl<const ROOM: usize> Write for Line<ROOM> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            let Some(segment) = self.text.get_mut(self.length) else { return Ok(()) };
            *segment = byte;
            self.length += 1;
        }
        Ok(())
    }
}

/// Writes bytes to an open file; whether it took all of them.
pub fn write(file: i32, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        // SAFETY: the bytes are there.
        let written = unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(written) {
            Ok(0) | Err(_) => return false,
            Ok(written) => bytes = bytes.get(written..).unwrap_or(&[]),
        }
    }
    true
}

/// Writes a line of these parts to standard error.
pub fn line(parts: &[&[u8]]) {
    write(libc::STDERR_FILENO, b"heapsmith: ");
    for part in parts {
        write(libc::STDERR_FILENO, part);
    }
    write(libc::STDERR_FILENO, b"\n");
}

/// Says why, and ends the process with the code for wrong use: before the program has run, no other is possible.
pub fn stop(parts: &[&[u8]]) -> ! {
    line(parts);
    // SAFETY: ends the process.
    unsafe { libc::_exit(2) }
}
