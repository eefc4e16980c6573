//! The tests of `heapsmith-spec`: one program, which is linked once. A module is a subject.

mod constant_time;
mod errors;
mod growth;
mod heaps;
mod layers;
mod recovery;
mod regions;
mod text;
