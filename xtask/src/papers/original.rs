//! An original: a repository at a pinned commit, in the folder of originals or cloned into it.

use std::path::{Path, PathBuf};

use crate::run::{Outcome, output, run};

/// A public repository.
pub struct Original {
    /// Its folder in the folder of originals.
    pub name: &'static str,
    /// Where it is cloned from.
    pub address: &'static str,
    /// The whole commit.
    pub commit: &'static str,
}

impl Original {
    /// Its checked-out files: those that are in the folder, if they are of the commit, or a clone.
    pub fn files(&self, originals: &Path) -> Result<PathBuf, String> {
        let folder = originals.join(self.name);
        let path = folder.display().to_string();
        if !folder.exists() {
            run("git", &["clone", "--quiet", self.address, &path]).map_err(|error| self.by_hand(originals, &error))?;
            run("git", &["-C", &path, "checkout", "--quiet", self.commit])?;
        }
        let found = output("git", &["-C", &path, "rev-parse", "HEAD"])?;
        match found.trim() == self.commit {
            true => Ok(folder.canonicalize().map_err(|error| format!("{path}: {error}"))?),
            false => Err(format!("{path} is at {}, and should be at {}", found.trim(), self.commit)),
        }
    }

    fn by_hand(&self, originals: &Path, error: &str) -> String {
        let folder = originals.join(self.name);
        format!("{error}: put a clone of {} at {} into {}", self.address, self.commit, folder.display())
    }
}

/// Makes a folder empty.
pub fn empty(folder: &Path) -> Outcome {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(failed)?;
    }
    std::fs::create_dir_all(folder).map_err(failed)
}
