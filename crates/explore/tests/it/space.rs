//! Every spec of the classic space, on a sample.
//!
//! These take minutes, so the test command runs them with `--include-ignored`; plain `cargo test` says that they are
//! left out.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use heapsmith_explore::{Design, Space};
use heapsmith_replay::{Region, ReplayOptions, replay};
use heapsmith_spec::Target;
use heapsmith_trace::PackedTrace;
use heapsmith_workload::load;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/ftp.pcap.xz")
}

fn trace(events: usize) -> PackedTrace {
    let mut trace = load(&sample(), Some("drr"), &[]).expect("the sample reads");
    trace.events.truncate(events);
    PackedTrace::new(&trace).expect("a sound trace")
}

/// One of `fewer` where not everything is tried, as `cargo xtask nightly` does (`HEAPSMITH_WHOLE`): all takes minutes.
fn one_of(fewer: usize) -> usize {
    if std::env::var_os("HEAPSMITH_WHOLE").is_some() { 1 } else { fewer }
}

/// Does something with every design, on every core.
fn for_all(designs: &[&Design], trace: &PackedTrace, job: impl Fn(&Design, &mut Region) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut region = Region::for_trace(trace).expect("memory");
                while let Some(design) = designs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    job(design, &mut region);
                }
            });
        }
    });
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn all_specs_keep_every_payload_on_a_whole_sample() {
    let trace = trace(usize::MAX);
    let space = Space::classic(std::slice::from_ref(&trace));
    assert!(space.unique().count() > 1000, "the space has many unique designs");
    let unique: Vec<&Design> = space.unique().step_by(one_of(120)).collect();
    for_all(&unique, &trace, |design, region| {
        let measures =
            replay(&design.spec, &trace, region, ReplayOptions::VERIFY).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(measures.failed, 0, "{} refused requests", design.spec);
    });
    println!("{} unique designs of 10,000 verified on {} events", unique.len(), trace.events.len());
}

#[test]
fn all_specs_hold_every_invariant_after_every_operation() {
    let whole = trace(usize::MAX);
    let space = Space::classic(std::slice::from_ref(&whole));
    let short = trace(1200);
    assert_eq!(space.designs.len(), 10_000);
    let all: Vec<&Design> = space.designs.iter().step_by(one_of(50)).collect();
    let options = ReplayOptions { check_every: Some(1), ..ReplayOptions::VERIFY };
    for_all(&all, &short, |design, region| {
        let measures = replay(&design.spec, &short, region, options).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(measures.failed, 0, "{} refused requests", design.spec);
    });
    println!("{} of 10,000 specs checked after each of {} operations", all.len(), short.events.len());
}

/// Designs that share one replay must be the same heap: shown by replaying one of this many of them.
fn share_a_replay_and_measure_the_same(space: &Space, trace: &PackedTrace, one_of: usize) {
    let shared = || space.designs.iter().filter(|design| design.same_as != design.number);
    assert!(shared().count() > 1000);
    let shared: Vec<&Design> = shared().step_by(one_of).collect();
    for_all(&shared, trace, |design, region| {
        let own = replay(&design.spec, trace, region, ReplayOptions::MEASURE).expect("a replay");
        let other = &space.designs[design.same_as as usize];
        let shared = replay(&other.spec, trace, region, ReplayOptions::MEASURE).expect("a replay");
        assert_eq!(own, shared, "{} and {}", design.spec, other.spec);
    });
    println!("{} designs measure the same as the heap that represents them", shared.len());
}

#[test]
fn designs_that_share_a_replay_measure_the_same() {
    let trace = trace(20_000);
    share_a_replay_and_measure_the_same(&Space::classic(std::slice::from_ref(&trace)), &trace, one_of(20));
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn designs_of_the_wide_space_that_share_a_replay_measure_the_same() {
    let trace = trace(4_000);
    share_a_replay_and_measure_the_same(&Space::wide(std::slice::from_ref(&trace)), &trace, 23 * one_of(10));
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn every_design_of_a_target_has_what_the_target_asks_for() {
    let trace = trace(600);
    let traces = std::slice::from_ref(&trace);
    for name in ["standard", "wide"] {
        let text = Space::own_text(name).expect("ours");
        // The first and the last where not everything is tried: a wide space takes a second.
        for target in Target::all().iter().step_by(one_of(Target::all().len() - 1)) {
            let space =
                Space::for_target(name, text, target, traces).unwrap_or_else(|error| panic!("{target}: {error}"));
            let unsuited = space.designs.iter().find(|design| target.verify(&design.spec).is_err());
            assert_eq!(unsuited, None, "{name} for {target}");
        }
    }
    let plain = Space::of("classic", Space::own_text("classic").expect("ours"), traces).expect("a space");
    assert_eq!(plain.target, Target::network_2006());
    assert!(plain.designs.iter().all(|design| !design.spec.to_string().contains("align=")), "as the paper has them");
}

#[test]
fn a_space_that_cannot_serve_the_target_is_refused() {
    let trace = trace(600);
    let text = "[[family]]\nname = \"stacks\"\nheap = \"stack\"\n[family.levels]\nword = [4, 8]\n";
    let refused = Space::for_target("stacks", text, Target::host(), std::slice::from_ref(&trace));
    let refused = refused.expect_err("no malloc").to_string();
    assert!(refused.contains("does not suit the target host") && refused.contains("--target"), "{refused}");
}
