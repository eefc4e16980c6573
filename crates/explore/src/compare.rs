//! Two explorations, and what changed from the one to the other: of two versions of a program, or of two spaces.
//!
//! ```text
//!   old ─ traces ─ front ─ pick ──┐ replayed on the new traces, unless it was explored there
//!   new ─ traces ─ front ─ pick ──┴▶ whether the old pick is still right
//! ```
//!
//! The pick of each preference is the one that the exploration gives today. Whether the old one is still right is judged
//! by what the preference is about: the distance to the new front where balance is preferred, else the excess over the new
//! pick in the preferred objective. Cost: a replay of each old pick that the new exploration did not measure.

use std::collections::BTreeSet;
use std::path::Path;

use heapsmith_replay::Measures;
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, plural};

use crate::error::SweepError;
use crate::exploration::Exploration;
use crate::front::{amount, distance};
use crate::objective::{Objective, Objectives};
use crate::pick::Preference;
use crate::regions::Regions;
use crate::run::RunError;
use crate::traces::Traces;

/// What changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Why figures of the one cannot be held against those of the other; empty where they can.
    pub incomparable: Vec<String>,
    /// What else differs and may explain the changes.
    pub differences: Vec<String>,
    /// The traces, paired.
    pub traces: Vec<TraceChange>,
    /// The fronts.
    pub front: FrontChange,
    /// The picks, by preference.
    pub picks: Vec<PickChange>,
}

/// A trace and its new version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceChange {
    /// Its name; both names where they differ.
    pub name: String,
    /// What is known of the old one; none where it is new.
    pub old: Option<Load>,
    /// What is known of the new one; none where it is gone.
    pub new: Option<Load>,
}

/// What a trace asks of any heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Allocations, frees and reallocations.
    pub operations: u64,
    /// Peak live bytes, as requested.
    pub requested_peak: Bytes,
}

/// How the front moved.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontChange {
    /// Heaps of the old front.
    pub old: usize,
    /// Heaps of the new front.
    pub new: usize,
    /// Heaps of both.
    pub both: usize,
    /// The lowest value on the old and on the new front in each objective that both have.
    pub best: Vec<(Objective, f64, f64)>,
}

/// The pick of a preference, and whether the old one is still right.
#[derive(Debug, Clone, PartialEq)]
pub struct PickChange {
    /// The preference.
    pub preference: Preference,
    /// The old pick, on the old traces; none where no design keeps the goal.
    pub old: Option<Choice>,
    /// The old pick, on the new traces.
    pub old_on_new: Option<Choice>,
    /// Whether the old pick was replayed for this comparison, as the new exploration does not have it.
    pub is_replayed: bool,
    /// The new pick, on the new traces; none where no design keeps the goal.
    pub new: Option<Choice>,
    /// Whether the old pick is still right.
    pub standing: Standing,
}

impl PickChange {
    /// Whether the old pick is still right, in a sentence without a full stop.
    pub fn sentence(&self) -> String {
        let replayed = if self.is_replayed { " (not among the new designs: replayed)" } else { "" };
        match self.standing {
            Standing::Same => "the old pick is the new pick, or measures the same: keep it".to_owned(),
            Standing::Right { behind } => {
                format!("the old pick is still right: {:.1}% behind the new{replayed}", behind * 100.0)
            }
            Standing::Behind { behind } => {
                format!("the old pick is not right any more: {:.1}% behind the new{replayed}", behind * 100.0)
            }
            Standing::Refuses { failed } => {
                format!(
                    "the old pick refuses {} of the new traces: take the new one",
                    plural(failed, "request", "requests")
                )
            }
            Standing::NoPick => {
                "one of the explorations has no pick: every design refuses requests or breaks a constraint".to_owned()
            }
        }
    }
}

/// A heap with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The heap.
    pub spec: Spec,
    /// Its values.
    pub objectives: Objectives,
}

/// Whether an old pick is still right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Standing {
    /// It is the new pick, or measures the same.
    Same,
    /// Another is picked, and it is within [`TOLERANCE`] of that.
    Right {
        /// How far it is behind, as a share.
        behind: f64,
    },
    /// It is further behind.
    Behind {
        /// How far, as a share.
        behind: f64,
    },
    /// It refuses requests of the new traces.
    Refuses {
        /// How many.
        failed: u64,
    },
    /// One of the explorations has no pick.
    NoPick,
}

/// How far behind the new pick an old one is still right: 1%.
pub const TOLERANCE: f64 = 0.01;

/// Compares the finished exploration in the folder `new` with that in `old`.
///
/// # Errors
///
/// A folder that has none, or has not the traces of it; a heap that cannot be replayed.
pub fn compare(old: &Path, new: &Path) -> Result<Comparison, RunError> {
    let opened = |dir| Exploration::open(dir).map_err(SweepError::from);
    let (was, is) = (opened(old)?, opened(new)?);
    let traces = Traces::kept(new.to_owned(), is.traces.len());
    let mut on_new = OnNew { new: &is, traces, regions: Regions::default() };
    let picks = Preference::ALL.into_iter().map(|preference| on_new.pick(&was, preference));
    Ok(Comparison {
        picks: picks.collect::<Result<_, RunError>>()?,
        incomparable: incomparable(&was, &is),
        differences: differences(&was, &is),
        traces: paired(&was, &is),
        front: front(&was, &is),
    })
}

/// The new exploration, and its traces for heaps that it did not measure.
struct OnNew<'n> {
    new: &'n Exploration,
    traces: Traces<'n>,
    regions: Regions,
}

impl OnNew<'_> {
    fn pick(&mut self, old: &Exploration, preference: Preference) -> Result<PickChange, RunError> {
        let (was, is) = (old.choice(preference), self.new.choice(preference));
        let (old_on_new, is_replayed) = match &was {
            Some(was) => self.measured(&was.spec).map(|(choice, is_replayed)| (Some(choice), is_replayed))?,
            None => (None, false),
        };
        let standing = match (&old_on_new, &is) {
            (Some(kept), Some(picked)) => standing(kept, picked, self.new, preference),
            _ => Standing::NoPick,
        };
        Ok(PickChange { preference, old: was, old_on_new, is_replayed, new: is, standing })
    }

    /// A heap on the new traces, and whether it was replayed for that.
    fn measured(&mut self, spec: &Spec) -> Result<(Choice, bool), RunError> {
        let known = self.new.rows.iter().position(|row| row.design.spec == *spec);
        if let Some(index) = known {
            return Ok((Choice { spec: spec.clone(), objectives: self.new.points[index] }, false));
        }
        let measures: Vec<Measures> = self.regions.replay(spec, self.traces.get()?).map_err(SweepError::from)?;
        Ok((Choice { spec: spec.clone(), objectives: Objectives::of(&measures) }, true))
    }
}

impl Exploration {
    /// The pick of a preference, with its values.
    fn choice(&self, preference: Preference) -> Option<Choice> {
        let pick = self.pick(preference)?;
        Some(Choice { spec: self.rows[pick].design.spec.clone(), objectives: self.points[pick] })
    }

    /// Words and alignments of the heaps that were explored, in bytes.
    fn layouts(&self) -> BTreeSet<(u32, u32)> {
        self.rows.iter().map(|row| (row.design.spec.word.bytes(), row.design.spec.alignment)).collect()
    }
}

fn standing(kept: &Choice, picked: &Choice, new: &Exploration, preference: Preference) -> Standing {
    let counted = |choice: &Choice| Objective::COUNTED.map(|objective| choice.objectives.get(objective).to_bits());
    if kept.objectives.failed > 0 {
        return Standing::Refuses { failed: kept.objectives.failed };
    }
    if kept.spec == picked.spec || counted(kept) == counted(picked) {
        return Standing::Same;
    }
    let over = |objective| amount(&kept.objectives, objective) / amount(&picked.objectives, objective) - 1.0;
    let behind = match preference {
        Preference::Balanced => distance(&kept.objectives, &new.points, &new.balanced()),
        Preference::Speed => over(Objective::Accesses),
        Preference::Memory => over(Objective::Fragmentation),
        Preference::Bounded => over(Objective::MaxOp),
    };
    if behind <= TOLERANCE { Standing::Right { behind: behind.max(0.0) } } else { Standing::Behind { behind } }
}

fn incomparable(old: &Exploration, new: &Exploration) -> Vec<String> {
    let mut all = Vec::new();
    if old.target != new.target {
        all.push(format!(
            "the old heaps are for the target {}, the new ones for {}, which has other rules; explore both for one target",
            old.target.name, new.target.name
        ));
    }
    let (was, is) = (old.layouts(), new.layouts());
    if !was.is_empty() && !is.is_empty() && was.is_disjoint(&is) {
        let shown = |layouts: &BTreeSet<(u32, u32)>| {
            let each: Vec<String> = layouts.iter().map(|(word, align)| format!("word={word} align={align}")).collect();
            each.join(", ")
        };
        all.push(format!(
            "no heap of the one could be a heap of the other: the old ones have {}, the new ones {}",
            shown(&was),
            shown(&is)
        ));
    }
    all
}

fn differences(old: &Exploration, new: &Exploration) -> Vec<String> {
    let mut all = Vec::new();
    if old.space != new.space || old.families != new.families {
        all.push(format!("the spaces: {}, {}", old.space, new.space));
    }
    if old.question != new.question {
        all.push(format!("the questions: {}, {}", old.question.words(), new.question.words()));
    }
    if old.search != new.search {
        all.push(format!("the searches: {}, {}", old.search.name(), new.search.name()));
    }
    all
}

/// Traces by their names where any are the same, else by their places.
fn paired(old: &Exploration, new: &Exploration) -> Vec<TraceChange> {
    let load = |exploration: &Exploration, number: usize| {
        let measures = exploration.rows.first().and_then(|row| row.measures.get(number))?;
        Some(Load { operations: measures.operations, requested_peak: measures.requested_peak })
    };
    let by_name = old.traces.iter().any(|name| new.traces.contains(name));
    if !by_name {
        let name = |number: usize| match (old.traces.get(number), new.traces.get(number)) {
            (Some(was), Some(is)) => format!("{was} → {is}"),
            (name, other) => name.or(other).cloned().unwrap_or_default(),
        };
        let numbers = 0..old.traces.len().max(new.traces.len());
        let pair = |number| TraceChange { name: name(number), old: load(old, number), new: load(new, number) };
        return numbers.map(pair).collect();
    }
    let place = |exploration: &Exploration, name: &String| exploration.traces.iter().position(|other| other == name);
    let added = new.traces.iter().filter(|name| !old.traces.contains(name));
    let pair = |name: &String| TraceChange {
        name: name.clone(),
        old: place(old, name).and_then(|number| load(old, number)),
        new: place(new, name).and_then(|number| load(new, number)),
    };
    old.traces.iter().chain(added).map(pair).collect()
}

fn front(old: &Exploration, new: &Exploration) -> FrontChange {
    let heaps = |exploration: &Exploration| {
        let specs = exploration.front.iter().map(|&index| exploration.rows[index].design.spec.to_string());
        specs.collect::<BTreeSet<String>>()
    };
    let lowest = |exploration: &Exploration, objective| {
        exploration.front.iter().map(|&index| exploration.points[index].get(objective)).fold(f64::INFINITY, f64::min)
    };
    let shared =
        old.question.goal.objectives.iter().filter(|objective| new.question.goal.objectives.contains(objective));
    let best = shared.map(|&objective| (objective, lowest(old, objective), lowest(new, objective))).collect();
    let (was, is) = (heaps(old), heaps(new));
    FrontChange { old: was.len(), new: is.len(), both: was.intersection(&is).count(), best }
}
