//! Allocators that a program brings along: what it allocates there passes by `malloc`, and is not recorded.
//!
//! A program names them in its symbol tables, as a function that it defines or that it takes from a library. A program that
//! was stripped of its symbols may have one all the same.

use std::path::Path;

use object::{Object, ObjectSymbol};

/// A function of each allocator that no other has: it is called in place of `malloc`, or behind it.
const FUNCTIONS: [(&str, &str); 9] = [
    ("je_mallocx", "jemalloc"),
    ("je_arena_malloc_hard", "jemalloc"),
    ("_rjem_mallocx", "jemalloc"),
    ("_rjem_malloc", "jemalloc"),
    ("mallocx", "jemalloc"),
    ("mi_malloc", "mimalloc"),
    ("mi_heap_malloc", "mimalloc"),
    ("tc_malloc", "tcmalloc"),
    ("TCMallocInternalMalloc", "tcmalloc"),
];

/// The allocator that a program names; none that is known, or the file cannot be read.
pub fn own_allocator(program: &Path) -> Option<&'static str> {
    let bytes = std::fs::read(program).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let allocator =
        |name: &str| FUNCTIONS.iter().find(|(function, _)| *function == name).map(|(_, allocator)| *allocator);
    let mut symbols = file.symbols().chain(file.dynamic_symbols());
    symbols.find_map(|symbol| allocator(symbol.name().ok()?))
}
