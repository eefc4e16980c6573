//! The measures agree with their definitions, on random heaps and traces.

use heapsmith_replay::{
    BuildError, Leaked, Priority, Region, ReplayError, ReplayOptions, Subject, TimingEffort, at_peak, event_costs,
    footprint_curve, full_region, latencies, min_region, offsets, passes, replay, replay_peer, time, time_watched,
};

use heapsmith_spec::{Layer, Pool, Spec, WordSize, arbitrary};
use heapsmith_trace::{Action, Bytes, Event, Origin, PackedEvent, PackedTrace, Trace};
use proptest::prelude::*;

/// A trace of allocations of these sizes; `frees` says which live block goes after each, if one does.
fn trace(steps: &[(u64, Option<usize>, Option<u64>)]) -> PackedTrace {
    aligned(steps, |_| 0)
}

/// The same, each allocation at an alignment.
fn aligned(steps: &[(u64, Option<usize>, Option<u64>)], alignment: impl Fn(u64) -> u64) -> PackedTrace {
    let mut trace = Trace::new(Origin::new("test", ""));
    let mut live = Vec::new();
    for (id, &(size, free, resize)) in steps.iter().enumerate() {
        let id = id as u64;
        trace.events.push(Event::at(37 * id, Action::Allocate { id, size: Bytes(size), alignment: alignment(id) }));
        live.push(id);
        if let Some(size) = resize {
            trace
                .events
                .push(Event::at(37 * id + 5, Action::Reallocate { id: live[live.len() / 2], size: Bytes(size) }));
        }
        if let Some(which) = free {
            trace.events.push(Event::at(37 * id + 30, Action::Free { id: live.remove(which % live.len()) }));
        }
    }
    PackedTrace::new(&trace).expect("a sound trace")
}

/// The bytes requested and live after each event.
fn live_bytes(trace: &PackedTrace) -> Vec<u64> {
    let mut sizes = vec![0; trace.slots];
    let after = |event: &PackedEvent| {
        sizes[event.slot as usize] = event.size;
        sizes.iter().sum()
    };
    trace.events.iter().map(after).collect()
}

fn steps() -> impl Strategy<Value = Vec<(u64, Option<usize>, Option<u64>)>> {
    let size = prop_oneof![1_u64..100, Just(66), Just(1514)];
    prop::collection::vec((size, prop::option::of(any::<usize>()), prop::option::weighted(0.1, 1_u64..300)), 1..120)
}

/// Heaps for whole programs whose region holds these traces: no stack, which
/// refuses frees out of order, and no layer that holds blocks back itself.
fn wide_spec() -> impl Strategy<Value = Spec> {
    arbitrary::spec().prop_filter("general heaps with room", |spec| {
        let plain = spec.layers.iter().all(|layer| matches!(layer, Layer::FreeLists(_)));
        spec.word != WordSize::Two && spec.pool.is_general() && plain
    })
}

/// Heaps of chunks, without layers.
fn chunks() -> impl Strategy<Value = Spec> {
    wide_spec().prop_filter("chunks", |spec| matches!(spec.pool, Pool::Chunks(_)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_bytes_at_the_peak_add_up(spec in wide_spec(), steps in steps()) {
        let trace = trace(&steps);
        let mut region = Region::for_trace(&trace).expect("memory");
        let options = ReplayOptions { check_every: Some(7), ..ReplayOptions::VERIFY };
        let measures = match replay(&spec, &trace, &mut region, options) {
            Ok(measures) => measures,
            // A region without room for the heap's own words.
            Err(ReplayError::Build(BuildError::Region(_))) => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        prop_assert_eq!(&measures, &replay(&spec, &trace, &mut region, ReplayOptions::MEASURE).expect("the same"));
        prop_assume!(measures.failed == 0);
        let peak = at_peak(&spec, &trace, &mut region, &measures).expect("a survey");
        let parts = [peak.requested, peak.headers, peak.padding, peak.layers, peak.free, peak.control];
        prop_assert_eq!(parts.into_iter().sum::<Bytes>(), measures.footprint_at_peak);
        prop_assert_eq!(peak.requested, measures.requested_at_peak);
        prop_assert_eq!(peak.requested + peak.headers + peak.padding, measures.blocks_at_peak);
        prop_assert!(measures.footprint_peak > measures.requested_at_peak);
        prop_assert_eq!(measures.requested_at_peak, trace.requested_peak);
        let both = measures.internal_fragmentation() + measures.external_fragmentation();
        prop_assert!((both - measures.fragmentation()).abs() < 1e-9, "internal and external make up the whole");
        prop_assert_eq!(
            measures.at_once + measures.after_split + measures.after_coalescing + measures.by_growing
                >= trace.allocations, true);
        let curve = footprint_curve(&spec, &trace, &mut region, 16).expect("a curve");
        prop_assert_eq!(curve.iter().map(|&(_, footprint)| footprint).max(), Some(measures.footprint_peak));
        let each = footprint_curve(&spec, &trace, &mut region, usize::MAX).expect("a point for each event");
        let footprints: u64 = each.iter().map(|&(_, footprint)| footprint.0).sum();
        let (events, lived) = (trace.events.len() as u64, live_bytes(&trace).iter().sum::<u64>());
        prop_assert_eq!(measures.footprint_mean, Bytes(footprints / events));
        prop_assert_eq!(measures.retained, Bytes((footprints - lived) / events));
        let costs = event_costs(&spec, &trace, &mut region, Bytes(u64::MAX), |_| Priority::High).expect("costs");
        let held = |event: usize| (each[event].1.0, live_bytes(&trace)[event]);
        let (mut over_time, mut retained, mut time) = (0, 0, 0);
        for (event, cost) in costs.iter().enumerate() {
            let passes = trace.events[event].gap.nanoseconds() + 2 * cost.accesses;
            let (footprint, live) = if event == 0 { (0, 0) } else { held(event - 1) };
            over_time += footprint * passes;
            retained += (footprint - live) * passes;
            time += passes;
        }
        // One event takes no time.
        let expected = match trace.duration.0 {
            0 => (measures.footprint_mean, measures.retained),
            _ => (Bytes(over_time / time), Bytes(retained / time)),
        };
        prop_assert_eq!((measures.footprint_over_time, measures.retained_over_time), expected);
    }

    #[test]
    fn the_smallest_region_serves_and_eight_bytes_less_do_not(spec in wide_spec(), steps in steps()) {
        let trace = trace(&steps);
        let mut region = Region::for_trace(&trace).expect("memory");
        let Ok(Some(min)) = min_region(&spec, &trace, &mut region) else { return Ok(()) };
        let mut refused_in = |size: u64| {
            let options = ReplayOptions { region: Some(Bytes(size)), ..ReplayOptions::MEASURE };
            replay(&spec, &trace, &mut region, options).map_or(1, |measures| measures.failed)
        };
        prop_assert_eq!(refused_in(min.0), 0);
        prop_assert!(refused_in(min.0 - 8) > 0);
        prop_assert!(min >= trace.requested_peak);
    }

    #[test]
    fn the_region_to_reserve_serves_and_so_does_every_larger_one(spec in wide_spec(), steps in steps(), more in 0_u64..4096) {
        let trace = trace(&steps);
        let mut region = Region::for_trace(&trace).expect("memory");
        let large = replay(&spec, &trace, &mut region, ReplayOptions::MEASURE);
        let Ok(Some(full)) = full_region(&spec, &trace, &mut region) else { return Ok(()) };
        let large = large.expect("it serves");
        prop_assert!(full >= large.footprint_peak, "{full:?} of {:?}", large.footprint_peak);
        prop_assert!(full >= min_region(&spec, &trace, &mut region).expect("a replay").expect("it serves"));
        let options = ReplayOptions { region: Some(Bytes(full.0 + more / 8 * 8)), ..ReplayOptions::MEASURE };
        let there = replay(&spec, &trace, &mut region, options).expect("a replay");
        prop_assert_eq!((there.failed, there.footprint_peak <= full), (0, true));
        if full.0 == large.footprint_peak.0.next_multiple_of(8) {
            prop_assert_eq!((there.accesses, there.visits), (large.accesses, large.visits));
        }
    }

    #[test]
    fn chunks_lie_where_they_did_from_the_region_to_reserve_on(spec in chunks(), steps in steps(), more in 0_u64..4096) {
        let has_ends = matches!(&spec.pool, Pool::Chunks(chunks) if chunks.ends.is_some());
        // With ends, where an aligned block lies depends on where the region ends.
        let trace = aligned(&steps, |id| if id % 9 == 5 && !has_ends { 64 } else { 0 });
        let mut region = Region::for_trace(&trace).expect("memory");
        let Ok(Some(full)) = full_region(&spec, &trace, &mut region) else { return Ok(()) };
        let size = Bytes(full.0 + more / 8 * 8);
        let [there, large] = [Some(size), None].map(|region_size| {
            let options = ReplayOptions { region: region_size, ..ReplayOptions::MEASURE };
            let measures = replay(&spec, &trace, &mut region, options).expect("a replay");
            (measures.failed, measures.footprint_peak, measures.footprint_mean, measures.retained, measures.blocks_at_peak)
        });
        prop_assert_eq!(there, large);
        if !has_ends {
            let spec = spec.into();
            let [there, large] = [size, Bytes(u64::MAX)].map(|size| offsets(&spec, &trace, &mut region, size).expect("a heap"));
            prop_assert_eq!(there, large);
        }
    }
}

#[test]
fn a_heap_that_keeps_its_peak_to_the_end_retains_more_than_one_that_gives_it_back() {
    // A ramp of 100 blocks, all but the first freed from the end, then a long time with little live.
    let allocate = |id, size| Action::Allocate { id, size: Bytes(size), alignment: 0 };
    let ramp = (0..100).map(|id| allocate(id, 1000)).chain((1..100).rev().map(|id| Action::Free { id }));
    let after = (0..200).flat_map(|_| [allocate(1, 8), Action::Free { id: 1 }]);
    let mut trace = Trace::new(Origin::new("test", ""));
    trace.events.extend(ramp.chain(after).map(|action| Event::at(0, action)));
    let trace = PackedTrace::new(&trace).expect("a sound trace");
    let mut region = Region::for_trace(&trace).expect("memory");
    let mut on = |text: &str| {
        let spec: Spec = text.parse().expect("a spec");
        replay(&spec, &trace, &mut region, ReplayOptions::MEASURE).expect("a replay")
    };
    let (gives_back, keeps) = (on("list(coalesce=immediate)"), on("list(coalesce=never)"));
    assert_eq!(gives_back.footprint_peak, keeps.footprint_peak, "the peak tells nothing");
    assert!(keeps.footprint_mean.0 > gives_back.footprint_mean.0 + 10_000, "{keeps:?} {gives_back:?}");
    assert!(keeps.retained.0 > 10 * gives_back.retained.0, "{keeps:?} {gives_back:?}");
    let over_time = (keeps.footprint_over_time, keeps.retained_over_time);
    assert_eq!(over_time, (keeps.footprint_mean, keeps.retained), "a trace without times");
}

#[test]
fn a_pause_with_little_live_counts_for_as_long_as_it_lasts() {
    // The same events, twice: half of the time passes while all is live, or after most was freed.
    let pausing_before = |event: usize| {
        let mut trace = Trace::new(Origin::new("test", ""));
        let allocate = |id| Action::Allocate { id, size: Bytes(1000), alignment: 0 };
        let actions = (0..100).map(allocate).chain((1..100).rev().map(|id| Action::Free { id }));
        let time = |index: usize| if index < event { 0 } else { 1_000_000_000 };
        trace.events.extend(actions.enumerate().map(|(index, action)| Event::at(time(index), action)));
        let trace = PackedTrace::new(&trace).expect("a sound trace");
        let mut region = Region::for_trace(&trace).expect("memory");
        let spec: Spec = "list(coalesce=immediate)".parse().expect("a spec");
        replay(&spec, &trace, &mut region, ReplayOptions::MEASURE).expect("a replay")
    };
    let (full, empty) = (pausing_before(100), pausing_before(198));
    assert_eq!(full.footprint_mean, empty.footprint_mean, "operations tell nothing");
    assert!((99_000..102_000).contains(&full.footprint_over_time.0), "{full:?}");
    assert!((2_000..4_000).contains(&empty.footprint_over_time.0), "{empty:?}");
}

#[test]
fn what_a_guard_writes_around_payloads_is_no_padding() {
    let trace = trace(&(0..50).map(|n| (40 + n % 3, None, None)).collect::<Vec<_>>());
    let mut region = Region::for_trace(&trace).expect("memory");
    let mut at = |text: &str| {
        let spec: Spec = text.parse().expect("a spec");
        let measures = replay(&spec, &trace, &mut region, ReplayOptions::VERIFY).expect("a replay");
        at_peak(&spec, &trace, &mut region, &measures).expect("a survey")
    };
    let (plain, guarded) = (at("list"), at("guard(quarantine=0) list"));
    assert_eq!(plain.layers, Bytes(0));
    assert_eq!(guarded.layers, Bytes(50 * 4 * 4), "three words before each payload and one behind");
    assert_eq!((guarded.padding, guarded.headers), (plain.padding, plain.headers), "payloads are rounded up as before");
    let kept = at("guard(quarantine=4) freelists(64) list").layers;
    assert!(kept > guarded.layers && kept < guarded.layers + Bytes(40), "and the quarantine's own block: {kept:?}");
}

#[test]
fn what_a_guard_writes_around_the_word_of_a_reserve_is_the_layers() {
    let trace = trace(&(0..50).map(|n| (40 + n % 3, None, None)).collect::<Vec<_>>());
    let mut region = Region::for_trace(&trace).expect("memory");
    for text in ["reserve(high=1%) guard list", "reserve(high=4%) guard bins(log, each=tree) word=8 align=16"] {
        let spec: Spec = text.parse().expect("a spec");
        let measures = replay(&spec, &trace, &mut region, ReplayOptions::VERIFY).expect("a replay");
        let peak = at_peak(&spec, &trace, &mut region, &measures).expect("a survey");
        let parts = [peak.requested, peak.headers, peak.padding, peak.layers, peak.free, peak.control];
        assert_eq!(parts.into_iter().sum::<Bytes>(), measures.footprint_at_peak, "{text}");
    }
}

#[test]
fn the_cost_of_a_free_list_hit_is_what_the_docs_say() {
    let spec: Spec = "freelists(64) list".parse().expect("a spec");
    let hits: Vec<_> = (0..1000).map(|_| (64, Some(0), None)).collect();
    let trace = trace(&hits);
    let mut region = Region::for_trace(&trace).expect("memory");
    let measures = replay(&spec, &trace, &mut region, ReplayOptions::MEASURE).expect("a replay");
    // The worst operation is the first allocation, which takes never-used memory.
    assert_eq!(measures.accesses.total - measures.accesses.max, 999 * 3 + 1000 * 4, "3 to allocate, 4 to free");
    assert_eq!((measures.at_once, measures.by_growing, measures.visits.total), (999, 1, 0));
}

#[test]
fn timing_stops_when_it_is_asked_to() {
    let trace = trace(&(0..100).map(|n| (1 + n % 90, Some(n as usize), None)).collect::<Vec<_>>());
    let mut region = Region::for_trace(&trace).expect("memory");
    let subjects = ["list".parse::<Subject>().expect("a subject")];
    let mut turns = 0;
    let mut watch = |_| {
        turns += 1;
        turns < 10
    };
    let stopped = time_watched(&subjects, &trace, &mut region, TimingEffort::rounds(60_000), None, &mut watch);
    assert!(matches!(stopped, Err(ReplayError::Stopped)), "{stopped:?}");
    assert_eq!(turns, 10);
}

#[test]
fn timing_reports_every_heap_and_the_floor() {
    let steps: Vec<_> = (0..2000).map(|n| (1 + n % 90, Some(n as usize), None)).collect();
    let trace = trace(&steps);
    let mut region = Region::for_trace(&trace).expect("memory");
    let subjects = ["list", "bins(lea)", "peer:libc"].map(|text| text.parse::<Subject>().expect("a subject"));
    let timings = time(&subjects, &trace, &mut region, TimingEffort::rounds(5)).expect("times");
    assert_eq!(timings.subjects.len(), 3);
    for time in timings.subjects {
        assert!(
            time.min <= time.spread.median
                && time.spread.median <= time.max
                && time.spread.median > timings.null_allocator.min
        );
        assert_eq!((time.rounds.len(), time.events), (5, trace.events.len()));
    }
}

#[test]
fn a_peer_that_searches_linearly_is_cut_short() {
    let steps: Vec<_> = (0..300).map(|n| (1 + n % 90, None, None)).collect();
    let trace = trace(&steps);
    let mut region = Region::for_trace(&trace).expect("memory");
    let subjects = ["peer:linked_list_allocator", "list"].map(|text| text.parse::<Subject>().expect("a subject"));
    let effort = TimingEffort { linear_events: 100, ..TimingEffort::rounds(2) };
    let timings = time(&subjects, &trace, &mut region, effort).expect("times");
    assert_eq!(timings.subjects.iter().map(|time| time.events).collect::<Vec<_>>(), [100, 300]);
}

#[test]
fn heaps_that_do_not_set_the_pace_are_timed_on_fewer_events_where_that_is_asked_for() {
    let trace = trace(&(0..300).map(|n| (1 + n % 90, None, None)).collect::<Vec<_>>());
    let mut region = Region::for_trace(&trace).expect("memory");
    let subjects = ["tlsf", "list", "peer:rlsf"].map(|text| text.parse::<Subject>().expect("a subject"));
    let effort = TimingEffort { max_events: 200, other_events: 100, pace: 1, ..TimingEffort::rounds(2) };
    let timings = time(&subjects, &trace, &mut region, effort).expect("times");
    assert_eq!(timings.subjects.iter().map(|time| time.events).collect::<Vec<_>>(), [200, 100, 200]);
}

#[test]
fn latencies_show_the_operations_that_take_long() {
    // 2,000 holes of 16 bytes, then 100 requests that no hole serves: each looks at all of them.
    let allocate = |id, size| Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 });
    let mut trace = Trace::new(Origin::new("test", ""));
    trace.events.extend((0..4000).map(|id| allocate(id, 16)));
    trace.events.extend((0..4000).step_by(2).map(|id| Event::at(4000, Action::Free { id })));
    trace.events.extend((4000..4100).map(|id| allocate(id, 64)));
    let trace = PackedTrace::new(&trace).expect("a sound trace");
    let mut region = Region::for_trace(&trace).expect("memory");
    let subjects = ["list(order=lifo, fit=best, coalesce=never)", "peer:libc"];
    let subjects = subjects.map(|text| text.parse::<Subject>().expect("a subject"));
    let latencies = latencies(&subjects, &trace, &mut region, TimingEffort::rounds(3)).expect("latencies");
    assert!(latencies.step > 0.0);
    for latency in latencies.subjects.iter().chain([&latencies.counter]) {
        let ascending = [latency.p50, latency.p90, latency.p99, latency.p999, latency.max];
        assert!(ascending.is_sorted(), "{latency:?}");
    }
    let [list, _] = latencies.subjects[..] else { panic!("two subjects") };
    assert!(list.p999 > 10.0 * list.p50.max(latencies.counter.p50), "{latencies:?}");
}

#[test]
fn every_peer_serves_a_trace_with_its_payloads_verified() {
    let steps: Vec<_> = (0..2000)
        .map(|n| (1 + n * 7 % 900, (n % 3 > 0).then_some(n as usize), (n % 5 == 0).then_some(n % 400 + 1)))
        .collect();
    let trace = trace(&steps);
    let mut region = Region::for_trace(&trace).expect("memory");
    for peer in heapsmith_peers::Peer::built() {
        let measures = replay_peer(peer, &trace, &mut region, ReplayOptions::VERIFY, usize::MAX).expect("no fault");
        assert_eq!((measures.operations, measures.failed), (trace.events.len() as u64, 0), "{peer}");
        let few = ReplayOptions { region: Some(Bytes(64 << 10)), ..ReplayOptions::VERIFY };
        let measures = replay_peer(peer, &trace, &mut region, few, usize::MAX).expect("no fault");
        assert_eq!(measures.failed == 0, peer.entry().of_the_process, "{peer} in 64 KB");
    }
}

#[test]
fn a_region_of_three_bytes_is_an_error() {
    let trace = trace(&[(8, None, None)]);
    let mut region = Region::for_trace(&trace).expect("memory");
    let options = ReplayOptions { region: Some(Bytes(3)), ..ReplayOptions::MEASURE };
    let error = replay(&"list".parse().expect("a spec"), &trace, &mut region, options).expect_err("too small");
    assert!(error.to_string().starts_with("the region has 3 bytes; this heap needs"), "{error}");
}

#[test]
fn costs_of_events_add_up_to_those_of_the_replay() {
    let steps = (0..200).map(|n| (1 + n * 37 % 300, (n % 3 != 0).then_some(n as usize), (n % 7 == 0).then_some(90)));
    let trace = trace(&steps.collect::<Vec<_>>());
    let mut region = Region::for_trace(&trace).expect("memory");
    for text in ["list(order=implicit, fit=best, tags=off)", "list(fit=first)", "tlsf"] {
        let spec = heapsmith_spec::resolve(text).expect("a spec");
        let whole = replay(&spec, &trace, &mut region, ReplayOptions::MEASURE).expect("a replay");
        let costs = event_costs(&spec, &trace, &mut region, Bytes(u64::MAX), |_| Priority::Low).expect("a replay");
        assert_eq!(costs.len(), trace.events.len());
        assert_eq!(costs.iter().map(|cost| cost.accesses).sum::<u64>(), whole.accesses.total, "{text}");
        assert_eq!(costs.iter().map(|cost| cost.accesses).max(), Some(whole.accesses.max), "{text}");
        assert!(costs.iter().all(|cost| cost.is_served), "{text}");
    }
}

#[test]
fn a_reserve_refuses_requests_of_low_priority_first() {
    let trace = trace(&(0..40).map(|_| (100, None, None)).collect::<Vec<_>>());
    let mut region = Region::for_trace(&trace).expect("memory");
    let served = |text: &str, region: &mut Region| {
        let spec = heapsmith_spec::resolve(text).expect("a spec");
        let high = |index: usize| if index.is_multiple_of(2) { Priority::High } else { Priority::Low };
        let costs = event_costs(&spec, &trace, region, Bytes(3000), high).expect("a replay");
        let of = |priority: usize| costs.iter().skip(priority).step_by(2).filter(|cost| cost.is_served).count();
        (of(0), of(1))
    };
    let (plain, kept) = (served("list", &mut region), served("reserve(high=40%) list", &mut region));
    assert_eq!(plain.0 + plain.1, kept.0 + kept.1, "the region serves as many");
    assert!(kept.0 > plain.0 && kept.1 < plain.1, "{plain:?} without, {kept:?} with a reserve");
}

#[test]
fn more_repetitions_than_anybody_waits_for_are_refused() {
    let trace = PackedTrace::new(&Trace::default()).expect("an empty trace");
    let (spec, mut region) = ("tlsf".parse().expect("a spec"), Region::new(Bytes(1 << 16)).expect("memory"));
    for rounds in [TimingEffort::MAX_ROUNDS + 1, usize::MAX] {
        let error = time(&[], &trace, &mut region, TimingEffort::rounds(rounds)).expect_err("too many rounds");
        assert_eq!(error.to_string(), format!("{rounds} rounds are too many: at most 100000"));
        assert!(latencies(&[], &trace, &mut region, TimingEffort::rounds(rounds)).is_err());
    }
    let error = passes(&spec, &trace, &mut region, None, usize::MAX, Leaked::Keep).expect_err("too many passes");
    assert!(error.to_string().ends_with("passes are too many: at most 1000000"), "{error}");
}

/// A free block of more than half of what a word names is one, whether headers are checked or not: no layer marks blocks there.
#[test]
fn checked_headers_have_the_whole_size_of_a_large_block() {
    let mut events = Vec::new();
    let mut push = |action| events.push(Event::at(events.len() as u64, action));
    for round in 0..3 {
        let first = round * 100;
        (first..first + 50).for_each(|id| push(Action::Allocate { id, size: Bytes(540), alignment: 0 }));
        // The last stays, and all before it become one free block of 26 KB.
        (first..first + 49).for_each(|id| push(Action::Free { id }));
        push(Action::Allocate { id: first + 60, size: Bytes(20_000), alignment: 0 });
        push(Action::Free { id: first + 60 });
        push(Action::Free { id: first + 49 });
    }
    let trace = PackedTrace::new(&Trace { events, ..Trace::default() }).expect("a sound trace");
    let pools = [
        "list(order=address, fit=best, split=never, coalesce>=600)",
        "list(order=lifo, split=always, coalesce=deferred)",
        "bins(lea, coalesce=every-call)",
        "tlsf",
        "half-fit",
        "tree(red-black, coalesce=immediate)",
        "list(order=implicit)",
    ];
    for pool in pools {
        let [plain, checked] = ["off", "header"].map(|check| {
            let spec: Spec = format!("{pool} word=2 align=8 check={check}").parse().expect("a spec");
            let mut region = Region::exactly(Bytes(32_000)).expect("address space");
            let measures = replay(&spec, &trace, &mut region, ReplayOptions::VERIFY).expect("a replay");
            (measures.failed, measures.footprint_peak)
        });
        assert_eq!(plain, checked, "{pool}");
    }
}
