//! Where the libraries are put.
//!
//! | what is set | folder | what is verified |
//! |---|---|---|
//! | `HEAPSMITH_LIBRARY` | the file's own | the file and its folder |
//! | `XDG_CACHE_HOME` | `heapsmith` in it | the folder, which gets mode 0700, and every folder above it |
//! | else | `.cache/heapsmith` in the user's home | the same |
//! | there is none | `heapsmith` in `XDG_RUNTIME_DIR` | the same |
//!
//! There is no other place. A folder that all users share could be prepared by another user, or by another after
//! it was cleaned. An open descriptor (`/proc/self/fd/N`, `/proc/PID/fd/N` of a `memfd`) has a name that lasts no longer
//! than the descriptor: programs close what they inherit, and then the name, which every descendant still has in
//! `LD_PRELOAD`, is that of another file, or of a file of the next process with that number.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fs::{DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use heapsmith_output::Output;

use crate::error::LibraryError;
use crate::trust::{user, verify};

/// Puts a library of this name into a folder of the user's.
pub fn in_folder(name: &str, carried: &[u8]) -> Result<PathBuf, LibraryError> {
    let name = format!("{name}-{}.so", env!("CARGO_PKG_VERSION"));
    let placed = in_private(&name, |there| there == carried, || Ok::<_, Infallible>(Cow::Borrowed(carried)))?;
    placed.map_err(|never| match never {})
}

/// The file of this name in a folder of the user's, where nobody else can change it. One that `is_genuine` says no to is
/// replaced by what `make` makes; an error of that is the inner one.
pub fn in_private<'b, E>(
    name: &str,
    is_genuine: impl Fn(&[u8]) -> bool,
    make: impl FnOnce() -> Result<Cow<'b, [u8]>, E>,
) -> Result<Result<PathBuf, E>, LibraryError> {
    let mut reasons = Vec::new();
    let (mut make, mut made) = (Some(make), None);
    for above in candidates() {
        let path = match private(&above) {
            Ok(folder) => folder.join(name),
            Err(reason) => {
                reasons.push(reason);
                continue;
            }
        };
        if is(&path, &is_genuine) {
            return loadable(path).map(Ok);
        }
        let bytes = match make.take().map(|make| make()) {
            Some(Ok(bytes)) => made.insert(bytes),
            Some(Err(error)) => return Ok(Err(error)),
            None => made.as_mut().expect("it was made before"),
        };
        match replace(&path, bytes) {
            Ok(()) => return loadable(path).map(Ok),
            Err(error) => reasons.push(because(&path, error)),
        }
    }
    let reasons = if reasons.is_empty() { "there is no HOME".to_owned() } else { reasons.join("; ") };
    Err(LibraryError::NoFolder { reasons })
}

/// Puts bytes at a path in a folder of the user's.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // In this folder, what is no regular file was put by nobody else, and is of no use.
    if path.symlink_metadata().is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        fs::remove_file(path)?;
    }
    put(Output::create(path)?, bytes)
}

/// Puts a library where the user said.
pub fn at(path: &Path, carried: &[u8]) -> Result<PathBuf, LibraryError> {
    let failed = |source| LibraryError::Place { path: path.to_owned(), source };
    let path = loadable(std::path::absolute(path).map_err(failed)?)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).map_err(failed)?;
    verify(folder, &folder.metadata().map_err(failed)?)
        .map_err(|why| LibraryError::Foreign { path: path.clone(), why: why.to_string() })?;
    match Output::create_new(&path).and_then(|output| put(output, carried)) {
        Ok(()) => Ok(path),
        // It is there from before, or from another command that does the same at this moment.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let why = "it is another file, or others can write it".to_owned();
            if is_genuine(&path, carried) { Ok(path) } else { Err(LibraryError::Foreign { path, why }) }
        }
        Err(error) => Err(failed(error)),
    }
}

/// `LD_PRELOAD` takes names apart at blanks and colons.
fn loadable(path: PathBuf) -> Result<PathBuf, LibraryError> {
    let parts = path.as_os_str().as_encoded_bytes().iter().any(|byte| b" :\t\n".contains(byte));
    if parts { Err(LibraryError::Unloadable { path }) } else { Ok(path) }
}

/// Folders that belong to the user, in the order in which they are tried.
fn candidates() -> Vec<PathBuf> {
    let named = |variable: &str| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(cache) = named("XDG_CACHE_HOME") {
        return vec![cache];
    }
    // Where HOME is not set, as in cron's or a service's environment, the system's list of users has it.
    let home = env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(".cache"));
    home.into_iter().chain(named("XDG_RUNTIME_DIR")).collect()
}

/// The folder `heapsmith` in `above`, without links on the way, which this user alone can enter.
fn private(above: &Path) -> Result<PathBuf, String> {
    let wanted = above.join("heapsmith");
    let there = wanted.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    let real = there.canonicalize().map_err(|error| because(there, error))?;
    // From the root down: what is verified cannot be exchanged while the rest is, nor is anything created in it before.
    let mut way: Vec<&Path> = real.ancestors().skip(usize::from(there == wanted)).collect();
    way.reverse();
    for path in way {
        let found = path.symlink_metadata().map_err(|error| because(path, error))?;
        verify(path, &found).map_err(|why| why.to_string())?;
    }
    let missing = wanted.strip_prefix(there).unwrap_or(Path::new(""));
    let folder: PathBuf = real.components().chain(missing.components()).collect();
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(|error| because(&folder, error))?;
    let found = folder.symlink_metadata().map_err(|error| because(&folder, error))?;
    if found.uid() != user() {
        return Err(format!("{} belongs to user {}", folder.display(), found.uid()));
    }
    if found.mode() & 0o7777 != 0o700 {
        fs::set_permissions(&folder, Permissions::from_mode(0o700)).map_err(|error| because(&folder, error))?;
    }
    Ok(folder)
}

/// Whether the file is the library to the byte, and nobody else can change it.
fn is_genuine(path: &Path, carried: &[u8]) -> bool {
    is(path, |there| there == carried)
}

/// Whether a file has contents of this kind, and nobody else can change it.
fn is(path: &Path, wanted: impl Fn(&[u8]) -> bool) -> bool {
    let there = path.symlink_metadata().ok().filter(fs::Metadata::is_file);
    there.is_some_and(|there| verify(path, &there).is_ok()) && fs::read(path).is_ok_and(|there| wanted(&there))
}

fn put(output: Output, carried: &[u8]) -> io::Result<()> {
    output.set_mode(0o644)?;
    output.put(carried)
}

fn because(path: &Path, error: io::Error) -> String {
    format!("{}: {error}", path.display())
}
