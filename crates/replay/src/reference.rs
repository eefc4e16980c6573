//! A reference allocator by its name, or by the file of a library.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use heapsmith_peers::{Peer, PeerError};

/// A reference allocator that can be driven in a process of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// One that is built in.
    Peer(Peer),
    /// A library with `malloc` and `free`.
    Library(PathBuf),
}

impl Reference {
    /// Whether its memory is a region of which every byte is known; else it takes pages from the system.
    pub fn has_region(&self) -> bool {
        matches!(self, Reference::Peer(peer) if !peer.entry().of_the_process)
    }

    /// What it is, with its version where that is known.
    pub fn version(&self) -> String {
        match self {
            Reference::Peer(peer) => peer.version(),
            Reference::Library(path) => path.display().to_string(),
        }
    }
}

impl FromStr for Reference {
    type Err = PeerError;

    /// A path, which has a slash or ends in `.so`; else the name of a peer, with or without `peer:`.
    fn from_str(text: &str) -> Result<Reference, PeerError> {
        if text.contains('/') || text.ends_with(".so") {
            return Ok(Reference::Library(PathBuf::from(text)));
        }
        Ok(Reference::Peer(text.parse()?))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reference::Peer(peer) => peer.fmt(f),
            // With a slash, so that it is read as a path again, and loaded from where it is.
            Reference::Library(path) if path.components().count() == 1 => write!(f, "./{}", path.display()),
            Reference::Library(path) => write!(f, "{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_printed_as_it_is_read() {
        for text in ["peer:rlsf", "./o1heap.so", "/usr/lib/libjemalloc.so.2"] {
            let reference: Reference = text.parse().expect("it is one");
            assert_eq!(reference.to_string(), text);
        }
        assert_eq!("o1heap.so".parse::<Reference>().expect("a file").to_string(), "./o1heap.so");
        assert!("nobody".parse::<Reference>().is_err());
    }
}
