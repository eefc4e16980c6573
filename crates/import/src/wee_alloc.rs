//! The test traces of wee_alloc.
//!
//! ```text
//!   Alloc(552),     a block of 552 bytes: the 0th
//!   Alloc(120),     the 1st
//!   Free(0),        the 0th block is freed
//! ```
//!
//! Source: `test/traces` of the repository rustwasm/wee_alloc.

use crate::importer::{Format, Importer, KEEP_DAMAGED, Text};
use crate::number::whole;
use crate::recording::{Recording, Taken};

pub(crate) const IMPORTER: Importer = Importer {
    name: "wee-alloc",
    about: "the test traces of wee_alloc",
    source: "rustwasm/wee_alloc, test/traces",
    input: "a wee_alloc trace",
    parameters: &[KEEP_DAMAGED],
    begins: |head| head.lines().first().is_some_and(|line| entry(line).is_some()),
    format: Format::Text(|| Box::new(WeeAlloc::default())),
};

/// Whether a line allocates, and its number.
fn entry(line: &str) -> Option<(bool, u64)> {
    let line = line.trim_end_matches(',').trim_end().strip_suffix(')')?;
    match line.split_once('(')? {
        ("Alloc", size) => Some((true, whole(size)?)),
        ("Free", number) => Some((false, whole(number)?)),
        _ => None,
    }
}

#[derive(Default)]
struct WeeAlloc {
    births: u64,
}

impl Text for WeeAlloc {
    fn line(&mut self, line: &str, recording: &mut Recording<'_>) -> Taken {
        match entry(line).ok_or("not `Alloc(SIZE),` or `Free(NUMBER),`")? {
            (true, size) => {
                self.births += 1;
                recording.allocate(self.births, size, 0)
            }
            (false, number) if number >= self.births => {
                Err(format!("block {number} is freed, but only {} were allocated", self.births).into())
            }
            (false, number) => recording.free_known(number + 1),
        }
    }
}
