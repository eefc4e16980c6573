//! The tests of `heapsmith-trial`: one program, which is linked once. A module is a subject.

mod trial;
