//! Each figure against what is known of it, and what has none.

use heapsmith_check::{Base, Outcome, Report};
use heapsmith_limits::ProgramClass;
use heapsmith_trace::{Action, Bytes, Event, Origin, Trace};

use crate::versions::Versions;

/// Splits and never joins, so nothing bounds what it takes.
const UNBOUNDED: &str = "list(order=address, fit=first, split=always, coalesce=never)";

/// Allocations of these sizes (positive) and frees by number (negative, from 1), one after another.
fn trace(steps: &[i64]) -> Trace {
    let mut trace = Trace::new(Origin::new("steps", ""));
    let mut next = 0;
    for (step, time) in steps.iter().zip(0..) {
        let action = if *step > 0 {
            next += 1;
            Action::Allocate { id: next, size: Bytes(*step as u64), alignment: 0 }
        } else {
            Action::Free { id: step.unsigned_abs() }
        };
        trace.events.push(Event::at(time, action));
    }
    trace
}

fn checked(trace: &Trace, heap: &str, assertion: &str) -> Report {
    let heap = if assertion.contains("requested_peak") || assertion.contains("never_freed") {
        String::new()
    } else {
        format!("[heap.h]\nspec = \"{heap}\"\n")
    };
    let text = format!("[trace.t]\nfile = \"a\"\n{heap}[[assert]]\n{assertion}\n");
    Versions::of(trace).check(&text, &Base::None)
}

/// The one verdict's value, and its sentence.
fn verdict(trace: &Trace, heap: &str, assertion: &str) -> (Option<f64>, Outcome) {
    let report = checked(trace, heap, assertion);
    let [verdict] = &report.verdicts[..] else { panic!("{report:#?}") };
    (verdict.value, verdict.outcome.clone())
}

fn failed(trace: &Trace, heap: &str, assertion: &str) -> String {
    match verdict(trace, heap, assertion).1 {
        Outcome::Failed(sentence) => sentence,
        other => panic!("{other:?}"),
    }
}

fn impossible(trace: &Trace, heap: &str, assertion: &str) -> String {
    match verdict(trace, heap, assertion).1 {
        Outcome::Impossible(sentence) => sentence,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_peak_is_told_with_its_event() {
    let sentence = failed(&trace(&[100, 200, -1, 50, -2]), "", "measure = \"requested_peak\"\nmax = 299");
    let wanted = "heap.toml:4: requested_peak of t is 300 bytes at event 2, at most 299 bytes is allowed";
    assert_eq!(sentence, wanted);
}

#[test]
fn what_is_never_freed_is_counted() {
    let leaks = trace(&[100, 200, -1, 50]);
    assert_eq!(verdict(&leaks, "", "measure = \"never_freed\"\nmax = 250"), (Some(250.0), Outcome::Passed));
    assert!(failed(&leaks, "", "measure = \"never_freed\"\nmax = 249").contains("is 250 bytes"));
    assert!(failed(&leaks, "", "measure = \"never_freed\"\nmin = \"1K\"").contains("at least 1024 bytes (1.0 KB)"));
}

#[test]
fn the_largest_request_is_that_of_the_worst_moment() {
    let mut steps = vec![64; 100];
    steps.extend((1..=100).map(|number: i64| -number));
    let grown = trace(&steps);
    let ask = |at: &str| {
        let assertion = format!("measure = \"largest_request\"\nregion = 16384\nmin = \"1M\"\n{at}");
        (verdict(&grown, "first-fit", &assertion).0.expect("a value"), failed(&grown, "first-fit", &assertion))
    };
    let ((worst, sentence), (end, _)) = (ask("moments = 3"), ask("at = \"end\""));
    assert!(worst < 16384.0 - 6400.0 && end > 16000.0, "{worst} {end}");
    // The peak is looked at although it is none of three even moments.
    assert!(sentence.contains("at event 100,"), "{sentence}");
}

#[test]
fn drift_is_that_of_the_passes() {
    let steady = trace(&[100, 200, -1, 50, -2, -3]);
    assert_eq!(verdict(&steady, "first-fit", "measure = \"drift\"\nmax = 0"), (Some(0.0), Outcome::Passed));
    // A bump allocator frees nothing, so every pass is larger than the one before.
    let sentence = failed(&steady, "bump", "measure = \"drift\"\npasses = 5\nmax = 0");
    assert!(sentence.contains("drift(passes=5, leaked=keep) of h on t is 1"), "{sentence}");
}

#[test]
fn a_heap_that_refuses_requests_fails_what_is_asserted_of_it() {
    let large = trace(&[100, 2000, -1]);
    for measure in ["footprint_peak", "min_region", "accesses_max", "fragmentation", "drift"] {
        let sentence = failed(&large, "pool-64", &format!("measure = \"{measure}\"\nmax = 100000"));
        assert!(sentence.contains("h refuses ") && sentence.contains("operations of t"), "{sentence}");
    }
    for region in [8, 1024] {
        for assertion in ["largest_request\"\nmin = 1", "accesses_max\"\nmax = 1"] {
            let sentence = failed(&large, "first-fit", &format!("measure = \"{assertion}\nregion = {region}"));
            assert!(sentence.contains(&format!("in a region of {region} bytes")), "{sentence}");
        }
    }
}

#[test]
fn a_replay_in_a_tight_region_counts_what_is_done_there() {
    // The blocks of the lists are given back before the large request is refused, where there is no room beyond them.
    let mut steps = vec![64; 20];
    steps.extend((1..=20).map(|number: i64| -number));
    steps.push(1200);
    let steps = trace(&steps);
    let heap = "freelists(64) list(order=address, fit=first)";
    let value = |assertion: &str| verdict(&steps, heap, assertion).0.expect("a figure");
    let measure = |name: &str, region: &str| value(&format!("measure = \"{name}\"\nmax = \"1M\"\n{region}"));
    assert!(measure("accesses_max", "region = 1700") > measure("accesses_max", ""));
    assert_eq!(measure("accesses_max", "region = \"1G\""), measure("accesses_max", ""), "a larger one than its own");
    assert!(measure("footprint_peak", "region = 1700") <= 1700.0 && measure("footprint_peak", "") > 1700.0);
    assert_eq!(measure("accesses_max", ""), measure("accesses_max", ""));
    let report = checked(&steps, heap, "measure = \"accesses_max\"\nmax = 1\nregion = 1700");
    let [one] = &report.verdicts[..] else { panic!("{report:#?}") };
    let Outcome::Failed(sentence) = &one.outcome else { panic!("{one:?}") };
    assert!(sentence.contains("accesses_max(region=1700) of h on t is "), "{sentence}");
}

#[test]
fn an_assertion_without_a_figure_is_an_error_that_says_what_to_do() {
    let steps = trace(&[100, 200, -1, 50]);
    let bound = impossible(&steps, UNBOUNDED, "measure = \"bound\"\nmax = \"1M\"");
    assert!(bound.contains("no bound is known") && bound.contains("assert min_region instead"), "{bound}");
    let accesses = impossible(&steps, UNBOUNDED, "measure = \"accesses_bound\"\nmax = \"1M\"");
    assert!(accesses.contains("assert accesses_max instead"), "{accesses}");
    let alone = impossible(&steps, "tlsf", "measure = \"footprint_peak\"\nmax_growth = \"5%\"");
    assert!(alone.contains("pass --base DIR or FILE"), "{alone}");
}

#[test]
fn a_bound_is_that_of_programs_like_the_trace() {
    let steps = trace(&[100, 200, -1, 50]);
    let like = ProgramClass::new(300, 200, 50).expect("a program").within_blocks(2);
    let program = heapsmith_limits::bound_of(&"list(order=address, fit=first)".parse().expect("a spec"), like);
    let (value, _) = verdict(&steps, "list(order=address, fit=first)", "measure = \"bound\"\nmax = \"1M\"");
    assert_eq!(value, program.region.map(|bytes| bytes as f64));
}

#[test]
fn a_base_without_a_figure_is_an_error() {
    let steps = trace(&[100, 200, -1, 50]);
    let text =
        "[trace.t]\nfile = \"a\"\n[heap.h]\nspec = \"tlsf\"\n[[assert]]\nmeasure = \"drift\"\nmax_growth = \"5%\"\n";
    let saved = heapsmith_check::Saved::parse("{\"heapsmith_check\": 1, \"figures\": []}").expect("no figures");
    let report = Versions::of(&steps).check(text, &Base::Saved(saved));
    let sentence = report.verdicts[0].outcome.sentence().expect("a sentence");
    assert!(matches!(report.verdicts[0].outcome, Outcome::Impossible(_)) && sentence.contains("--save"), "{sentence}");
}

#[test]
fn the_example_asserts_every_measure() {
    let example = heapsmith_check::EXAMPLE;
    let file = heapsmith_check::CheckFile::parse("example.toml".as_ref(), example).expect("a check file");
    for measure in heapsmith_check::Measure::ALL {
        assert!(file.assertions.iter().any(|assertion| assertion.figure.measure() == measure), "{measure:?}");
    }
}
