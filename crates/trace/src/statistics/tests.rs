use super::*;
use crate::{Action, Event, Origin};

fn trace(actions: &[(u64, Action)]) -> Trace {
    let mut trace = Trace::new(Origin::new("test", ""));
    trace.events = actions.iter().map(|&(t, a)| Event::at(t, a)).collect();
    trace
}

fn allocate(id: u64, size: u64) -> Action {
    Action::Allocate { id, size: Bytes(size), alignment: 0 }
}

fn example() -> Trace {
    trace(&[
        (0, allocate(1, 66)),
        (10, allocate(2, 1514)),
        (20, allocate(3, 66)),
        (30, Action::Free { id: 2 }),
        (40, Action::Reallocate { id: 1, size: Bytes(100) }),
        (50, Action::Free { id: 1 }),
    ])
}

#[test]
fn totals_and_peak() {
    let statistics = Statistics::of(&example()).unwrap();
    assert_eq!(statistics.events, 6);
    assert_eq!((statistics.allocations, statistics.frees, statistics.reallocations), (3, 2, 1));
    assert_eq!(statistics.requested_total, Bytes(66 + 1514 + 66 + 100));
    assert_eq!(statistics.requested_peak, Bytes(66 + 1514 + 66));
    assert_eq!((statistics.peak_event, statistics.blocks_peak), (3, 3));
    assert_eq!((statistics.blocks_left, statistics.bytes_left), (1, Bytes(66)));
    assert_eq!(statistics.duration, Nanoseconds(50));
    assert_eq!(statistics.threads, 1);
}

#[test]
fn sizes_come_by_popularity_then_size() {
    let statistics = Statistics::of(&example()).unwrap();
    let sizes: Vec<(u64, u64)> = statistics.sizes.iter().map(|s| (s.size.0, s.count)).collect();
    assert_eq!(sizes, [(66, 2), (100, 1), (1514, 1)]);
    assert_eq!(statistics.distinct_sizes(), 3);
    assert_eq!(statistics.top_share(2), 0.75);
    assert_eq!(statistics.top_share(99), 1.0);
}

#[test]
fn lifetimes_count_freed_blocks_only() {
    let lifetimes = Statistics::of(&example()).unwrap().lifetimes;
    assert_eq!(lifetimes.blocks, 2);
    assert_eq!((lifetimes.events.min, lifetimes.events.max), (2, 5));
    assert_eq!((lifetimes.time.p50, lifetimes.time.p90), (Nanoseconds(20), Nanoseconds(50)));
}

#[test]
fn an_empty_trace_has_statistics_too() {
    let statistics = Statistics::of(&trace(&[])).unwrap();
    assert_eq!((statistics.requested_peak, statistics.peak_event), (Bytes(0), 0));
    assert_eq!(statistics.top_share(2), 0.0);
    assert_eq!(LiveCurve::of(&trace(&[]), 10).unwrap().points, []);
}

#[test]
fn the_curve_keeps_spikes_and_the_end() {
    let mut actions = Vec::new();
    for id in 0..1000 {
        actions.push((id * 2, allocate(id, if id == 500 { 10_000 } else { 10 })));
        actions.push((id * 2 + 1, Action::Free { id }));
    }
    let trace = trace(&actions);
    let curve = LiveCurve::of(&trace, 16).unwrap();
    assert!(curve.points.len() <= 17);
    let highest = curve.points.iter().map(|point| point.live).max();
    assert_eq!(highest, Some(Bytes(10_000)));
    let end = curve.points.last().unwrap();
    assert_eq!((end.event, end.live, end.blocks), (1999, Bytes(0), 0));
    assert!(curve.points.is_sorted_by_key(|point| point.event));
}

#[test]
fn what_no_heap_could_serve_is_an_error() {
    let bad = trace(&[(0, Action::Free { id: 1 })]);
    assert!(Statistics::of(&bad).is_err());
    assert!(LiveCurve::of(&bad, 10).is_err());
}
