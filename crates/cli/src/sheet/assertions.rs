//! The check file: what a replay or arithmetic can verify of a sheet.
//!
//! | figure | asserted |
//! |---|---|
//! | peak live | `requested_peak` |
//! | reserve | `min_region`, and `footprint_peak` where no smaller region was asked for |
//! | worst | `accesses_max` in the region that is reserved |
//! | proven | `bound`, and `accesses_bound` where time is proven |

use std::fmt::Write;

use heapsmith_emit::{File, Name};
use heapsmith_explore::Objective;
use heapsmith_spec::Spec;
use heapsmith_workload::PREFIX;

use super::known::Known;
use super::subject::{Subject, from_folder};
use crate::failure::Failure;

/// What is asserted of a replay in the region that is reserved: in another one a heap may do more, or take other ways.
const ACCESSES: &str = "accesses_max";

/// What the assertions are made of.
pub struct Assertions<'s> {
    pub name: &'s Name,
    pub spec: &'s Spec,
    pub subject: &'s Subject,
    pub known: &'s Known,
}

impl Assertions<'_> {
    pub fn file(&self) -> Result<File, Failure> {
        let name = self.name.lower();
        let mut text = format!(
            "# {name}_check.toml: what {name}_sheet.txt says, for `heapsmith check`; worked out by heapsmith {}.\n",
            env!("CARGO_PKG_VERSION")
        );
        for (number, path) in self.paths()?.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = write!(text, "\n[trace.recorded-{}]\nfile = {}\n", number + 1, quoted(path));
        }
        let _ = write!(text, "\n[heap.{name}]\nspec = {}\n", quoted(&self.spec.to_string()));
        for (measure, max) in self.measures() {
            let _ = write!(text, "\n[[assert]]\nmeasure = \"{measure}\"\nmax = {max}\n");
            if measure == ACCESSES {
                let _ = writeln!(text, "region = {}", self.known.reserve.0);
            }
        }
        Ok(File::new(format!("{name}_check.toml"), text))
    }

    /// The traces as a file in the folder names them.
    fn paths(&self) -> Result<Vec<String>, Failure> {
        let each = self.subject.files.iter().map(|file| {
            if file.to_string_lossy().starts_with(PREFIX) {
                return Ok(file.to_string_lossy().into_owned());
            }
            let path = from_folder(&self.subject.out, file);
            let path = path.map_err(|error| Failure::bad_input(format!("{}: {error}", file.display())))?;
            path.into_os_string().into_string().map_err(|path| {
                Failure::bad_input(format!(
                    "{} has a name that no check file can hold, as it is not in UTF-8: rename it",
                    path.display()
                ))
            })
        });
        each.collect()
    }

    fn measures(&self) -> Vec<(&'static str, u64)> {
        let Known { reserve, there, proven, region, .. } = self.known;
        let live = self.subject.traces.iter().map(|trace| trace.requested_peak.0).max();
        let footprint = self.subject.asked_region().is_none().then_some(reserve.0);
        let all = [
            ("requested_peak", live),
            ("min_region", Some(reserve.0)),
            ("footprint_peak", footprint),
            (ACCESSES, Some(there.get(Objective::MaxOp) as u64)),
            ("bound", *region),
            ("accesses_bound", proven.map(|proven| proven.accesses)),
        ];
        all.into_iter().filter_map(|(measure, max)| Some((measure, max?))).collect()
    }
}

/// A text as TOML has it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            char if char.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(char));
            }
            char => quoted.push(char),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn what_toml_would_read_otherwise_is_escaped() {
        assert_eq!(quoted("a \"b\"\\c\n\u{7f}é"), r#""a \"b\"\\c\u000A\u007Fé""#);
    }
}
