//! The tests of `heapsmith-workload`: one program, which is linked once. A module is a subject.

mod bad_input;
mod captures;
mod computed;
mod distribution;
mod java;
mod made;
mod samples;
mod shared_data;
