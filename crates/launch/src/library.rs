//! The libraries: carried in the command or compiled when first needed, and put where a program can load them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs};

use heapsmith_output::Output;

use crate::error::LibraryError;
use crate::{compile, place};

/// A library of heapsmith's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// The recorder, to be preloaded.
    Recorder,
    /// The recorder, to be put into a program that is linked statically.
    Inserted,
    /// The recorder's agent for Java virtual machines, which load it themselves.
    Agent,
    /// `malloc` over the heap of a spec, to be preloaded.
    Malloc,
}

impl Library {
    /// The library's bytes. [`Library::Malloc`] is compiled first where the command does not carry it (the feature
    /// `carry`) and was built since it was last compiled: a minute, in which cargo says what it does.
    ///
    /// # Errors
    ///
    /// [`LibraryError`], which says what to do.
    pub fn bytes(self) -> Result<Cow<'static, [u8]>, LibraryError> {
        // One thread compiles; cargo lets only one process compile.
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock();
        match self {
            Library::Malloc if self.carried().is_empty() && Library::are_known() => {
                if self.is_ready() { read(&built()) } else { compiled() }.map(Cow::Owned)
            }
            _ => Ok(Cow::Borrowed(self.carried())),
        }
    }

    /// Whether the library is there at once; if not, [`Library::bytes`] compiles it.
    pub fn is_ready(self) -> bool {
        if !matches!(self, Library::Malloc) || !self.carried().is_empty() || !Library::are_known() {
            return true;
        }
        let changed = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
        let command = env::current_exe().ok().and_then(|path| changed(&path));
        changed(&built()).is_some_and(|library| command.is_some_and(|command| library >= command))
    }

    /// Whether the libraries know this system.
    pub fn are_known() -> bool {
        cfg!(all(target_os = "linux", target_arch = "x86_64"))
    }

    /// What the build script compiled; nothing where it does not know the target.
    fn carried(self) -> &'static [u8] {
        match self {
            Library::Recorder => include_bytes!(concat!(env!("OUT_DIR"), "/libheapsmith_recorder.so")),
            Library::Inserted => include_bytes!(concat!(env!("OUT_DIR"), "/libheapsmith_inserted.so")),
            Library::Agent => include_bytes!(concat!(env!("OUT_DIR"), "/libheapsmith_agent.so")),
            Library::Malloc => include_bytes!(concat!(env!("OUT_DIR"), "/libheapsmith_preload.so")),
        }
    }

    /// The system calls that the library makes while a program runs, in words: what a filter (seccomp) has to permit.
    pub fn system_calls(self) -> &'static str {
        match self {
            Library::Recorder | Library::Inserted | Library::Agent => {
                "openat, fallocate, mmap, pwrite64 and close when a process, a thread or a window of its recording begins, and \
                 clock_gettime when the process ends; none after the program set a filter itself"
            }
            Library::Malloc => "mmap, munmap, mremap, madvise and futex",
        }
    }

    /// Puts the library where the environment says, or else into a folder of the user's, and says where it is.
    ///
    /// A file that is there already is used if it is the same to the byte, and nobody else can change it. It stays
    /// there, as a program that was started may start others long after the command has ended. The module `place` says
    /// which folders there are.
    ///
    /// # Errors
    ///
    /// [`LibraryError`], which says what to do.
    pub fn place(self) -> Result<PathBuf, LibraryError> {
        let name = match self {
            Library::Recorder => "libheapsmith_recorder",
            Library::Inserted => "libheapsmith_inserted",
            Library::Agent => "libheapsmith_agent",
            Library::Malloc => "libheapsmith_preload",
        };
        let bytes = self.bytes()?;
        if bytes.is_empty() {
            return Err(LibraryError::NotHere);
        }
        match env::var_os("HEAPSMITH_LIBRARY").filter(|path| !path.is_empty()) {
            Some(path) => place::at(&PathBuf::from(path), &bytes),
            None => place::in_folder(name, &bytes),
        }
    }
}

/// The workspace that this command was built from.
const SOURCES: &str = env!("HEAPSMITH_SOURCES");

/// Where cargo compiles the library.
const FOLDER: &str = env!("HEAPSMITH_LIBRARIES");

/// The library as it was compiled last. It is no older than a command that knows it to be its own.
fn built() -> PathBuf {
    Path::new(FOLDER).join("libheapsmith_preload.so")
}

/// Compiles the library, and keeps it with the time of now.
fn compiled() -> Result<Vec<u8>, LibraryError> {
    let sources = Path::new(SOURCES);
    if !sources.join("Cargo.toml").exists() {
        return Err(LibraryError::NotBuilt { why: format!("its sources are not in {SOURCES} any more") });
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let made = compile::libraries(&cargo, sources, Path::new(FOLDER), &["heapsmith-preload"], false, true);
    let made = made.map_err(|why| LibraryError::NotBuilt { why })?;
    let bytes = read(&made.join("libheapsmith_preload.so"))?;
    let kept = Output::create(built()).and_then(|output| output.put(&bytes));
    kept.map_err(|source| LibraryError::Place { path: built(), source })?;
    Ok(bytes)
}

fn read(path: &Path) -> Result<Vec<u8>, LibraryError> {
    fs::read(path).map_err(|source| LibraryError::Place { path: path.to_owned(), source })
}
