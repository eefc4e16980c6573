//! What else could be recorded of a program, where its allocations pass by `malloc`.

use std::collections::BTreeSet;
use std::path::Path;

use heapsmith_recording::{OwnAllocator, OwnFunctions, own_allocator};

use super::Made;
use crate::console::note;

/// Programs whose symbols are looked at: those with the most events.
const LOOKED_AT: usize = 5;

/// Gives the hints that fit the traces, sorted by their events.
pub(super) fn give(made: &[Made], own: Option<&OwnFunctions>) {
    if own.is_none() && made.iter().any(|one| is_python(&one.program)) && !uses_malloc() {
        note!(
            "heapsmith: Python serves small objects from an allocator of its own; with PYTHONMALLOC=malloc before the \
             command all of them are recorded"
        );
    }
    let programs: BTreeSet<&Path> = made
        .iter()
        .filter(|one| one.recorded.java.is_none())
        .take(LOOKED_AT)
        .map(|one| one.program.as_path())
        .collect();
    for program in programs {
        if own.is_some_and(|own| own.program() == program) {
            continue;
        }
        if let Some(OwnAllocator { name, prefix }) = own_allocator(program) {
            let mend = prefix.map(|prefix| format!(": --symbols '{prefix}*' records it")).unwrap_or_default();
            note!(
                "heapsmith: {}: this program links its own allocator, {name}; what it allocates there is not recorded{mend}",
                program.display()
            );
        }
    }
}

fn is_python(program: &Path) -> bool {
    program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"))
}

/// Whether Python was told to use `malloc`.
fn uses_malloc() -> bool {
    std::env::var("PYTHONMALLOC").is_ok_and(|allocator| allocator.starts_with("malloc"))
}
