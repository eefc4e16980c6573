//! Mamagkakis et al. 2006: fragmentation in network applications.

mod applications;
mod balance;
mod captures;
mod figure_2;
mod figure_3;
mod figure_4;
mod front;
mod locality;
mod pairs;
mod readings;
mod recipes;
mod sensitivity;
mod sweeps;
mod systems;
mod table_1;
mod table_2;
mod tables;

use crate::experiment::Experiment;

pub(crate) const EXPERIMENTS: &[&Experiment] = &[
    &table_1::EXPERIMENT,
    &figure_2::EXPERIMENT,
    &table_2::EXPERIMENT,
    &figure_3::EXPERIMENT,
    &figure_4::EXPERIMENT,
    &tables::DRR,
    &tables::EASYPORT,
    &tables::URL,
    &systems::EXPERIMENT,
    &sensitivity::EXPERIMENT,
    &captures::EXPERIMENT,
];
