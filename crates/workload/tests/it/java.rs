//! A recorded program under both kinds of collection.

use std::path::PathBuf;

use heapsmith_trace::{Action, Bytes, Event, Origin, Statistics, Trace};
use heapsmith_workload::{ErrorKind, LoadError, load};

/// A program that allocates objects of 16 bytes and lets each die after three more.
fn recorded() -> (tempfile::TempDir, PathBuf, Trace) {
    let mut trace = Trace::new(Origin::new("Program", ""));
    for id in 0..1000 {
        let action = Action::Allocate { id, size: Bytes(16), alignment: 0 };
        trace.events.push(Event::at(id * 1000, action));
        if let Some(dead) = id.checked_sub(3) {
            trace.events.push(Event::at(id * 1000 + 1, Action::Free { id: dead }));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.parquet");
    trace.write(&path).unwrap();
    (folder, path, trace)
}

fn collected(given: &[(&str, &str)]) -> Result<Trace, LoadError> {
    let (_folder, path, _) = recorded();
    let given: Vec<(String, String)> = given.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
    load(&path, Some("java"), &given)
}

/// How many frees follow each other, at most and on average.
fn bursts(trace: &Trace) -> (usize, f64) {
    let runs: Vec<usize> = trace
        .events
        .chunk_by(|one, next| matches!((one.action, next.action), (Action::Free { .. }, Action::Free { .. })))
        .filter(|run| matches!(run[0].action, Action::Free { .. }))
        .map(<[Event]>::len)
        .collect();
    (runs.iter().copied().max().unwrap_or(0), runs.iter().sum::<usize>() as f64 / runs.len() as f64)
}

#[test]
fn continuous_collection_is_the_program_as_recorded() {
    let (_folder, _, trace) = recorded();
    let found = collected(&[("collection", "continuous")]).unwrap();
    assert_eq!(found.events, trace.events);
    assert_eq!(found.name(), "Program");
}

#[test]
fn occasional_collection_frees_in_bursts_within_its_heap() {
    for (heap, objects) in [("1K", 64), ("4096", 256)] {
        let found = collected(&[("heap", heap)]).unwrap();
        let statistics = Statistics::of(&found).unwrap();
        assert!(statistics.requested_peak.0 <= 16 * objects, "{}", statistics.requested_peak);
        let (longest, mean) = bursts(&found);
        assert!(longest as u64 >= objects - 4 && mean > objects as f64 / 2.0, "{longest} {mean}");
        assert_eq!(statistics.blocks_left, 3);
        assert!(found.origin.settings.contains(&("collection".to_owned(), "occasional".to_owned())));
    }
    // Four live at once: the heap takes six.
    let found = collected(&[]).unwrap();
    assert!(found.origin.settings.contains(&("heap".to_owned(), "96".to_owned())), "{:?}", found.origin);
    assert_eq!(Statistics::of(&found).unwrap().requested_peak.0, 96);
}

#[test]
fn a_jvm_of_1998_has_shorter_headers_and_no_object_below_16_bytes() {
    let mut trace = Trace::new(Origin::new("Program", ""));
    let sizes = [12, 16, 20, 21, 28, 29, 44, 1016];
    for (id, size) in (0..).zip(sizes) {
        trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.parquet");
    trace.write(&path).unwrap();
    let given = [("collection", "continuous"), ("jvm", "1998")].map(|(k, v)| (k.to_owned(), v.to_owned()));
    let early = load(&path, Some("java"), &given).unwrap();
    let found: Vec<u64> = early
        .events
        .iter()
        .map(|event| match event.action {
            Action::Allocate { size, .. } => size.0,
            _ => 0,
        })
        .collect();
    assert_eq!(found, [16, 16, 16, 24, 24, 32, 40, 1016]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (given, text) in [
        (("collection", "never"), "it takes occasional or continuous"),
        (("jvm", "2001"), "it takes recorded or 1998"),
        (("heap", "much"), "it takes auto or bytes, such as 65536 or 64K"),
        (("heap", "0"), "it takes auto or bytes"),
        (("heap", "63"), "heap=63 is too small: 64 bytes live at once"),
    ] {
        let error = collected(&[given]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WrongUse);
        assert!(error.to_string().contains(text), "{error}");
    }
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/java.rs");
    let error = load(&source, Some("java"), &[]).unwrap_err();
    assert!(error.to_string().contains("is not a trace, which java reads"), "{error}");
}
