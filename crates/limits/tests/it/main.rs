//! The tests of `heapsmith-limits`: one program, which is linked once. A module is a subject.

mod attack_against_bound;
mod attacks;
mod lower_bound;
mod regions;
