//! Peintner, Bukhatwa and Patel: four allocators for a concentrator of modems.

mod lists;
mod mechanisms;
mod overload;
mod processor;
mod responses;
mod runs;
mod scale;
mod table_1;
mod table_2;
mod table_3;
mod workload;

use crate::experiment::Experiment;

pub(crate) const EXPERIMENTS: &[&Experiment] = &[
    &mechanisms::EXPERIMENT,
    &table_1::EXPERIMENT,
    &workload::EXPERIMENT,
    &table_2::EXPERIMENT,
    &table_3::EXPERIMENT,
    &lists::EXPERIMENT,
    &scale::EXPERIMENT,
    &overload::EXPERIMENT,
    &processor::EXPERIMENT,
];

/// One of the paper's allocators.
pub(super) struct Allocator {
    /// As the paper calls it.
    pub name: &'static str,
    /// In the catalogue.
    pub spec: &'static str,
}

/// The paper's four, in the order of its tables.
pub(super) static ALLOCATORS: [Allocator; 4] = [
    Allocator { name: "first fit, slow free", spec: "peintner-first-slow" },
    Allocator { name: "first fit, fast free", spec: "peintner-first-fast" },
    Allocator { name: "best fit, slow free", spec: "peintner-best-slow" },
    Allocator { name: "best fit, fast free", spec: "peintner-best-fast" },
];

/// The model of the software.
pub(super) const WORKLOAD: &str = "modem";
