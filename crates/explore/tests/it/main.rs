//! The tests of `heapsmith-explore`: one program, which is linked once. A module is a subject.

#![allow(clippy::disallowed_methods, reason = "tests write the files that they read")]

mod advice;
mod classes;
mod cost;
mod determinism;
mod recovery;
mod regret;
mod resume;
mod robust;
mod search;
mod space;
mod timing;
mod wide;
