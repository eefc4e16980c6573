//! One block in N.

use heapsmith_launch::Ended;
use heapsmith_recording::{Recorded, Recording, Remarks, decode};
use heapsmith_trace::{Profile, Profiler};

use super::programs::Bench;

/// The recordings of a program of which one block in `every` was recorded, with what they say of it.
fn sampled(source: &str, every: u32) -> Vec<(Recorded, Profile)> {
    let bench = Bench::new();
    let program = bench.compile(source);
    assert_eq!(bench.run_sampled(&[program], every), Ended::Code(0));
    let profiled = |file: &std::path::PathBuf| {
        let recorded = Recording::open(file).and_then(|recording| decode(&recording)).expect("a good recording");
        assert_eq!(recorded.trace.origin.sample(), (every > 1).then_some(every.into()));
        let mut profiler = Profiler::new(1);
        recorded.trace.send(&mut profiler).expect("every event is of a block that is live");
        let profile = profiler.finish_of(&recorded.trace.origin);
        (recorded, profile)
    };
    bench.files().iter().map(profiled).collect()
}

/// What a program has live at its end is known with the error that is stated, whichever way its blocks went.
#[test]
fn what_lives_is_estimated_within_its_error() {
    let whole = &sampled("leaks.c", 1)[0].1.statistics;
    assert_eq!(whole.blocks_left, 100_000);
    let bytes: f64 = whole.bytes_left.0 as f64;
    for every in [2, 16, 64] {
        let (recorded, profile) = &sampled("leaks.c", every)[0];
        assert_eq!(recorded.remarks, Remarks::default(), "every end is that of a block that was recorded");
        let (statistics, error) = (&profile.statistics, profile.sampled.expect("it is a sample"));
        // Six times the standard error: once in 500 million.
        let far = |found: u64, exact: f64, error: f64| (found as f64 - exact).abs() / error;
        assert!(far(statistics.blocks_left, 1e5, error.blocks_left) < 6.0, "{} of {every}", statistics.blocks_left);
        assert!(far(statistics.bytes_left.0, bytes, error.bytes_left) < 6.0, "{} of {every}", statistics.bytes_left);
        assert!((recorded.events as f64) < 1.2 * 320_000.0 / f64::from(every), "{} of {every}", recorded.events);
        assert!(profile.sites.iter().any(|site| site.blocks_at_end > 0), "with the places that ask for them");
    }
}

#[test]
fn a_free_by_another_thread_is_of_a_block_that_was_recorded() {
    let (recorded, profile) = &sampled("threads.c", 4)[0];
    assert_eq!((recorded.threads, recorded.remarks), (5, Remarks::default()));
    assert!(recorded.events > 50_000, "{}", recorded.events);
    assert!(profile.statistics.reallocations > 0 && recorded.events < 250_000, "{}", recorded.events);
}

/// A child draws its own seed, so what it frees of its parent's blocks is unknown to it, as without a sample.
#[test]
fn every_process_of_a_family_has_a_sample_of_its_own() {
    let all = sampled("forks.c", 2);
    assert_eq!(all.len(), 5);
    assert!(all.iter().all(|(recorded, _)| recorded.remarks.unknown_frees <= 1 && recorded.remarks.missed_frees == 0));
}
