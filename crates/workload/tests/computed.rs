//! Workloads that need no file: the same for the same parameters, and as their sources say.

use std::path::Path;

use heapsmith_trace::{Action, PackedTrace, Statistics, Trace};
use heapsmith_workload::{ErrorKind, LoadError, PREFIX, load, workloads};

fn settings(given: &[(&str, &str)]) -> Vec<(String, String)> {
    given.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn tried(name: &str, given: &[(&str, &str)]) -> Result<Trace, LoadError> {
    load(Path::new(&format!("{PREFIX}{name}")), None, &settings(given))
}

fn computed(name: &str, given: &[(&str, &str)]) -> Trace {
    tried(name, given).unwrap_or_else(|error| panic!("{error}"))
}

fn statistics(name: &str, given: &[(&str, &str)]) -> Statistics {
    Statistics::of(&computed(name, given)).unwrap()
}

fn wrong(name: &str, given: &[(&str, &str)]) -> String {
    let error = tried(name, given).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongUse, "{error}");
    error.to_string()
}

/// What each gives with its defaults: the same on every machine, and in later versions.
const FINGERPRINTS: &[(&str, &str)] = &[("random-half", ""), ("sizes", ""), ("every-other", "")];

#[test]
fn defaults_give_one_trace_on_every_machine() {
    let alone: Vec<&str> = workloads().iter().filter(|known| known.is_alone()).map(|known| known.name).collect();
    let found: Vec<(&str, String)> = alone
        .iter()
        .map(|name| {
            let packed = PackedTrace::new(&computed(name, &[])).unwrap();
            (*name, format!("{:016x}", packed.fingerprint))
        })
        .collect();
    let wanted: Vec<(&str, String)> = FINGERPRINTS.iter().map(|(name, print)| (*name, (*print).to_owned())).collect();
    assert_eq!(found, wanted);
}

#[test]
fn every_parameter_refuses_nonsense_and_says_what_it_takes() {
    for workload in workloads().iter().filter(|known| known.is_alone()) {
        for parameter in workload.parameters {
            let text = wrong(workload.name, &[(parameter.name, "nonsense")]);
            let begins = format!("{}: {}=nonsense makes no sense; it takes ", workload.name, parameter.name);
            assert!(text.starts_with(&begins), "{text}");
        }
        assert!(!workload.source.is_empty() && workload.input == "nothing");
        assert_eq!(computed(workload.name, &[]).name(), workload.name);
    }
}

#[test]
fn a_seed_changes_what_is_drawn() {
    for workload in workloads().iter().filter(|known| known.is_alone()) {
        if workload.parameters.iter().any(|parameter| parameter.name == "seed") {
            let other = computed(workload.name, &[("seed", "2")]);
            assert_ne!(other.events, computed(workload.name, &[]).events, "{}", workload.name);
        }
    }
}

#[test]
fn the_door_says_how_a_workload_is_named() {
    assert!(wrong("random-hlaf", &[]).contains("did you mean random-half?"));
    assert!(wrong("drr", &[]).contains("name the file, and add --as drr"));
    let here = Path::new(file!());
    let error = load(here, Some("sizes"), &[]).unwrap_err();
    assert!(error.to_string().contains("write workload:sizes in place of the file"), "{error}");
    assert_eq!(error.kind(), ErrorKind::WrongUse);
    let twice = load(Path::new("workload:sizes"), Some("drr"), &[]).unwrap_err();
    assert_eq!((twice.kind(), twice.to_string().contains("leave out --as")), (ErrorKind::WrongUse, true), "{twice}");
    assert!(load(Path::new("workload:sizes"), Some("sizes"), &[]).is_ok());
    assert!(wrong("sizes", &[("cuont", "3")]).contains("did you mean count?"));
}

#[test]
fn half_of_the_random_requests_is_freed() {
    for (requests, freed) in [(10, 5), (11, 5), (10_000, 5_000)] {
        let statistics = statistics("random-half", &[("requests", &requests.to_string())]);
        assert_eq!((statistics.allocations, statistics.frees), (requests, freed));
        assert_eq!(statistics.blocks_peak, requests, "nothing is freed before the last request");
    }
    let trace = computed("random-half", &[]);
    let sizes = trace.events.iter().filter_map(|event| match event.action {
        Action::Allocate { size, .. } => Some(size.0),
        _ => None,
    });
    let sizes: Vec<u64> = sizes.collect();
    assert_eq!((sizes.iter().min(), sizes.iter().max()), (Some(&1), Some(&1024)));
    let mean = sizes.iter().sum::<u64>() as f64 / sizes.len() as f64;
    // Five times the deviation of such a mean.
    assert!((mean - 512.5).abs() < 15.0, "{mean}");
    let freed = trace.events.iter().filter_map(|event| match event.action {
        Action::Free { id } => Some(id),
        _ => None,
    });
    let freed: Vec<u64> = freed.collect();
    let rising = freed.windows(2).filter(|pair| pair[0] < pair[1]).count();
    assert!((2_300..2_700).contains(&rising), "in a random order: {rising} of 4999 steps go up");
    assert!(wrong("random-half", &[("least", "9"), ("most", "8")]).contains("most=8 makes no sense"));
}

#[test]
fn sizes_come_in_turn() {
    let found = statistics("sizes", &[]);
    assert_eq!((found.allocations, found.frees, found.requested_peak.0), (60, 0, 10 * (64 + 256 + 512 + 7168)));
    let found = statistics("sizes", &[("sizes", "8, 24"), ("count", "3"), ("free", "yes")]);
    assert_eq!((found.allocations, found.blocks_left, found.requested_peak.0), (6, 0, 96));
    let freed = computed("sizes", &[("count", "1"), ("free", "yes")]);
    let last = freed.events.iter().rev().find(|event| matches!(event.action, Action::Free { .. })).unwrap();
    assert_eq!(last.action, Action::Free { id: 1 }, "the first is freed last");
    assert!(wrong("sizes", &[("sizes", "64,,8")]).contains("commas between"));
}

#[test]
fn every_other_object_dies_before_the_larger_request() {
    let trace = computed("every-other", &[("objects", "9"), ("size", "16"), ("larger", "40")]);
    let mut freed = Vec::new();
    for event in &trace.events {
        match event.action {
            Action::Free { id } => freed.push(id),
            Action::Allocate { id: 10, size, .. } => assert_eq!((size.0, &freed[..]), (40, &[9, 7, 5, 3, 1][..])),
            _ => {}
        }
    }
    assert_eq!(trace.labels, ["collection", "larger request", "end"]);
    assert!(wrong("every-other", &[("larger", "12")]).contains("above `size`"));
}
