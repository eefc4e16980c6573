//! Li, Mohanty and Kavi: pages whose search is done by hardware.

mod costs;
mod cycles;
mod figure_3;
mod gates;
mod locality;
mod phkmalloc;
mod programs;
mod search_by_size;
mod table_1;
mod table_3;
mod table_4;

use crate::experiment::Experiment;

pub(crate) const EXPERIMENTS: &[&Experiment] = &[
    &table_1::EXPERIMENT,
    &table_3::EXPERIMENT,
    &table_4::EXPERIMENT,
    &figure_3::EXPERIMENT,
    &cycles::EXPERIMENT,
    &search_by_size::EXPERIMENT,
    &phkmalloc::EXPERIMENT,
    &locality::EXPERIMENT,
];

/// PHK's pages with the paper's search: bit by bit.
const PHK: &str = "pages(page=4096, min=16, search=linear)";
/// The same with the zeros of a word counted by an instruction.
const BY_WORD: &str = "pages(page=4096, min=16, search=word)";
/// The same with a tree of words.
const BY_TREE: &str = "pages(page=4096, min=16, search=tree)";

/// Places of the searches in [`costs::SEARCHES`].
const BIT: usize = 0;
const WORD: usize = 1;
const TREE: usize = 2;
const UNIT: usize = 3;
