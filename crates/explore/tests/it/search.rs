//! The search on slices finds the front that replaying every design finds, as far as it matters.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_explore::{Agreement, Exploration, Preference, Space, Store, Strategy, Sweep, SweepError, sweep};
use heapsmith_trace::PackedTrace;
use heapsmith_workload::load;

/// The beginning of a sample.
fn trace(sample: &str, workload: &str, events: usize) -> PackedTrace {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
    let mut trace = load(&path, Some(workload), &[]).expect("the sample reads");
    trace.events.truncate(events);
    PackedTrace::new(&trace).expect("a sound trace")
}

fn explored(store: &mut Store, job: &Sweep<'_>) -> Exploration {
    sweep(job, store, &mut |_| {}).expect("not interrupted");
    Exploration::load(store).expect("an exploration")
}

#[test]
fn of_the_classic_space_the_search_finds_every_point_that_matters() {
    // The first alone where not everything is tried, as `cargo xtask nightly` does.
    let many = if std::env::var_os("HEAPSMITH_WHOLE").is_some() { 3 } else { 1 };
    let samples = [("ftp.pcap.xz", "drr"), ("web.pcap.xz", "easyport"), ("web.log.xz", "url")];
    for (sample, workload) in samples.into_iter().take(many) {
        let traces = [trace(sample, workload, 24_000)];
        let space = Space::classic(&traces);
        let stop = AtomicBool::new(false);
        let whole = Sweep::exhaustive(&space, &traces, 2, &stop);
        let search = Sweep { search: Strategy::Halving, ..Sweep::exhaustive(&space, &traces, 2, &stop) };
        let dir = tempfile::tempdir().expect("a folder");
        let mut store = Store::begin(&dir.path().join(Store::FILE), &space, &traces, "a test").expect("a store");
        let found = explored(&mut store, &search);
        assert_eq!(found.search, Strategy::Halving);
        assert!(found.rows.len() < 8_000, "{} designs of 10,000 replayed whole", found.rows.len());
        let all = explored(&mut store, &whole);
        let agreement = Agreement::of(&found, &all);
        println!("{workload} of {sample}: {} designs replayed whole; {agreement:?}", found.rows.len());
        assert_eq!(agreement.close, agreement.places, "{workload} of {sample}: {agreement:?}");
        assert_eq!(agreement.close_all, agreement.places_all, "{workload} of {sample}: {agreement:?}");
        assert!(agreement.hypervolume > 0.995, "{workload} of {sample}: {agreement:?}");
        let pick = |exploration: &Exploration| {
            let index = exploration.pick(Preference::Balanced).expect("a pick");
            exploration.rows[index].measures.clone()
        };
        assert_eq!(pick(&found), pick(&all), "{workload} of {sample}: the pick is the same");
    }
}

#[test]
fn a_search_that_cuts_designs_short_ends_and_finds_the_same_front() {
    let traces = [trace("ftp.pcap.xz", "drr", 12_000)];
    let space = Space::classic(&traces);
    let stop = AtomicBool::new(false);
    let fronts = [false, true].map(|prune| {
        let dir = tempfile::tempdir().expect("a folder");
        let mut store = Store::begin(&dir.path().join(Store::FILE), &space, &traces, "a test").expect("a store");
        let search = Sweep { search: Strategy::Halving, prune, ..Sweep::exhaustive(&space, &traces, 2, &stop) };
        let found = explored(&mut store, &search);
        found.front_2d.iter().map(|&index| found.rows[index].measures.clone()).collect::<Vec<_>>()
    });
    assert_eq!(fronts[0], fronts[1]);
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn a_search_that_is_interrupted_goes_on_and_comes_to_the_same() {
    let traces = [trace("ftp.pcap.xz", "drr", 12_000)];
    let space = Space::classic(&traces);
    let stop = AtomicBool::new(false);
    let search = Sweep { search: Strategy::Halving, ..Sweep::exhaustive(&space, &traces, 2, &stop) };
    let dirs: [_; 2] = std::array::from_fn(|_| tempfile::tempdir().expect("a folder"));
    let open = |dir: &tempfile::TempDir| {
        Store::begin(&dir.path().join(Store::FILE), &space, &traces, "a test").expect("a store")
    };
    let whole = explored(&mut open(&dirs[0]), &search);
    for _ in 0..3 {
        let mut store = open(&dirs[1]);
        let outcome = sweep(&search, &mut store, &mut |at| {
            stop.store(at.designs > 0, Ordering::Relaxed);
        });
        assert!(matches!(outcome, Err(SweepError::Interrupted)), "{outcome:?}");
        assert_eq!(store.question().expect("a store"), None, "nothing is answered");
        stop.store(false, Ordering::Relaxed);
    }
    let resumed = explored(&mut open(&dirs[1]), &search);
    assert_eq!(resumed.rows, whole.rows);
    assert_eq!(resumed.front_2d, whole.front_2d);
}
