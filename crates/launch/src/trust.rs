//! Whether nobody but this user and root can change what a program loads.
//!
//! A library that is preloaded runs with the rights of the user who started the program. A user who can write the file, or rename a
//! folder on the way to it, runs code as that user, also long after the file was checked: a program that was started may
//! start others for as long as it lives.

use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const STICKY: u32 = 0o1000;

/// Why a path is not loaded from.
#[derive(Debug)]
pub enum Distrust {
    /// It belongs to another user.
    Owner { path: PathBuf, owner: u32 },
    /// Others can write it.
    Writable { path: PathBuf, mode: u32 },
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distrust::Owner { path, owner } => write!(f, "{} belongs to user {owner}", path.display()),
            Distrust::Writable { path, mode } => {
                write!(f, "{0} can be written by others (mode {mode:o}): chmod go-w {0}", path.display())
            }
        }
    }
}

/// The user whose rights this process has.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// What is at `path` can be changed by this user and by root alone; `found` is what is there.
///
/// A group that has its owner's number is the owner's own, as systems make one for each user. In a sticky folder nobody
/// can rename what belongs to others.
pub fn verify(path: &Path, found: &Metadata) -> Result<(), Distrust> {
    let (owner, mode) = (found.uid(), found.mode());
    if owner != user() && owner != 0 {
        return Err(Distrust::Owner { path: path.to_owned(), owner });
    }
    let by_group = mode & 0o020 != 0 && found.gid() != owner;
    let by_others = mode & 0o002 != 0;
    let is_shared = found.is_dir() && mode & STICKY != 0;
    if (by_group || by_others) && !is_shared {
        return Err(Distrust::Writable { path: path.to_owned(), mode: mode & 0o7777 });
    }
    Ok(())
}
