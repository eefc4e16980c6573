//! The tests of `heapsmith-launch`: one program, which is linked once. A module is a subject.

#![allow(clippy::disallowed_methods, reason = "tests write the files that they read")]

mod bench;
mod effect;
mod heap_errors;
mod malloc;
mod memory;

mod restricted;
