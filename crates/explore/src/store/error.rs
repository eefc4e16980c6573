//! Why a results store cannot be used.

use std::io;
use std::path::PathBuf;

/// Why the results store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite says why.
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// The store.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The disk of the store failed, or is full.
    #[error(
        "{}: {source}; what was kept before is not lost: make room or see to the disk, then run the same command again",
        path.display()
    )]
    Disk {
        /// The store.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The folder is not one for results, or cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Folder {
        /// The folder, or the file in it.
        path: PathBuf,
        /// What the system said, or why nothing is written there.
        source: io::Error,
    },
    /// Something else than a regular file has the name of the store.
    #[error("{} is {kind}, and results are kept in a regular file: remove it, or choose another --out", path.display())]
    NotAFile {
        /// What has the name.
        path: PathBuf,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// The file holds something else.
    #[error("{} is not a results store of this heapsmith: {cause}; choose another --out, or delete its folder", path.display())]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// The file holds the results of another exploration.
    #[error("{} holds another exploration ({what}): choose another --out, or delete its folder", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// No exploration was ever begun there.
    #[error("{} does not exist: run `heapsmith explore` first, or name the folder that it wrote", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// Another exploration is at work in the folder.
    #[error(
        "{} is being explored by another process: wait until it ends (--wait does so), or choose another --out",
        dir.display()
    )]
    Busy {
        /// The folder.
        dir: PathBuf,
    },
    /// The exploration in the folder did not come to its end.
    #[error(
        "{} holds {done} of {designs} designs: {}",
        dir.display(),
        if *running {
            "it is being explored now; wait until that ends"
        } else {
            "run the `heapsmith explore` command that began it again, and it goes on"
        }
    )]
    Unfinished {
        /// The folder.
        dir: PathBuf,
        /// Designs that have their results.
        done: usize,
        /// Designs of the space.
        designs: usize,
        /// Whether somebody explores there now.
        running: bool,
    },
    /// The folder cannot be locked.
    #[error("cannot lock {}: {source}; choose another --out", path.display())]
    Lock {
        /// The file that is locked.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
