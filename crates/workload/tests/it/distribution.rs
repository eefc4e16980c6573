//! Programs drawn from size distributions are steady, and the same for the same seed.

use std::path::PathBuf;

use heapsmith_trace::{PackedTrace, Statistics, Trace};
use heapsmith_workload::{ErrorKind, load, stream};

const FILE: &str = "size, rate, live\n16, 30, 600\n64, 10, 300\n4096, 1, 100\n";

/// Puts bytes into a file of its own.
fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn drawn(text: &str, settings: &[(&str, &str)]) -> Trace {
    let (_folder, path) = file("sizes.csv", text.as_bytes());
    let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    load(&path, Some("distribution"), &settings).unwrap()
}

#[test]
fn a_seed_gives_one_trace() {
    let once = drawn(FILE, &[("events", "5000")]);
    assert_eq!(once, drawn(FILE, &[("events", "5000")]));
    assert_ne!(once.events, drawn(FILE, &[("events", "5000"), ("seed", "2")]).events);
    // The same on every machine, and in later versions.
    assert_eq!(format!("{:016x}", PackedTrace::new(&once).unwrap().fingerprint), FINGERPRINT);
}

const FINGERPRINT: &str = "d88342c1e2503ded";

#[test]
fn sizes_come_at_their_rates_and_live_as_little_says() {
    let trace = drawn(FILE, &[("events", "300000"), ("blocks", "1000")]);
    let statistics = Statistics::of(&trace).unwrap();
    let rate: f64 = 41.0;
    for (size, per, live) in [(16, 30.0, 600.0), (64, 10.0, 300.0), (4096, 1.0, 100.0)] {
        let found = statistics.sizes.iter().find(|found| found.size.0 == size).unwrap();
        assert!((found.share - per / rate).abs() < 0.01, "{size}: {}", found.share);
        let left = found.births - found.deaths;
        assert!((left as f64 - live).abs() < 5.0 * f64::sqrt(live), "{size}: {left} live");
    }
    assert!((900..1200).contains(&statistics.blocks_peak), "{}", statistics.blocks_peak);
}

#[test]
fn what_is_no_distribution_is_refused() {
    for (text, cause) in [
        ("16,1,2\n32,x,2\n64,1,2\n", "line 2: the rate is not a number"),
        ("16,0,2\n", "no size with a rate above 0"),
        ("99999999999999999,1,2\n", "sizes that a program could ask for"),
    ] {
        let (_folder, path) = file("sizes.csv", text.as_bytes());
        let error = load(&path, Some("distribution"), &[]).unwrap_err();
        if error.kind() == ErrorKind::BadInput {
            assert!(error.to_string().contains(cause) || error.to_string().contains("unrecognised"), "{error}");
        } else {
            panic!("{error}");
        }
    }
    let (_folder, path) = file("sizes.csv", FILE.as_bytes());
    let error = load(&path, None, &[]).unwrap_err();
    assert!(error.to_string().ends_with("--as distribution"), "{error}");
}

#[test]
fn the_door_takes_what_importers_and_workloads_read() {
    let (_folder, path) = file("a.rep", b"a 0 512\nf 0\n");
    let mut trace = Trace::default();
    let loaded = stream(&path, None, &[], &mut trace).unwrap();
    assert_eq!((loaded.origin.name().as_str(), trace.events.len()), ("rep of a.rep", 2));
    let error = load(&path, Some("rap"), &[]).unwrap_err();
    assert!(error.to_string().contains("did you mean rep?"), "{error}");
    let error = load(&path, Some("mtrace"), &[]).unwrap_err();
    assert!(error.to_string().contains("it looks like a malloc-lab trace"), "{error}");
    let error = load(&path, None, &[("speed".to_owned(), "9".to_owned())]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongUse, "{error}");
    let (_folder, log) = file("a.log", b"h - - [01/Jul/1995:00:00:01 -0400] \"GET /a HTTP/1.0\" 200 1\n");
    let error = load(&log, Some("rep"), &[]).unwrap_err();
    assert!(error.to_string().ends_with("it looks like a web server log"), "{error}");
    let (_folder, cut) = file("a.rep", b"a 0 512\nf 0\nf 0\n");
    assert!(load(&cut, None, &[]).is_err());
    assert_eq!(load(&cut, None, &[("keep-damaged".to_owned(), "yes".to_owned())]).unwrap().events.len(), 2);
}

#[test]
fn real_distributions_are_drawn_in_proportion() {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/alloc/fleetbench");
    if !folder.exists() {
        eprintln!("left out: {} is not there", folder.display());
        return;
    }
    for number in 0..8 {
        let path = folder.join(format!("TCMALLOC_{number}.csv"));
        let statistics = Statistics::of(&load(&path, Some("distribution"), &[]).unwrap()).unwrap();
        assert_eq!(statistics.events, 200_000);
        // Rates peak at small sizes, and a request is 197 to 640 bytes on average.
        let mean = statistics.requested_total.0 / statistics.allocations;
        assert!((100..2000).contains(&mean), "{number}: {mean}");
        assert!(statistics.sizes[0].size.0 <= 64, "{number}: {:?}", statistics.sizes[0]);
    }
}
