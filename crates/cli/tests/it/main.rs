//! The command's tests: one program, which is linked once. A module is a subject.

mod bad_input;
mod emit;
mod explore;
mod goals;
mod heaps;
mod inspect;
mod limits;
mod memory;
mod over_time;
mod peers;
mod printing;
mod record;
mod reproduce;
mod run;
mod values;
mod workloads;
