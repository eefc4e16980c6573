//! What is wanted of a design: by what designs are compared, and what none may exceed.

use std::fmt;
use std::str::FromStr;

use crate::objective::{Objective, Objectives};

/// The objectives of the front, and the constraints that every design of it keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// The front is over these.
    pub objectives: Vec<Objective>,
    /// No design of the front exceeds these.
    pub constraints: Vec<Constraint>,
}

/// The most that an objective may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraint {
    /// The objective.
    pub objective: Objective,
    /// Its largest value that is kept.
    pub max: f64,
}

impl Default for Goal {
    fn default() -> Goal {
        Goal { objectives: Objective::FRONT.to_vec(), constraints: Vec::new() }
    }
}

impl Goal {
    /// The counted objective whose front pruning may cut into, as it is not one of those that pruning compares by.
    pub(crate) fn unsound_to_prune(&self) -> Option<Objective> {
        let compared = |objective: &Objective| Objective::FRONT.contains(objective);
        Objective::COUNTED.into_iter().find(|objective| self.asks_for(*objective) && !compared(objective))
    }

    /// The two objectives whose knee is the balanced pick: fragmentation and accesses where both are chosen, else the
    /// first two that are.
    pub fn balanced(&self) -> [Objective; 2] {
        let usual = [Objective::Fragmentation, Objective::Accesses];
        if usual.iter().all(|objective| self.objectives.contains(objective)) {
            return usual;
        }
        match *self.objectives.as_slice() {
            [] => usual,
            [one] => [one, one],
            [one, two, ..] => [one, two],
        }
    }

    /// The objectives that every replay counts.
    pub fn counted(&self) -> impl Iterator<Item = Objective> {
        self.objectives.iter().copied().filter(|objective| objective.is_counted())
    }

    /// Whether an objective is compared by or constrained.
    pub fn asks_for(&self, objective: Objective) -> bool {
        self.all().any(|asked| asked == objective)
    }

    /// Whether it asks for what no replay counts.
    pub(crate) fn asks_for_measured(&self) -> bool {
        self.all().any(|objective| !objective.is_counted())
    }

    fn all(&self) -> impl Iterator<Item = Objective> {
        self.objectives.iter().copied().chain(self.constraints.iter().map(|constraint| constraint.objective))
    }

    /// Whether a design keeps the constraints; `counted`: those alone that every replay counts.
    pub fn admits(&self, point: &Objectives, counted: bool) -> bool {
        let asked = self.constraints.iter().filter(|constraint| !counted || constraint.objective.is_counted());
        asked.into_iter().all(|constraint| point.get(constraint.objective) <= constraint.max)
    }
}

/// `fragmentation,accesses_max;min_region<=30000`: as it is kept in the store.
impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.objectives.iter().map(|objective| objective.name()).collect();
        write!(f, "{}", names.join(","))?;
        self.constraints.iter().try_for_each(|constraint| write!(f, ";{}<={}", constraint.objective, constraint.max))
    }
}

impl FromStr for Goal {
    type Err = String;

    fn from_str(text: &str) -> Result<Goal, String> {
        let mut parts = text.split(';');
        let objectives = parts.next().unwrap_or_default().split(',').map(str::parse).collect::<Result<_, String>>()?;
        let constraint = |part: &str| {
            let (objective, max) = part.split_once("<=").ok_or_else(|| format!("{part:?} is no constraint"))?;
            let max = max.parse().map_err(|_| format!("{max:?} is no number"))?;
            Ok(Constraint { objective: objective.parse()?, max })
        };
        Ok(Goal { objectives, constraints: parts.map(constraint).collect::<Result<_, String>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_what_it_prints() {
        let constraint = Constraint { objective: Objective::MinRegion, max: 30_000.0 };
        let goal = Goal { objectives: vec![Objective::MaxOp, Objective::CodeSize], constraints: vec![constraint] };
        assert_eq!(goal.to_string(), "accesses_max,code_size;min_region<=30000");
        assert_eq!(goal.to_string().parse(), Ok(goal.clone()));
        assert!(goal.asks_for(Objective::MinRegion));
        assert_eq!(goal.balanced(), [Objective::MaxOp, Objective::CodeSize]);
        assert_eq!(Goal::default().balanced(), [Objective::Fragmentation, Objective::Accesses]);
    }

    #[test]
    fn a_constraint_is_kept_up_to_its_value() {
        let constraint = Constraint { objective: Objective::Accesses, max: 5.0 };
        let goal = Goal { constraints: vec![constraint], ..Goal::default() };
        assert!(goal.admits(&Objectives::point(9.0, 5.0), true));
        assert!(!goal.admits(&Objectives::point(0.0, 5.1), true));
    }
}
