//! The tests of `heapsmith-trace`: one program, which is linked once. A module is a subject.

mod packed;
