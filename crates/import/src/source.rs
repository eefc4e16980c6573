//! An open file, unpacked, and what its first bytes say.

use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use crate::compression;
use crate::error::ImportError;

/// How many bytes of a file decide what it is.
const LOOK_AHEAD: u64 = 16 * 1024;

/// The beginning of a file.
pub(crate) struct Head {
    pub bytes: Vec<u8>,
    /// Whether the file has more.
    pub is_cut: bool,
}

impl Head {
    /// Its lines that are not blank; none if it is no text. The last is left out if it may be cut off.
    pub fn lines(&self) -> Vec<String> {
        if self.bytes.contains(&0) {
            return Vec::new();
        }
        let text = String::from_utf8_lossy(&self.bytes);
        let mut lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().map(str::trim).collect();
        if self.is_cut && lines.len() > 1 {
            lines.pop();
        }
        lines.into_iter().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    /// What a person would call a file that no importer reads.
    pub fn looks_like(&self) -> String {
        const MAGICS: [(&[u8], &str); 13] = [
            (b"PAR1", "a Parquet file"),
            (b"\x7fELF", "a program or library (ELF)"),
            (b"MZ", "a Windows program"),
            (b"\x89PNG", "a picture (PNG)"),
            (b"\xff\xd8\xff", "a picture (JPEG)"),
            (b"PK\x03\x04", "a ZIP archive"),
            (b"%PDF", "a PDF document"),
            (b"SQLite format 3", "an SQLite database"),
            (b"\x0a\x0d\x0d\x0a", "a packet capture (pcapng)"),
            (b"\xd4\xc3\xb2\xa1", "a packet capture (pcap)"),
            (b"\xa1\xb2\xc3\xd4", "a packet capture (pcap)"),
            (b"BZh", "a bzip2 archive"),
            (b"#!", "a script"),
        ];
        let magic = MAGICS.iter().find(|(magic, _)| self.bytes.starts_with(magic));
        let text = String::from_utf8_lossy(&self.bytes);
        match magic {
            Some((_, name)) => (*name).to_owned(),
            None if self.bytes.contains(&0) => "binary data".to_owned(),
            None if text.trim_start().starts_with(['{', '[']) => "JSON".to_owned(),
            None if text.trim_start().starts_with('<') => "XML or HTML".to_owned(),
            None => "text of another kind".to_owned(),
        }
    }
}

/// An open file.
pub(crate) struct Source {
    pub head: Head,
    pub reader: Box<dyn BufRead>,
}

impl Source {
    /// Opens a file and looks at its beginning.
    pub fn open(path: &Path) -> Result<Source, ImportError> {
        let open = |source| ImportError::Open { path: path.to_owned(), source };
        let mut source = compression::unpacked(path).map_err(open)?;
        let mut bytes = Vec::new();
        // An error counts only when it comes before the first recognisable bytes; otherwise
        // it comes again where the reader can say how far it came.
        let ahead = source.by_ref().take(LOOK_AHEAD).read_to_end(&mut bytes);
        if bytes.is_empty() {
            return Err(match ahead {
                Err(source) => ImportError::reading(path, "0 bytes".to_owned(), source),
                Ok(_) => ImportError::Empty { path: path.to_owned() },
            });
        }
        let rest: Box<dyn Read> = match ahead {
            Ok(_) => source,
            Err(fault) => Box::new(Fault(Some(fault))),
        };
        let is_cut = bytes.len() as u64 == LOOK_AHEAD;
        Ok(Source::of(bytes, is_cut, rest))
    }

    /// Looks at the beginning of what comes from a board or a pipe, until `is_known` recognises it.
    pub fn coming(
        name: &Path,
        mut stream: Box<dyn Read>,
        is_known: impl Fn(&Head) -> bool,
    ) -> Result<Source, ImportError> {
        let mut head = Head { bytes: Vec::new(), is_cut: true };
        while !is_known(&head) && (head.bytes.len() as u64) < LOOK_AHEAD {
            let mut part = [0; 4096];
            match stream.read(&mut part) {
                Ok(0) => break,
                Ok(read) => head.bytes.extend(&part[..read]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ImportError::reading(name, format!("{} bytes", head.bytes.len()), error)),
            }
        }
        if head.bytes.is_empty() {
            return Err(ImportError::Empty { path: name.to_owned() });
        }
        Ok(Source::of(head.bytes, head.is_cut, stream))
    }

    fn of(bytes: Vec<u8>, is_cut: bool, rest: Box<dyn Read>) -> Source {
        let reader = BufReader::with_capacity(1 << 16, Cursor::new(bytes.clone()).chain(rest));
        Source { head: Head { bytes, is_cut }, reader: Box::new(reader) }
    }
}

/// A reader that gives an error that was met while looking ahead, in its place.
struct Fault(Option<std::io::Error>);

impl Read for Fault {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
