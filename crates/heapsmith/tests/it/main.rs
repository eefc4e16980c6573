//! The tests of `heapsmith`: one program, which is linked once. A module is a subject.

mod buddy;
mod cortex_m;
mod examples;
mod folding;
mod heaps;
mod locks;
mod package;
mod pages;
mod refusals;
