//! The tests of `heapsmith-launch`: one program, which is linked once. A module is a subject.

mod bench;
mod malloc;
mod memory;
