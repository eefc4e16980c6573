//! The files that a command reads: none of them may be its output.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::Refusal;

/// The files that a command reads, by device and inode.
#[derive(Debug, Clone, Default)]
pub struct Inputs(Vec<Input>);

#[derive(Debug, Clone)]
struct Input {
    device: u64,
    inode: u64,
    path: PathBuf,
}

impl Inputs {
    /// No files.
    pub const NONE: Inputs = Inputs(Vec::new());

    /// The files at these paths; what is not there, or is no regular file, is left out.
    pub fn of<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Inputs {
        let input = |path: P| {
            let path = path.as_ref();
            let found = path.metadata().ok().filter(Metadata::is_file)?;
            Some(Input { device: found.dev(), inode: found.ino(), path: path.to_owned() })
        };
        Inputs(paths.into_iter().filter_map(input).collect())
    }

    /// Refuses a file that is one of these.
    pub(crate) fn refuse(&self, output: &Metadata) -> Result<(), Refusal> {
        let same = |input: &&Input| (input.device, input.inode) == (output.dev(), output.ino());
        match self.0.iter().find(same) {
            Some(input) => Err(Refusal::Input { input: input.path.clone() }),
            None => Ok(()),
        }
    }
}
