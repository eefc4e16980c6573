//! What an experiment is run with: inputs, seed, extent, progress, and the wish to stop.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::ExperimentError;
use crate::input::Traces;

/// How much is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it, with times.
    Whole,
    /// A small part, and nothing that is timed: the same on every machine. For tests.
    Counted,
}

/// How far an experiment is.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressStep {
    /// The share that is done, 0 to 1.
    pub done: f64,
    /// What is done now.
    pub doing: String,
}

/// What an experiment is run with.
pub struct Setting<'s> {
    /// The folder of the samples.
    pub samples: &'s Path,
    /// The folder of public captures, for the experiment that reads them.
    pub inputs: Option<&'s Path>,
    /// Where random numbers begin.
    pub seed: u64,
    /// Threads for what may use several.
    pub jobs: usize,
    /// How much is done.
    pub extent: Extent,
    /// Set to stop.
    pub stop: &'s AtomicBool,
    /// This command, to be run again as the child that measures memory by pages; without it, that is left out.
    pub command: Option<&'s Path>,
    /// Called for each step.
    pub progress: &'s mut dyn FnMut(&ProgressStep),
    /// Traces and sweeps that several experiments use, made once.
    pub(crate) traces: Traces,
}

impl<'s> Setting<'s> {
    /// A setting in which nothing has been done.
    pub fn new(
        samples: &'s Path,
        seed: u64,
        jobs: usize,
        extent: Extent,
        stop: &'s AtomicBool,
        progress: &'s mut dyn FnMut(&ProgressStep),
    ) -> Setting<'s> {
        Setting { samples, inputs: None, seed, jobs, extent, stop, command: None, progress, traces: Traces::default() }
    }

    /// Reports the current step, and ends the experiment if it is to stop.
    pub fn step(&mut self, done: usize, of: usize, doing: &str) -> Result<(), ExperimentError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(ExperimentError::Interrupted);
        }
        (self.progress)(&ProgressStep { done: done as f64 / of.max(1) as f64, doing: doing.to_owned() });
        Ok(())
    }

    /// Whether all of it is done, with times.
    pub fn is_whole(&self) -> bool {
        self.extent == Extent::Whole
    }

    /// `whole`, or in a test `counted`.
    pub fn of<T>(&self, whole: T, counted: T) -> T {
        if self.is_whole() { whole } else { counted }
    }
}
