//! The wide space on traces of different character.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use heapsmith_explore::{Exploration, Objective, Preference, Space, Store, Strategy, Sweep, sweep};
use heapsmith_trace::PackedTrace;
use heapsmith_workload::load;

/// The beginning of a sample, or of a workload that needs no file.
fn trace(sample: &str, workload: Option<&str>, events: usize) -> PackedTrace {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let path = if sample.starts_with("workload:") { sample.into() } else { samples.join(sample) };
    let mut trace = load(&path, workload, &[]).expect("the sample reads");
    trace.events.truncate(events);
    PackedTrace::new(&trace).expect("a sound trace")
}

fn explored(space: &Space, traces: &[PackedTrace], search: Strategy) -> Exploration {
    let dir = tempfile::tempdir().expect("a folder");
    let mut store = Store::begin(&dir.path().join(Store::FILE), space, traces, "a test").expect("a store");
    let stop = AtomicBool::new(false);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let job = Sweep { search, ..Sweep::exhaustive(space, traces, threads, &stop) };
    sweep(&job, &mut store, &mut |_| {}).expect("not interrupted");
    Exploration::load(&store).expect("an exploration")
}

/// The pick of the standard space alone and that of the wide one, by every preference.
#[test]
#[ignore = "takes a minute: `cargo xtask nightly` runs it"]
fn on_traces_of_different_character_the_wide_pick_is_nowhere_worse_than_the_standard_one() {
    let traces = [
        trace("ftp.pcap.xz", Some("drr"), 8_000),
        trace("web.log.xz", Some("url"), 8_000),
        trace("workload:modem", None, 8_000),
        trace("workload:health", None, 8_000),
    ];
    let mut better = 0;
    for trace in &traces {
        let traces = std::slice::from_ref(trace);
        let standard = explored(&Space::standard(traces), traces, Strategy::Exhaustive);
        let wide = explored(&Space::wide(traces), traces, Strategy::Halving);
        assert!(wide.designs > 100_000 && wide.search == Strategy::Halving);
        for preference in [Preference::Balanced, Preference::Speed, Preference::Memory, Preference::Bounded] {
            // Where no standard design has a proven bound, there is nothing to be no worse than.
            let Some(theirs) = standard.pick(preference) else { continue };
            let ours = wide.pick(preference).expect("a pick");
            let known = wide.usual_pick(preference).expect("the standard space is a part");
            assert_eq!(wide.points[known], standard.points[theirs], "{}: the standard pick is the same", trace.name);
            let value = |objective| (wide.points[ours].get(objective), standard.points[theirs].get(objective));
            for objective in Objective::FRONT {
                let (ours, theirs) = value(objective);
                assert!(ours <= theirs, "{}, {preference:?}: {objective} {ours} instead of {theirs}", trace.name);
                better += usize::from(ours < theirs);
            }
            println!(
                "{}, {preference:?}: {} compared with {}: {:?}",
                trace.name,
                wide.rows[ours].design.spec,
                standard.rows[theirs].design.spec,
                Objective::FRONT.map(value)
            );
        }
    }
    assert!(better > 0, "the wide space has something better to offer");
}
