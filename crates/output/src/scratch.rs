//! A private folder for files that nobody is to keep.

use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir};

/// A folder in the system's temporary folder, with a random name, which nobody else can enter; removed with what is in
/// it when it is dropped. Sources are compiled in it.
#[derive(Debug)]
pub struct Scratch(TempDir);

impl Scratch {
    /// A new folder.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn new() -> io::Result<Scratch> {
        Builder::new().prefix("heapsmith-").tempdir().map(Scratch)
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file of this name, and returns its path.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn write(&self, name: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        let path = self.path().join(name);
        #[allow(clippy::disallowed_methods, reason = "nobody else can enter the folder")]
        std::fs::write(&path, contents)?;
        Ok(path)
    }
}
