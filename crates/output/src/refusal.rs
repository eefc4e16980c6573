//! Why a path is not written to, although the system would allow it.

use std::io;
use std::path::PathBuf;

/// Why a path is not written to. Errors of this crate are [`io::Error`]s that carry it, see [`Refusal::of`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// O2.
    #[error("it is a symbolic link; remove the link, or name the file that it points to")]
    Link,
    /// O4.
    #[error("it is a folder; name a file in it")]
    Folder,
    /// O4: a block device or a socket, or a device where only a regular file will do.
    #[error("it is {kind}, which is neither replaced nor written to; name a regular file")]
    Special {
        /// What it is, with its article.
        kind: &'static str,
    },
    /// O3.
    #[error("it is the input {}; name another file", input.display())]
    Input {
        /// The input.
        input: PathBuf,
    },
    /// O5: a file.
    #[error("it exists, and heapsmith did not write it; remove it, or name another place")]
    NotOurs,
    /// O5: a folder.
    #[error("it holds files that are not heapsmith's results ({found}); name a new or an empty folder")]
    Foreign {
        /// Some of them.
        found: String,
    },
    /// A format whose beginning is known at its end cannot be a stream.
    #[error("this format cannot be written as a stream; name a regular file")]
    NoStream,
}

impl Refusal {
    /// The refusal that an error carries; none if the system refused.
    pub fn of(error: &io::Error) -> Option<&Refusal> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> io::Error {
        let kind = match refusal {
            Refusal::NotOurs | Refusal::Foreign { .. } => io::ErrorKind::AlreadyExists,
            _ => io::ErrorKind::InvalidInput,
        };
        io::Error::new(kind, refusal)
    }
}
