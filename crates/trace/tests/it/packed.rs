//! The packed form of a trace against a plain model of live blocks.

use std::collections::BTreeMap;

use heapsmith_trace::{
    Action, Bytes, Comparison, Event, LARGEST_REQUEST, Operation, Origin, PackedTrace, Trace, TraceError,
};
use proptest::prelude::*;

fn trace(actions: impl IntoIterator<Item = Action>) -> Trace {
    let mut trace = Trace::new(Origin::new("test", ""));
    let actions = actions.into_iter().enumerate();
    trace.events = actions.map(|(t, a)| Event::at(t as u64, a)).collect();
    trace
}

fn allocate(id: u64, size: u64) -> Action {
    Action::Allocate { id, size: Bytes(size), alignment: 0 }
}

/// A random legal program: ids come from a small set, so they are used again.
fn program() -> impl Strategy<Value = Trace> {
    proptest::collection::vec((0u64..12, 0u64..3, 0u64..3000, 0u32..13), 0..400).prop_map(|steps| {
        let mut live = BTreeMap::new();
        trace(steps.into_iter().map(|(id, choice, size, shift)| match (live.contains_key(&id), choice) {
            (false, 2) => Action::Mark { label: 0 },
            (false, _) => {
                live.insert(id, ());
                Action::Allocate { id, size: Bytes(size), alignment: if shift == 0 { 0 } else { 1 << shift } }
            }
            (true, 0) => Action::Reallocate { id, size: Bytes(size) },
            (true, _) => {
                live.remove(&id);
                Action::Free { id }
            }
        }))
    })
}

proptest! {
    #[test]
    fn slots_are_used_legally_and_are_as_few_as_can_be(trace in program()) {
        let packed = PackedTrace::new(&trace).unwrap();
        let mut table: Vec<Option<u64>> = vec![None; packed.slots];
        let (mut max, mut live, mut peak, mut total) = (0, 0, 0, 0);
        for event in &packed.events {
            let slot = &mut table[event.slot as usize];
            total += event.size;
            match event.operation {
                Operation::Allocate => {
                    prop_assert_eq!(slot.replace(event.size), None);
                    live += event.size;
                }
                Operation::Free => {
                    prop_assert_eq!(event.size, 0);
                    live -= slot.take().expect("a free of an empty slot");
                }
                Operation::Reallocate => {
                    live -= slot.replace(event.size).expect("an empty slot reallocated");
                    live += event.size;
                }
            }
            peak = peak.max(live);
            max = max.max(table.iter().flatten().count());
        }
        prop_assert_eq!(packed.slots, max);
        prop_assert_eq!(packed.requested_peak, Bytes(peak));
        prop_assert_eq!(packed.requested_total, Bytes(total));
        prop_assert_eq!(packed.allocations + packed.frees + packed.reallocations, packed.events.len() as u64);
    }

    #[test]
    fn packing_keeps_operations_sizes_and_alignments(trace in program()) {
        let packed = PackedTrace::new(&trace).unwrap();
        let actions = trace.events.iter().map(|event| event.action);
        let wanted: Vec<_> = actions.filter_map(|action| match action {
            Action::Allocate { size, alignment, .. } => Some((Operation::Allocate, size.0, alignment.max(1))),
            Action::Free { .. } => Some((Operation::Free, 0, 1)),
            Action::Reallocate { size, .. } => Some((Operation::Reallocate, size.0, 1)),
            Action::Mark { .. } => None,
        }).collect();
        let packed: Vec<_> = packed.events.iter().map(|e| (e.operation, e.size, e.alignment())).collect();
        prop_assert_eq!(packed, wanted);
    }

    #[test]
    fn the_fingerprint_depends_on_what_a_heap_sees_only(trace in program(), extra in 0u64..2) {
        let mut renamed = trace.clone();
        for event in &mut renamed.events {
            event.time.0 += extra;
            match &mut event.action {
                Action::Allocate { id, .. } | Action::Free { id } | Action::Reallocate { id, .. } => *id += 1000,
                Action::Mark { .. } => {}
            }
        }
        let fingerprint = PackedTrace::new(&trace).unwrap().fingerprint;
        prop_assert_eq!(PackedTrace::new(&renamed).unwrap().fingerprint, fingerprint);
        renamed.events.push(Event::at(0, allocate(5000, 1)));
        prop_assert_ne!(PackedTrace::new(&renamed).unwrap().fingerprint, fingerprint);
    }

    #[test]
    fn a_comparison_is_of_the_events_and_of_how_many(trace in program(), other in program(), cut in 0usize..400) {
        let packed = PackedTrace::new(&trace).unwrap();
        let is_same = |trace: &Trace| {
            let mut comparison = Comparison::with(&packed);
            trace.send(&mut comparison).unwrap();
            comparison.is_same()
        };
        prop_assert!(is_same(&trace));
        let mut shorter = trace.clone();
        shorter.events.truncate(cut);
        for changed in [other, shorter] {
            prop_assert_eq!(is_same(&changed), PackedTrace::new(&changed).unwrap().events == packed.events);
        }
    }
}

#[test]
fn the_fingerprint_never_changes_between_versions() {
    let packed = PackedTrace::new(&trace([allocate(1, 66), Action::Free { id: 1 }])).unwrap();
    assert_eq!(format!("{:016x}", packed.fingerprint), "08618f0af1d0ebdd");
}

fn refusal(actions: &[Action]) -> TraceError {
    PackedTrace::new(&trace(actions.iter().copied())).unwrap_err()
}

#[test]
fn what_no_heap_could_serve_is_refused_by_number_and_cause() {
    let free = Action::Free { id: 7 };
    let grow = |size| Action::Reallocate { id: 7, size: Bytes(size) };
    let error = refusal(&[allocate(1, 1), free]);
    assert!(matches!(error, TraceError::UnknownFree { record: 2, id: 7 }));
    let error = refusal(&[allocate(7, 1), free, free]);
    assert!(matches!(error, TraceError::DoubleFree { record: 3, id: 7 }));
    let error = refusal(&[allocate(7, 1), allocate(7, 1)]);
    assert!(matches!(error, TraceError::LiveAllocate { record: 2, id: 7 }));
    let error = refusal(&[grow(5)]);
    assert!(matches!(error, TraceError::UnknownReallocate { record: 1, id: 7 }));
    let error = refusal(&[allocate(7, 1), grow(LARGEST_REQUEST.0 + 1)]);
    assert!(matches!(error, TraceError::TooLarge { record: 2, .. }));
    let error = refusal(&[Action::Allocate { id: 1, size: Bytes(1), alignment: 24 }]);
    assert!(matches!(error, TraceError::BadAlignment { record: 1, alignment: 24 }));
}

#[test]
fn a_sum_that_does_not_fit_is_refused_not_wrapped() {
    let many: Vec<Action> = (0..257).map(|id| allocate(id, LARGEST_REQUEST.0)).collect();
    assert!(matches!(refusal(&many), TraceError::TooMuch { record: 256, .. }));
}

#[test]
fn an_id_may_be_used_again_after_its_free() {
    let free = Action::Free { id: 7 };
    let packed = PackedTrace::new(&trace([allocate(7, 1), free, allocate(7, 2), free])).unwrap();
    assert_eq!((packed.slots, packed.requested_peak), (1, Bytes(2)));
}
