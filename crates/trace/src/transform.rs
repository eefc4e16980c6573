//! What can be done to a trace on its way: a stretch of it, some of its threads, copies of
//! it, other sizes and lifetimes, other times of freeing.
//!
//! ```text
//!   source ──► slice ──► threads ──► perturbed ──► copies ──► collections ──► sink
//! ```
//!
//! The order is always this one, whatever the order of the options: a slice counts the
//! events of the trace as it was recorded, threads are those of the recording, copies are
//! made of what is left, and all copies share the heap that is collected.
//!
//! Every transform takes a valid trace and gives one. Each holds no more than the live
//! blocks (collections: also those that are dead and not yet freed), except what perturbs: it
//! holds the whole trace.

mod collect;
mod copies;
mod perturbed;
mod slice;
mod threads;
mod through;

use collect::{Collections, Due};
use copies::Copies;
use perturbed::Perturbed;
pub use slice::Slice;
use slice::Sliced;
use threads::Threads;
use through::{Through, Transform};

use crate::{Bytes, Perturbation, Sink};

/// Which transforms a trace goes through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transforms {
    /// Only this stretch.
    pub slice: Option<Slice>,
    /// Only the blocks that these threads allocate; of all threads if empty.
    pub threads: Vec<u32>,
    /// Changed at random.
    pub perturbation: Perturbation,
    /// What the changes are drawn from.
    pub seed: u64,
    /// This many copies, interleaved; 0 and 1 leave the trace as it is.
    pub copies: u32,
    /// Free in bursts, after this many requested bytes.
    pub gc_every: Option<Bytes>,
    /// Free in bursts, whenever this many bytes live or are dead and not yet freed.
    pub heap: Option<Bytes>,
}

impl Transforms {
    /// No more copies are made: the last has threads of its own, and events of all are held.
    pub const MAX_COPIES: u32 = 10_000;

    /// A sink that does all this to what it takes, and hands it to `sink`.
    pub fn before<'s>(&self, sink: &'s mut dyn Sink) -> Box<dyn Sink + 's> {
        let mut chain: Box<dyn Sink + 's> = Box::new(sink);
        if let Some(limit) = self.heap {
            chain = through(Collections::new(Due::Full(limit)), chain);
        }
        if let Some(every) = self.gc_every {
            chain = through(Collections::new(Due::Every(every)), chain);
        }
        if self.copies > 1 {
            chain = through(Copies::new(self.copies), chain);
        }
        if !self.perturbation.is_nothing() {
            chain = through(Perturbed::new(self.perturbation, self.seed), chain);
        }
        if !self.threads.is_empty() {
            chain = through(Threads::new(&self.threads), chain);
        }
        if let Some(slice) = self.slice {
            chain = through(Sliced::new(slice), chain);
        }
        chain
    }

    /// Whether they make another program of a trace, in place of showing a part of it.
    pub fn make_another(&self) -> bool {
        !self.perturbation.is_nothing() || self.copies > 1 || self.gc_every.is_some() || self.heap.is_some()
    }

    /// The transforms as names and values, for a trace's origin.
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut settings = Vec::new();
        let mut set = |name: &str, value: String| settings.push((name.to_owned(), value));
        if let Some(slice) = self.slice {
            set("slice", slice.to_string());
        }
        if !self.threads.is_empty() {
            set("thread", self.threads.iter().map(u32::to_string).collect::<Vec<_>>().join(","));
        }
        if !self.perturbation.is_nothing() {
            self.perturbation.settings().into_iter().for_each(|(name, value)| set(&name, value));
            set("perturb-seed", self.seed.to_string());
        }
        if self.copies > 1 {
            set("copies", self.copies.to_string());
        }
        if let Some(every) = self.gc_every {
            set("gc-every", every.0.to_string());
        }
        if let Some(limit) = self.heap {
            set("heap", limit.0.to_string());
        }
        settings
    }
}

fn through<'s>(transform: impl Transform + 's, sink: Box<dyn Sink + 's>) -> Box<dyn Sink + 's> {
    Box::new(Through { transform, sink })
}

#[cfg(test)]
mod tests;
