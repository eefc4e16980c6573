//! A module a command.

pub mod answer;
pub mod attack;
pub mod bound;
pub mod check;
pub mod compare;
pub mod completions;
pub mod emit;
pub mod explore;
pub mod heaps;
pub mod import;
pub mod inspect;
pub mod limited;
pub mod man;
pub mod pages;
pub mod pick;
pub mod plan;
pub mod plays;
pub mod race;
pub mod record;
pub mod replay;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod workloads;
