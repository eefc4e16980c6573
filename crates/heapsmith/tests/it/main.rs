//! The tests of `heapsmith`: one program, which is linked once. A module is a subject.

mod buddy;
// What is built apart is built once, and not again for each target that the tests are compiled for.
#[cfg(target_pointer_width = "64")]
mod cortex_m;
mod examples;
mod folding;
mod heaps;
mod locks;
#[cfg(target_pointer_width = "64")]
mod package;
mod pages;
mod refusals;
mod regions;
mod spans;
