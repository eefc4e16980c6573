//! What a choice costs on a trace that it was not made for.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use heapsmith_explore::{Evaluated, Exploration, Preference, Space, Store, Sweep, evaluate, sweep};
use heapsmith_spec::Spec;
use heapsmith_trace::{Action, Bytes, Event, PackedTrace, Trace};
use heapsmith_workload::load;

fn sample() -> PackedTrace {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/ftp.pcap.xz");
    let mut trace = load(&path, Some("drr"), &[]).expect("the sample reads");
    trace.events.truncate(2_000);
    PackedTrace::new(&trace).expect("a sound trace")
}

fn explored(trace: &PackedTrace) -> Exploration {
    let traces = std::slice::from_ref(trace);
    let (space, stop) = (Space::classic(traces), AtomicBool::new(false));
    let dir = tempfile::tempdir().expect("a folder");
    let mut store = Store::begin(&dir.path().join(Store::FILE), &space, traces, "a test").expect("a store");
    sweep(&Sweep::exhaustive(&space, traces, 2, &stop), &mut store, &mut |_| {}).expect("not interrupted");
    Exploration::load(&store).expect("an exploration")
}

fn named(name: &str, heap: &str) -> (String, Spec) {
    (name.to_owned(), heap.parse().expect("a spec"))
}

#[test]
fn the_oracle_pick_regrets_nothing_and_others_what_they_have_beyond_it() {
    let trace = sample();
    let oracle = explored(&trace);
    let heaps = oracle.evaluated_heaps(Preference::Balanced, &[named("powers", "classes(16..=4096 double)")]);
    let names: Vec<&str> = heaps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["pick", "2006, 2 lists", "2006, 3 lists", "powers"]);
    let explored = std::slice::from_ref(&trace);
    let rows = evaluate(&oracle, &trace, explored, &heaps, Preference::Balanced).expect("replays");
    let row = |name: &str| rows.iter().find(|row| row.name == name).expect("a row");
    let (pick, best, powers) = (row("pick"), row("oracle"), row("powers"));
    assert_eq!(Evaluated { name: "pick".to_owned(), ..best.clone() }, *pick, "the pick was made for this very trace");
    assert_eq!((best.footprint_regret, best.accesses_regret, best.distance), (0.0, 0.0, 0.0));
    let ratio = (1.0 + powers.fragmentation) / (1.0 + best.fragmentation) - 1.0;
    assert!((powers.footprint_regret - ratio).abs() < 1e-12 && ratio > 0.1, "{powers:?}");
    assert!((powers.accesses_regret - (powers.accesses / best.accesses - 1.0)).abs() < 1e-12);
    assert!(powers.warning.is_none(), "the pick alone is warned of");
}

#[test]
fn a_pick_for_other_sizes_is_overfitted_and_the_reason_is_its_lists() {
    let mut other = Trace::default();
    for id in 0..100 {
        other.events.push(Event::at(id, Action::Allocate { id, size: Bytes(7777), alignment: 0 }));
    }
    let (trace, other) = (sample(), PackedTrace::new(&other).expect("a sound trace"));
    let oracle = explored(&trace);
    let pick = [named("pick", "freelists(7777) buddy(knuth)")];
    let rows = evaluate(&oracle, &trace, &[other], &pick, Preference::Balanced).expect("replays");
    let warning = rows[0].warning.as_ref().unwrap_or_else(|| panic!("it is far from the front: {rows:?}"));
    assert!(warning.contains("for sizes that 100% of the requests explored have, and 0% of these"), "{warning}");
    assert!(rows[0].distance > 0.05 && rows[1].warning.is_none());
}
