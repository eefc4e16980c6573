//! A library with malloc's names: the emitted C, and the file that gives it the names.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_spec::{Layer, Pool, Spec, WordSize};
use minijinja::{Environment, UndefinedBehavior, context};

use crate::plan::Plan;
use crate::{EmitError, File, Request, c};

/// What malloc's blocks are multiples of.
const ALIGNMENT: u32 = 16;

/// The most address space that the library reserves.
const RESERVE: u64 = 64 << 30;

/// The spec that is emitted for `spec`: its blocks are multiples of 16 bytes, as programs expect of malloc.
pub fn suited(spec: &Spec) -> Result<Spec, EmitError> {
    let refuse = |why: &str| Err(EmitError::NoMalloc(why.to_owned()));
    match (&spec.pool, spec.word) {
        (_, WordSize::Two) => return refuse("a word of 2 bytes reaches over 32 KiB; write word=4 or word=8"),
        (Pool::Stack, _) => return refuse("a stack takes blocks back last in, first out only"),
        (Pool::Fixed(_), _) => return refuse("its blocks are all of one size"),
        _ => {}
    }
    if spec.layers.iter().any(|layer| matches!(layer, Layer::Reserve(_))) {
        return refuse("malloc knows no priorities, so nothing could use the reserve");
    }
    Ok(Spec { alignment: spec.alignment.max(ALIGNMENT), ..spec.clone() })
}

/// The C of a heap and of malloc over it. The spec is one that [`suited`] returned.
pub fn emit(request: &Request) -> Result<Vec<File>, EmitError> {
    let mut files = c::emit(request)?;
    let plan = Plan::of(request)?;
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_keep_trailing_newline(true);
    let (n, reserve) = (request.name.lower(), RESERVE.min(plan.most_bytes() / 4096 * 4096));
    let text = environment.render_str(include_str!("../c/malloc.c"), context! { n, reserve })?;
    files.push(File { name: format!("{n}_malloc.c"), text });
    Ok(files)
}

/// The compiler that links the library, and its arguments, in the folder of the files.
pub fn compile(dir: &Path, request: &Request) -> io::Result<std::process::Output> {
    let name = request.name.lower();
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-O2", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden", "-fno-builtin-malloc"]);
    cc.args(["-o", &library(name), &format!("{name}.c"), &format!("{name}_malloc.c")]);
    cc.current_dir(dir).output()
}

/// Where the library stands.
pub fn path(dir: &Path, request: &Request) -> PathBuf {
    dir.join(library(request.name.lower()))
}

fn library(name: &str) -> String {
    format!("lib{name}.so")
}
