//! The tests of `heapsmith-workload`: one program, which is linked once. A module is a subject.

#![allow(clippy::disallowed_methods, reason = "tests write the files that they read")]

mod bad_input;
mod captures;
mod computed;
mod distribution;
mod java;
mod made;
mod samples;
mod shared_data;
