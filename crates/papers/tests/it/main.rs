//! The tests of `heapsmith-papers`: one program, which is linked once. A module is a subject.

mod reproduced;
