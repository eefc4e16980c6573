//! Placements are placements, are optimal where that can be proved, and reach what is known on the
//! problems of compilers.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use heapsmith_limits::placement::{Lifetime, Lifetimes, Misplaced, place, place_until, verify};
use heapsmith_limits::{LowerBound, PlacementEffort, lower_bound};
use heapsmith_trace::{Action, Bytes, Draws, Event, PackedTrace, Packer, Trace};
use proptest::prelude::*;

const SMALL: PlacementEffort = PlacementEffort { work: 100_000, seed: 1, alignment: 1, target: 0 };

/// A trace written as `+id:size`, `~id:size`, `-id`.
fn trace(text: &str) -> PackedTrace {
    let mut trace = Trace::default();
    for word in text.split_whitespace() {
        let (kind, remainder) = word.split_at(1);
        let (id, size) = remainder.split_once(':').unwrap_or((remainder, "0"));
        let (id, size) = (id.parse().unwrap(), Bytes(size.parse().unwrap()));
        trace.events.push(Event::at(
            0,
            match kind {
                "+" => Action::Allocate { id, size, alignment: 0 },
                "~" => Action::Reallocate { id, size },
                _ => Action::Free { id },
            },
        ));
    }
    PackedTrace::new(&trace).unwrap()
}

/// Lifetimes as (start, end, size).
fn spans(trace: &PackedTrace) -> Vec<(u32, u32, u64)> {
    let lifetimes = Lifetimes::of(trace, 1);
    lifetimes.all().iter().map(|lifetime| (lifetime.start, lifetime.end, lifetime.size)).collect()
}

#[test]
fn a_trace_is_its_lifetimes() {
    assert_eq!(spans(&trace("+1:10 +2:20 -1 +3:30 -2 -3")), [(0, 1, 10), (0, 2, 20), (1, 2, 30)]);
    // Another size is another lifetime, the same size is the same.
    assert_eq!(spans(&trace("+1:10 ~1:10 ~1:20 +2:5 ~1:20 -1")), [(0, 1, 10), (1, 2, 20), (1, 2, 5)]);
    // What is never freed lives to the end; nothing needs no place.
    assert_eq!(spans(&trace("+1:10 +2:0 -2 +3:7 -3 +4:1")), [(0, 3, 10), (1, 2, 7), (2, 3, 1)]);
    assert_eq!(spans(&trace("+2:0 ~2:8 ~2:0 +3:4 -2")), [(1, 2, 8), (2, 3, 4)]);
    assert_eq!(spans(&trace("")), []);
    assert_eq!(lower_bound(&trace(""), PlacementEffort::QUICK).placed, Bytes(0));
}

#[test]
fn a_wrong_placement_is_told() {
    let lifetimes = Lifetimes::new(vec![block(0, 2, 10, 1), block(0, 1, 6, 1), block(1, 2, 8, 4)]);
    assert_eq!(verify(&lifetimes, &[0, 10, 12], 20), Ok(()));
    assert_eq!(verify(&lifetimes, &[0, 9, 12], 20), Err(Misplaced::Overlap { lower: 0, upper: 1 }));
    assert_eq!(verify(&lifetimes, &[6, 1, 16], 24), Err(Misplaced::Overlap { lower: 1, upper: 0 }));
    assert_eq!(verify(&lifetimes, &[4, 4, 16], 24), Err(Misplaced::Overlap { lower: 0, upper: 1 }));
    assert_eq!(verify(&lifetimes, &[0, 10, 14], 22), Err(Misplaced::Misaligned { block: 2 }));
    assert_eq!(verify(&lifetimes, &[0, 10, 12], 19), Err(Misplaced::Outside { block: 2 }));
    assert_eq!(verify(&lifetimes, &[0, 10], 19), Err(Misplaced::Count { blocks: 3, offsets: 2 }));
    assert_eq!(verify(&lifetimes, &[0, u64::MAX, 12], 20), Err(Misplaced::Outside { block: 1 }));
}

fn block(start: u32, end: u32, size: u64, alignment: u64) -> Lifetime {
    Lifetime { start, end, size, alignment, span: u64::from(end - start) }
}

fn lifetimes(blocks: usize, moments: u32) -> impl Strategy<Value = Lifetimes> {
    let one = (0..moments, 1..moments, 1_u64..40, 0_u32..3);
    let one = one.prop_map(move |(start, length, size, log2)| {
        block(start, (start + length).min(moments).max(start + 1), size, if log2 == 2 { 8 } else { 1 })
    });
    prop::collection::vec(one, 1..=blocks).prop_map(Lifetimes::new)
}

/// The lowest footprint there is: every order, each block on top of those before it. A placement whose blocks
/// are let down as far as they go is that of its order from the bottom up.
fn min(all: &[Lifetime], offsets: &mut Vec<Option<u64>>, so_far: u64, best: &mut u64) {
    if so_far >= *best {
        return;
    }
    if offsets.iter().all(Option::is_some) {
        *best = so_far;
        return;
    }
    for next in 0..all.len() {
        if offsets[next].is_some() {
            continue;
        }
        let under = (0..all.len()).filter(|&other| all[other].meets(&all[next]));
        let top = under.filter_map(|other| Some(offsets[other]? + all[other].size)).max().unwrap_or(0);
        let offset = top.next_multiple_of(all[next].alignment);
        offsets[next] = Some(offset);
        min(all, offsets, so_far.max(offset + all[next].size), best);
        offsets[next] = None;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn placements_hold_and_are_between_the_live_bytes_and_their_sum(
        lifetimes in lifetimes(60, 40), work in 1_u64..100_000, seed in any::<u64>(),
    ) {
        let effort = PlacementEffort { work, seed, ..SMALL };
        let placed = place(&lifetimes, effort);
        prop_assert_eq!(verify(&lifetimes, &placed.placement.offsets, placed.placement.footprint), Ok(()));
        prop_assert!(placed.placement.footprint >= lifetimes.live());
        let max = lifetimes.all().iter().map(|lifetime| lifetime.size.next_multiple_of(8)).sum::<u64>();
        prop_assert!(placed.placement.footprint <= max);
        prop_assert_eq!(&place(&lifetimes, effort), &placed);
    }

    #[test]
    fn the_lowest_placement_of_few_blocks_is_found(lifetimes in lifetimes(8, 10)) {
        let mut best = u64::MAX;
        min(lifetimes.all(), &mut vec![None; lifetimes.all().len()], 0, &mut best);
        let placed = place(&lifetimes, PlacementEffort { work: 10_000_000, ..SMALL });
        prop_assert!(placed.is_optimal, "the search comes to its end");
        prop_assert_eq!(placed.placement.footprint, best);
        prop_assert_eq!(placed.min, best);
    }

    #[test]
    fn work_never_makes_it_higher(lifetimes in lifetimes(60, 40), work in 1_u64..20_000) {
        let place = |work| place(&lifetimes, PlacementEffort { work, seed: 3, ..SMALL }).placement.footprint;
        prop_assert!(place(work) <= place(0));
    }

    #[test]
    fn the_live_bytes_are_those_of_the_trace(steps in prop::collection::vec((0_u64..12, 0_u64..3, 0_u64..90), 1..200)) {
        let mut live = std::collections::HashSet::new();
        let words = steps.into_iter().map(|(id, choice, size)| match (live.insert(id), choice) {
            (true, _) => format!("+{id}:{size}"),
            (false, 0) => format!("~{id}:{size}"),
            (false, _) => { live.remove(&id); format!("-{id}") }
        });
        let trace = trace(&words.collect::<Vec<_>>().join(" "));
        let lower_bound = lower_bound(&trace, SMALL);
        prop_assert_eq!(lower_bound.live, trace.requested_peak);
        prop_assert!(lower_bound.placed >= lower_bound.live);
    }
}

#[test]
fn too_little_work_leaves_holes_and_says_so() {
    let mut draws = Draws::new(5);
    let all = (0..2000).map(|number| block(number, number + draws.between(1, 90) as u32, draws.between(1, 999), 1));
    let lifetimes = Lifetimes::new(all.collect());
    let coarse = place(&lifetimes, PlacementEffort { work: 1, ..PlacementEffort::QUICK });
    assert!(coarse.is_coarse && coarse.placement.footprint > lifetimes.live());
    let fine = place(&lifetimes, PlacementEffort::QUICK);
    assert!(!fine.is_coarse && fine.placement.footprint < coarse.placement.footprint);
}

/// A real problem; says that it is left out where it is not there.
fn offline(name: &str, effort: PlacementEffort) -> Option<LowerBound> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/alloc/offline").join(name);
    if !path.exists() {
        eprintln!("left out: {} is not there", path.display());
        return None;
    }
    let mut packer = Packer::default();
    let imported = heapsmith_import::import(&path, None, false, &mut packer).unwrap_or_else(|error| panic!("{error}"));
    assert!(imported.is_some(), "{name} is recognised by its content");
    Some(lower_bound(&packer.finish_as(name.to_owned()), effort))
}

#[test]
#[ignore = "takes a minute and a half: `cargo xtask nightly whole`"]
fn buffers_of_neural_networks_are_placed_near_their_live_bytes() {
    // Peak live bytes, and the most above them, in hundredths of a percent.
    for (name, live, above) in [
        ("somas_tensors-resnet50.csv", 1_515_472_556, 30),
        ("iopddl-G_1.csv", 3_030_937_746, 0),
        ("somas_tensors-pangu_2.6B.csv.xz", 5_530_099_775, 350),
        ("iopddl-Y_1.csv.xz", 497_261_190_115, 60),
    ] {
        let Some(lower_bound) = offline(name, PlacementEffort { work: 200_000_000, ..PlacementEffort::QUICK }) else {
            continue;
        };
        assert_eq!(lower_bound.live, Bytes(live), "{name}");
        assert!(
            !lower_bound.is_coarse && lower_bound.fragmentation() * 1e4 <= f64::from(above),
            "{name}: {lower_bound:?}"
        );
    }
}

#[test]
fn the_hard_problems_of_minimalloc_are_placed_within_their_capacity() {
    // Some of them where not everything is tried, as `cargo xtask nightly` does.
    let every = if std::env::var_os("HEAPSMITH_WHOLE").is_some() { 1 } else { 4 };
    for letter in ('A'..='K').step_by(every) {
        let effort = PlacementEffort { work: 400_000_000, target: 1_048_576, ..PlacementEffort::QUICK };
        let Some(lower_bound) = offline(&format!("minimalloc-{letter}.csv"), effort) else { continue };
        println!("{letter}: {} steps by {}", lower_bound.work, lower_bound.method);
        assert!(lower_bound.placed <= Bytes(1_048_576), "{letter}: {lower_bound:?}");
    }
}

#[test]
fn a_target_is_enough_and_a_stopped_search_has_a_placement() {
    let mut draws = Draws::new(9);
    let all = (0..300).map(|number| block(number, number + draws.between(1, 60) as u32, draws.between(1, 999), 1));
    let lifetimes = Lifetimes::new(all.collect());
    let lowest = place(&lifetimes, PlacementEffort::QUICK);
    let target = lowest.placement.footprint * 5 / 4;
    let enough = place(&lifetimes, PlacementEffort { target, ..PlacementEffort::QUICK });
    assert!(enough.placement.footprint <= target && enough.work < lowest.work, "{enough:?}");
    assert_eq!(enough.min, lifetimes.live());
    let stopped = place_until(&lifetimes, PlacementEffort::QUICK, &AtomicBool::new(true));
    assert_eq!(verify(&lifetimes, &stopped.placement.offsets, stopped.placement.footprint), Ok(()));
}
