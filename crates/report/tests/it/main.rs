//! The tests of `heapsmith-report`: one program, which is linked once. A module is a subject.

mod effects;
mod page;
