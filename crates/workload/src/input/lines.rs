//! The lines of a text, with their numbers.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use crate::error::LoadError;

/// A line longer than this is no line of a log; a text file without line ends must not
/// fill the memory.
const LONGEST_LINE: usize = 1 << 20;
/// As much of a bad line as a message shows.
const SHOWN: usize = 60;

/// Reads lines that are not blank, without their ends and a byte order mark.
pub(super) struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    keep_damaged: bool,
    number: u64,
    line: String,
    over: bool,
}

impl Lines {
    pub fn new(path: &Path, reader: Box<dyn BufRead>, keep_damaged: bool) -> Lines {
        Lines { path: path.to_owned(), reader, keep_damaged, number: 0, line: String::new(), over: false }
    }

    /// The next line that is not blank.
    pub fn next_line(&mut self) -> Result<Option<&str>, LoadError> {
        let mut bytes = Vec::new();
        while !self.over {
            bytes.clear();
            let mut source = std::io::Read::take(&mut self.reader, LONGEST_LINE as u64 + 1);
            match source.read_until(b'\n', &mut bytes) {
                Ok(0) => break,
                Ok(_) => {}
                Err(source) => return self.stopped(source),
            }
            self.number += 1;
            if bytes.len() > LONGEST_LINE {
                self.line = String::from_utf8_lossy(&bytes[..LONGEST_LINE]).into_owned();
                self.refuse("a line of more than 1048576 bytes")?;
                if let Err(source) = self.reader.skip_until(b'\n') {
                    return self.stopped(source);
                }
                continue;
            }
            // Logs hold whatever clients sent, which need not be UTF-8.
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']);
            if !text.trim().is_empty() {
                self.line.clear();
                self.line.push_str(text);
                return Ok(Some(&self.line));
            }
        }
        Ok(None)
    }

    /// Reading stopped: the end, where damage is kept and there is memory for more.
    fn stopped(&mut self, source: std::io::Error) -> Result<Option<&str>, LoadError> {
        match LoadError::reading(&self.path, format!("after line {}", self.number), source) {
            LoadError::Read { .. } if self.keep_damaged => {
                self.over = true;
                Ok(None)
            }
            error => Err(error),
        }
    }

    /// Says that the last line does not parse: an error unless damage is kept.
    pub fn refuse(&self, cause: &'static str) -> Result<(), LoadError> {
        if self.keep_damaged {
            return Ok(());
        }
        let mut text: String = self.line.chars().take(SHOWN).collect();
        if text.len() < self.line.len() {
            text.push('…');
        }
        Err(LoadError::Line { path: self.path.clone(), line: self.number, cause, text: format!("{text:?}") })
    }
}
