//! A recording as a file: its header, and the records of each window.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::RecordingError;
use crate::format::{BLOCK_HEADER, FILE_HEADER, GRANULE, MAGIC_BLOCK, MAGIC_FILE, VERSION, header, module};
use crate::layout::{Block, Header, Layout, Mark};
use crate::sites::{Loaded, loaded};

/// Whether a file begins as a recording does.
pub fn is_recording(path: &Path) -> bool {
    let mut magic = [0; 8];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && u64::from_le_bytes(magic) == MAGIC_FILE
}

/// A recording that was opened.
#[derive(Debug)]
pub struct Recording {
    pub(crate) source: Arc<Source>,
    /// The records of every window.
    pub(crate) windows: Vec<Records>,
}

/// The records of a window that are in the file.
#[derive(Debug)]
pub(crate) struct Records {
    /// Where they begin.
    pub mark: Mark,
    /// Its blocks, in their order; the window itself is the last.
    pub blocks: Vec<Block>,
}

/// The file of a recording, with its header as it was when it was read.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    file: File,
    words: Vec<u64>,
}

impl Recording {
    /// Opens a recording and finds its blocks.
    ///
    /// # Errors
    ///
    /// What cannot be read, is no recording, is one of another version, or is damaged.
    pub fn open(path: &Path) -> Result<Recording, RecordingError> {
        let file = File::open(path).map_err(|source| RecordingError::Read { path: path.to_owned(), source })?;
        let source = Source::read(path, file)?;
        let mut layout = Layout::default();
        layout.look(&source)?;
        let windows = layout.records(&source)?;
        Ok(Recording { source: Arc::new(source), windows })
    }

    /// A recording as its header says that it is now, of which other records are read than those that can be found in it.
    pub(crate) fn of(source: Source) -> Recording {
        Recording { source: Arc::new(source), windows: Vec::new() }
    }

    /// Whether earlier records are in traces of their own.
    pub(crate) fn is_resumed(&self) -> bool {
        self.windows.iter().any(|window| window.mark != Mark::default())
    }

    /// A word of the header.
    pub(crate) fn word(&self, word: usize) -> u64 {
        self.source.words[word]
    }

    /// Whether functions of the program's own were recorded, in place of `malloc`.
    pub fn is_of_own_functions(&self) -> bool {
        self.word(header::OWN_FUNCTIONS) == 1
    }

    /// The process.
    pub fn process(&self) -> u64 {
        self.word(header::PID)
    }

    /// The process's parent when the recording began.
    pub fn parent(&self) -> u64 {
        self.word(header::PARENT)
    }

    /// The path of the program.
    pub fn program(&self) -> PathBuf {
        PathBuf::from(self.text(header::PATH, header::PATH_LENGTH, header::LONGEST_PATH))
    }

    /// The names of the program, without folders: of its file, and as it was started, which differ where it was started by a link.
    pub fn names(&self) -> [String; 2] {
        let name = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let command = self.command_line();
        [name(&self.program()), name(Path::new(command.split('\0').next().unwrap_or_default()))]
    }

    /// The command line, its parts apart by blanks. It may hold passwords, so no trace has it unless that is asked for.
    pub fn command(&self) -> String {
        self.command_line().replace('\0', " ").trim().to_owned()
    }

    /// How many arguments the program got, as far as the recording holds its command line.
    pub fn arguments(&self) -> usize {
        self.command_line().trim_end_matches('\0').split('\0').count() - 1
    }

    fn command_line(&self) -> String {
        self.text(header::COMMAND, header::COMMAND_LENGTH, header::LONGEST_COMMAND)
    }

    fn text(&self, at: usize, length: usize, max: usize) -> String {
        let bytes: Vec<u8> = self.source.words[at..].iter().flat_map(|word| word.to_le_bytes()).collect();
        let length = usize::try_from(self.word(length)).unwrap_or(usize::MAX).min(max).min(bytes.len());
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    }

    /// The modules that frames of call sites were in.
    pub(crate) fn modules(&self) -> Result<Vec<Loaded>, RecordingError> {
        let taken = self.word(header::MODULES).min(module::MAX as u64) as usize;
        if taken == 0 || self.word(header::FRAMES) == 0 {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; taken * module::BYTES];
        self.source.file.read_exact_at(&mut bytes, module::TABLE as u64).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => self.source.damaged(0, 0, "the file ends within its table of modules"),
            _ => self.source.cannot_read(error),
        })?;
        Ok(loaded(bytes.chunks_exact(module::BYTES), &self.program()))
    }
}

impl Source {
    /// Reads the header.
    pub fn read(path: &Path, file: File) -> Result<Source, RecordingError> {
        let mut source = Source { path: path.to_owned(), file, words: Vec::new() };
        let mut bytes = vec![0; FILE_HEADER];
        let foreign = || RecordingError::NotARecording { path: path.to_owned() };
        source.file.read_exact_at(&mut bytes, 0).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => foreign(),
            _ => source.cannot_read(error),
        })?;
        source.words = words_of(&bytes);
        if source.words[header::MAGIC] != MAGIC_FILE {
            return Err(foreign());
        }
        match source.words[header::VERSION] {
            VERSION => Ok(source),
            found => Err(RecordingError::OtherVersion { path: path.to_owned(), found }),
        }
    }

    /// The same with the header as it is now.
    pub fn again(&self) -> Result<Source, RecordingError> {
        Source::read(&self.path, self.file.try_clone().map_err(|error| self.cannot_read(error))?)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self) -> &File {
        &self.file
    }

    /// A word of the header.
    pub fn word(&self, word: usize) -> u64 {
        self.words[word]
    }

    /// Bytes of the file, its holes included.
    pub fn length(&self) -> Result<u64, RecordingError> {
        Ok(self.file.metadata().map_err(|error| self.cannot_read(error))?.len())
    }

    pub fn damaged(&self, block: u64, records: u64, cause: impl Into<String>) -> RecordingError {
        RecordingError::Damaged { path: self.path.clone(), block, records, cause: cause.into() }
    }

    fn cannot_read(&self, source: std::io::Error) -> RecordingError {
        RecordingError::Read { path: self.path.clone(), source }
    }

    /// The records of a block.
    pub fn read_block(&self, block: Block) -> Result<Vec<u64>, RecordingError> {
        let mut bytes = vec![0; block.bytes - block.from];
        let at = block.granule * GRANULE as u64 + (BLOCK_HEADER + block.from) as u64;
        self.file.read_exact_at(&mut bytes, at).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => self.damaged(block.granule, 0, "the file ends within it"),
            _ => self.cannot_read(error),
        })?;
        Ok(words_of(&bytes))
    }

    /// What a granule that is in use begins with; nothing for one that a process took and did not come to use.
    pub fn read_block_header(&self, granule: u64) -> Result<Option<Header>, RecordingError> {
        let mut bytes = [0; 40];
        match self.file.read_exact_at(&mut bytes, granule * GRANULE as u64) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(self.cannot_read(error)),
        }
        let words = words_of(&bytes);
        let place = |word: u64| (word >> 32, (word & u64::from(u32::MAX)) as usize);
        let ((sequence, bytes), (begins, before)) = (place(words[2]), place(words[3]));
        match words[0] {
            0 => Ok(None),
            MAGIC_BLOCK if [bytes, before].iter().any(|&bytes| bytes > GRANULE - BLOCK_HEADER || bytes % 8 != 0) => {
                Err(self.damaged(granule, 0, format!("it claims {bytes} bytes of records")))
            }
            MAGIC_BLOCK => {
                let mark = Mark { sequence: begins, bytes: before, stacks: words[4] };
                Ok(Some(Header { window: words[1], sequence, bytes, mark }))
            }
            _ => Err(self.damaged(granule, 0, "it does not begin as a block does")),
        }
    }
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect()
}
