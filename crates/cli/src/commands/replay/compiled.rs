//! Heaps as they ship: emitted, compiled and loaded, to be timed next to reference allocators.

use heapsmith_emit::Compiler;
use heapsmith_emit::timed::{TimedError, library};
use heapsmith_output::Scratch;
use heapsmith_peers::CompiledHeap;
use heapsmith_replay::Subject;

use crate::console::note;
use crate::failure::Failure;

/// The subjects, with heaps of heapsmith compiled where they can be: those that cannot be emitted stay as they are, which is said, as all
/// do where there is no compiler.
pub fn subjects(subjects: &[Subject]) -> Result<Vec<Subject>, Failure> {
    let compiler = match Compiler::find() {
        Ok(compiler) => compiler,
        Err(error) => {
            note!("heaps are timed as they are built in: {error}");
            return Ok(subjects.to_vec());
        }
    };
    let scratch = Scratch::new().map_err(|error| Failure::scratch(&error))?;
    let compiled = |(number, subject): (usize, &Subject)| {
        let Subject::Heap(spec) = subject else { return Ok(subject.clone()) };
        let path = match library(spec, &compiler, &scratch, &format!("{number}.so")) {
            Ok(path) => path,
            Err(TimedError::Emit(error)) => {
                note!("{spec} is timed as it is built in: {error}");
                return Ok(subject.clone());
            }
            Err(TimedError::Compile(error)) => return Err(error.into()),
        };
        let loaded = CompiledHeap::load(&path).map_err(Failure::environment)?;
        Ok(Subject::Compiled(spec.clone(), loaded.into()))
    };
    subjects.iter().enumerate().map(compiled).collect()
}
