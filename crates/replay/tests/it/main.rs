//! The tests of `heapsmith-replay`: one program, which is linked once. A module is a subject.

mod measures;
mod over_time;
mod regions;
mod small_traces;
