//! The tests of `heapsmith-peers`: one program, which is linked once. A module is a subject.

mod conformance;
