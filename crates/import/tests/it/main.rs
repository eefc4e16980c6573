//! The tests of `heapsmith-import`: one program, which is linked once. A module is a subject.

#![allow(clippy::disallowed_methods, reason = "tests write the files that they read")]

mod formats;
mod fuzz;
mod made;
mod real;
mod recorder;
