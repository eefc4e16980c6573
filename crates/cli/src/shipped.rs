//! Heaps as they ship: emitted, compiled and loaded, to be timed next to reference allocators.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use heapsmith_emit::Compiler;
use heapsmith_emit::timed::library;
use heapsmith_output::Scratch;
use heapsmith_peers::CompiledHeap;
use heapsmith_replay::Subject;
use heapsmith_spec::Spec;

use crate::console::note;

/// The subjects, with heaps of heapsmith compiled where they can be, as many at once as there are processors: half a
/// second for each heap. A heap that cannot be emitted or compiled stays as it is, which is said, as all do where there
/// is no compiler. Once `stop` is set, nothing more is compiled.
pub fn subjects(subjects: Vec<Subject>, stop: &AtomicBool) -> Vec<Subject> {
    let made = Compiler::find().map_err(|error| error.to_string()).and_then(|compiler| {
        let scratch = Scratch::new().map_err(|error| format!("cannot write temporary files: {error}"))?;
        Ok((compiler, scratch))
    });
    let (compiler, scratch) = match made {
        Ok(made) => made,
        Err(why) => {
            note!("heaps are timed as they are built in: {why}");
            return subjects;
        }
    };
    let numbered: Vec<(usize, Subject)> = subjects.into_iter().enumerate().collect();
    let at_once = thread::available_parallelism().map_or(1, usize::from);
    let is_stopped = || stop.load(Ordering::Relaxed);
    let one = |(number, subject): &(usize, Subject)| match subject {
        Subject::Heap(spec) if !is_stopped() => {
            compiled(spec, &compiler, &scratch, *number).unwrap_or_else(|why| {
                // The same interrupt ends the compiler.
                if !is_stopped() {
                    note!("{spec} is timed as it is built in: {why}");
                }
                subject.clone()
            })
        }
        _ => subject.clone(),
    };
    let together = |some: &[(usize, Subject)]| -> Vec<Subject> {
        thread::scope(|scope| {
            let running: Vec<_> = some.iter().map(|each| scope.spawn(move || one(each))).collect();
            running.into_iter().map(|each| each.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    };
    numbered.chunks(at_once).flat_map(together).collect()
}

/// One heap, or why there is none.
fn compiled(spec: &Spec, compiler: &Compiler, scratch: &Scratch, number: usize) -> Result<Subject, String> {
    let path = library(spec, compiler, scratch, &format!("{number}.so")).map_err(|error| error.to_string())?;
    let loaded = CompiledHeap::load(&path).map_err(|error| error.to_string())?;
    Ok(Subject::Compiled(Box::new(spec.clone()), loaded.into()))
}
