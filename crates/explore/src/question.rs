//! What is asked of the designs of a space.
//!
//! The folder of an exploration holds one question and answers it: who emits, runs or reports gets the pick of that
//! question. What was explored (traces, space, target) is fixed for the folder; the question can be asked otherwise.
//!
//! ```text
//!   prefer=memory
//!   goal=fragmentation,accesses_per_op;min_region<=30000
//!   baseline=peer:libc
//!   robust=off
//! ```

use std::fmt;
use std::str::FromStr;

use heapsmith_replay::SubjectError;

use crate::baseline::Baseline;
use crate::goal::Goal;
use crate::objective::Objective;
use crate::pick::Preference;

/// What is wanted of a design, and what the pick should be good at.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What the pick should be good at.
    pub preference: Preference,
    /// The objectives of the front, and the constraints that every design of it keeps.
    pub goal: Goal,
    /// What the user has today; none: what is usual on the target.
    pub baseline: Option<Baseline>,
    /// Whether the pick is also evaluated on changed copies of the traces.
    pub robust: bool,
}

impl Default for Question {
    fn default() -> Question {
        Question { preference: Preference::default(), goal: Goal::default(), baseline: None, robust: true }
    }
}

impl Question {
    /// The question in words, as `pick` takes it: `--prefer memory, smallest region of at most 30000 bytes`.
    pub fn words(&self) -> String {
        let mut words = vec![format!("--prefer {}", self.preference)];
        if self.goal.objectives != Objective::FRONT {
            let names: Vec<&str> = self.goal.objectives.iter().map(|objective| objective.words()).collect();
            words.push(format!("over {}", names.join(", ")));
        }
        words.extend(self.baseline.iter().map(|baseline| format!("compared with {baseline}")));
        if !self.robust {
            words.push("--robust off".to_owned());
        }
        words.extend(self.goal.constraints.iter().map(|constraint| {
            format!("{} of at most {}", constraint.objective.words(), constraint.objective.shown(constraint.max))
        }));
        words.join("; ")
    }
}

/// The question of a goal, with the usual preference.
impl From<Goal> for Question {
    fn from(goal: Goal) -> Question {
        Question { goal, ..Question::default() }
    }
}

/// As it is kept in the store: a line for each part.
impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "prefer={}\ngoal={}", self.preference, self.goal)?;
        self.baseline.iter().try_for_each(|baseline| write!(f, "\nbaseline={baseline}"))?;
        if self.robust { Ok(()) } else { f.write_str("\nrobust=off") }
    }
}

impl FromStr for Question {
    type Err = String;

    fn from_str(text: &str) -> Result<Question, String> {
        let mut question = Question::default();
        for line in text.lines() {
            let (part, value) = line.split_once('=').ok_or_else(|| format!("{line:?} is no part of a question"))?;
            match part {
                "prefer" => question.preference = value.parse()?,
                "goal" => question.goal = value.parse()?,
                "baseline" => question.baseline = Some(value.parse().map_err(|error: SubjectError| error.to_string())?),
                "robust" => question.robust = value != "off",
                _ => return Err(format!("{part:?} is no part of a question")),
            }
        }
        Ok(question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::Constraint;

    #[test]
    fn a_question_is_what_it_prints() {
        let constraint = Constraint { objective: Objective::MinRegion, max: 30_000.0 };
        let goal = Goal { objectives: vec![Objective::MaxOp], constraints: vec![constraint] };
        let question = Question { preference: Preference::Memory, goal, baseline: None, robust: false };
        assert_eq!(question.to_string().parse(), Ok(question.clone()));
        for baseline in ["peer:libc", "lea-2.7.2", "list(order=address, fit=best) word=8"] {
            let question = Question { baseline: baseline.parse().ok(), ..question.clone() };
            assert!(question.baseline.is_some());
            assert_eq!(question.to_string().parse(), Ok(question));
        }
        assert!("prefer=beauty".parse::<Question>().is_err());
        assert!("beauty=yes".parse::<Question>().is_err());
    }
}
