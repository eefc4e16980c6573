//! What an experiment gives, and what is kept of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::register::{Whose, claim};
use crate::shown::Shown;

/// Whether what an experiment tests of a paper holds here. Claims of this project take no part in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every claim does.
    Holds,
    /// Some do, or some do under some readings.
    InPart,
    /// None does.
    DoesNot,
    /// None does, and of some it is undecided or cannot be tested.
    Undecided,
    /// It tests no claim of the paper.
    NoClaim,
}

impl Verdict {
    /// What the answers to a paper's claims come to.
    fn of(answers: &[Answer]) -> Verdict {
        let is_no = |answer: &Answer| *answer == Answer::DoesNot;
        if answers.is_empty() {
            Verdict::NoClaim
        } else if answers.iter().all(|&answer| answer == Answer::Holds) {
            Verdict::Holds
        } else if answers.iter().any(|answer| matches!(answer, Answer::Holds | Answer::SomeReadings)) {
            Verdict::InPart
        } else if answers.iter().all(is_no) {
            Verdict::DoesNot
        } else {
            Verdict::Undecided
        }
    }

    /// As it is written.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::InPart => "holds in part",
            Verdict::DoesNot => "does not hold",
            Verdict::Undecided => "undecided",
            Verdict::NoClaim => "tests no claim of the paper",
        }
    }
}

/// A claim, put to the test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// The whole name of the claim in the register.
    pub claim: String,
    /// What is found here, in numbers.
    pub found: String,
    /// What that answers.
    pub answer: Answer,
    /// Values found here, under the names of those that the paper prints.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, f64>,
}

impl Statement {
    /// Puts a value found here next to the one that the paper prints under this name.
    pub fn with(&mut self, name: &str, value: f64) -> &mut Statement {
        self.values.insert(name.to_owned(), value);
        self
    }
}

/// A figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// What its file's name has after the experiment's: nothing, or `-drr`.
    pub suffix: String,
    /// What it shows.
    pub caption: String,
    /// The text of an SVG file.
    pub svg: String,
}

/// What an experiment gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The data as CSV.
    pub csv: String,
    /// Figures, in order.
    pub figures: Vec<Figure>,
    /// Tables for the page.
    pub tables: Vec<Shown>,
    /// What the paper's conclusion is made of.
    pub statements: Vec<Statement>,
    /// What was found, as a sentence computed from the data.
    pub found: String,
}

impl Outcome {
    /// An outcome with these rows as its data.
    pub fn new<R: Serialize>(rows: &[R]) -> Result<Outcome, ExperimentError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        rows.iter().try_for_each(|row| writer.serialize(row))?;
        let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
        let csv = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Outcome { csv, figures: Vec::new(), tables: Vec::new(), statements: Vec::new(), found: String::new() })
    }

    /// Answers a claim of the register, by its whole name.
    pub fn state(
        &mut self,
        claim: impl Into<String>,
        found: impl Into<String>,
        answer: impl Into<Answer>,
    ) -> &mut Statement {
        let (claim, found, answer) = (claim.into(), found.into(), answer.into());
        self.statements.push(Statement { claim, found, answer, values: BTreeMap::new() });
        self.statements.last_mut().expect("one was added")
    }

    /// Adds a figure.
    pub fn draw(&mut self, suffix: &str, caption: impl Into<String>, svg: String) {
        self.figures.push(Figure { suffix: suffix.to_owned(), caption: caption.into(), svg });
    }

    /// What the statements about the paper's claims come to.
    pub fn verdict(&self) -> Verdict {
        verdict(&self.statements)
    }
}

fn verdict(statements: &[Statement]) -> Verdict {
    let is_ours = |statement: &&Statement| claim(&statement.claim).is_some_and(|claim| claim.of == Whose::Ours);
    let of_paper = statements.iter().filter(|statement| !is_ours(statement));
    Verdict::of(&of_paper.map(|statement| statement.answer).collect::<Vec<_>>())
}

/// What is kept of an outcome in addition to its data and its figures, for the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Name of the experiment.
    pub name: String,
    /// What was found.
    pub found: String,
    /// The statements.
    pub statements: Vec<Statement>,
    /// Names of the figures' files, with their captions.
    pub figures: Vec<(String, String)>,
    /// The tables.
    pub tables: Vec<Shown>,
}

impl Kept {
    /// What is kept of the outcome of an experiment.
    pub fn of(name: &str, outcome: &Outcome) -> Kept {
        let file = |figure: &Figure| (format!("{name}{}.svg", figure.suffix), figure.caption.clone());
        Kept {
            name: name.to_owned(),
            found: outcome.found.clone(),
            statements: outcome.statements.clone(),
            figures: outcome.figures.iter().map(file).collect(),
            tables: outcome.tables.clone(),
        }
    }

    /// What the statements about the paper's claims come to.
    pub fn verdict(&self) -> Verdict {
        verdict(&self.statements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_what_the_answers_come_to() {
        use Answer::{DoesNot, Holds, SomeReadings, Undecided};
        assert_eq!(Verdict::of(&[]), Verdict::NoClaim);
        assert_eq!(Verdict::of(&[Holds, Holds]), Verdict::Holds);
        assert_eq!(Verdict::of(&[Holds, Undecided]), Verdict::InPart);
        assert_eq!(Verdict::of(&[DoesNot, SomeReadings]), Verdict::InPart);
        assert_eq!(Verdict::of(&[DoesNot, DoesNot]), Verdict::DoesNot);
        assert_eq!(Verdict::of(&[DoesNot, Undecided]), Verdict::Undecided);
    }

    #[test]
    fn a_question_of_this_project_takes_no_part() {
        let ours = crate::register::claims().iter().find(|claim| claim.of == Whose::Ours).expect("there is one");
        let mut outcome = Outcome::new::<()>(&[]).expect("no rows");
        outcome.state(&ours.name, "", false);
        assert_eq!(outcome.verdict(), Verdict::NoClaim);
        outcome.state("009:of-a-paper", "", true);
        assert_eq!(outcome.verdict(), Verdict::Holds);
    }
}
