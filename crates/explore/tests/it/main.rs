//! The tests of `heapsmith-explore`: one program, which is linked once. A module is a subject.

mod determinism;
mod regret;
mod resume;
mod search;
mod space;
mod wide;
