//! One output: a regular file that appears whole, or a stream.

use std::fs::{File, FileType, Metadata, Permissions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};
use tempfile::NamedTempFile;

use crate::part::{USUAL, part};
use crate::{Inputs, Refusal};

/// A file that is being written. It is in its place when [`Output::finish`] has returned; dropped before, nothing of it
/// is left, and what was in its place still is. A stream has passed on what was written.
///
/// Writes are not buffered.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    to: To,
}

#[derive(Debug)]
enum To {
    /// A regular file, written next to its place.
    Part { part: NamedTempFile, inputs: Inputs, exclusive: bool },
    /// A device or a FIFO.
    Stream(File),
    /// This process's own standard output or error.
    Standard(File),
}

/// What is at a path.
enum Place {
    Free,
    Regular(Metadata),
    Stream,
}

impl Output {
    /// The file that a user named: a new one, one that is replaced, or a stream.
    ///
    /// `-` is standard output, as are the names that the system has for it. Devices and FIFOs are written as streams;
    /// opening a FIFO waits for its reader.
    ///
    /// # Errors
    ///
    /// A [`Refusal`], or what the system says.
    pub fn named(path: impl AsRef<Path>, inputs: &Inputs) -> io::Result<Output> {
        let path = path.as_ref();
        if let Some(stream) = standard(path)? {
            inputs.refuse(&stream.metadata()?)?;
            return Ok(Output { path: path.to_owned(), to: To::Standard(stream) });
        }
        match place(path, inputs)? {
            Place::Stream => Ok(Output { path: path.to_owned(), to: To::Stream(stream(path)?) }),
            Place::Regular(there) => Output::next_to(path, there.permissions().mode() & 0o777, inputs, false),
            Place::Free => Output::next_to(path, USUAL, inputs, false),
        }
    }

    /// A regular file, new or replaced, that the caller knows to be heapsmith's to replace.
    ///
    /// # Errors
    ///
    /// A [`Refusal`], or what the system says.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Output> {
        let path = path.as_ref();
        match place(path, &Inputs::NONE)? {
            Place::Stream => Err(Refusal::Special { kind: "a device or a FIFO" }.into()),
            Place::Regular(there) => Output::next_to(path, there.permissions().mode() & 0o777, &Inputs::NONE, false),
            Place::Free => Output::next_to(path, USUAL, &Inputs::NONE, false),
        }
    }

    /// A regular file at a path where nothing is, also when it is finished.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::AlreadyExists`] with [`Refusal::NotOurs`]; or what the system says.
    pub fn create_new(path: impl AsRef<Path>) -> io::Result<Output> {
        let path = path.as_ref();
        match path.symlink_metadata() {
            Ok(_) => Err(Refusal::NotOurs.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Output::next_to(path, USUAL, &Inputs::NONE, true),
            Err(error) => Err(error),
        }
    }

    fn next_to(path: &Path, mode: u32, inputs: &Inputs, exclusive: bool) -> io::Result<Output> {
        // A rename is atomic within one file system only, hence the same folder.
        let to = To::Part { part: part(folder_of(path), mode)?, inputs: inputs.clone(), exclusive };
        Ok(Output { path: path.to_owned(), to })
    }

    /// Whether what is written is passed on at once, and cannot be sought in.
    pub fn is_stream(&self) -> bool {
        !matches!(self.to, To::Part { .. })
    }

    /// Whether it is this process's own standard output or error, where other text may go too.
    pub fn is_standard(&self) -> bool {
        matches!(self.to, To::Standard(_))
    }

    /// Another handle of what is written, for writers that keep what they write to; the place at which they write is
    /// the same.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn handle(&self) -> io::Result<File> {
        match &self.to {
            To::Part { part, .. } => part.as_file().try_clone(),
            To::Stream(file) | To::Standard(file) => file.try_clone(),
        }
    }

    /// Gives a regular file this mode, whatever the user's mask says.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        match &self.to {
            To::Part { part, .. } => part.as_file().set_permissions(Permissions::from_mode(mode)),
            To::Stream(_) | To::Standard(_) => Ok(()),
        }
    }

    /// The path, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Ends the output: a regular file is synchronised with its disk and takes its place.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] where its place was taken meanwhile, or what the system says; nothing of the file is left then.
    pub fn finish(self) -> io::Result<()> {
        let To::Part { part, inputs, exclusive } = self.to else { return Ok(()) };
        part.as_file().sync_all()?;
        if exclusive {
            let taken = |error: tempfile::PersistError| match error.error.kind() {
                io::ErrorKind::AlreadyExists => Refusal::NotOurs.into(),
                _ => error.error,
            };
            return part.persist_noclobber(&self.path).map(|_| ()).map_err(taken);
        }
        match place(&self.path, &inputs)? {
            Place::Stream => Err(Refusal::Special { kind: "a device or a FIFO" }.into()),
            Place::Free | Place::Regular(_) => part.persist(&self.path).map(|_| ()).map_err(|error| error.error),
        }
    }

    /// Writes `contents` and ends the output.
    ///
    /// # Errors
    ///
    /// What the system says, and as [`Output::finish`].
    pub fn put(mut self, contents: impl AsRef<[u8]>) -> io::Result<()> {
        self.write_all(contents.as_ref())?;
        self.finish()
    }

    fn file(&mut self) -> &mut File {
        match &mut self.to {
            To::Part { part, .. } => part.as_file_mut(),
            To::Stream(file) | To::Standard(file) => file,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

impl Seek for Output {
    /// Refused for streams, with [`Refusal::NoStream`].
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if self.is_stream() { Err(Refusal::NoStream.into()) } else { self.file().seek(to) }
    }
}

/// Makes way at `path` for what another program will write there: a regular file goes, a device or a FIFO stays.
///
/// # Errors
///
/// As [`Output::named`].
pub fn clear(path: impl AsRef<Path>, inputs: &Inputs) -> io::Result<()> {
    let path = path.as_ref();
    match place(path, inputs)? {
        Place::Stream => Ok(()),
        Place::Regular(_) => std::fs::remove_file(path),
        Place::Free => tempfile::tempfile_in(folder_of(path)).map(|_| ()),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// This process's own standard output or error, where `path` is a name of it. Opened by that name, a file that the
/// shell has opened would be truncated, and a socket could not be opened.
fn standard(path: &Path) -> io::Result<Option<File>> {
    let own = match path.to_str() {
        Some("-" | "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => io::stdout().as_fd().try_clone_to_owned()?,
        Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => io::stderr().as_fd().try_clone_to_owned()?,
        _ => return Ok(None),
    };
    Ok(Some(own.into()))
}

/// What is at `path`, if it may be written.
fn place(path: &Path, inputs: &Inputs) -> io::Result<Place> {
    let named = match path.symlink_metadata() {
        Ok(named) => named,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Place::Free),
        Err(error) => return Err(error),
    };
    // The shell's >(command) is a link to a FIFO.
    let is_link = named.is_symlink();
    let there = if is_link { path.metadata().map_err(|_| Refusal::Link)? } else { named };
    let kind = there.file_type();
    if kind.is_fifo() || kind.is_char_device() {
        return Ok(Place::Stream);
    }
    if is_link {
        return Err(Refusal::Link.into());
    }
    if kind.is_dir() {
        return Err(Refusal::Folder.into());
    }
    if !kind.is_file() {
        return Err(Refusal::Special { kind: special(kind) }.into());
    }
    inputs.refuse(&there)?;
    Ok(Place::Regular(there))
}

fn special(kind: FileType) -> &'static str {
    if kind.is_block_device() {
        "a block device"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a special file"
    }
}

/// Opens a device or a FIFO, creates and truncates nothing.
fn stream(path: &Path) -> io::Result<File> {
    let file = File::from(open(path, OFlags::WRONLY | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?);
    let kind = file.metadata()?.file_type();
    if kind.is_fifo() || kind.is_char_device() { Ok(file) } else { Err(Refusal::Link.into()) }
}
