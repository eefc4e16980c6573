//! Temporary files next to the files that they become (O6).
//!
//! A part is locked for as long as its run lives, and the kernel releases the lock with the process: a part that can be
//! locked was left by a run that was killed.

use std::collections::HashSet;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use tempfile::{Builder, NamedTempFile};

const PREFIX: &str = ".heapsmith-";
const SUFFIX: &str = ".part";

/// What a new file may be read and written by, before the user's mask.
pub const USUAL: u32 = 0o666;

/// A new part in `folder` that nobody else has, with the permissions `mode` less the user's mask.
pub fn part(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    remove_stale_once(folder);
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).permissions(Permissions::from_mode(mode));
    loop {
        let file = builder.tempfile_in(folder)?;
        // A file system without locks: nobody can take this part for a stale one either.
        let locked = !matches!(lock(file.as_file()), Err(rustix::io::Errno::WOULDBLOCK));
        // Until it was locked, another run could take it for a stale one.
        if locked && file.as_file().metadata()?.nlink() > 0 {
            return Ok(file);
        }
    }
}

/// Whether a file in a folder is a part, of whichever run.
pub fn is_part(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

fn lock(file: &File) -> rustix::io::Result<()> {
    flock(file, FlockOperation::NonBlockingLockExclusive)
}

/// Removes what killed runs left in `folder`, the first time that this process writes there.
fn remove_stale_once(folder: &Path) {
    static DONE: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);
    let first = DONE.lock().map(|mut done| done.insert(folder.to_owned()));
    if let (Ok(true), Ok(entries)) = (first, folder.read_dir()) {
        let names = entries.flatten().filter(|entry| is_part(&entry.file_name().to_string_lossy()));
        names.for_each(|entry| remove_stale(&entry.path()));
    }
}

fn remove_stale(path: &Path) {
    // Opening a FIFO would wait for its reader.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = open(path, flags, Mode::empty()).map(File::from) else { return };
    let regular = file.metadata().is_ok_and(|found| found.is_file());
    if regular && lock(&file).is_ok() {
        let _ = std::fs::remove_file(path);
    }
}
