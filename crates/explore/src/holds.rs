//! Replays of the candidates on changed copies, and how a design holds there.
//!
//! What is replayed is kept by the number of the unique design and of the change, so it is never replayed twice; what an
//! exploration takes over is that of its own candidates alone.

use std::collections::{BTreeMap, HashMap};

use heapsmith_replay::Measures;
use heapsmith_trace::PackedTrace;

use crate::candidates::candidates;
use crate::error::SweepError;
use crate::exploration::Exploration;
use crate::objective::{Objective, Objectives};
use crate::pick::Preference;
use crate::proven::Proven;
use crate::robust::changes::{CHANGES, Copies};
use crate::robust::{OVERFITTED, Robust};
use crate::store::{Store, StoreError};
use crate::workers::{Threads, Worker};

/// How a design holds where the program differs from its trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Holds {
    /// The largest distance to the Pareto front of a changed copy, as a share; infinite where a request is refused there.
    pub distance: f64,
    /// What was changed on that copy.
    pub change: &'static str,
    /// Changed copies of the traces.
    pub copies: usize,
    /// Where it is overfitted: a design that is not, and how far it is from any of these fronts.
    pub instead: Option<(usize, f64)>,
}

impl Holds {
    /// Whether it is farther from the front of a copy than [`OVERFITTED`].
    pub fn is_overfitted(&self) -> bool {
        self.distance > OVERFITTED
    }
}

impl Exploration {
    /// How a design holds on changed copies of the traces; none if it was not replayed on them, or if the pick goes by what is
    /// proven (`bounded`), which holds for every program.
    pub fn holds(&self, index: usize) -> Option<Holds> {
        if self.question.preference == Preference::Bounded {
            return None;
        }
        let (distance, change) = self.robust.held(index)?.worst();
        let mut holds = Holds { distance, change, copies: Robust::changes().count(), instead: None };
        if holds.is_overfitted() {
            let others = self.robust.held.iter().map(|(&other, held)| (other, held.worst().0));
            let nearest = others.min_by(|a, b| a.1.total_cmp(&b.1));
            holds.instead = nearest.filter(|(_, distance)| *distance <= OVERFITTED);
        }
        Some(holds)
    }

    /// How the baseline holds, where it is one of the designs that were replayed on changed copies.
    pub fn baseline_holds(&self) -> Option<Holds> {
        let spec = self.baseline().spec()?.to_string();
        let index = self.robust.indices().find(|&index| self.rows[index].design.spec.to_string() == spec)?;
        self.holds(index)
    }

    /// How a design holds, as a sentence: by what is proven of it where that was asked for, else on changed copies of the
    /// traces; none if neither is known.
    pub fn holds_words(&self, index: usize) -> Option<String> {
        if self.question.preference == Preference::Bounded {
            let Proven { accesses, region, .. } = self.proven_without_limit(index)?;
            let of = "for every program with as many live bytes in requests of these sizes";
            return Some(match self.room() {
                Some(room) if region > room => format!(
                    "proven {of}, until a request is refused, as it may be in {room} bytes and not in {region}: at most {accesses} \
                     accesses per operation"
                ),
                _ => format!("proven {of}: never refused in {region} bytes, at most {accesses} accesses per operation"),
            });
        }
        let holds = self.holds(index)?;
        let Holds { distance, change, copies, instead } = &holds;
        if !holds.is_overfitted() {
            return Some(format!(
                "holds on {copies} changed copies of the trace: at most {:.1}% from their Pareto fronts",
                distance * 100.0
            ));
        }
        let fault = if distance.is_finite() {
            format!("is {:.1}% from the Pareto front of a copy of the trace with {change}", distance * 100.0)
        } else {
            format!("refuses requests of a copy of the trace with {change}")
        };
        let remedy = match instead {
            Some((other, distance)) => {
                let spec = &self.rows[*other].design.spec;
                format!("{spec} is at most {:.1}% from the front of any copy", distance * 100.0)
            }
            None => {
                "no design that was tried is nearer to the front of every copy; explore with more traces".to_owned()
            }
        };
        Some(format!("OVERFITTED: {fault}; {remedy}"))
    }
}

impl Exploration {
    /// Takes over what a store knows of the candidates on changed copies; whether that is all.
    pub(crate) fn learn_robust(&mut self, store: &Store) -> Result<bool, StoreError> {
        if !self.question.robust {
            self.robust = Robust::default();
            return Ok(true);
        }
        let candidates = candidates(self);
        let copies = self.copies(&candidates);
        let known: Vec<HashMap<u32, Vec<Measures>>> =
            (0..CHANGES.len()).map(|change| store.changed(copies.key(change))).collect::<Result<_, _>>()?;
        let mut measured = BTreeMap::new();
        let mut whole = true;
        for index in candidates {
            let number = self.rows[index].design.same_as;
            match known.iter().map(|change| change.get(&number).cloned()).collect::<Option<Vec<_>>>() {
                Some(changes) => drop(measured.insert(index, changes)),
                None => whole = false,
            }
        }
        self.robust = if whole { Robust::of(measured) } else { Robust::default() };
        Ok(whole)
    }

    /// How long the copies are on which these candidates are replayed.
    fn copies(&self, candidates: &[usize]) -> Copies {
        let accesses = |&index: &usize| Objectives::of(&self.rows[index].measures).get(Objective::Accesses);
        Copies::affordable(self.events(), candidates.iter().map(accesses).sum())
    }

    /// Replays the candidates on changed copies of the traces, where that was not done before, and keeps it. `watch` gets
    /// the change that is worked on.
    pub(crate) fn measure_robust(
        &mut self,
        store: &mut Store,
        traces: &[PackedTrace],
        threads: &Threads<'_>,
        watch: &mut dyn FnMut(usize, usize),
    ) -> Result<(), SweepError> {
        let candidates = candidates(self);
        let lengths = self.copies(&candidates);
        let spec = |number: u32| {
            candidates.iter().map(|&index| &self.rows[index].design).find(|design| design.same_as == number)
        };
        for change in 0..CHANGES.len() {
            watch(change, CHANGES.len());
            let key = lengths.key(change);
            let known = store.changed(key)?;
            let mut open: Vec<u32> = candidates.iter().map(|&index| self.rows[index].design.same_as).collect();
            open.sort_unstable();
            open.dedup();
            open.retain(|number| !known.contains_key(number));
            if open.is_empty() {
                continue;
            }
            let copies = lengths.of(traces, change);
            let max = Copies::max_accesses(&copies);
            let one = |place: usize, worker: &mut Worker<'_>| {
                let Some(design) = spec(open[place]) else { return Ok(None) };
                Ok(Some((open[place], worker.regions.replay_to(&design.spec, &copies, max)?)))
            };
            threads.each(open.len(), &one, &mut |batch| Ok(store.add_changed(key, &batch)?))?;
        }
        self.learn_robust(store)?;
        Ok(())
    }
}
