//! TODO

use crate::experiment::Experiment;

pub(crate) const EXPERIMENTS: &[&Experiment] = &[];
