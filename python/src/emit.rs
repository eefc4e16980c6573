//! `heapsmith.emit`: a heap as source.

use std::path::PathBuf;

use heapsmith_emit::{Name, Request, c, preload, rust};
use heapsmith_spec::resolve;
use pyo3::prelude::*;

use crate::errors::{Outcome, Raised, classes};
use crate::wait::unlocked;

/// The files of a heap: name and text.
#[pyfunction]
pub fn emit(heap: &str, language: &str, name: &str) -> Outcome<Vec<(String, String)>> {
    let request = request(heap, language, name)?;
    let files = match language {
        "rust" => rust::emit(&request)?,
        "so" => preload::emit(&request)?,
        _ => c::emit(&request)?,
    };
    Ok(files.into_iter().map(|file| (file.name, file.text)).collect())
}

/// Links the library of files that `emit` gave for the language `so`, in their folder; gives its path.
#[pyfunction]
pub fn link(py: Python<'_>, heap: &str, name: &str, dir: PathBuf) -> Outcome<PathBuf> {
    let request = request(heap, "so", name)?;
    let output = unlocked(py, |_| preload::compile(&dir, &request))?.map_err(|error| {
        let text = format!("cannot run cc: {error}; install a C compiler (on Debian: build-essential)");
        Raised(classes::SystemFailure::new_err(text))
    })?;
    if !output.status.success() {
        let text = format!("cc failed: {}", String::from_utf8_lossy(&output.stderr));
        return Err(Raised(classes::HeapsmithError::new_err(text)));
    }
    Ok(preload::path(&dir, &request))
}

fn request(heap: &str, language: &str, name: &str) -> Outcome<Request> {
    if !["c", "rust", "so"].contains(&language) {
        return Err(Raised::usage(format!("there is no language {language:?}; there are c, rust, so")));
    }
    let spec = resolve(heap)?;
    let spec = if language == "so" { preload::suited(&spec)? } else { spec };
    Ok(Request { spec, name: Name::new(name)?, figures: None })
}
