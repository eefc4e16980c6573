//! Diamantstein, Stroud-Taylor, Trostanovsky: "malloc(): Through the Looking Glass", 2018.

mod figure_18;

use crate::experiment::Experiment;

pub(crate) const EXPERIMENTS: &[&Experiment] = &[&figure_18::EXPERIMENT];
