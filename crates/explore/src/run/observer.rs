//! What an exploration reports while it runs.

use std::error::Error;
use std::sync::atomic::AtomicBool;

use heapsmith_replay::{PagesError, Subject};
use heapsmith_spec::Spec;
use heapsmith_trace::PackedTrace;

use crate::exploration::Exploration;
use crate::objective::Objective;
use crate::progress::{Progress, Work};
use crate::search::Strategy;

/// What is done now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stage<'a> {
    /// Waiting for another exploration in the folder.
    Waiting,
    /// The levels become designs.
    Designs,
    /// The allocators of the catalogue are replayed.
    Catalogue,
    /// Designs are replayed: this many.
    Sweep(usize),
    /// The smallest regions and the code of finalists are measured.
    Finalists,
    /// The candidates for the pick are replayed on changed copies of the traces: copies that are done, and how many there are.
    Robust(usize, usize),
    /// The smallest region of the pick is found.
    Region,
    /// Designs are replayed in a region of a fixed size.
    Confined(u64),
    /// The baseline is replayed.
    Baseline,
    /// Heaps are compiled, to be timed: this many.
    Shipping(usize),
    /// The front and the peers are timed.
    Times,
    /// Memory is measured by pages.
    Pages,
    /// Instructions of the finalists are counted.
    Instructions,
    /// The choice is evaluated on a trace: its name, its number from 1, and how many there are.
    HoldOut(&'a str, usize, usize),
    /// Nothing that takes time.
    Idle,
}

/// A sweep that came to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Swept {
    /// Designs of the space.
    pub designs: usize,
    /// Heaps that differ.
    pub unique: usize,
    /// Heaps that were replayed on whole traces now.
    pub replayed: usize,
    /// How designs were chosen.
    pub search: Strategy,
    /// Seconds.
    pub seconds: f64,
}

/// Receives the progress of an exploration.
pub trait Observer {
    /// Something else is done from now on.
    fn stage(&mut self, _stage: Stage<'_>) {}
    /// How far the sweep is: reported twice a second, whether it advanced or not.
    fn progress(&mut self, _at: Progress) {}
    /// What is worked on now, of the catalogue, of times, or of memory by pages.
    fn work(&mut self, _at: Work<'_>) {}
    /// The sweep of the whole came to its end.
    fn swept(&mut self, _swept: &Swept) {}
    /// The answer is known and kept; nothing that follows changes it.
    fn answered(&mut self, _exploration: &Exploration) {}
    /// Memory cannot be measured by pages here, and is left out.
    fn without_pages(&mut self, _why: &PagesError) {}
    /// Instructions cannot be counted here, and are left out.
    fn without_instructions(&mut self, _why: &(dyn Error + Send + Sync)) {}
    /// What is one of [`Objective::COMPILED`] of a heap, on these traces; none if the heap cannot be emitted.
    ///
    /// # Errors
    ///
    /// What keeps the code from being measured; by default that nobody can.
    fn compiled(
        &mut self,
        what: Objective,
        _spec: &Spec,
        _traces: &[PackedTrace],
    ) -> Result<Option<f64>, Box<dyn Error + Send + Sync>> {
        Err(format!("nobody measures code here: leave out the objective {what}").into())
    }

    /// What is timed in the place of each of these: a heap as it ships, where that can be had. By default all as they are
    /// built in. It ends soon after `stop` is set, and then some may be as they were.
    fn shipped(&mut self, subjects: Vec<Subject>, _stop: &AtomicBool) -> Vec<Subject> {
        subjects
    }
}

/// Ignores the progress.
impl Observer for () {}
