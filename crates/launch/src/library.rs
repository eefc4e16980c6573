//! The libraries: carried in the command, and put where a program can load them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// A library of heapsmith's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// The recorder, to be preloaded.
    Recorder,
    /// The recorder's agent for Java virtual machines, which load it themselves.
    Agent,
    /// `malloc` over the heap of a spec, to be preloaded.
    Malloc,
}

impl Library {
    /// The library's bytes, as the build script compiled it; none where it does not know the target.
    pub fn carried(self) -> &'static [u8] {
        match self {
            Library::Recorder => include_bytes!(concat!(env!("OUT_DIR"), "/libheapsmith_recorder.so")),
            Library::Agent => include_bytes!(concat!(env!("OUT_DIR"), "/libheapsmith_agent.so")),
            Library::Malloc => include_bytes!(concat!(env!("OUT_DIR"), "/libheapsmith_preload.so")),
        }
    }

    /// Puts the library where the environment says, or else into the user's cache, and says where it is.
    ///
    /// A file that is there already is used if it is the same to the byte. It stays there, as a
    /// program that was started may start others long after the command has ended.
    ///
    /// # Errors
    ///
    /// [`LibraryError`], which says what to do.
    pub fn place(self) -> Result<PathBuf, LibraryError> {
        let name = match self {
            Library::Recorder => "libheapsmith_recorder",
            Library::Agent => "libheapsmith_agent",
            Library::Malloc => "libheapsmith_preload",
        };
        place_as(name, self.carried())
    }
}

/// Why there is no library to preload.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The libraries do not know this system.
    #[error(
        "this heapsmith was built for a system on which it cannot stand before a program's malloc; that works on Linux on x86-64"
    )]
    NotHere,
    /// The library could not be put anywhere.
    #[error(
        "the library to preload is missing, and could not be written to {}: {source}; set HEAPSMITH_LIBRARY to a file \
         that may be written, in a folder that programs may be loaded from",
        path.display()
    )]
    Place {
        /// Where it was to lie.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// `LD_PRELOAD` takes names apart at blanks and colons.
    #[error(
        "the library to preload would lie at {}, and no path with blanks or colons can be preloaded; set \
         HEAPSMITH_LIBRARY to another file that may be written",
        path.display()
    )]
    Unloadable {
        /// Where it would lie.
        path: PathBuf,
    },
}

fn place_as(name: &str, carried: &[u8]) -> Result<PathBuf, LibraryError> {
    if carried.is_empty() {
        return Err(LibraryError::NotHere);
    }
    let path = match env::var_os("HEAPSMITH_LIBRARY") {
        Some(path) => std::path::absolute(&path).map_err(|source| LibraryError::Place { path: path.into(), source })?,
        None => cache().join(format!("{name}-{}.so", env!("CARGO_PKG_VERSION"))),
    };
    if path.as_os_str().as_encoded_bytes().iter().any(|byte| b" :\t\n".contains(byte)) {
        return Err(LibraryError::Unloadable { path });
    }
    put(&path, carried).map_err(|source| LibraryError::Place { path: path.clone(), source })?;
    Ok(path)
}

fn cache() -> PathBuf {
    let home = || env::var_os("HOME").filter(|home| !home.is_empty()).map(|home| Path::new(&home).join(".cache"));
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute()).or_else(home);
    cache.unwrap_or_else(env::temp_dir).join("heapsmith")
}

fn put(path: &Path, carried: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|there| there == carried) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    // Another command may do the same at this moment: each renames a whole file into place.
    let fresh = path.with_extension(format!("{}.part", std::process::id()));
    let written =
        fs::File::create(&fresh).and_then(|mut file| file.write_all(carried)).and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    written
}
