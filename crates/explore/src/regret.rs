//! How a choice holds on what it was not made for.
//!
//! ```text
//!   traces explored ──▶ pick, the paper's designs ──┐
//!                                                   ├──▶ replayed on the other trace: from its front, regret
//!   another trace ──▶ explored by itself ──▶ front, ┘
//!                                            pick by the oracle
//! ```
//!
//! The other trace is held out, or a perturbed copy of one that was explored. *From the front* is the least factor, less
//! one, by which all chosen objectives would have to shrink for no design of the space made for that trace to beat the
//! heap in all of them; *regret* is what the heap has beyond the pick of an exploration of that trace alone.

use heapsmith_spec::build::{lists_in_words, words_for};
use heapsmith_spec::{Layer, Spec};
use heapsmith_trace::{Operation, PackedTrace};

use crate::error::SweepError;
use crate::evaluated::Evaluated;
use crate::exploration::Exploration;
use crate::finding::NEAR;
use crate::front::{amount, distance};
use crate::objective::{Objective, Objectives};
use crate::pick::Preference;
use crate::regions::Regions;

const OVER: [Objective; 2] = [Objective::Fragmentation, Objective::Accesses];

/// Judges heaps on a trace that `oracle` is the exploration of. The first is the pick, which was made for
/// `explored`; the pick by the oracle is the last row.
///
/// # Errors
///
/// A heap that cannot be replayed.
pub fn evaluate(
    oracle: &Exploration,
    trace: &PackedTrace,
    explored: &[PackedTrace],
    heaps: &[(String, Spec)],
    preference: Preference,
) -> Result<Vec<Evaluated>, SweepError> {
    let Some(best) = oracle.pick(preference) else { return Ok(Vec::new()) };
    let known = (oracle.rows[best].design.spec.clone(), &oracle.points[best]);
    let one = std::slice::from_ref(trace);
    let mut regions = Regions::default();
    let mut rows = Vec::new();
    let all = heaps.iter().map(|(name, spec)| (name.as_str(), spec)).chain([("oracle", &known.0)]);
    for (name, spec) in all {
        let measures = regions.replay(spec, one)?;
        let point = Objectives::of(&measures);
        let beyond = |objective| amount(&point, objective) / amount(known.1, objective) - 1.0;
        let distance = distance(&point, &oracle.points, &OVER);
        let is_pick = rows.is_empty();
        rows.push(Evaluated {
            trace: trace.name.clone(),
            name: name.to_owned(),
            heap: spec.to_string(),
            failed: point.failed,
            fragmentation: point.get(Objective::Fragmentation),
            accesses: point.get(Objective::Accesses),
            distance,
            footprint_regret: beyond(Objective::Fragmentation),
            accesses_regret: beyond(Objective::Accesses),
            warning: (is_pick && (distance > NEAR || point.failed > 0)).then(|| reason(spec, explored, trace)),
        });
    }
    Ok(rows)
}

/// What is different on a trace for a heap that was made for others.
fn reason(spec: &Spec, explored: &[PackedTrace], trace: &PackedTrace) -> String {
    let one = std::slice::from_ref(trace);
    if let Some((before, now)) = served(spec, explored).zip(served(spec, one))
        && before - now > 0.1
    {
        return format!(
            "its free lists are for sizes that {:.0}% of the requests explored have, and {:.0}% of these: list more sizes, \
             or explore with traces like this one",
            before * 100.0,
            now * 100.0
        );
    }
    let max = explored.iter().map(|trace| trace.slots).max().unwrap_or(0);
    if trace.slots > max * 2 {
        return format!(
            "{} blocks are live at once here, and at most {max} on the traces explored: lists are longer, so searches cost \
             more; explore with a trace as large, or --prefer bounded",
            trace.slots
        );
    }
    "its levels are as good as any on the traces explored, and not here: explore with more traces, and prefer a design \
     that is near the front of each"
        .to_owned()
}

/// The share of requests whose blocks a spec's free lists keep; none if it has no lists.
fn served(spec: &Spec, traces: &[PackedTrace]) -> Option<f64> {
    let Some(Layer::FreeLists(lists)) = spec.layers.first() else { return None };
    let kept = lists_in_words(spec, lists);
    let is_kept = |words: usize| kept.iter().any(|&(low, high)| (low..=high).contains(&words));
    let requests = || traces.iter().flat_map(|trace| &trace.events).filter(|event| event.operation != Operation::Free);
    let served = requests().filter(|event| words_for(spec, event.size).is_some_and(is_kept)).count();
    Some(served as f64 / requests().count().max(1) as f64)
}

impl Exploration {
    /// The heaps that are evaluated on other traces: the pick, the designs that the paper recommends, and `also`.
    pub fn evaluated_heaps(&self, preference: Preference, also: &[(String, Spec)]) -> Vec<(String, Spec)> {
        let named = |name: String, index: usize| (name, self.rows[index].design.spec.clone());
        let pick = self.pick(preference).map(|index| named("pick".to_owned(), index));
        let recommended = self.recommended().map(|index| {
            let lists = self.families.level(&self.rows[index].design, "freelists").unwrap_or_default();
            named(format!("2006, {lists} lists"), index)
        });
        pick.into_iter().chain(recommended).chain(also.iter().cloned()).collect()
    }
}
