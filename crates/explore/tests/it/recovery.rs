//! Designs of the wide space starve no program: once everything is free they serve what they served at the start.

use std::path::Path;

use heapsmith_explore::{Design, Space};
use heapsmith_trace::PackedTrace;
use heapsmith_trial::{History, Memory, Random, largest_request, recovers};
use heapsmith_workload::load;

/// Designs that are tried: as many as fit into seconds, or twenty times as many in `cargo xtask nightly`.
fn how_many() -> usize {
    if std::env::var_os("HEAPSMITH_WHOLE").is_some() { 20_000 } else { 400 }
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn designs_of_the_wide_space_serve_again_what_they_served_at_the_start() {
    const REGION: usize = 64 << 10;
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/ftp.pcap.xz");
    let trace = load(&sample, Some("drr"), &[]).expect("the sample reads");
    let trace = PackedTrace::new(&trace).expect("a sound trace");
    let space = Space::wide(std::slice::from_ref(&trace));
    let unique: Vec<&Design> = space.unique().collect();
    let mut random = Random::new(22);
    let (mut memory, mut declining, mut starved) = (Memory::new(REGION), 0, Vec::new());
    for number in 0..how_many() {
        let spec = &random.one_of(&unique).spec;
        if spec.may_starve() {
            declining += 1;
            continue;
        }
        let largest = largest_request(spec, &mut memory, REGION);
        assert!(largest > 1000, "{spec} serves {largest} bytes of {REGION}");
        let mut histories = History::few(number as u64);
        if let Some(why) = histories.find_map(|history| recovers(spec, &mut memory, REGION, largest, history).err()) {
            starved.push(format!("{spec}: {why}"));
        }
    }
    assert!(starved.is_empty(), "{starved:#?}");
    println!("{} designs of {}, and {declining} that may decline", how_many() - declining, unique.len());
}
