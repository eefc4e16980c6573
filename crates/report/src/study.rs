//! What every section of the page looks at.

use heapsmith_explore::{
    Effect, Exploration, Factor, Finding, Interaction, Objective, Objectives, Retimed, effects, finding, interactions,
};
use heapsmith_replay::{Measures, Region, ReplayError, ReplayOptions, replay};
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace, Statistics, Trace};

use crate::{PageInput, ReportError};

/// An exploration with everything that sections derive from it.
pub struct Study<'a> {
    /// The exploration.
    pub exploration: &'a Exploration,
    /// What was asked for.
    pub input: PageInput<'a>,
    /// Index of the pick.
    pub pick: usize,
    /// The family whose effects are shown: the classic space where there is one, else the pick's.
    pub family: usize,
    /// The main effects over that family.
    pub effects: Vec<Effect>,
    /// What every two of its factors do together.
    pub interactions: Vec<Interaction>,
    /// The paper's finding on this exploration.
    pub finding: Finding,
    /// The traces with their packed form and statistics.
    pub traces: Vec<Studied<'a>>,
}

/// A trace with its statistics.
pub struct Studied<'a> {
    /// As it was recorded.
    pub trace: &'a Trace,
    /// As it is replayed.
    pub packed: PackedTrace,
    /// Its sizes and totals.
    pub statistics: Statistics,
}

impl<'a> Study<'a> {
    /// Checks that the input fits together, and derives what all sections share.
    pub fn of(input: PageInput<'a>) -> Result<Study<'a>, ReportError> {
        let exploration = input.exploration;
        let (expected, given) = (exploration.traces.len(), input.traces.len());
        if expected != given {
            return Err(ReportError::Traces { expected, given });
        }
        let designs = exploration.rows.len();
        if designs == 0 || designs != exploration.points.len() {
            return Err(ReportError::NoResults);
        }
        let pick = exploration.pick(input.preference).ok_or_else(|| ReportError::NoPick(exploration.no_pick()))?;
        let family = exploration.classic().unwrap_or(usize::from(exploration.rows[pick].design.family));
        let (effects, interactions) = (effects(exploration, family), interactions(exploration, family));
        let finding = finding(exploration, &effects);
        let studied = input.traces.iter().map(|trace| {
            let (packed, statistics) = (PackedTrace::new(trace)?, Statistics::of(trace)?);
            Ok(Studied { trace, packed, statistics })
        });
        let traces = studied.collect::<Result<_, ReportError>>()?;
        Ok(Study { exploration, input, pick, family, effects, interactions, finding, traces })
    }

    /// The memory in which a trace is replayed for figures: the region that was asked for, else one with room to spare.
    pub fn region(&self, studied: &Studied<'_>) -> Result<Region, ReplayError> {
        match self.exploration.asked_region() {
            Some(bytes) => Region::exactly(Bytes(bytes)),
            None => Region::for_trace(&studied.packed),
        }
    }

    /// Whether a heap serves every trace in that memory, where a region was asked for.
    pub fn serves(&self, heap: &Spec) -> bool {
        let is_served = |studied: &Studied<'_>| {
            let measures = replay(heap, &studied.packed, &mut self.region(studied)?, ReplayOptions::MEASURE)?;
            Ok::<bool, ReplayError>(measures.failed == 0)
        };
        self.exploration.asked_region().is_none()
            || self.traces.iter().all(|studied| is_served(studied).unwrap_or(false))
    }

    /// Whether all programs are network applications, which the findings of Mamagkakis et al. (2006) are about.
    pub fn is_of_a_network(&self) -> bool {
        self.traces.iter().all(|studied| crate::is_of_a_network(&studied.trace.origin))
    }

    /// A command on the folder of the exploration: `heapsmith VERB FOLDER REST`.
    pub fn command(&self, verb: &str, rest: &str) -> String {
        let folder = self.input.folder;
        let is_plain =
            !folder.is_empty() && folder.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=:,%+".contains(c));
        let folder = if is_plain { folder.to_owned() } else { format!("'{}'", folder.replace('\'', r"'\''")) };
        format!("heapsmith {verb} {folder} {rest}").trim_end().to_owned()
    }

    /// Names of the traces.
    pub fn title(&self) -> String {
        match self.exploration.traces.as_slice() {
            [] => "no trace".to_owned(),
            names => names.join(" + "),
        }
    }

    /// A design's values.
    pub fn point(&self, index: usize) -> &Objectives {
        &self.exploration.points[index]
    }

    /// A design's spec.
    pub fn spec(&self, index: usize) -> String {
        self.exploration.rows[index].design.spec.to_string()
    }

    /// The time of an allocator of the catalogue.
    pub fn catalogue_timing(&self, name: &str) -> Option<&Retimed> {
        self.exploration.timings.iter().find(|timing| timing.name == name)
    }

    /// Nanoseconds an operation of the loop with the null allocator, where times were measured.
    pub fn null_allocator(&self) -> Option<f64> {
        self.exploration.timings.first().map(|timing| timing.null_allocator)
    }

    /// The factors whose effects are told.
    pub fn factors(&self) -> &[Factor] {
        &self.exploration.families.0[self.family].factors
    }

    /// The effect of a factor on an objective.
    pub fn effect(&self, objective: Objective, factor: usize) -> Option<&Effect> {
        self.effects.iter().find(|effect| effect.objective == objective && effect.factor == factor)
    }

    /// How many heaps differ on these traces.
    pub fn unique_designs(&self) -> usize {
        self.exploration.rows.iter().filter(|row| row.design.same_as == row.design.number).count()
    }
}

/// The footprint at its peak, over all traces.
pub fn footprint(measures: &[Measures]) -> Bytes {
    measures.iter().map(|measures| measures.footprint_peak).sum()
}

/// Metadata accesses of an operation on average.
pub fn accesses(point: &Objectives) -> f64 {
    point.get(Objective::Accesses)
}

/// Fragmentation as a share.
pub fn fragmentation(point: &Objectives) -> f64 {
    point.get(Objective::Fragmentation)
}
