//! What an experiment gives, and what is kept of it.

use serde::{Deserialize, Serialize};

use crate::error::ExperimentError;
use crate::shown::Shown;

/// Whether a paper's conclusion holds here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Every statement of it does.
    Holds,
    /// Some do.
    InPart,
    /// None does.
    DoesNot,
}

impl Verdict {
    /// As it is written.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::InPart => "holds in part",
            Verdict::DoesNot => "does not hold",
        }
    }
}

/// A statement of the paper, put to the test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// What the paper says.
    pub claim: String,
    /// What is found here, in numbers.
    pub found: String,
    /// Whether that agrees.
    pub holds: bool,
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

    /// Puts a statement of the paper to the test.
    pub fn state(&mut self, claim: impl Into<String>, found: impl Into<String>, holds: bool) {
        self.statements.push(Statement { claim: claim.into(), found: found.into(), holds });
    }

    /// Adds a figure.
    pub fn draw(&mut self, suffix: &str, caption: impl Into<String>, svg: String) {
        self.figures.push(Figure { suffix: suffix.to_owned(), caption: caption.into(), svg });
    }

    /// What the statements come to.
    pub fn verdict(&self) -> Verdict {
        verdict(&self.statements)
    }
}

fn verdict(statements: &[Statement]) -> Verdict {
    match statements.iter().filter(|statement| statement.holds).count() {
        0 => Verdict::DoesNot,
        all if all == statements.len() => Verdict::Holds,
        _ => Verdict::InPart,
    }
}

/// What is kept of an outcome in addition to its data and its figures, for the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Name of the experiment.
    pub name: String,
    /// What the statements come to.
    pub verdict: Verdict,
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
            verdict: outcome.verdict(),
            found: outcome.found.clone(),
            statements: outcome.statements.clone(),
            figures: outcome.figures.iter().map(file).collect(),
            tables: outcome.tables.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_what_the_statements_come_to() {
        let mut outcome = Outcome::new::<()>(&[]).expect("no rows");
        assert_eq!(outcome.verdict(), Verdict::DoesNot);
        outcome.state("a", "b", true);
        assert_eq!(outcome.verdict(), Verdict::Holds);
        outcome.state("a", "b", false);
        assert_eq!(outcome.verdict(), Verdict::InPart);
        outcome.statements.remove(0);
        assert_eq!(outcome.verdict(), Verdict::DoesNot);
    }
}
