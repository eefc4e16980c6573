//! Li, Mohanty and Kavi: pages whose search is done by hardware.

mod costs;
mod figure_3;
mod gates;
mod programs;
mod table_1;
mod table_4;

use crate::experiment::Experiment;

pub(crate) const EXPERIMENTS: &[&Experiment] = &[&table_1::EXPERIMENT, &table_4::EXPERIMENT, &figure_3::EXPERIMENT];

/// Places of the searches in [`costs::SEARCHES`].
const BIT: usize = 0;
const WORD: usize = 1;
const TREE: usize = 2;
const UNIT: usize = 3;
