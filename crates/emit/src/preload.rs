//! A library with malloc's names: the emitted C, and the file that gives it the names.

use heapsmith_sharing::surplus;
use heapsmith_spec::{Delay, Purge, Spec, Threads};
use minijinja::{Environment, UndefinedBehavior, context};
use serde::Serialize;

use crate::literal::lines;
use crate::plan::Plan;
use crate::threads::ThreadLists;
use crate::{Compiler, CompilerError, EmitError, Extra, File, Request, c};

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
/// threads share one heap, each with lists of its own before it where the spec says so.
pub fn suited(spec: &Spec) -> Result<Spec, EmitError> {
    if spec.threads == Threads::Each {
        let why = "the emitted library has one heap, before which threads may have lists (`threads=lists`); without `threads` it can \
                   be emitted, and `heapsmith run` serves each thread as `threads` says";
        return Err(EmitError::NoMalloc(why.to_owned()));
    }
    spec.for_malloc().map_err(|error| EmitError::NoMalloc(error.to_string()))
}

/// The C of a heap and of malloc over it. The spec is one that [`verify`] accepts.
pub fn emit(request: &Request) -> Result<Vec<File>, EmitError> {
    files(request, None)
}

/// The same for `heapsmith run`: large requests, and those that the heap refuses, are mapped by themselves, and what the command
/// wants to know of the program is noted. For Linux on x86-64.
pub fn emit_for_run(request: &Request, map_from: MapFrom) -> Result<Vec<File>, EmitError> {
    files(request, Some(map_from))
}

/// Which requests are mapped by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapFrom {
    /// Those of 256 KiB or more; once such a block is freed, only larger ones.
    Adapted,
    /// Those of at least this many bytes.
    Bytes(u64),
}

impl MapFrom {
    fn bytes(self) -> u64 {
        match self {
            MapFrom::Adapted => 256 << 10,
            MapFrom::Bytes(bytes) => bytes,
        }
    }
}

fn files(request: &Request, run: Option<MapFrom>) -> Result<Vec<File>, EmitError> {
    Extra::verify(&request.extras, &[], "a library to preload")?;
    let (mut of_heap, threads) = ThreadLists::split(request);
    let purge = request.spec.purged();
    if purge.delay().is_some() {
        of_heap.extras.push(Extra::Walk);
    }
    let plan = if threads.is_some() { Plan::before_lists(&of_heap, RESERVE)? } else { Plan::of(&of_heap)? };
    let mut files = c::emit_planned(&of_heap, &plan)?;
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_keep_trailing_newline(true);
    for (name, text) in
        [template!("run/mapped.c"), template!("run/witness.c"), template!("threads.c"), template!("purge.c")]
    {
        environment.add_template(name, text)?;
    }
    let (n, reserve) = (request.name.lower(), RESERVE.min(plan.max_bytes() / 4096 * 4096));
    let map_from = run.map(MapFrom::bytes);
    let adapts = run == Some(MapFrom::Adapted);
    let hit = plan.hit_for_any_type();
    let spec_lines = lines(&request.spec.to_string(), 88);
    let lists_may_be_large = threads.as_ref().zip(map_from).is_some_and(|(threads, from)| threads.serves(from));
    let (purge, huge) = (PurgeValues::of(purge), request.spec.huge.begin());
    let (footprint, footprint_peak) = (plan.footprint(), plan.footprint_peak());
    let values = context! {
        n, N => request.name.upper(), reserve, run => run.is_some(), map_from, adapts, hit, threads, purge, huge, footprint, footprint_peak,
        spec_lines, lists_may_be_large
    };
    let text = environment.render_str(include_str!("../c/malloc.c"), values)?;
    files.push(File::new(format!("{n}_malloc.c"), text));
    Ok(files)
}

/// What the template of what goes back has in place of numbers.
#[derive(Debug, Serialize)]
struct PurgeValues {
    /// Whether blocks are visited; else it is the footprint that is looked at.
    inside: bool,
    /// Frees after which it is looked.
    frees: u32,
    /// Milliseconds that have to pass before blocks are visited again; 0 where none have.
    delay: u32,
    /// Whether the system takes the pages when it lacks memory.
    lazy: bool,
    large: usize,
    as_frees: u32,
    worth: usize,
    max_worth: usize,
    visited: usize,
}

impl PurgeValues {
    /// None where nothing goes back.
    fn of(purge: Purge) -> Option<PurgeValues> {
        let (frees, delay) = match (purge, purge.delay()) {
            (Purge::Never, _) => return None,
            (_, None) => (surplus::FREES, 0),
            (_, Some(Delay::Frees(frees))) => (frees, 0),
            (_, Some(Delay::Milliseconds(delay))) => (surplus::LOOKS, delay),
        };
        let (inside, lazy) = (purge.delay().is_some(), purge.is_lazy());
        let (large, as_frees) = (surplus::LARGE, surplus::AS_FREES);
        let (worth, max_worth, visited) = (surplus::WORTH, surplus::MAX_WORTH, surplus::VISITED);
        Some(PurgeValues { inside, frees, delay, lazy, large, as_frees, worth, max_worth, visited })
    }
}

/// A library to preload, as the compiler made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedLibrary {
    /// Its file's name.
    pub name: String,
    /// Its file's contents.
    pub bytes: Vec<u8>,
}

/// Links the library of the files that [`emit`] or [`emit_for_run`] returned, in a private folder.
///
/// # Errors
///
/// See [`CompilerError`].
pub fn link(compiler: &Compiler, request: &Request, files: &[File]) -> Result<LinkedLibrary, CompilerError> {
    let name = format!("lib{}.so", request.name.lower());
    let bytes = compiler.library(files, &format!("{}_malloc.c", request.name.lower()), &OPTIONS)?;
    // Programs are linked with the GNU C library, and no process has two.
    const C_LIBRARY: &[u8] = b"libc.so.6\0";
    if cfg!(all(target_os = "linux", target_env = "gnu"))
        && !bytes.windows(C_LIBRARY.len()).any(|part| part == C_LIBRARY)
    {
        return Err(CompilerError::Other { program: compiler.program().to_owned() });
    }
    Ok(LinkedLibrary { name, bytes })
}

/// What the compiler is asked for.
pub const OPTIONS: [&str; 3] = ["-pthread", "-fvisibility=hidden", "-fno-builtin-malloc"];
