//! Instructions, counted by Valgrind's callgrind and held against files.
//!
//! | module | counts | file |
//! |---|---|---|
//! | `hot_paths` | an event on the hot paths of the heaps | `hot_paths.txt` |
//! | `page_costs` | a round of the page heap under each search | `hardware/results/instructions.csv` |
//!
//! A program of its own: a sanitizer's run leaves it out, as what it runs itself is built without.
//!
//! Counts hang on the compiler and on nothing else of a machine. Where they are meant to change:
//! `HEAPSMITH_ACCEPT=1 cargo test -p heapsmith --test instructions`.

#![allow(clippy::disallowed_methods, reason = "what is accepted is written into the sources")]

mod accepted;
mod callgrind;
mod hot_paths;
mod page_costs;
