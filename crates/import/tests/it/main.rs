//! The tests of `heapsmith-import`: one program, which is linked once. A module is a subject.

#![allow(clippy::disallowed_methods, reason = "tests write the files that they read")]

mod boards;
mod formats;
mod fuzz;
mod made;
mod packets;
mod real;
mod recorder;
