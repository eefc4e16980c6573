//! An action as the columns of a table, and back: what trace files and other tables of events share.
//!
//! | action | id | size | alignment | label |
//! |---|---|---|---|---|
//! | `allocate` | yes | yes | yes, or 0 where it is missing | |
//! | `free` | yes | | | |
//! | `reallocate` | yes | yes | | |
//! | `mark` | | | | yes |

use crate::{Action, Bytes};

/// The columns of one row that depend on its action.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActionColumns {
    /// Names the block.
    pub id: Option<u64>,
    /// Bytes requested.
    pub size: Option<u64>,
    /// A power of two, or 0.
    pub alignment: Option<u64>,
    /// Index of a mark's text.
    pub label: Option<u32>,
}

impl Action {
    /// The names of the actions in tables.
    pub const NAMES: [&str; 4] = ["allocate", "free", "reallocate", "mark"];

    /// This action as a row: an index into [`Action::NAMES`], and the columns.
    pub fn columns(self) -> (usize, ActionColumns) {
        let none = ActionColumns::default();
        match self {
            Action::Allocate { id, size, alignment } => {
                (0, ActionColumns { id: Some(id), size: Some(size.0), alignment: Some(alignment), ..none })
            }
            Action::Free { id } => (1, ActionColumns { id: Some(id), ..none }),
            Action::Reallocate { id, size } => (2, ActionColumns { id: Some(id), size: Some(size.0), ..none }),
            Action::Mark { label } => (3, ActionColumns { label: Some(label), ..none }),
        }
    }
}

impl ActionColumns {
    /// The action of this name with these columns.
    ///
    /// # Errors
    ///
    /// In words: an unknown name, or a column that its action needs and that has no value.
    pub fn action(self, name: &[u8]) -> Result<Action, String> {
        let no = |column: &str| format!("{} without {column}", name.escape_ascii());
        let id = || self.id.ok_or_else(|| no("an id"));
        let size = || self.size.map(Bytes).ok_or_else(|| no("a size"));
        match name {
            b"allocate" => Ok(Action::Allocate { id: id()?, size: size()?, alignment: self.alignment.unwrap_or(0) }),
            b"free" => Ok(Action::Free { id: id()? }),
            b"reallocate" => Ok(Action::Reallocate { id: id()?, size: size()? }),
            b"mark" => Ok(Action::Mark { label: self.label.ok_or_else(|| no("a label"))? }),
            _ => Err(unknown(name)),
        }
    }
}

#[cold]
fn unknown(name: &[u8]) -> String {
    match str::from_utf8(name) {
        Ok(name) => format!("unknown action {name:?}; known are {}", Action::NAMES.join(", ")),
        Err(_) => "the action is not text".to_owned(),
    }
}
