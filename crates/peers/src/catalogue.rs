//! The peers by name: what each is, in which version, and from where.

use std::fmt;
use std::str::FromStr;

/// The prefix of a reference allocator's name in place of a spec: `peer:mimalloc`.
pub const PREFIX: &str = "peer:";

/// A reference allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Peer {
    /// The C library's `malloc`.
    Libc,
    /// mimalloc.
    Mimalloc,
    /// jemalloc.
    Jemalloc,
    /// snmalloc.
    Snmalloc,
    /// dlmalloc.
    Dlmalloc,
    /// rlsf.
    Rlsf,
    /// talc.
    Talc,
    /// linked_list_allocator.
    LinkedList,
    /// buddy_system_allocator.
    BuddySystem,
}

/// A peer, described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The peer.
    pub peer: Peer,
    /// Its name, without the prefix.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The package that brings it, as in `Cargo.lock`; none for the system's.
    pub package: Option<(&'static str, &'static str)>,
    /// Where its source is.
    pub source: &'static str,
    /// The feature of the command that enables it, and why.
    pub feature: Option<(&'static str, &'static str)>,
    /// Whether it is in this build.
    pub built: bool,
    /// Whether it asks the system for memory itself; else it gets a region, as our heaps do.
    pub of_the_process: bool,
    /// Whether an operation may look at all free blocks, so that long replays are cut short.
    pub linear: bool,
}

const PLAIN: Entry = Entry {
    peer: Peer::Libc,
    name: "",
    about: "",
    package: None,
    source: "",
    feature: None,
    built: true,
    of_the_process: false,
    linear: false,
};

const PEERS: &[Entry] = &[
    Entry {
        peer: Peer::Libc,
        name: "libc",
        about: "the C library's malloc, of whatever system this runs on",
        source: "https://sourceware.org/glibc/wiki/MallocInternals (where the system has the GNU C library)",
        of_the_process: true,
        ..PLAIN
    },
    Entry {
        peer: Peer::Mimalloc,
        name: "mimalloc",
        about: "free lists sharded by page; mimalloc 3.3.2",
        package: Some(("libmimalloc-sys", "0.1.49")),
        source: "https://github.com/microsoft/mimalloc",
        of_the_process: true,
        ..PLAIN
    },
    Entry {
        peer: Peer::Jemalloc,
        name: "jemalloc",
        about: "size classes in slabs, arenas, thread caches; jemalloc 5.3.1",
        package: Some(("tikv-jemalloc-sys", "0.7.1")),
        source: "https://github.com/jemalloc/jemalloc",
        feature: Some(("jemalloc", "it alone compiles for minutes")),
        built: cfg!(feature = "jemalloc"),
        of_the_process: true,
        ..PLAIN
    },
    Entry {
        peer: Peer::Snmalloc,
        name: "snmalloc",
        about: "size classes in slabs, frees passed as messages between threads",
        package: Some(("snmalloc-sys", "0.7.6")),
        source: "https://github.com/microsoft/snmalloc",
        feature: Some(("snmalloc", "it needs a C++ compiler")),
        built: cfg!(feature = "snmalloc"),
        of_the_process: true,
        ..PLAIN
    },
    Entry {
        peer: Peer::Dlmalloc,
        name: "dlmalloc",
        about: "Lea's allocator, 2.8.6 ported to Rust: bins, trees for large blocks, best fit",
        package: Some(("dlmalloc", "0.2.14")),
        source: "https://github.com/alexcrichton/dlmalloc-rs",
        ..PLAIN
    },
    Entry {
        peer: Peer::Rlsf,
        name: "rlsf",
        about: "two-level segregated fit, 32 lists for each power of two",
        package: Some(("rlsf", "0.2.3")),
        source: "https://github.com/yvt/rlsf",
        ..PLAIN
    },
    Entry {
        peer: Peer::Talc,
        name: "talc",
        about: "bins of free blocks, boundary tags",
        package: Some(("talc", "5.1.1")),
        source: "https://github.com/SFBdragon/talc",
        ..PLAIN
    },
    Entry {
        peer: Peer::LinkedList,
        name: "linked_list_allocator",
        about: "one list in address order, first fit",
        package: Some(("linked_list_allocator", "0.10.6")),
        source: "https://github.com/phil-opp/linked-list-allocator",
        linear: true,
        ..PLAIN
    },
    Entry {
        peer: Peer::BuddySystem,
        name: "buddy_system_allocator",
        about: "binary buddies, each order's list searched for the buddy",
        package: Some(("buddy_system_allocator", "0.13.0")),
        source: "https://github.com/rcore-os/buddy_system_allocator",
        linear: true,
        ..PLAIN
    },
];

/// Every peer, those of features that are off included.
pub fn peers() -> &'static [Entry] {
    PEERS
}

impl Peer {
    /// Its description.
    pub fn entry(self) -> &'static Entry {
        // Every peer has its line; a test looks.
        PEERS.iter().find(|entry| entry.peer == self).unwrap_or(&PLAIN)
    }

    /// Its name, without the prefix.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The peers of this build.
    pub fn built() -> impl Iterator<Item = Peer> {
        PEERS.iter().filter(|entry| entry.built).map(|entry| entry.peer)
    }

    /// The version of what was built in, or of what the system has.
    pub fn version(self) -> String {
        match self.entry().package {
            Some((package, version)) => format!("{package} {version}"),
            None => system_version(),
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn system_version() -> String {
    // SAFETY: the function has no arguments and returns a text that lives as long as the process.
    let version = unsafe { std::ffi::CStr::from_ptr(libc::gnu_get_libc_version()) };
    format!("glibc {}", version.to_string_lossy())
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn system_version() -> String {
    format!("of {}", std::env::consts::OS)
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.name())
    }
}

/// Why there is no such peer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PeerError {
    /// Nothing has that name.
    #[error("no peer is called \"{name}\"; there are: {}", names().join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The feature that enables it is off.
    #[error(
        "peer:{name} is not in this build, as {why}: build the command with `cargo build --release --features {feature}`"
    )]
    Absent {
        /// The peer.
        name: &'static str,
        /// The feature.
        feature: &'static str,
        /// Why it is off by default.
        why: &'static str,
    },
}

impl PeerError {
    pub(crate) fn absent(peer: Peer) -> PeerError {
        let (feature, why) = peer.entry().feature.unwrap_or_default();
        PeerError::Absent { name: peer.name(), feature, why }
    }
}

/// The names that an error lists; those of features that are off are marked.
fn names() -> Vec<String> {
    let shown = |entry: &Entry| match entry.feature {
        Some((feature, _)) if !entry.built => format!("{} (with --features {feature})", entry.name),
        _ => entry.name.to_owned(),
    };
    PEERS.iter().map(shown).collect()
}

impl FromStr for Peer {
    type Err = PeerError;

    /// The peer of a name, with or without the prefix, if it is in this build.
    fn from_str(text: &str) -> Result<Peer, PeerError> {
        let name = text.strip_prefix(PREFIX).unwrap_or(text).trim();
        let entry = PEERS.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| PeerError::Unknown { name: name.to_owned() })?;
        if entry.built { Ok(entry.peer) } else { Err(PeerError::absent(entry.peer)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_is_found_by_its_name() {
        for entry in peers() {
            assert_eq!(entry.peer.entry(), entry);
            match entry.peer.to_string().parse::<Peer>() {
                Ok(found) => assert_eq!(found, entry.peer),
                Err(error) => assert!(!entry.built && error.to_string().contains("--features"), "{error}"),
            }
            assert_eq!(entry.built, Peer::built().any(|peer| peer == entry.peer));
        }
    }

    #[test]
    fn an_unknown_peer_lists_those_there_are() {
        let error = "peer:mymalloc".parse::<Peer>().expect_err("nobody's");
        assert!(error.to_string().contains("libc, mimalloc, "), "{error}");
    }

    #[test]
    fn an_absent_peer_says_which_feature_brings_it() {
        let error = PeerError::absent(Peer::Jemalloc).to_string();
        assert!(error.contains("cargo build --release --features jemalloc"), "{error}");
    }

    #[test]
    fn versions_are_those_that_are_built_in() {
        let lock = include_str!("../../../Cargo.lock");
        for (package, version) in peers().iter().filter_map(|entry| entry.package) {
            let line = format!("name = \"{package}\"\nversion = \"{version}");
            assert!(lock.contains(&line), "{package} is no longer {version}: correct the catalogue of peers");
        }
    }
}
