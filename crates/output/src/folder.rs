//! A folder of results: ours, or not touched (O5).

use std::io;
use std::path::{Path, PathBuf};

use crate::part::is_part;
use crate::{Output, Refusal};

/// A folder of results in which heapsmith may create and replace files: it made the folder, the folder was empty, or it
/// bears the mark of earlier results.
#[derive(Debug, Clone)]
pub struct ResultsFolder {
    path: PathBuf,
    is_new: bool,
}

impl ResultsFolder {
    /// Claims the folder at `path`, and makes it if it is not there. `is_ours` recognises earlier results in a folder
    /// that has files; it is asked only about such folders.
    ///
    /// # Errors
    ///
    /// [`Refusal::Foreign`], or what the system says against writing there.
    pub fn claim(path: impl AsRef<Path>, is_ours: impl FnOnce(&Path) -> bool) -> io::Result<ResultsFolder> {
        let path = path.as_ref();
        std::fs::create_dir_all(path)?;
        let mut names = Vec::new();
        for entry in path.read_dir()? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if !is_part(&name) {
                names.push(name);
            }
        }
        if !names.is_empty() && !is_ours(path) {
            return Err(Refusal::Foreign { found: listed(names) }.into());
        }
        // A file without a name: whether files can be written is known, and none is left.
        tempfile::tempfile_in(path)?;
        Ok(ResultsFolder { path: path.to_owned(), is_new: names.is_empty() })
    }

    /// Whether there were no results in it when it was claimed.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// The folder's path, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file of the folder, new or replaced.
    ///
    /// # Errors
    ///
    /// As [`Output::create`].
    pub fn create(&self, name: impl AsRef<Path>) -> io::Result<Output> {
        Output::create(self.path.join(name))
    }
}

/// The first few names.
fn listed(mut names: Vec<String>) -> String {
    const LISTED: usize = 3;
    names.sort();
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let shown = names.join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
