//! Heaps in several regions, replayed.

use heapsmith_replay::{
    ByRegion, Measures, Region, ReplayError, ReplayOptions, at_peak, by_region, full_region, heap_map, min_region,
    replay,
};
use heapsmith_spec::Spec;
use heapsmith_trace::{Action, Bytes, Draws, Event, PackedTrace, Trace};

/// Requests of two kinds, of which some grow and most are freed.
fn trace() -> PackedTrace {
    let (mut draws, mut trace) = (Draws::new(7), Trace::default());
    for id in 0..2_000 {
        let size = if draws.below(4) == 0 { 400 + draws.below(900) } else { 8 + draws.below(120) };
        trace.events.push(Event::at(3 * id, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
        if id % 7 == 6 {
            trace.events.push(Event::at(3 * id + 1, Action::Reallocate { id, size: Bytes(size * 3) }));
        }
        if id >= 40 && id % 40 < 38 {
            trace.events.push(Event::at(3 * id + 2, Action::Free { id: id - 40 }));
        }
    }
    PackedTrace::new(&trace).expect("a sound trace")
}

fn spec(text: &str) -> Spec {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn measured(text: &str) -> (Measures, ByRegion) {
    let (spec, trace) = (spec(text), trace());
    let mut region = Region::for_trace(&trace).expect("memory");
    let options = ReplayOptions { check_every: Some(50), ..ReplayOptions::VERIFY };
    let measures = replay(&spec, &trace, &mut region, options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(measures, replay(&spec, &trace, &mut region, ReplayOptions::MEASURE).expect("the same"), "{text}");
    let regions = by_region(&spec, &trace, &mut region).expect("the same").expect("regions");
    let sum = |of: fn(&heapsmith_replay::RegionMeasures) -> u64| regions.regions.iter().map(of).sum::<u64>();
    assert_eq!(sum(|region| region.footprint_peak.0), measures.footprint_peak.0, "{text}");
    // A new heap has written its control words before the first operation.
    let control = sum(|region| region.accesses) - measures.accesses.total;
    assert!(control < 4_000, "{text}: {control}");
    assert_eq!(regions.refused, measures.failed, "{text}");
    let peak = at_peak(&spec, &trace, &mut region, &measures).expect("the same");
    let parts = [peak.requested, peak.headers, peak.padding, peak.layers, peak.free, peak.control];
    assert_eq!(parts.iter().map(|part| part.0).sum::<u64>(), measures.footprint_at_peak.0, "{text}");
    (measures, regions)
}

#[test]
fn each_region_serves_its_sizes_and_what_spills_over() {
    for layers in ["list", "freelists(64,128) tlsf", "guard(quarantine=8) bins(lea)", "zero tree word=8"] {
        // Room for all in the second: small requests are in the first until it is full.
        let (_, found) = measured(&format!("regions(sram(8K, up-to=128), psram(1M, cost=8)) {layers}"));
        let [sram, psram] = &found.regions[..] else { panic!("two regions") };
        assert!(sram.footprint_peak <= Bytes(8 << 10) && sram.blocks > 100 && psram.blocks > 100, "{found:?}");
        assert!(sram.spilled == 0 && psram.spilled > 0, "{layers}: {found:?}");
        assert_eq!(found.refused, 0);
        assert_eq!(found.cycles(), sram.accesses + sram.payload + 8 * (psram.accesses + psram.payload));
    }
}

#[test]
fn one_region_is_the_heap_without_and_serves_all() {
    let trace = trace();
    let mut region = Region::for_trace(&trace).expect("memory");
    let (measures, found) = measured("regions(all(1M)) freelists(64) list");
    let alone = spec("freelists(64) list");
    assert_eq!(measures, replay(&alone, &trace, &mut region, ReplayOptions::MEASURE).expect("a heap"));
    assert_eq!((found.spilled(), found.regions[0].requested_peak), (0, measures.requested_at_peak));
    assert_eq!(by_region(&alone, &trace, &mut region).expect("a heap"), None);
}

#[test]
fn payload_is_written_and_read_once_and_once_more_where_a_block_moves() {
    let events = [
        Action::Allocate { id: 0, size: Bytes(10), alignment: 0 },
        Action::Allocate { id: 1, size: Bytes(40), alignment: 0 },
        Action::Reallocate { id: 0, size: Bytes(400) },
        Action::Free { id: 1 },
    ];
    let trace = Trace {
        events: events.into_iter().enumerate().map(|(at, what)| Event::at(at as u64, what)).collect(),
        ..Trace::default()
    };
    let trace = PackedTrace::new(&trace).expect("a sound trace");
    let mut region = Region::for_trace(&trace).expect("memory");
    let spec = spec("regions(sram(256, up-to=64), psram(4K, cost=5)) list");
    let found = by_region(&spec, &trace, &mut region).expect("a heap").expect("regions");
    let words = |bytes: u64| bytes.div_ceil(4);
    let payload: Vec<u64> = found.regions.iter().map(|region| region.payload).collect();
    assert_eq!(payload, [2 * (words(10) + words(40)) + words(10), words(10) + 2 * (words(400) - words(10))]);
    let blocks: Vec<_> = found.regions.iter().map(|region| (region.blocks, region.bytes, region.spilled)).collect();
    assert_eq!(blocks, [(2, 50, 0), (1, 400, 0)]);
    assert_eq!(found.regions.iter().map(|region| region.requested_peak.0).collect::<Vec<_>>(), [50, 400]);
}

#[test]
fn regions_larger_than_the_reserve_of_a_trace_are_there() {
    let (_, found) = measured("regions(sram(4K), psram(48M)) list");
    assert_eq!(found.refused, 0);
    let trace = trace();
    let mut region = Region::for_trace(&trace).expect("memory");
    let map = heap_map(&spec("regions(sram(4K), psram(48M)) list"), &trace, &mut region, 500).expect("a heap");
    assert!(map.blocks.iter().any(|block| block.offset >= 4 << 10));
}

#[test]
fn no_smaller_region_is_looked_for() {
    let trace = trace();
    let mut region = Region::for_trace(&trace).expect("memory");
    let spec = spec("regions(sram(4K), psram(64K)) list");
    let total = Bytes(68 << 10);
    assert_eq!(min_region(&spec, &trace, &mut region), Err(ReplayError::OfRegions { total }));
    assert_eq!(full_region(&spec, &trace, &mut region), Err(ReplayError::OfRegions { total }));
    let options = ReplayOptions { region: Some(Bytes(4 << 10)), ..ReplayOptions::MEASURE };
    assert_eq!(replay(&spec, &trace, &mut region, options), Err(ReplayError::OfRegions { total }));
}
