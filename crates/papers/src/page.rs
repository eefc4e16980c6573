//! What the pages show of the register: a row per claim, and the summary that is seen first.
//!
//! A claim that an experiment of the folder answered has that answer; the others have the register's verdict.

use heapsmith_report::{ClaimRow, ClaimsSummary};

use crate::answer::Answer;
use crate::experiment::{Experiment, papers};
use crate::outcome::{Kept, Statement};
use crate::register::{Cause, Claim, Tally, Whose, claim, claims};
use crate::shown::digits;

/// A claim, the statement about it in the folder, and the answer that is shown.
pub(crate) struct Answered<'k> {
    /// The claim.
    pub claim: &'static Claim,
    /// What the folder's run says.
    pub statement: Option<&'k Statement>,
    /// The verdict.
    pub answer: Answer,
}

/// Every claim with what is known of it.
pub(crate) fn answered<'k>(kept: &'k [(&Experiment, Kept)]) -> Vec<Answered<'k>> {
    let statements = || kept.iter().flat_map(|(_, kept)| &kept.statements);
    let answered = |claim: &'static Claim| {
        let statement = statements().find(|statement| statement.claim == claim.name);
        Answered { claim, statement, answer: statement.map_or(claim.verdict, |statement| statement.answer) }
    };
    claims().iter().map(answered).collect()
}

/// What the claim of a statement says.
pub(crate) fn says(statement: &Statement) -> String {
    match claim(&statement.claim) {
        Some(claim) if claim.of == Whose::Ours => format!("{} (a question of this project)", claim.says),
        Some(claim) => claim.says.clone(),
        None => statement.claim.clone(),
    }
}

/// Whether an answer is good, bad, or neither.
pub(crate) fn good(answer: Answer) -> Option<bool> {
    match answer {
        Answer::Holds => Some(true),
        Answer::DoesNot => Some(false),
        _ => None,
    }
}

/// How many claims have which verdict, of all papers and of each.
pub(crate) fn summary(answered: &[Answered<'_>]) -> ClaimsSummary {
    let tally = |paper: Option<&str>| {
        let own = answered.iter().filter(|one| paper.is_none_or(|paper| one.claim.paper() == paper));
        Tally::of(own.map(|one| (one.claim, one.answer)))
    };
    let all = tally(None);
    let mut rows = vec![("all".to_owned(), all.verdicts.to_vec())];
    rows.extend(papers().map(|paper| (paper.number.to_owned(), tally(Some(paper.number)).verdicts.to_vec())));
    let causes = |counts: [usize; 6]| {
        let words = Cause::ALL.map(Cause::words).into_iter().chain(["not sought yet"]);
        let counted = words.zip(counts).filter(|(_, count)| *count > 0);
        counted.map(|(words, count)| (words.to_owned(), count)).collect()
    };
    let verdicts = [
        ("hold", Vec::new()),
        ("hold under some readings", causes(all.causes_of_some)),
        ("do not hold", causes(all.causes)),
        ("undecided", Vec::new()),
        ("cannot be tested here", Vec::new()),
    ];
    ClaimsSummary { verdicts: verdicts.map(|(words, causes)| (words.to_owned(), causes)).into(), papers: rows }
}

/// A row of the register as the page shows it.
pub(crate) fn row(one: &Answered<'_>) -> ClaimRow {
    let Answered { claim, statement, answer } = one;
    let here = |name: &str| statement.and_then(|statement| statement.values.get(name)).copied().map(digits);
    ClaimRow {
        paper: claim.paper().to_owned(),
        name: claim.name.clone(),
        place: format!("{} ({})", claim.place, claim.kind.words()),
        is_ours: claim.of == Whose::Ours,
        says: claim.says.clone(),
        measure: claim.measure.clone(),
        found: statement.map(|statement| statement.found.clone()),
        printed: claim.printed.iter().map(|(name, &paper)| (name.clone(), digits(paper), here(name))).collect(),
        verdict: answer.words().to_owned(),
        good: good(*answer),
        cause: claim.cause.map(|cause| cause.words().to_owned()),
        why: claim.why.clone(),
        ablation: claim.ablation.clone(),
        test: claim.test.clone(),
    }
}
