//! A recording as a file: its header, and where the blocks of each window are.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::RecordingError;
use crate::format::{BLOCK_HEADER, FILE_HEADER, GRANULE, MAGIC_BLOCK, MAGIC_FILE, VERSION, header, module};
use crate::sites::{Loaded, loaded};

/// Whether a file begins as a recording does.
pub fn is_recording(path: &Path) -> bool {
    let mut magic = [0; 8];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && u64::from_le_bytes(magic) == MAGIC_FILE
}

/// A recording that was opened.
#[derive(Debug)]
pub struct Recording {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
    words: Vec<u64>,
    /// The blocks of every window, in their order; the window itself is the last.
    pub(crate) windows: Vec<Vec<Block>>,
}

/// A stretch of records in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub granule: u64,
    /// Bytes of records.
    pub bytes: usize,
}

impl Recording {
    /// Opens a recording and finds its blocks.
    ///
    /// # Errors
    ///
    /// What cannot be read, is no recording, is one of another version, or is damaged.
    pub fn open(path: &Path) -> Result<Recording, RecordingError> {
        let cannot_read = |source| RecordingError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(cannot_read)?;
        let length = file.metadata().map_err(cannot_read)?.len();
        let mut bytes = vec![0; FILE_HEADER];
        let foreign = || RecordingError::NotARecording { path: path.to_owned() };
        file.read_exact_at(&mut bytes, 0).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => foreign(),
            _ => cannot_read(error),
        })?;
        let words = words_of(&bytes);
        if words[header::MAGIC] != MAGIC_FILE {
            return Err(foreign());
        }
        let found = words[header::VERSION];
        if found != VERSION {
            return Err(RecordingError::OtherVersion { path: path.to_owned(), found });
        }
        let mut recording = Recording { path: path.to_owned(), file, words, windows: Vec::new() };
        recording.windows = recording.find_blocks(length)?;
        Ok(recording)
    }

    /// A word of the header.
    pub(crate) fn word(&self, word: usize) -> u64 {
        self.words[word]
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
        let bytes: Vec<u8> = self.words[at..].iter().flat_map(|word| word.to_le_bytes()).collect();
        let length = usize::try_from(self.word(length)).unwrap_or(usize::MAX).min(max).min(bytes.len());
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    }

    pub(crate) fn damaged(&self, block: u64, records: u64, cause: impl Into<String>) -> RecordingError {
        RecordingError::Damaged { path: self.path.clone(), block, records, cause: cause.into() }
    }

    /// The modules that frames of call sites were in.
    pub(crate) fn modules(&self) -> Result<Vec<Loaded>, RecordingError> {
        let taken = self.word(header::MODULES).min(module::MAX as u64) as usize;
        if taken == 0 || self.word(header::FRAMES) == 0 {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; taken * module::BYTES];
        self.file.read_exact_at(&mut bytes, module::TABLE as u64).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => self.damaged(0, 0, "the file ends within its table of modules"),
            _ => RecordingError::Read { path: self.path.clone(), source: error },
        })?;
        Ok(loaded(bytes.chunks_exact(module::BYTES), &self.program()))
    }

    /// The records of a block.
    pub(crate) fn read_block(&self, block: Block) -> Result<Vec<u64>, RecordingError> {
        let mut bytes = vec![0; block.bytes];
        let at = block.granule * GRANULE as u64 + BLOCK_HEADER as u64;
        match self.file.read_exact_at(&mut bytes, at) {
            Ok(()) => Ok(words_of(&bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(self.damaged(block.granule, 0, "the file ends within it"))
            }
            Err(source) => Err(RecordingError::Read { path: self.path.clone(), source }),
        }
    }

    /// The blocks of every window, by sequence. A block that its window has not moved on from
    /// was perhaps not written whole; the window has the same records.
    fn find_blocks(&self, length: u64) -> Result<Vec<Vec<Block>>, RecordingError> {
        let mut blocks: BTreeMap<u64, BTreeMap<u64, Block>> = BTreeMap::new();
        let mut now: BTreeMap<u64, (u64, Block)> = BTreeMap::new();
        for granule in 1..length.div_ceil(GRANULE as u64) {
            let Some(found) = self.read_block_header(granule)? else { continue };
            let [_, window, state] = found;
            let (sequence, bytes) = (state >> 32, (state & u64::from(u32::MAX)) as usize);
            if bytes > GRANULE - BLOCK_HEADER || !bytes.is_multiple_of(8) {
                return Err(self.damaged(granule, 0, format!("it claims {bytes} bytes of records")));
            }
            let block = Block { granule, bytes };
            if window == granule {
                now.insert(window, (sequence, block));
            } else if blocks.entry(window).or_default().insert(sequence, block).is_some() {
                return Err(self.damaged(granule, 0, format!("its window {window} has two blocks of its number")));
            }
        }
        for (window, (sequence, block)) in now {
            let of_window = blocks.entry(window).or_default();
            of_window.retain(|&earlier, _| earlier < sequence);
            of_window.insert(sequence, block);
        }
        for (window, of_window) in &blocks {
            let missing = (0..).zip(of_window.keys()).find(|(expected, sequence)| expected != *sequence);
            if let Some((expected, _)) = missing {
                return Err(self.damaged(*window, 0, format!("block {expected} of its thread is missing")));
            }
        }
        Ok(blocks.into_values().map(|of_window| of_window.into_values().collect()).collect())
    }

    /// The first words of a granule that is in use; nothing for one that a process took and did not come to use.
    fn read_block_header(&self, granule: u64) -> Result<Option<[u64; 3]>, RecordingError> {
        let mut bytes = [0; 24];
        match self.file.read_exact_at(&mut bytes, granule * GRANULE as u64) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(source) => return Err(RecordingError::Read { path: self.path.clone(), source }),
        }
        let words = words_of(&bytes);
        match words[0] {
            0 => Ok(None),
            MAGIC_BLOCK => Ok(Some([words[0], words[1], words[2]])),
            _ => Err(self.damaged(granule, 0, "it does not begin as a block does")),
        }
    }
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect()
}
