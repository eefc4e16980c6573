//! One explorer at a time in a results folder.
//!
//! The lock is the kernel's, on a file of the folder: it ends with the process that holds it, however that ends, and the
//! file stays. It binds those who explore; who only reads takes none.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::fs::OFlags;

use super::StoreError;

/// The right to explore in a folder, until it is dropped.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code, reason = "the file is locked while it is open")] File);

impl Lock {
    /// Name of the locked file in an exploration's folder. It has no content.
    pub const FILE: &'static str = "results.lock";

    /// How often a lock is tried before it counts as held, and how long apart.
    const ATTEMPTS: usize = 5;
    const MOMENT: Duration = Duration::from_millis(10);

    /// How long it waits between two attempts.
    const PATIENCE: Duration = Duration::from_millis(100);

    /// Whether nothing else is in a folder: it was left by who was killed before there were results.
    pub fn is_alone(dir: &Path) -> bool {
        dir.read_dir().into_iter().flatten().flatten().all(|entry| entry.file_name() == Lock::FILE)
    }

    /// Takes the lock of a folder.
    ///
    /// # Errors
    ///
    /// [`StoreError::Busy`] when another process, or another exploration of this one, holds it; [`StoreError::Lock`] when
    /// the file cannot be opened, is a link, or lies where files cannot be locked.
    pub fn take(dir: &Path) -> Result<Lock, StoreError> {
        // A reader that looks whether it is held holds it for a moment.
        for _ in 0..Lock::ATTEMPTS {
            if let Some(lock) = Lock::attempt(dir)? {
                return Ok(lock);
            }
            std::thread::sleep(Lock::MOMENT);
        }
        Err(StoreError::Busy { dir: dir.to_owned() })
    }

    /// Takes the lock of a folder as soon as nobody else holds it; none when `stop` was set before.
    ///
    /// # Errors
    ///
    /// Those of [`Lock::take`] but for [`StoreError::Busy`].
    pub fn wait(dir: &Path, stop: &AtomicBool) -> Result<Option<Lock>, StoreError> {
        while !stop.load(Ordering::Relaxed) {
            if let Some(lock) = Lock::attempt(dir)? {
                return Ok(Some(lock));
            }
            std::thread::sleep(Lock::PATIENCE);
        }
        Ok(None)
    }

    /// Whether somebody explores in a folder now.
    pub fn is_held(dir: &Path) -> bool {
        #[allow(clippy::disallowed_methods, reason = "it is only read")]
        let file = Lock::open(&dir.join(Lock::FILE), OpenOptions::new().read(true));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Opens the file without following a link, or waiting for the other end of a FIFO: the folder may be shared.
    fn open(path: &Path, how: &mut OpenOptions) -> std::io::Result<File> {
        let link = |error: std::io::Error| match path.is_symlink() {
            true => std::io::Error::other("it is a link"),
            false => error,
        };
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        how.custom_flags(flags.bits().cast_signed()).open(path).map_err(link)
    }

    fn attempt(dir: &Path) -> Result<Option<Lock>, StoreError> {
        let path = dir.join(Lock::FILE);
        let error = |source| StoreError::Lock { path: path.clone(), source };
        #[allow(clippy::disallowed_methods, reason = "nothing is ever written to it")]
        let file = Lock::open(&path, OpenOptions::new().read(true).write(true).create(true).truncate(false));
        let file = file.map_err(error)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(error(source)),
        }
    }
}
