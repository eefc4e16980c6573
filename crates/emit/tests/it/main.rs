//! The tests of `heapsmith-emit`: one program, which is linked once. A module is a subject.

mod differential;
mod examples;
mod interface;
mod lint;
mod preload;
mod size;
