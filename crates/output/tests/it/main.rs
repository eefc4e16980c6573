//! What is written where, and what is refused.

#![allow(clippy::disallowed_methods, reason = "tests make the files that are in the way")]

mod folders;
mod parts;
mod paths;

use std::path::Path;

/// What an error refuses.
fn refusal(error: &std::io::Error) -> String {
    heapsmith_output::Refusal::of(error).unwrap_or_else(|| panic!("{error} is no refusal")).to_string()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
