//! What is seen along a trace and over many passes agrees with what single replays measure.

use heapsmith_replay::{
    BlockLives, Drift, Leaked, Pass, Region, ReplayOptions, at_peak, block_lives, footprint_curve, over_time, passes,
    replay,
};
use heapsmith_spec::Spec;
use heapsmith_trace::{Action, Bytes, Draws, Event, Gap, PackedTrace, Trace};

fn spec(text: &str) -> Spec {
    text.parse().expect("a spec")
}

/// A program of this many requests; of every eight blocks one is never freed if `leaks`.
fn program(requests: u64, leaks: bool) -> PackedTrace {
    let (mut draws, mut events, mut live) = (Draws::new(9), Vec::new(), Vec::new());
    for id in 0..requests {
        let size = Bytes(draws.between(1, 300));
        events.push(Action::Allocate { id, size, alignment: 0 });
        if !leaks || id % 8 != 0 {
            live.push(id);
        }
        if draws.happens(0.1) {
            events.push(Action::Reallocate { id, size: Bytes(draws.between(1, 600)) });
        }
        if live.len() > 40 {
            let id = live.swap_remove(draws.below(live.len() as u64) as usize);
            events.push(Action::Free { id });
        }
    }
    events.extend(live.into_iter().map(|id| Action::Free { id }));
    let events = events.into_iter().map(|action| Event::at(0, action)).collect();
    PackedTrace::new(&Trace { events, ..Trace::default() }).expect("a sound trace")
}

/// The first events of a trace.
fn first(trace: &PackedTrace, events: usize) -> PackedTrace {
    PackedTrace { events: trace.events[..events].to_vec().into(), ..trace.clone() }
}

const HEAPS: &[&str] =
    &["list(order=address, fit=first)", "freelists(64,128) list(order=lifo, fit=best)", "tlsf", "buddy(knuth)"];

#[test]
fn moments_are_what_replays_to_them_measure() {
    let trace = program(800, true);
    for heap in HEAPS {
        let (spec, mut region) = (spec(heap), Region::for_trace(&trace).expect("memory"));
        let size = region.size();
        let moments = over_time(&spec, &trace, &mut region, size, 10).expect("moments");
        assert_eq!(moments.len(), 10);
        let curve = footprint_curve(&spec, &trace, &mut region, 10).expect("a curve");
        assert_eq!(curve.len(), 10, "the trace has a multiple of ten events or the last part is shorter");
        for moment in &moments {
            let part = first(&trace, moment.event as usize + 1);
            let measures = replay(&spec, &part, &mut region, ReplayOptions::MEASURE).expect("measures");
            assert_eq!(moment.footprint_peak, measures.footprint_peak, "{heap}");
            let now = moment.bytes;
            let parts = [now.requested, now.headers, now.padding, now.layers, now.free, now.control];
            assert_eq!(parts.into_iter().sum::<Bytes>(), moment.footprint, "{heap}");
        }
        assert_eq!(moments[9].event as usize, trace.events.len() - 1);
        assert_eq!(moments[9].blocks, trace.allocations - trace.frees, "{heap}");
        let last = moments.last().expect("ten");
        assert_eq!(last.fragmentation(), Some(last.footprint.0 as f64 / last.bytes.requested.0 as f64 - 1.0));
    }
}

#[test]
fn the_largest_request_succeeds_and_a_larger_one_does_not() {
    let trace = program(500, true);
    for heap in HEAPS {
        let (spec, mut region) = (spec(heap), Region::for_trace(&trace).expect("memory"));
        let peak = replay(&spec, &trace, &mut region, ReplayOptions::MEASURE).expect("measures").footprint_peak;
        for size in [peak.0.next_multiple_of(8), peak.0.next_multiple_of(8) * 2] {
            for moment in over_time(&spec, &trace, &mut region, Bytes(size), 4).expect("moments") {
                let asks = |size: u64| {
                    let mut part = first(&trace, moment.event as usize + 1);
                    let slot = part.slots as u32;
                    part.slots += 1;
                    let operation = heapsmith_trace::Operation::Allocate;
                    let last =
                        heapsmith_trace::PackedEvent { size, slot, operation, alignment_log2: 0, gap: Gap::NONE };
                    let events: Vec<_> = part.events.iter().copied().chain([last]).collect();
                    part.events = events.into();
                    part
                };
                let mut serves = |request: u64| {
                    let options = ReplayOptions { region: Some(Bytes(size)), ..ReplayOptions::MEASURE };
                    replay(&spec, &asks(request), &mut region, options).expect("measures").failed == 0
                };
                let largest = moment.bytes.largest_request.0;
                assert!(largest == 0 || serves(largest), "{heap}: {largest} of {size} at {}", moment.event);
                assert!(!serves(size), "{heap}: a request of the whole region");
            }
        }
    }
}

#[test]
fn the_moment_of_the_peak_is_the_peak() {
    let trace = program(300, true);
    let (spec, mut region) = (spec(HEAPS[0]), Region::for_trace(&trace).expect("memory"));
    let measures = replay(&spec, &trace, &mut region, ReplayOptions::MEASURE).expect("measures");
    let peak = at_peak(&spec, &trace, &mut region, &measures).expect("a survey");
    let events = trace.events.len();
    let size = Bytes(measures.footprint_peak.0.next_multiple_of(8));
    let moments = over_time(&spec, &trace, &mut region, size, events).expect("moments");
    assert_eq!(moments.len(), events);
    let found = moments[measures.peak_event as usize].bytes;
    assert_eq!((found.requested, found.free, found.largest_free), (peak.requested, peak.free, peak.largest_free));
}

#[test]
fn no_moments_of_nothing() {
    let trace = PackedTrace::new(&Trace::default()).expect("an empty trace");
    let mut region = Region::new(Bytes(1 << 20)).expect("memory");
    assert!(over_time(&spec("tlsf"), &trace, &mut region, Bytes(1 << 20), 5).expect("none").is_empty());
}

#[test]
fn the_first_pass_is_a_replay_and_what_it_leaves_stays_or_goes() {
    let trace = program(600, true);
    for heap in HEAPS {
        let (spec, mut region) = (spec(heap), Region::for_passes(&trace, 5).expect("memory"));
        let measures = replay(&spec, &trace, &mut region, ReplayOptions::MEASURE).expect("measures");
        let mut run = |leaked| passes(&spec, &trace, &mut region, None, 5, leaked).expect("passes");
        let (kept, freed) = (run(Leaked::Keep), run(Leaked::Free));
        for all in [&kept, &freed] {
            assert_eq!(all.len(), 5);
            assert_eq!((all[0].footprint_peak, all[0].accesses), (measures.footprint_peak, measures.accesses.total));
            assert_eq!(all.iter().map(|pass| pass.failed).sum::<u64>(), 0);
        }
        assert!(kept.iter().all(|pass| pass.leaked > Bytes(0) && pass.leaked == kept[0].leaked), "{heap}");
        assert!(freed.iter().all(|pass| pass.leaked == Bytes(0)), "{heap}");
        assert!(freed[4].footprint < kept[4].footprint, "{heap}");
        assert_eq!(run(Leaked::Keep), kept);
    }
}

#[test]
fn a_heap_that_coalesces_settles_and_one_that_never_reuses_drifts() {
    let trace = program(400, false);
    let mut region = Region::for_passes(&trace, 20).expect("memory");
    let mut drift =
        |heap: &str| Drift::of(&passes(&spec(heap), &trace, &mut region, None, 20, Leaked::Free).expect("passes"));
    let settled = drift("list(order=address, fit=first)");
    assert_eq!((settled.bytes, settled.settles), (0, Some(1)));
    let bump = drift("bump");
    assert!(bump.settles.is_none() && bump.bytes > 0, "{bump:?}");
}

#[test]
fn drift_is_counted_from_the_first_pass_that_is_like_the_others() {
    let pass = |peak, after, leaked| Pass {
        footprint_peak: Bytes(peak),
        footprint: Bytes(after),
        leaked: Bytes(leaked),
        ..Pass::default()
    };
    let drift = |all: &[Pass]| {
        let Drift { bytes, settles } = Drift::of(all);
        (bytes, settles)
    };
    assert_eq!(drift(&[pass(10, 5, 0), pass(12, 5, 0), pass(12, 6, 0), pass(12, 6, 0)]), (2, Some(3)));
    assert_eq!(drift(&[pass(10, 5, 3), pass(12, 5, 3), pass(11, 5, 3)]), (-1, None));
    assert_eq!(drift(&[pass(9, 1, 0), pass(9, 1, 0)]), (0, Some(1)));
    assert_eq!(drift(&[pass(9, 1, 0)]), (0, None));
    assert_eq!(drift(&[]), (0, None));
}

/// Blocks and bytes that are live after an event.
fn live_after(lives: &BlockLives, event: u64) -> (u64, u64) {
    let there = lives.lives.iter().filter(|life| life.begin <= event && event < life.end);
    there.fold((0, 0), |(blocks, bytes), life| (blocks + 1, bytes + life.requested))
}

#[test]
fn lives_of_blocks_agree_with_moments_and_do_not_overlap() {
    let trace = program(400, true);
    let mut region = Region::for_trace(&trace).expect("memory");
    for heap in HEAPS {
        let heap = spec(heap);
        let lives = block_lives(&heap, &trace, &mut region).expect("lives");
        let measures = replay(&heap, &trace, &mut region, ReplayOptions::MEASURE).expect("a replay");
        assert_eq!(lives.peak(), measures.footprint_peak, "{heap}");
        let size = Bytes(measures.footprint_peak.0.next_multiple_of(8));
        for moment in over_time(&heap, &trace, &mut region, size, 9).expect("moments") {
            let (blocks, bytes) = live_after(&lives, moment.event);
            assert_eq!(
                (blocks, Bytes(bytes)),
                (moment.blocks, moment.bytes.requested),
                "{heap} after {}",
                moment.event
            );
            let mut there: Vec<_> =
                lives.lives.iter().filter(|life| life.begin <= moment.event && moment.event < life.end).collect();
            there.sort_by_key(|life| life.offset);
            assert!(there.windows(2).all(|two| two[0].offset + two[0].requested <= two[1].offset), "{heap}");
        }
    }
}
