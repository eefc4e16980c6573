//! The lines of a text, with their numbers.

use std::io::{self, BufRead, Read};

/// A line longer than this is damage: a file without line ends must not fill the memory.
pub(crate) const LONGEST_LINE: usize = 1 << 20;
/// As much of a bad line as a message shows.
const SHOWN: usize = 60;

/// Reads lines that are not blank, without their ends (LF or CRLF), blanks at either side,
/// and a byte order mark.
pub(crate) struct Lines<R> {
    reader: R,
    number: u64,
    bytes: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub fn new(reader: R) -> Lines<R> {
        Lines { reader, number: 0, bytes: Vec::new() }
    }

    /// The number of the last line, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Puts the next line that is not blank into `line`; false at the end. What is not UTF-8
    /// in it is replaced.
    pub fn next_line(&mut self, line: &mut String) -> io::Result<bool> {
        line.clear();
        loop {
            self.bytes.clear();
            let mut source = Read::take(&mut self.reader, LONGEST_LINE as u64 + 1);
            if source.read_until(b'\n', &mut self.bytes)? == 0 {
                return Ok(false);
            }
            self.number += 1;
            if self.bytes.len() > LONGEST_LINE {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a line of more than 1048576 bytes"));
            }
            let text = String::from_utf8_lossy(&self.bytes);
            let text = text.trim_start_matches('\u{feff}').trim();
            if !text.is_empty() {
                line.push_str(text);
                return Ok(true);
            }
        }
    }
}

/// The beginning of a line, for a message.
pub(crate) fn shown(line: &str) -> String {
    let mut text: String = line.chars().take(SHOWN).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    format!("{text:?}")
}
