//! The list of experiments.

use crate::experiment::Experiment;
use crate::{hybrid, looking_glass, modems, network, real_time};

/// Every experiment, in the order of the papers and of their tables and figures.
pub fn experiments() -> Vec<&'static Experiment> {
    let sections = [
        network::EXPERIMENTS,
        looking_glass::EXPERIMENTS,
        real_time::EXPERIMENTS,
        hybrid::EXPERIMENTS,
        modems::EXPERIMENTS,
    ];
    sections.concat()
}

/// The experiments that a name means: one of its own, or all whose names begin with it and a hyphen (`001`).
pub fn named(name: &str) -> Vec<&'static Experiment> {
    let part = |known: &str| known.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    let exact = |known: &&Experiment| known.name == name;
    match experiments().into_iter().find(exact) {
        Some(one) => vec![one],
        None => experiments().into_iter().filter(|known| part(known.name)).collect(),
    }
}
