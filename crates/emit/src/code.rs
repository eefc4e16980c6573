//! The C of a heap in a private folder, where it is compiled.

use std::io;

use heapsmith_output::Scratch;
use heapsmith_spec::Spec;

use crate::{EmitError, Name, Request, SizeError, c};

/// Why the code of a heap was not measured.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// No folder to compile in.
    #[error("cannot write temporary files: {0}; set TMPDIR to another folder")]
    Scratch(#[from] io::Error),
    /// The heap cannot be emitted for another reason than that it has no template.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// A compiler or the emulator is missing, or failed.
    #[error(transparent)]
    Run(#[from] SizeError),
    /// The emulated program printed something else.
    #[error("the emulated program printed {0:?}")]
    Output(String),
}

/// Writes the C of a heap under this name; false if it cannot be emitted yet.
pub(crate) fn write(spec: &Spec, name: &str, scratch: &Scratch) -> Result<bool, CodeError> {
    let request = Request::new(spec.clone(), Name::new(name)?);
    let files = match c::emit(&request) {
        Ok(files) => files,
        Err(error) if error.is_of_heap() => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    for file in files {
        scratch.write(file.name, file.text)?;
    }
    Ok(true)
}
