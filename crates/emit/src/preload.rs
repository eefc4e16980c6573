//! A library with malloc's names: the emitted C, and the file that gives it the names.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_output::Scratch;
use heapsmith_spec::{Spec, Threads};
use minijinja::{Environment, UndefinedBehavior, context};

use crate::plan::Plan;
use crate::{EmitError, Extra, File, Request, c};

/// The most address space that the library reserves.
const RESERVE: u64 = 64 << 30;

/// Whether a heap can be a library as it is.
///
/// # Errors
///
/// [`EmitError::Unsuited`] has the heap that could be; [`EmitError::NoMalloc`] says why none can.
pub fn verify(spec: &Spec) -> Result<(), EmitError> {
    EmitError::verify_pages(spec)?;
    let suited = suited(spec)?;
    if suited == *spec { Ok(()) } else { Err(EmitError::Unsuited { found: spec.alignment, suited: Box::new(suited) }) }
}

/// The spec that is emitted for `spec`: its blocks are multiples of 16 bytes, as programs expect of malloc, and its
/// threads share one heap.
pub fn suited(spec: &Spec) -> Result<Spec, EmitError> {
    if spec.threads != Threads::One {
        let why = "the emitted library has one heap behind one lock; without `threads` it can be emitted, and `heapsmith \
                   run` serves each thread as `threads` says";
        return Err(EmitError::NoMalloc(why.to_owned()));
    }
    spec.for_malloc().map_err(|error| EmitError::NoMalloc(error.to_string()))
}

/// The C of a heap and of malloc over it. The spec is one that [`verify`] accepts.
pub fn emit(request: &Request) -> Result<Vec<File>, EmitError> {
    Extra::verify(&request.extras, &[], "a library to preload")?;
    let mut files = c::emit(request)?;
    let plan = Plan::of(request)?;
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_keep_trailing_newline(true);
    let (n, reserve) = (request.name.lower(), RESERVE.min(plan.max_bytes() / 4096 * 4096));
    let text = environment.render_str(include_str!("../c/malloc.c"), context! { n, reserve })?;
    files.push(File::new(format!("{n}_malloc.c"), text));
    Ok(files)
}

/// A library to preload, as the compiler made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedLibrary {
    /// Its file's name.
    pub name: String,
    /// Its file's contents.
    pub bytes: Vec<u8>,
}

/// Why there is no library.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The compiler cannot be run.
    #[error("cannot run cc: {0}; install a C compiler (on Debian: build-essential)")]
    Missing(io::Error),
    /// The compiler refused.
    #[error("cc failed: {0}")]
    Failed(String),
    /// There is no place to compile in.
    #[error("cannot write temporary files: {0}; set TMPDIR to another folder")]
    Scratch(io::Error),
}

/// Links the library of the files that [`emit`] returned, in a private folder.
///
/// # Errors
///
/// See [`LinkError`].
pub fn link(request: &Request, files: &[File]) -> Result<LinkedLibrary, LinkError> {
    let scratch = Scratch::new().map_err(LinkError::Scratch)?;
    for file in files {
        scratch.write(&file.name, &file.text).map_err(LinkError::Scratch)?;
    }
    let output = compile(scratch.path(), request).map_err(LinkError::Missing)?;
    if !output.status.success() {
        return Err(LinkError::Failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let bytes = std::fs::read(path(scratch.path(), request)).map_err(LinkError::Scratch)?;
    Ok(LinkedLibrary { name: library(request.name.lower()), bytes })
}

/// The compiler that links the library, and its arguments, in the folder of the files.
pub fn compile(dir: &Path, request: &Request) -> io::Result<std::process::Output> {
    let name = request.name.lower();
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-O2", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden", "-fno-builtin-malloc"]);
    cc.args(["-o", &library(name), &format!("{name}.c"), &format!("{name}_malloc.c")]);
    cc.current_dir(dir).output()
}

/// The path of the library.
pub fn path(dir: &Path, request: &Request) -> PathBuf {
    dir.join(library(request.name.lower()))
}

fn library(name: &str) -> String {
    format!("lib{name}.so")
}
