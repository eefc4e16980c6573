//! The register agrees with the experiments and with the committed run, and says why what does not hold does not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use heapsmith_papers::{Answer, Claim, Folder, Statement, Tally, claims, experiments, named, papers};

/// Papers whose causes are shown by ablations.
const EXAMINED: &[&str] = &["000", "001", "002", "003", "004"];

/// The statements of the committed whole run, with the experiment that made each.
fn committed() -> Vec<(&'static str, Statement)> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let folder = Folder::open(&docs).expect("docs/papers holds outcomes");
    let of = |experiment: &'static heapsmith_papers::Experiment| {
        let kept = folder.kept(experiment).expect(experiment.name).expect(experiment.name);
        kept.statements.into_iter().map(|statement| (experiment.name, statement))
    };
    experiments().into_iter().flat_map(of).collect()
}

#[test]
fn names_are_words_and_each_is_used_once() {
    let mut seen = BTreeSet::new();
    for claim in claims() {
        let name = claim.name.split_once(':').expect("a paper and a name").1;
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{}", claim.name);
        assert!(seen.insert(&claim.name), "{} is there twice", claim.name);
        assert!(papers().iter().any(|paper| paper.number == claim.paper()), "{}", claim.name);
    }
}

#[test]
fn a_row_is_whole() {
    for claim in claims() {
        let Claim { name, says, place, verdict, why, test, cause, .. } = claim;
        assert!(says.ends_with('.') && !place.is_empty(), "{name}");
        assert_eq!(why.is_none(), *verdict == Answer::Holds, "{name}: a reason where it does not hold, and only there");
        assert!(test.is_some() || *verdict == Answer::Untestable || why.is_some(), "{name}: nothing tests it");
        if let Some(test) = test {
            assert!(experiments().iter().any(|experiment| experiment.name == test), "{name}: {test}");
            assert!(test.starts_with(claim.paper()), "{name}: {test}");
        } else {
            assert_eq!(*verdict, Answer::Untestable, "{name}: what nothing tests cannot be tested");
        }
        let has_cause = matches!(verdict, Answer::DoesNot | Answer::SomeReadings);
        assert!(cause.is_none() || has_cause, "{name}: a cause of what holds");
    }
}

#[test]
fn what_does_not_hold_has_a_cause_and_a_command_that_takes_it_away() {
    for claim in claims() {
        let no = matches!(claim.verdict, Answer::DoesNot | Answer::SomeReadings);
        let is_examined = EXAMINED.contains(&claim.paper());
        assert_eq!(claim.cause.is_some(), claim.ablation.is_some(), "{}", claim.name);
        assert!(!no || !is_examined || claim.cause.is_some(), "{} has no cause", claim.name);
        let Some(ablation) = &claim.ablation else { continue };
        let mut words = ablation.split(' ');
        assert_eq!((words.next(), words.next()), (Some("heapsmith"), Some("reproduce")), "{}", claim.name);
        let experiment = words.next().unwrap_or_default();
        assert_eq!(named(experiment).len(), 1, "{}: there is no experiment {experiment}", claim.name);
    }
}

#[test]
fn every_tested_claim_has_one_statement_and_its_verdict_is_the_committed_answer() {
    let mut statements: BTreeMap<String, Vec<(&str, Statement)>> = BTreeMap::new();
    for (experiment, statement) in committed() {
        statements.entry(statement.claim.clone()).or_default().push((experiment, statement));
    }
    for claim in claims() {
        let own = statements.remove(&claim.name).unwrap_or_default();
        assert_eq!(own.len(), usize::from(claim.test.is_some()), "{}", claim.name);
        for (experiment, statement) in own {
            assert_eq!(Some(experiment), claim.test.as_deref(), "{}", claim.name);
            assert_eq!(statement.answer, claim.verdict, "{}: {}", claim.name, statement.found);
            let printed: Vec<&String> = claim.printed.keys().collect();
            assert!(statement.values.keys().all(|name| printed.contains(&name)), "{}: {printed:?}", claim.name);
            assert!(statement.values.is_empty() || statement.values.len() == printed.len(), "{}", claim.name);
        }
    }
    assert!(statements.is_empty(), "statements without a claim: {:?}", statements.keys());
}

/// What a statement says of public captures, which not every run has, is what the committed run found on them.
#[test]
fn what_is_said_of_public_captures_was_found_on_them() {
    let found = |claim: &str| {
        let own = committed().into_iter().find(|(_, statement)| statement.claim == claim);
        own.unwrap_or_else(|| panic!("{claim} has no statement")).1.found
    };
    for (claim, public) in [
        ("000:recommended-are-on-the-front", "000:public-recommended-are-on-the-front"),
        ("000:dominant-sizes-are-packets", "000:public-dominant-sizes"),
    ] {
        assert!(found(claim).ends_with(&found(public)), "{claim}: {}", found(public));
    }
}

/// What is counted in words of metadata says nothing about a number of seconds.
#[test]
fn accesses_are_not_compared_with_seconds() {
    for (experiment, statement) in committed() {
        let Some(claim) = claims().iter().find(|claim| claim.name == statement.claim) else { continue };
        let in_time = claim.printed.keys().any(|name| name.ends_with("seconds"));
        assert!(!in_time || !statement.found.contains("accesses"), "{experiment}: {}", statement.found);
    }
}

#[test]
fn the_register_is_pinned() {
    let mut text = String::new();
    for paper in papers() {
        let own: Vec<&Claim> = claims().iter().filter(|claim| claim.paper() == paper.number).collect();
        let tally = Tally::of(own.iter().map(|&claim| (claim, claim.verdict)));
        let _ =
            writeln!(text, "{}: {} claims {:?}, causes {:?}", paper.number, tally.all(), tally.verdicts, tally.causes);
        for claim in own {
            let cause = claim.cause.map(|cause| format!(" ({})", cause.words())).unwrap_or_default();
            let _ = writeln!(text, "  {} {}{cause}", claim.name, claim.verdict.name());
        }
    }
    insta::assert_snapshot!("register", text);
}
