//! Which library serves a program: that of its heap alone, or the one of all heaps.
//!
//! ```text
//!   --library compiled ─┐               ┌─ a machine without a compiler ─▶ built-in, which is said
//!   nothing ────────────┴─▶ what keeps? ┼─ an option, the heap ──────────▶ built-in (an error, if compiled was asked for)
//!                                       └─ nothing ─▶ kept, or emitted and compiled now
//!   --library built-in ────────────────────────────────────────────────▶ built-in
//! ```

use std::env;
use std::path::PathBuf;

use heapsmith_emit::preload::MapFrom;
use heapsmith_emit::{Compiler, EmitError, Name, Request, preload};
use heapsmith_launch::{Library, LibraryError, compiled, may_reserve};
use heapsmith_spec::{Check, Layer, Spec, Threads};

use crate::args::{Run, Serving};
use crate::console::note;
use crate::failure::Failure;
use crate::interrupt;

/// What the symbols of a compiled heap begin with.
const NAME: &str = "heapsmith_run";

/// Why there is no library of the heap alone.
enum Hindrance {
    /// An option, or a variable of the environment, wants the other library.
    Option(&'static str),
    /// The heap has what only the other library serves.
    Heap(String),
    /// The machine does not let it.
    Machine(String),
    /// The user did not install a compiler, or it fails.
    Compiler(String),
}

impl Hindrance {
    /// The failure, where a compiled library was asked for.
    fn failure(self) -> Failure {
        const LEAVE: &str = "leave `--library compiled` out";
        match self {
            Hindrance::Option(option) => Failure::wrong_use(format!("{option} is of the built-in library: {LEAVE}")),
            Hindrance::Heap(what) => Failure::wrong_use(format!("{what}: {LEAVE}")),
            Hindrance::Machine(why) | Hindrance::Compiler(why) => Failure::environment(why),
        }
    }
}

/// What is asked of the library.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked {
    /// Which it is to be; the compiled one where it can be, if nothing is said.
    pub library: Option<Serving>,
    /// An option that only the built-in library has.
    pub built_in: Option<&'static str>,
}

impl From<&Run> for Asked {
    fn from(arguments: &Run) -> Asked {
        let options = [
            ("--stats", arguments.stats.is_some()),
            ("--record", arguments.record.is_some()),
            ("--sites", arguments.sites.is_some()),
            ("--check", arguments.check),
        ];
        let built_in = options.into_iter().find(|(_, is_used)| *is_used).map(|(option, _)| option);
        Asked { library: arguments.library, built_in }
    }
}

/// The library that is preloaded for `spec`, which suits malloc.
pub fn library(asked: Asked, spec: &Spec, map_from: Option<u64>) -> Result<PathBuf, Failure> {
    // A compiler must not outlive this.
    interrupt::end_with_all();
    if asked.library != Some(Serving::BuiltIn) {
        match own(asked, spec, map_from) {
            Ok(path) => return Ok(path),
            Err(hindrance) if asked.library.is_some() => return Err(hindrance.failure()),
            Err(Hindrance::Compiler(why)) => {
                let why = why.lines().next().unwrap_or_default();
                note!(
                    "heapsmith: the built-in library serves malloc, of 2 MB, as a smaller one cannot be compiled: {why}"
                );
            }
            Err(_) => {}
        }
    }
    if !Library::Malloc.is_ready() {
        note!("heapsmith: compiling the library that serves malloc, for this run and all later ones");
    }
    Ok(Library::Malloc.place()?)
}

/// The library of this heap alone.
fn own(asked: Asked, spec: &Spec, map_from: Option<u64>) -> Result<PathBuf, Hindrance> {
    verify(asked, spec)?;
    let compiler = Compiler::find().map_err(|error| Hindrance::Compiler(error.to_string()))?;
    let broken = |error: EmitError| Hindrance::Heap(error.to_string());
    let request = Request::new(spec.clone(), Name::new(NAME).map_err(broken)?);
    let map_from = match map_from {
        None => MapFrom::Adapted,
        Some(bytes) => MapFrom::Bytes(bytes),
    };
    let files = preload::emit_for_run(&request, map_from).map_err(broken)?;
    let (identity, options) = (compiler.identity(), preload::OPTIONS.join(" "));
    let texts = files.iter().map(|file| file.text.as_str());
    let ingredients: Vec<&str> = [identity.as_str(), &options].into_iter().chain(texts).collect();
    let made = compiled(&ingredients, || preload::link(&compiler, &request, &files).map(|library| library.bytes));
    let no_place = |error: LibraryError| Hindrance::Machine(error.to_string());
    made.map_err(no_place)?.map_err(|error| Hindrance::Compiler(error.to_string()))
}

/// Whether nothing that was asked for is of the other library alone.
fn verify(asked: Asked, spec: &Spec) -> Result<(), Hindrance> {
    let placed = env::var_os("HEAPSMITH_LIBRARY").is_some_and(|path| !path.is_empty());
    if let Some(option) = asked.built_in.or(placed.then_some("HEAPSMITH_LIBRARY")) {
        return Err(Hindrance::Option(option));
    }
    let parts = [
        ("threads=each", spec.threads == Threads::Each),
        ("guard", spec.layers.iter().any(|layer| matches!(layer, Layer::Guard(_)))),
        ("check=header", spec.check != Check::Off),
    ];
    if let Some((part, _)) = parts.into_iter().find(|(_, is_there)| *is_there) {
        return Err(Hindrance::Heap(format!("{part} is of the built-in library")));
    }
    preload::verify(spec).map_err(|error| Hindrance::Heap(error.to_string()))?;
    if !Library::are_known() {
        return Err(Hindrance::Machine(LibraryError::NotHere.to_string()));
    }
    if !may_reserve() {
        let why = "address space is limited here (ulimit -v, vm.overcommit_memory), and a compiled library reserves some for its heap";
        return Err(Hindrance::Machine(why.to_owned()));
    }
    Ok(())
}
