//! A heap as a shared library that is loaded and timed: what ships, in place of the heap that is built in.

use std::path::PathBuf;

use heapsmith_output::Scratch;
use heapsmith_spec::Spec;
use minijinja::{Environment, UndefinedBehavior, context};

use crate::plan::Plan;
use crate::{Compiler, CompilerError, EmitError, File, Name, Request, c};

/// What the heap is called in its library.
const NAME: &str = "timed_heap";
/// The file with the table of its functions, which includes the heap.
const TABLE: &str = "timed.c";

/// Why there is no library of a heap.
#[derive(Debug, thiserror::Error)]
pub enum TimedError {
    /// It is not emitted.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// It is not compiled.
    #[error(transparent)]
    Compile(#[from] CompilerError),
}

/// Emits and compiles a heap for timing, as the crate `peers` loads it, into a file of this name in `scratch`; its path.
///
/// # Errors
///
/// See [`TimedError`].
pub fn library(spec: &Spec, compiler: &Compiler, scratch: &Scratch, name: &str) -> Result<PathBuf, TimedError> {
    let request = Request::new(spec.clone(), Name::new(NAME)?);
    let mut files = c::emit(&request)?;
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    let plan = Plan::of(&request)?;
    let (max_region, promised) = (plan.max_bytes(), plan.promised());
    let text = environment.render_str(include_str!("../c/timed.c"), context! { n => NAME, max_region, promised });
    files.push(File::new(TABLE.to_owned(), text.map_err(EmitError::from)?));
    // What a library exports it calls as if another could take its place: by two jumps more.
    let bytes = compiler.library(&files, TABLE, &["-fvisibility=hidden"])?;
    Ok(scratch.write(name, bytes).map_err(CompilerError::Scratch)?)
}
