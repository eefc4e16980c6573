//! How designs hold where the program differs from its trace.
//!
//! ```text
//!   traces ─▶ changed copies ──┐
//!   results ─▶ candidates ─────┴▶ replays ─▶ Robust: each candidate on each copy ─▶ pick, "overfitted"
//! ```
//!
//! A trace is one run of a program. The next run has other sizes, lifetimes and phases, and a design may owe its place on
//! the front to an accident of this run: a threshold that every block of a structure just reaches. So the candidates for the
//! pick are replayed on changed copies of the traces too ([`changes`]), and the pick is the best over the traces and all
//! copies (`choice.rs`).
//!
//! What is replayed is a function of the results and of the question: the same answer everywhere.

pub(crate) mod changes;

use std::collections::BTreeMap;

use heapsmith_replay::Measures;

use crate::front::distance;
use crate::objective::{Objective, Objectives};

pub use changes::changed_copies;

use changes::CHANGES;

/// How far from the front of a copy a design counts as overfitted, as a share.
pub const OVERFITTED: f64 = 0.05;

/// The objectives of the fronts on changed copies.
const OVER: [Objective; 2] = [Objective::Fragmentation, Objective::Accesses];

/// What the candidates of an exploration do on changed copies of its traces.
#[derive(Debug, Clone, Default)]
pub struct Robust {
    /// By the index of the candidate.
    pub(crate) held: BTreeMap<usize, Held>,
}

/// What one candidate does on each changed copy, in the order of the changes.
#[derive(Debug, Clone)]
pub struct Held {
    /// Its values.
    pub(crate) points: Vec<Objectives>,
    /// The factor, less one, to the front of the candidates on that copy; infinite where it refuses requests.
    pub(crate) distances: Vec<f64>,
}

impl Held {
    /// The largest distance to the front of a copy, and the change that made that copy; of those that bind.
    pub fn worst(&self) -> (f64, &'static str) {
        let each = self.distances.iter().copied().zip(CHANGES).filter(|(_, change)| change.is_binding);
        let each = each.map(|(distance, change)| (distance, change.name));
        each.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, "nothing"))
    }

    /// Whether it is farther from the front of a copy than [`OVERFITTED`].
    pub fn is_overfitted(&self) -> bool {
        self.worst().0 > OVERFITTED
    }
}

impl Robust {
    /// What is changed on the copies that a design should be near the front of, one copy each.
    pub fn changes() -> impl Iterator<Item = &'static str> {
        CHANGES.iter().filter(|change| change.is_binding).map(|change| change.name)
    }

    /// What is known of a design.
    pub fn held(&self, index: usize) -> Option<&Held> {
        self.held.get(&index)
    }

    /// How many designs were replayed on the copies.
    pub fn candidates(&self) -> usize {
        self.held.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(crate) fn indices(&self) -> impl Iterator<Item = usize> {
        self.held.keys().copied()
    }

    /// Of what was measured of each candidate: by change, its measures on every copy.
    pub(crate) fn of(measured: BTreeMap<usize, Vec<Vec<Measures>>>) -> Robust {
        let points: Vec<Vec<Objectives>> =
            measured.values().map(|changes| changes.iter().map(|each| Objectives::of(each)).collect()).collect();
        let far = |own: &Objectives, change: usize| {
            if own.failed > 0 { f64::INFINITY } else { distance(own, points.iter().map(|each| &each[change]), &OVER) }
        };
        let held = measured.keys().zip(&points).map(|(&index, own)| {
            let distances = own.iter().enumerate().map(|(change, own)| far(own, change)).collect();
            (index, Held { points: own.clone(), distances })
        });
        Robust { held: held.collect() }
    }
}
