//! Donahue et al. 2001: bounded storage allocation.

mod constant_time;
mod defragmentation;
mod figure_10;
mod figure_11;
mod figure_7;
mod figure_8;
mod figure_9;
mod figure_9_causes;
mod full_heap;
mod internal;
mod loads;
mod mechanisms;
mod objects;
mod pause;
pub(crate) mod programs;
mod step_5;

use crate::experiment::Experiment;

pub(crate) const EXPERIMENTS: &[&Experiment] = &[
    &figure_7::EXPERIMENT,
    &figure_8::EXPERIMENT,
    &figure_9::EXPERIMENT,
    &figure_9_causes::EXPERIMENT,
    &figure_10::EXPERIMENT,
    &figure_11::EXPERIMENT,
    &defragmentation::EXPERIMENT,
    &pause::EXPERIMENT,
    &internal::EXPERIMENT,
    &mechanisms::EXPERIMENT,
    &step_5::EXPERIMENT,
    &constant_time::EXPERIMENT,
];

/// The unstructured list: free blocks in no order, the one freed last in front, first fit.
const LIST: (&str, &str) = ("unstructured list", "list(order=lifo, fit=first, split=always, coalesce=immediate)");
/// The other reading of it: all blocks in the order of their addresses, searched on from where the last search ended.
const NEXT_FIT: (&str, &str) = ("list, next fit", "list(order=implicit, fit=next, split=always, coalesce=immediate)");
/// Knuth's buddy system, from one block as the paper has it.
const KNUTH: (&str, &str) = ("Knuth's buddy", "buddy(knuth, start=one-block)");
/// The estranged buddy system, from one block.
const ESTRANGED: (&str, &str) = ("estranged buddy", "buddy(estranged, start=one-block)");
/// The same with at most 64 pairs of free buddies that wait.
const BOUNDED: (&str, &str) = ("estranged, 64 pairs", "buddy(estranged, start=one-block, glue=bounded(64))");
/// The buddy systems with headers, over memory that was never used, which is taken after step 5.
const KNUTH_GROWING: (&str, &str) = ("Knuth's, wilderness", "buddy(knuth)");
const ESTRANGED_GROWING: (&str, &str) = ("estranged, wilderness", "buddy(estranged)");
/// What the paper leaves to the future: constant time.
const TLSF: (&str, &str) = ("TLSF", "tlsf");
const HALF_FIT: (&str, &str) = ("half-fit", "half-fit");
