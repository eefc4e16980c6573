//! Emitted files in a folder of the user's, where other files are too.

use std::fs::File as System;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use heapsmith_output::Output;

use crate::File;
use crate::preload::LinkedLibrary;

/// Writes emitted files, and the library that was made of them, into a folder; returns their paths. A file that is
/// there is replaced only if it was emitted too; if one was not, nothing is written. One that is the user's stays.
///
/// # Errors
///
/// The path that is not written, and why.
pub fn write(
    dir: &Path,
    files: &[File],
    library: Option<&LinkedLibrary>,
) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    std::fs::create_dir_all(dir).map_err(|error| (dir.to_owned(), error))?;
    let mut outputs = Vec::new();
    let mut emitted_before = false;
    for file in files {
        let path = dir.join(&file.name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| (folder.to_owned(), error))?;
        }
        if file.is_kept && path.symlink_metadata().is_ok() {
            continue;
        }
        let emitted = is_emitted(&path, file);
        emitted_before |= emitted;
        outputs.push((begin(path, emitted)?, file.text.as_bytes()));
    }
    if let Some(library) = library {
        // A library does not say what it was made of; its sources in the same folder do.
        outputs.push((begin(dir.join(&library.name), emitted_before)?, &library.bytes));
    }
    let mut written = Vec::new();
    for (output, bytes) in outputs {
        let path = output.path().to_owned();
        output.put(bytes).map_err(|error| (path.clone(), error))?;
        written.push(path);
    }
    Ok(written)
}

fn begin(path: PathBuf, emitted: bool) -> Result<Output, (PathBuf, io::Error)> {
    let output = if emitted { Output::create(&path) } else { Output::create_new(&path) };
    output.map_err(|error| (path, error))
}

/// Whether a file was emitted under the name of `file`, perhaps by another version: its first line says so.
fn is_emitted(path: &Path, file: &File) -> bool {
    let line = file.text.lines().next().unwrap_or_default();
    let line = line.split_once("heapsmith ").map_or(line, |(before_version, _)| before_version);
    if !path.symlink_metadata().is_ok_and(|there| there.is_file()) {
        return false;
    }
    let mut start = vec![0; line.len()];
    System::open(path).and_then(|mut there| there.read_exact(&mut start)).is_ok() && start == line.as_bytes()
}
