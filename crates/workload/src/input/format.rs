//! What a file is, by its content.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use super::{capture, distribution, frame_list, log, tab_log, url_list};
use crate::error::LoadError;

/// A kind of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// pcap or pcapng.
    Capture,
    /// Lines of time and frame size.
    FrameList,
    /// A web server's log in the common or combined format.
    Log,
    /// A log with tabs between its fields and a header line that names them.
    TabLog,
    /// A URL on every line.
    UrlList,
    /// Size, rate and live blocks on every line.
    Distribution,
}

impl Format {
    /// What a person would call it.
    pub fn about(self) -> &'static str {
        match self {
            Format::Capture => "a packet capture",
            Format::FrameList => "a list of frame times and sizes",
            Format::Log => "a web server log",
            Format::TabLog => "a tab-separated request log",
            Format::UrlList => "a list of URLs",
            Format::Distribution => "a size distribution (size, rate, live)",
        }
    }

    /// Recognises the format by the first bytes, which may end anywhere.
    fn of(head: &[u8]) -> Option<Format> {
        if capture::starts(head) {
            return Some(Format::Capture);
        }
        if head.contains(&0) {
            return None;
        }
        let text = String::from_utf8_lossy(head);
        // The last line may be cut off by the end of the look ahead.
        let lines = text.trim_start_matches('\u{feff}').lines();
        let lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).take(20).collect();
        let any = |is: fn(&str) -> bool| lines.iter().any(|line| is(line));
        if lines.first().is_some_and(|line| tab_log::is_header(line)) {
            Some(Format::TabLog)
        } else if distribution::begins(&lines) {
            Some(Format::Distribution)
        } else if any(log::is_line) {
            Some(Format::Log)
        } else if any(frame_list::is_line) {
            Some(Format::FrameList)
        } else if any(url_list::is_line) {
            Some(Format::UrlList)
        } else {
            None
        }
    }
}

/// An open file of a known format, unpacked.
pub(crate) struct Input {
    pub path: PathBuf,
    pub format: Format,
    pub reader: Box<dyn BufRead>,
}

/// How much of a file is looked at to tell what it is.
const LOOK_AHEAD: u64 = 16 * 1024;

impl Input {
    /// Opens a file and recognises its format.
    pub fn open(path: &Path) -> Result<Input, LoadError> {
        let mut source =
            heapsmith_import::unpacked(path).map_err(|source| LoadError::Open { path: path.to_owned(), source })?;
        let mut head = Vec::new();
        // An error counts only when it comes before the first recognisable bytes; otherwise
        // it comes again where the reader can say how far it came.
        let ahead = source.by_ref().take(LOOK_AHEAD).read_to_end(&mut head);
        if head.is_empty() {
            return Err(match ahead {
                Err(source) => unreadable(path, source),
                Ok(_) => LoadError::Empty { path: path.to_owned() },
            });
        }
        let format = Format::of(&head).ok_or_else(|| LoadError::Unrecognized { path: path.to_owned() })?;
        let rest: Box<dyn Read> = match ahead {
            Ok(_) => source,
            Err(fault) => Box::new(Fault(Some(fault))),
        };
        Ok(Input { path: path.to_owned(), format, reader: Box::new(BufReader::new(Cursor::new(head).chain(rest))) })
    }
}

fn unreadable(path: &Path, source: io::Error) -> LoadError {
    LoadError::reading(path, "at its beginning".to_owned(), source)
}

/// A reader that gives an error that was met while looking ahead, in its place.
struct Fault(Option<io::Error>);

impl Read for Fault {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
