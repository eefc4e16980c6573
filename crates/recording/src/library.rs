//! The libraries that record: carried in the command, and put where a program can load them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The library, as the build script compiled it; empty where the recorder does not know the target.
static CARRIED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libheapsmith_recorder.so"));

/// The agent for Java virtual machines; empty as the recorder is.
static AGENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libheapsmith_agent.so"));

/// Why there is no library to preload.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The recorder does not know this system.
    #[error("this heapsmith was built for a system that it cannot record on; recording works on Linux on x86-64")]
    NotHere,
    /// The library could not be put anywhere.
    #[error(
        "the recorder's library is missing, and could not be written to {}: {source}; set HEAPSMITH_LIBRARY to a file \
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
        "the recorder's library would lie at {}, and no path with blanks or colons can be preloaded; set \
         HEAPSMITH_LIBRARY to another file that may be written",
        path.display()
    )]
    Unloadable {
        /// Where it would lie.
        path: PathBuf,
    },
}

/// The library's bytes.
pub fn carried() -> &'static [u8] {
    CARRIED
}

/// The bytes of the agent for Java virtual machines.
pub fn carried_agent() -> &'static [u8] {
    AGENT
}

/// Puts the library where the environment says, or else into the user's cache, and says where it is.
///
/// A file that is there already is used if it is the same to the byte. It stays there, as a
/// program that was started may start others long after the command has ended.
///
/// # Errors
///
/// [`LibraryError`], which says what to do.
pub fn place() -> Result<PathBuf, LibraryError> {
    place_as("libheapsmith_recorder", CARRIED)
}

/// Puts the agent for Java virtual machines in its place, as [`place`] does it with the library that is preloaded.
///
/// # Errors
///
/// As [`place`].
pub fn place_agent() -> Result<PathBuf, LibraryError> {
    place_as("libheapsmith_agent", AGENT)
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
