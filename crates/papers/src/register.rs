//! The register: what each paper claims, whose claim it is, and what became of it here.
//!
//! ```text
//!   claims/004.toml ──▶ Claim { place, says, test, verdict, cause, ablation, … }
//!                          ▲ by name                     │
//!   Outcome::state("004:first-fit-takes-less", …)        ▼
//!                                      papers.md, papers.html: a row per claim
//! ```
//!
//! R1. A claim that names a test has exactly one statement of that experiment, and a statement has its claim.
//! R2. The verdict of a tested claim is the answer of the last whole run.
//! R3. A question of this project takes part in no verdict about a paper.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::answer::Answer;

/// What a claim is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A sentence about what was found.
    Finding,
    /// A table's numbers.
    Table,
    /// A figure.
    Figure,
    /// How something works.
    Mechanism,
    /// A number that the set-up has.
    Parameter,
    /// What the paper leaves to others, with what it expects.
    FutureWork,
}

impl Kind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Finding => "finding",
            Kind::Table => "table",
            Kind::Figure => "figure",
            Kind::Mechanism => "mechanism",
            Kind::Parameter => "parameter",
            Kind::FutureWork => "future work",
        }
    }
}

/// Whose claim it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Whose {
    /// The paper's.
    Paper,
    /// A question of this project, which takes part in no verdict.
    Ours,
}

/// Why a claim does not hold, as an ablation shows; or that none of those tried shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The requests are others than the paper's.
    Workload,
    /// A heap, a machine or an application is modelled otherwise.
    Model,
    /// What is measured is something else.
    Measure,
    /// The paper itself: it contradicts its own numbers, or is wrong.
    Paper,
    /// It was sought, and no ablation that was tried makes the claim hold.
    Unexplained,
}

impl Cause {
    /// Every cause, in the order of the summary.
    pub const ALL: [Cause; 5] = [Cause::Workload, Cause::Model, Cause::Measure, Cause::Paper, Cause::Unexplained];

    /// As it is written.
    pub fn words(self) -> &'static str {
        match self {
            Cause::Workload => "workload",
            Cause::Model => "model",
            Cause::Measure => "measure",
            Cause::Paper => "paper",
            Cause::Unexplained => "unexplained",
        }
    }
}

/// One row of the register.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its whole name: `004:first-fit-takes-less`. The file has what is after the colon.
    pub name: String,
    /// Where the paper makes it: `§5.2, Table 2`.
    pub place: String,
    /// What it is.
    pub kind: Kind,
    /// Whose it is.
    pub of: Whose,
    /// What it says, in the words of this project, with the paper's numbers.
    pub says: String,
    /// What is measured here to test it; none where `says` names it.
    pub measure: Option<String>,
    /// The experiment that decides it; none where nothing tests it.
    pub test: Option<String>,
    /// What was found.
    pub verdict: Answer,
    /// Why it does not hold.
    pub cause: Option<Cause>,
    /// The command that takes the suspected cause away, or in which it was sought.
    pub ablation: Option<String>,
    /// What is to be said of a verdict that is not `holds`.
    pub why: Option<String>,
    /// Values that the paper prints, by name; a statement gives those found here under the same names.
    #[serde(default)]
    pub printed: BTreeMap<String, f64>,
}

impl Claim {
    /// The number of its paper.
    pub fn paper(&self) -> &str {
        self.name.split(':').next().unwrap_or_default()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    claim: Vec<Claim>,
}

const FILES: [(&str, &str); 5] = [
    ("000", include_str!("../claims/000.toml")),
    ("001", include_str!("../claims/001.toml")),
    ("002", include_str!("../claims/002.toml")),
    ("003", include_str!("../claims/003.toml")),
    ("004", include_str!("../claims/004.toml")),
];

static CLAIMS: LazyLock<Vec<Claim>> = LazyLock::new(|| {
    let of = |(paper, text): (&str, &str)| read(paper, text).expect("a test holds that every file is read");
    FILES.into_iter().flat_map(of).collect()
});

fn read(paper: &str, text: &str) -> Result<Vec<Claim>, toml::de::Error> {
    let file: File = toml::from_str(text)?;
    let whole = |claim: Claim| Claim { name: format!("{paper}:{}", claim.name), ..claim };
    Ok(file.claim.into_iter().map(whole).collect())
}

/// Every claim, in the order of the papers and of their files.
pub fn claims() -> &'static [Claim] {
    &CLAIMS
}

/// The claim of a whole name.
pub fn claim(name: &str) -> Option<&'static Claim> {
    claims().iter().find(|claim| claim.name == name)
}

/// How many claims have which verdict. Those of this project are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// By answer, in the order of [`Answer::ALL`].
    pub verdicts: [usize; 5],
    /// Of those that do not hold, by cause in the order of [`Cause::ALL`]; the last are those whose cause was not
    /// sought yet.
    pub causes: [usize; 6],
    /// The same of those that hold under some readings.
    pub causes_of_some: [usize; 6],
}

impl Tally {
    /// Of these claims and the answers to them.
    pub fn of<'c>(claims: impl IntoIterator<Item = (&'c Claim, Answer)>) -> Tally {
        let mut tally = Tally::default();
        for (claim, answer) in claims.into_iter().filter(|(claim, _)| claim.of == Whose::Paper) {
            tally.verdicts[Answer::ALL.iter().position(|&known| known == answer).unwrap_or(0)] += 1;
            let cause = Cause::ALL.iter().position(|&cause| Some(cause) == claim.cause).unwrap_or(Cause::ALL.len());
            match answer {
                Answer::DoesNot => tally.causes[cause] += 1,
                Answer::SomeReadings => tally.causes_of_some[cause] += 1,
                _ => {}
            }
        }
        tally
    }

    /// How many there are.
    pub fn all(&self) -> usize {
        self.verdicts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "[[claim]]\nname = \"a\"\nplace = \"§1\"\nkind = \"finding\"\nof = \"paper\"\nsays = \"A.\"\n";

    #[test]
    fn a_row_gets_the_number_of_its_paper_and_nothing_unknown() {
        let read = |more: &str| read("009", &format!("{ROW}{more}"));
        let claims = read("verdict = \"does-not\"\ncause = \"paper\"\n[claim.printed]\nsize = 3\n").expect("a row");
        assert_eq!((claims[0].name.as_str(), claims[0].paper(), claims[0].printed["size"]), ("009:a", "009", 3.0));
        assert!(read("verdict = \"does-not\"\ncuase = \"paper\"\n").is_err());
        assert!(read("verdict = \"no\"\n").is_err() && read("").is_err());
    }

    #[test]
    fn ours_are_not_counted_and_a_cause_is_counted_where_something_does_not_hold() {
        let text = |of: &str, verdict: &str| {
            let row = ROW.replace("\"paper\"", &format!("\"{of}\""));
            format!("{row}verdict = \"{verdict}\"\ncause = \"model\"\n")
        };
        let all = [("paper", "does-not"), ("ours", "does-not"), ("paper", "holds"), ("paper", "some-readings")];
        let all = all.map(|(of, verdict)| text(of, verdict)).concat();
        let tally = Tally::of(read("009", &all).expect("rows").iter().map(|claim| (claim, claim.verdict)));
        assert_eq!((tally.verdicts, tally.all()), ([1, 1, 1, 0, 0], 3));
        assert_eq!((tally.causes, tally.causes_of_some), ([0, 1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]));
    }
}
