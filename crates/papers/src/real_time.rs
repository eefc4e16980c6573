//! Donahue et al. 2001: bounded storage allocation.

mod defragmentation;
mod figure_10;
mod figure_11;
mod figure_8;
mod figure_9;
mod internal;
mod loads;
mod objects;
mod pause;

use crate::experiment::Experiment;

pub(crate) const EXPERIMENTS: &[&Experiment] = &[
    &figure_8::EXPERIMENT,
    &figure_9::EXPERIMENT,
    &figure_10::EXPERIMENT,
    &figure_11::EXPERIMENT,
    &defragmentation::EXPERIMENT,
    &pause::EXPERIMENT,
    &internal::EXPERIMENT,
];

/// The unstructured list: free blocks in no order, the one freed last in front, first fit.
const LIST: (&str, &str) = ("unstructured list", "list(order=lifo, fit=first, split=always, coalesce=immediate)");
/// Knuth's buddy system.
const KNUTH: (&str, &str) = ("Knuth's buddy", "buddy(knuth)");
/// The estranged buddy system.
const ESTRANGED: (&str, &str) = ("estranged buddy", "buddy(estranged)");
