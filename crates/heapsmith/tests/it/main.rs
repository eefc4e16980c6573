//! The tests of `heapsmith`: one program, which is linked once. A module is a subject.

mod buddy;
mod examples;
mod folding;
mod pages;
