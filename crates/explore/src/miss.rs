//! Why nothing is picked: for each constraint, the design that comes nearest to it.
//!
//! Constraints filter results. Where none is left, what was measured still says how far away the wish is: the nearest of the
//! designs that keep the other constraints, or, where none keeps those, of all that serve.

use std::fmt;

use heapsmith_spec::Target;

use crate::exploration::{Exploration, fits};
use crate::goal::Constraint;
use crate::pick::Preference;
use crate::proven::{bounded_bytes, proven};
use crate::rows::Row;

/// Why an exploration has no pick.
#[derive(Debug, Clone, PartialEq)]
pub enum NoPick {
    /// Every design refused a request.
    Refusing {
        /// Designs that were measured.
        designs: usize,
    },
    /// Every design that serves takes more than the target has.
    Beyond {
        /// The target.
        target: &'static Target,
        /// Its largest region, in bytes.
        max: u64,
        /// The smallest footprint of a design, in bytes.
        min: u64,
    },
    /// No design that serves and keeps the constraints has a proven bound, which is asked for.
    Unproven {
        /// Designs that serve and keep the constraints.
        designs: usize,
        /// Why not.
        why: Unproven,
    },
    /// No design keeps all constraints: the nearest to each.
    Missing(Vec<Miss>),
}

/// Why no bound is proven of any design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproven {
    /// A trace asks for nothing.
    Uncovered,
    /// Bounds are known, of regions that are larger than what there is, in which these heaps give back what they keep.
    NoRoom {
        /// Bytes of the smallest of them.
        min: u64,
        /// Bytes that there are.
        room: u64,
    },
    /// Bounds are known, of regions that no word of a design can name.
    NoWord {
        /// Bytes of the smallest of them.
        min: u64,
    },
    /// None is known.
    Unknown,
}

/// A constraint, and what comes nearest to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Miss {
    /// The constraint.
    pub constraint: Constraint,
    /// The design that comes nearest; none if no design was measured in the objective.
    pub nearest: Option<Nearest>,
    /// Whether some design keeps all the other constraints; then the nearest is one that does.
    pub with_others: bool,
}

/// A design that comes near.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Its index in the exploration.
    pub index: usize,
    /// Its number.
    pub number: u32,
    /// Its heap.
    pub heap: String,
    /// Its value in the objective of the constraint.
    pub value: f64,
}

impl Exploration {
    /// Why there is no pick.
    pub fn no_pick(&self) -> NoPick {
        if self.points.iter().all(|point| point.failed > 0) {
            return NoPick::Refusing { designs: self.points.len() };
        }
        let served = self.rows.iter().zip(&self.points).filter(|(_, point)| point.failed == 0).map(|(row, _)| row);
        if let Some(max) = self.target.max_region.filter(|_| !served.clone().any(|row| fits(self.target, row))) {
            let footprint = |row: &Row| row.measures.iter().map(|measures| measures.footprint_peak.0).max();
            let min = served.filter_map(footprint).min().unwrap_or_default();
            return NoPick::Beyond { target: self.target, max, min };
        }
        let left = self.points.iter().filter(|point| point.is_compared()).count();
        if self.question.preference == Preference::Bounded && left > 0 {
            return NoPick::Unproven { designs: left, why: self.unproven() };
        }
        let constraints = &self.question.goal.constraints;
        NoPick::Missing((0..constraints.len()).map(|number| self.miss(number)).collect())
    }

    fn unproven(&self) -> Unproven {
        if self.programs.contains(&None) {
            return Unproven::Uncovered;
        }
        let left = || {
            let compared = (0..self.points.len()).filter(|&index| self.points[index].is_compared());
            compared.map(|index| &self.rows[index].design.spec)
        };
        let beyond = left().filter_map(|spec| Some(proven(&self.programs, spec)?.region)).min();
        if let Some((min, room)) = beyond.zip(self.room()) {
            return Unproven::NoRoom { min, room };
        }
        // Of none of these a region is proven; where bytes are, no word names them.
        let min = left().filter_map(|spec| bounded_bytes(&self.programs, spec)).min();
        min.map_or(Unproven::Unknown, |min| Unproven::NoWord { min })
    }

    fn miss(&self, number: usize) -> Miss {
        let constraints = &self.question.goal.constraints;
        let constraint = constraints[number];
        let value = |index: usize| self.points[index].get(constraint.objective);
        let keeps_others = |index: &usize| {
            let others = constraints.iter().enumerate().filter(|(other, _)| *other != number);
            others.map(|(_, other)| other).all(|other| self.points[*index].get(other.objective) <= other.max)
        };
        let serving: Vec<usize> = (0..self.points.len())
            .filter(|&index| self.points[index].failed == 0 && fits(self.target, &self.rows[index]))
            .collect();
        let keeping: Vec<usize> = serving.iter().copied().filter(keeps_others).collect();
        let with_others = !keeping.is_empty();
        let candidates = if with_others { keeping } else { serving };
        let known = candidates.into_iter().filter(|&index| value(index).is_finite());
        let nearest = known.min_by(|&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
        let nearest = nearest.map(|index| {
            let design = &self.rows[index].design;
            Nearest { index, number: design.number, heap: design.spec.to_string(), value: value(index) }
        });
        Miss { constraint, nearest, with_others }
    }
}

impl fmt::Display for NoPick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPick::Refusing { designs } => write!(f, "none of the {designs} designs served every request"),
            NoPick::Beyond { target, max, min } => write!(
                f,
                "every design takes more than the {max} bytes that a region has on {target}: the smallest takes {min}"
            ),
            NoPick::Unproven { designs, why } => write!(
                f,
                "no bound is proven of any of the {designs} designs: {why}; other preferences pick by the trace"
            ),
            NoPick::Missing(misses) => {
                write!(f, "no design meets every constraint")?;
                misses.iter().try_for_each(|miss| write!(f, "\n  {miss}"))
            }
        }
    }
}

impl fmt::Display for Unproven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unproven::Uncovered => f.write_str("no bound is about a trace that asks for nothing"),
            Unproven::NoRoom { min, room } => write!(
                f,
                "bounds are known in {min} bytes and more; in a region of {room} these heaps give back what they keep before they refuse a \
                 request, which no number bounds"
            ),
            Unproven::NoWord { min } => {
                write!(
                    f,
                    "the smallest region in which nothing is refused has {min} bytes, more than their words can name"
                )
            }
            Unproven::Unknown => {
                f.write_str("TLSF, half-fit, buddy systems and size classes have one, and the wide space has those")
            }
        }
    }
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Constraint { objective, max } = self.constraint;
        write!(f, "{} of at most {}: ", objective.words(), objective.shown(max))?;
        let Some(Nearest { number, heap, value, .. }) = &self.nearest else {
            return write!(f, "not measured, as no design meets the constraints that replays count");
        };
        if *value <= max {
            return write!(
                f,
                "met by design {number} with {}, not with the others\n    {heap}",
                objective.shown(*value)
            );
        }
        let shown = objective.shown(*value);
        write!(f, "design {number} comes nearest with {shown}, {}\n    {heap}", beyond(self.constraint, *value))
    }
}

impl std::error::Error for NoPick {}

/// How far a value is beyond a constraint, in words.
fn beyond(constraint: Constraint, value: f64) -> String {
    let Constraint { objective, max } = constraint;
    match value / max {
        _ if objective.is_share() => format!("{:.1} points too much", (value - max) * 100.0),
        factor if !factor.is_finite() => "too much".to_owned(),
        factor if factor >= 2.0 => format!("{factor:.1} times as much"),
        factor => format!("{:.1}% too much", (factor - 1.0) * 100.0),
    }
}
