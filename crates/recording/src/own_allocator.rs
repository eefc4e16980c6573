//! Allocators that a program brings along: what it allocates there passes by `malloc`, and is not recorded.
//!
//! A program names them in its symbol tables, as a function that it defines or that it takes from a library. A program that
//! was stripped of its symbols may have one all the same.

use std::path::Path;

use object::{Object, ObjectSymbol};

/// A function of each allocator that no other has: it is called in place of `malloc`, or behind it. With it what the names
/// of those functions begin with that programs call.
const FUNCTIONS: [(&str, &str, Option<&str>); 9] = [
    ("je_mallocx", "jemalloc", Some("je_")),
    ("je_arena_malloc_hard", "jemalloc", Some("je_")),
    ("_rjem_mallocx", "jemalloc", Some("_rjem_")),
    ("_rjem_malloc", "jemalloc", Some("_rjem_")),
    ("mallocx", "jemalloc", Some("")),
    ("mi_malloc", "mimalloc", Some("mi_")),
    ("mi_heap_malloc", "mimalloc", Some("mi_")),
    ("tc_malloc", "tcmalloc", Some("tc_")),
    ("TCMallocInternalMalloc", "tcmalloc", Some("TCMallocInternal")),
];

/// The allocator that a program brings along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnAllocator {
    /// What it is called.
    pub name: &'static str,
    /// What its functions' names begin with, if the program defines them itself.
    pub prefix: Option<&'static str>,
}

/// The allocator that a program names; none that is known, or the file cannot be read.
pub fn own_allocator(program: &Path) -> Option<OwnAllocator> {
    let bytes = std::fs::read(program).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let mut symbols = file.symbols().chain(file.dynamic_symbols());
    symbols.find_map(|symbol| {
        let (_, name, prefix) = FUNCTIONS.iter().find(|(function, ..)| symbol.name() == Ok(function))?;
        Some(OwnAllocator { name, prefix: prefix.filter(|_| symbol.is_definition()) })
    })
}
