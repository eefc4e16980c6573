//! Reference allocators as systems install them: libraries that are preloaded, with the knobs that their environment has.
//!
//! ```text
//!   peer:jemalloc ──────────────▶ built in, called directly (catalogue.rs)
//!   peer:jemalloc(narenas=2) ──▶ Configured ─▶ library + environment ─▶ a process of its own
//! ```

use std::fmt;
use std::path::{Path, PathBuf};

/// A reference allocator that a program can be started with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Deployed {
    /// The GNU C library's.
    Libc,
    /// jemalloc.
    Jemalloc,
    /// mimalloc.
    Mimalloc,
    /// tcmalloc of gperftools.
    Tcmalloc,
}

/// Folders that libraries are installed in, in the order in which they are tried.
const FOLDERS: [&str; 6] =
    ["/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64", "/usr/lib"];

impl Deployed {
    /// All of them.
    pub const ALL: [Deployed; 4] = [Deployed::Libc, Deployed::Jemalloc, Deployed::Mimalloc, Deployed::Tcmalloc];

    /// Its name, without the prefix.
    pub fn name(self) -> &'static str {
        match self {
            Deployed::Libc => "libc",
            Deployed::Jemalloc => "jemalloc",
            Deployed::Mimalloc => "mimalloc",
            Deployed::Tcmalloc => "tcmalloc",
        }
    }

    /// The names of its library, the preferred first.
    fn files(self) -> &'static [&'static str] {
        match self {
            Deployed::Libc => &["libc.so.6"],
            Deployed::Jemalloc => &["libjemalloc.so.2"],
            Deployed::Mimalloc => &["libmimalloc.so.3", "libmimalloc.so.2", "libmimalloc.so"],
            Deployed::Tcmalloc => &["libtcmalloc_minimal.so.4", "libtcmalloc.so.4"],
        }
    }

    /// The package that brings it on Debian and its relatives.
    pub fn package(self) -> &'static str {
        match self {
            Deployed::Libc => "libc6",
            Deployed::Jemalloc => "libjemalloc2",
            Deployed::Mimalloc => "libmimalloc2.0",
            Deployed::Tcmalloc => "libtcmalloc-minimal4",
        }
    }

    /// Where it is installed; none where it is not.
    pub fn library(self) -> Option<PathBuf> {
        let paths = FOLDERS.iter().flat_map(|folder| self.files().iter().map(|file| Path::new(folder).join(file)));
        // A GNU linker script of that name is no library.
        paths.filter(|path| path.is_file()).find(|path| path.metadata().is_ok_and(|data| data.len() > 4096))
    }

    /// Which of them a library is, by the name of its file.
    pub fn of_library(path: &Path) -> Option<Deployed> {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let begins = |file: &&str| name.starts_with(file.split(".so").next().unwrap_or(file));
        Deployed::ALL.into_iter().find(|deployed| deployed.files().iter().any(&begins))
    }
}

impl fmt::Display for Deployed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", crate::PREFIX, self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_known_by_its_file() {
        let of = |path: &str| Deployed::of_library(Path::new(path));
        assert_eq!(of("/lib/x86_64-linux-gnu/libc.so.6"), Some(Deployed::Libc));
        assert_eq!(of("/usr/lib/libjemalloc.so.2"), Some(Deployed::Jemalloc));
        assert_eq!(of("/usr/lib/libtcmalloc_minimal.so.4.5.10"), Some(Deployed::Tcmalloc));
        assert_eq!(of("/usr/lib/libm.so.6"), None);
    }
}
