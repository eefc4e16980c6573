//! The names behind a column of indexes: call sites, and the texts of marks.

use std::path::PathBuf;

use heapsmith_trace::TraceError;

/// Names that are made for indexes without one, at most: more than a program has call sites.
const MADE: u64 = 1 << 20;

/// Names in the order of their indexes, and how many indexes are used.
#[derive(Debug)]
pub struct Names {
    /// What they name: `site` or `label`.
    what: &'static str,
    names: Vec<String>,
    used: u64,
}

impl Names {
    /// Those that are known.
    pub fn new(what: &'static str, names: Vec<String>) -> Names {
        Names { what, names, used: 0 }
    }

    /// The next index has this name.
    pub fn push(&mut self, name: &str) {
        self.names.push(name.to_owned());
    }

    /// An event uses this index.
    pub fn used(&mut self, index: u32) {
        self.used = self.used.max(u64::from(index) + 1);
    }

    /// A name for every index that is used: "site 7" by default.
    pub fn complete(self) -> Result<Vec<String>, TraceError> {
        let Names { what, mut names, used } = self;
        let given = names.len() as u64;
        if used > given.max(MADE) {
            let cause = format!("{what} {} has no name: give {what}s, or count them from 0 without gaps", used - 1);
            return Err(TraceError::NotATrace { path: PathBuf::from("the table"), cause });
        }
        names.extend((given..used).map(|index| format!("{what} {index}")));
        Ok(names)
    }
}
