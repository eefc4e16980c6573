//! How the choice holds on traces that it was not made for.
//!
//! ```text
//!   held TRACE   choose on all traces given,      evaluate on TRACE
//!   each         choose on all but one, in turn,  evaluate on that one
//!   perturbed N  choose on all traces given,      evaluate on N changed copies of each
//! ```
//!
//! Each trace that is evaluated on is explored by itself, for its front and its pick by the oracle. Every exploration has a
//! folder inside that of the whole, so an interrupted run can resume.

use heapsmith_spec::{Spec, catalogue};
use heapsmith_trace::{Cuts, Jitter, PackedTrace, Perturbation, Share, Stretch, perturb};

/// What a choice is evaluated on.
#[derive(Debug, Clone, Default)]
pub struct HoldOut {
    /// Every trace in turn, by the choice made on the others.
    pub each: bool,
    /// Traces that the exploration does not see.
    pub held: Vec<PackedTrace>,
    /// This many changed copies of each trace.
    pub perturbed: u32,
    /// Heaps that are evaluated together with the pick, by name.
    pub also: Vec<(String, Spec)>,
}

impl HoldOut {
    /// No more changed copies are made.
    pub const MAX_PERTURBED: u32 = 1_000;

    /// The designs of the catalogue that were made for a workload, by the paper's recommendation.
    pub fn made_for(workload: &str) -> Vec<(String, Spec)> {
        let wanted = format!("network-{workload}");
        let own = catalogue().iter().filter(|entry| entry.name == wanted);
        own.filter_map(|entry| Some((entry.name.to_owned(), entry.spec.parse().ok()?))).collect()
    }

    /// What is to be done for choices made on `traces`.
    pub(crate) fn trials(&self, traces: &[PackedTrace]) -> Vec<Trial> {
        let trial = |name: &str, number: usize, chosen_on, evaluated_on: &PackedTrace| {
            let folder = format!("{name}-{}", number + 1);
            Trial { chosen_on, evaluated_on: evaluated_on.clone(), folder }
        };
        let mut trials: Vec<Trial> = Vec::new();
        for (number, trace) in traces.iter().enumerate().filter(|_| self.each) {
            let others = traces.iter().enumerate().filter(|(other, _)| *other != number);
            trials.push(trial("without", number, others.map(|(_, trace)| trace.clone()).collect(), trace));
        }
        trials.extend(self.held.iter().enumerate().map(|(number, trace)| trial("held-out", number, Vec::new(), trace)));
        let changed = traces.iter().flat_map(|trace| perturbed(trace, self.perturbed));
        trials.extend(changed.enumerate().map(|(number, trace)| trial("perturbed", number, Vec::new(), &trace)));
        trials
    }
}

/// A choice and the trace that it is evaluated on.
#[derive(Debug)]
pub(crate) struct Trial {
    /// The traces that it is made for; none if it is the choice of the whole.
    pub chosen_on: Vec<PackedTrace>,
    /// The trace.
    pub evaluated_on: PackedTrace,
    /// The name of its folder.
    pub folder: String,
}

/// Copies of a trace as it might have been, with three kinds of change in turn.
fn perturbed(trace: &PackedTrace, copies: u32) -> impl Iterator<Item = PackedTrace> {
    let kinds = [
        Perturbation { jitter: Some(Jitter::Requests(Share::percent(10))), ..Perturbation::default() },
        Perturbation { stretch: Some(Stretch(Share::percent(20))), ..Perturbation::default() },
        Perturbation { shuffle: Some(Cuts::Parts(10)), ..Perturbation::default() },
    ];
    (0..copies).map(move |seed| perturb(trace, kinds[seed as usize % kinds.len()], u64::from(seed) + 1))
}
