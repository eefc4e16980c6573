//! The tests of `heapsmith-recording`: one program, which is linked once. A module is a subject.

mod java;
mod recorder;
