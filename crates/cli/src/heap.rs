//! A heap that was named on the command line: a spec, a name of the catalogue, or what an exploration picked.

use std::ffi::OsStr;
use std::path::Path;

use heapsmith_explore::Exploration;
use heapsmith_replay::Measures;
use heapsmith_spec::{Spec, resolve};

use crate::args::Prefer;
use crate::console::note;
use crate::failure::Failure;

/// The heap that was named, and the measures that an exploration has of it, with the names of its traces.
pub fn named(heap: &OsStr, prefer: Option<Prefer>) -> Result<(Spec, Vec<(String, Measures)>), Failure> {
    let dir = Path::new(heap);
    // A folder that happens to be called as a heap is hides nothing; its name may be no text, a spec is.
    match resolve(&heap.to_string_lossy()) {
        Err(_) if dir.is_dir() => {}
        spec => return Ok((spec?, Vec::new())),
    }
    let exploration = Exploration::open(dir)?;
    let pick = exploration
        .pick(prefer.map_or(exploration.question.preference, Into::into))
        .ok_or_else(|| Failure::job(format!("{} has no pick: {}", dir.display(), exploration.no_pick())))?;
    let row = &exploration.rows[pick];
    note!("the pick of {}: {}", dir.display(), row.design.spec);
    let measures = exploration.traces.iter().cloned().zip(row.measures.iter().cloned());
    Ok((row.design.spec.clone(), measures.collect()))
}
