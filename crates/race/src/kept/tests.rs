//! A race is read as it was written.

use super::*;

fn made() -> Race {
    let raced = |name: &str, kind| Raced { name: name.to_owned(), kind, left: None };
    let heap = Kind::Heap { spec: "tlsf".to_owned(), design: Some(7) };
    let failed = Raced {
        left: Some(Left::Wrong("crash".to_owned())),
        ..raced("c", Kind::Reference { library: "lib.so".to_owned(), line: "A=1".to_owned() })
    };
    let load = LoadFigures { rate: Some(12.5), latencies: vec![(50.0, 0.25), (99.0, 1.5)] };
    Race {
        command: vec!["server".to_owned(), "\u{7f}ä".to_owned()],
        load: Some("load".to_owned()),
        seed: u64::MAX,
        output_compared: false,
        is_finished: false,
        entrants: vec![raced("a", Kind::AsIs { library: None }), raced("b", heap), failed],
        runs: vec![Run { round: 3, entrant: 1, processors: 0.125, clock: 0.1, peak: 1 << 40, mean: 0.5, load }],
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "a damaged file is made")]
fn a_race_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(read(folder.path()).expect("no error"), None);
    let path = folder.path().join(FILE);
    std::fs::write(&path, text(&made())).expect("a file");
    assert_eq!(read(folder.path()).expect("a race"), Some(made()));
    for (from, to) in
        [("\"schema\": 1", "\"schema\": 2"), ("\"entrant\": 1", "\"entrant\": 3"), ("\"round\"", "\"rnd\"")]
    {
        std::fs::write(&path, text(&made()).replace(from, to)).expect("a file");
        assert!(matches!(read(folder.path()), Err(KeptError::Damaged { .. })), "{to}");
    }
}
