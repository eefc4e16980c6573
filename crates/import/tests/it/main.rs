//! The tests of `heapsmith-import`: one program, which is linked once. A module is a subject.

mod formats;
mod fuzz;
mod made;
mod real;
