//! The tests of `heapsmith-papers`: one program, which is linked once. A module is a subject.

#![allow(clippy::disallowed_methods, reason = "tests write the files that they read")]

mod register;
mod reproduced;
