//! The command's tests: one program, which is linked once. A module is a subject.

#![allow(clippy::disallowed_methods, reason = "tests write the files that they read")]

mod attached;
mod bad_input;
mod board;
mod browser;
mod check;
mod compare;
mod compiled;
mod confined;
mod emit;
mod explore;
mod goals;
mod guides;
mod heaps;
mod inspect;
mod instructions;
mod limits;
mod linked_statically;
mod long_runs;
mod memory;
mod originals;
mod outputs;
mod over_time;
mod page;
mod pairs;
mod peers;
mod plan;
mod plays;
mod printing;
mod question;
mod race;
mod record;
mod reference;
mod reproduce;
mod run;
mod serving;
mod sheet;
mod target;
mod terminal;
mod threaded;
mod trust;
mod truth;
mod values;
mod workloads;
