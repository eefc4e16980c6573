//! `heapsmith.emit`: a heap as source.

use std::path::PathBuf;

use heapsmith_emit::{Compiler, CompilerError, EmitError, File, Name, Request, c, preload, rust, write};
use heapsmith_output::Output;
use heapsmith_spec::{Spec, is_name, resolve};
use pyo3::prelude::*;

use crate::errors::{Outcome, Raised, classes};
use crate::wait::unlocked;

/// The files of a heap: name and text.
#[pyfunction]
pub fn emit(heap: &str, language: &str, name: &str) -> Outcome<Vec<(String, String)>> {
    let request = request(heap, language, name)?;
    Ok(files(&request, language)?.into_iter().map(|file| (file.name, file.text)).collect())
}

/// Writes the files of a heap into a folder, for the language `so` with the library; gives their paths.
#[pyfunction]
pub fn emit_to(py: Python<'_>, heap: &str, language: &str, name: &str, dir: PathBuf) -> Outcome<Vec<PathBuf>> {
    let request = request(heap, language, name)?;
    let files = files(&request, language)?;
    unlocked(py, |_| {
        let linked = || preload::link(&Compiler::find()?, &request, &files);
        let library = (language == "so").then(linked).transpose().map_err(unlinked)?;
        write(&dir, &files, library.as_ref()).map_err(|(path, error)| Raised::writing(&path, &error))
    })?
}

fn unlinked(error: CompilerError) -> Raised {
    let text = error.to_string();
    match error {
        CompilerError::Failed { .. } => Raised(classes::HeapsmithError::new_err(text)),
        _ => Raised(classes::SystemFailure::new_err(text)),
    }
}

fn files(request: &Request, language: &str) -> Outcome<Vec<File>> {
    Ok(match language {
        "rust" => rust::emit(request)?,
        "so" => preload::emit(request)?,
        _ => c::emit(request)?,
    })
}

/// Writes a text to a file that the user named.
#[pyfunction]
pub fn write_text(path: PathBuf, text: &str) -> Outcome<()> {
    let written = Output::create(&path).and_then(|output| output.put(text));
    written.map_err(|error| Raised::writing(&path, &error))
}

fn request(heap: &str, language: &str, name: &str) -> Outcome<Request> {
    if !["c", "rust", "so"].contains(&language) {
        return Err(Raised::usage(format!("there is no language {language:?}; there are c, rust, so")));
    }
    let spec = resolve(heap)?;
    let spec = if language == "so" { for_malloc(heap, spec)? } else { spec };
    Ok(Request::new(spec, Name::new(name)?))
}

/// The heap as malloc has to be: an allocator of the catalogue becomes one, and nothing else is changed.
fn for_malloc(heap: &str, spec: Spec) -> Outcome<Spec> {
    match preload::verify(&spec) {
        Err(EmitError::Unsuited { suited, .. }) if is_name(heap) => Ok(*suited),
        verified => Ok(verified.map(|()| spec)?),
    }
}
