use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::{LARGEST_REQUEST, Slice, Trace, Transforms};

/// Events of a random legal program over few ids, which come again, with a mark here and there.
fn program() -> impl Strategy<Value = Vec<Event>> {
    proptest::collection::vec((0_u64..8, 0_u64..8, 0_u64..200), 1..150).prop_map(|steps| {
        let mut live = std::collections::HashSet::new();
        let event = |(index, (id, choice, size)): (usize, (u64, u64, u64))| {
            let size = Bytes(size);
            let action = match (live.contains(&id), choice) {
                (_, 7) => Action::Mark { label: 0 },
                (false, _) => {
                    live.insert(id);
                    Action::Allocate { id, size, alignment: if choice == 1 { 64 } else { 0 } }
                }
                (true, 0 | 1) => Action::Reallocate { id, size },
                (true, _) => {
                    live.remove(&id);
                    Action::Free { id }
                }
            };
            Event::at(index as u64 * 10, action)
        };
        steps.into_iter().enumerate().map(event).collect()
    })
}

fn how() -> impl Strategy<Value = Perturbation> {
    let share = (1_u32..=100).prop_map(Share::percent);
    let jitter = prop_oneof![
        share.clone().prop_map(Jitter::Requests),
        share.clone().prop_map(Jitter::Sizes),
        any::<i32>().prop_map(Jitter::Bytes),
    ];
    let cuts = (2_u32..20).prop_map(Cuts::Parts);
    (proptest::option::of(jitter), proptest::option::of(share.prop_map(Stretch)), proptest::option::of(cuts))
        .prop_map(|(jitter, stretch, shuffle)| Perturbation { jitter, stretch, shuffle })
}

fn packed(events: &[Event]) -> PackedTrace {
    let trace = Trace { events: events.to_vec(), ..Trace::default() };
    PackedTrace::new(&trace).unwrap()
}

/// What each block goes through, without when, by the requests alone.
fn fates(events: Vec<Event>) -> HashMap<Vec<Action>, usize> {
    let mut blocks: HashMap<u64, Vec<Action>> = HashMap::new();
    for event in named_anew(events).unwrap() {
        let (Action::Allocate { id, .. } | Action::Free { id } | Action::Reallocate { id, .. }) = event.action else {
            continue;
        };
        blocks.entry(id).or_default().push(event.action.of_block(0));
    }
    let mut fates = HashMap::new();
    blocks.into_values().for_each(|fate| *fates.entry(fate).or_default() += 1);
    fates
}

fn sizes(events: &[Event]) -> Vec<u64> {
    let size = |event: &Event| match event.action {
        Action::Allocate { size, .. } | Action::Reallocate { size, .. } => Some(size.0),
        _ => None,
    };
    events.iter().filter_map(size).collect()
}

proptest! {
    #[test]
    fn a_perturbed_trace_is_valid_and_of_as_many_events(events in program(), how in how(), seed in any::<u64>()) {
        let changed = how.apply(events.clone(), seed).unwrap();
        let (before, after) = (packed(&events), packed(&changed));
        prop_assert_eq!(
            (after.allocations, after.frees, after.reallocations),
            (before.allocations, before.frees, before.reallocations)
        );
        prop_assert_eq!(changed.len(), events.len());
        prop_assert!(changed.windows(2).all(|pair| pair[0].time <= pair[1].time), "time never goes back");
        prop_assert_eq!(how.apply(events, seed).unwrap(), changed);
        let again = perturb(&before, how, seed);
        prop_assert_eq!(again.allocations, before.allocations);
        prop_assert_eq!(&perturb(&before, how, seed), &again);
    }

    #[test]
    fn times_and_orders_change_and_what_blocks_ask_for_does_not(
        events in program(), share in 1_u32..=100, parts in 2_u32..20, seed in any::<u64>(),
    ) {
        let how = Perturbation { jitter: None, stretch: Some(Stretch(Share::percent(share))), shuffle: Some(Cuts::Parts(parts)) };
        prop_assert_eq!(fates(how.apply(events.clone(), seed).unwrap()), fates(events));
    }

    #[test]
    fn sizes_stay_within_their_share(events in program(), percent in 1_u32..=100, each in any::<bool>(), seed in any::<u64>()) {
        let share = Share::percent(percent);
        let jitter = if each { Jitter::Requests(share) } else { Jitter::Sizes(share) };
        let changed = Perturbation { jitter: Some(jitter), ..Perturbation::default() }.apply(events.clone(), seed).unwrap();
        let mut became = HashMap::new();
        for (old, new) in sizes(&events).into_iter().zip(sizes(&changed)) {
            prop_assert!(old.abs_diff(new) as f64 <= old as f64 * share.value(), "{old} became {new}");
            prop_assert_eq!(old == 0, new == 0);
            let same = *became.entry(old).or_insert(new) == new;
            prop_assert!(each || same, "{} became two sizes", old);
        }
        let kept = |event: &Event| match event.action {
            Action::Allocate { id, alignment, .. } => Action::Allocate { id, size: Bytes(0), alignment },
            Action::Reallocate { id, .. } => Action::Reallocate { id, size: Bytes(0) },
            other => other,
        };
        let before: Vec<_> = named_anew(events).unwrap().iter().map(kept).collect();
        prop_assert_eq!(changed.iter().map(kept).collect::<Vec<_>>(), before);
    }

    #[test]
    fn a_stretched_lifetime_is_between_half_and_twice(length in 1_usize..1_000_000, seed in any::<u64>()) {
        let stretched = stretch::stretched(length, &mut Draws::new(seed));
        prop_assert!(stretched >= length / 2 && stretched <= 2 * length, "{length} became {stretched}");
    }
}

use crate::Draws;

/// Blocks of one segment only: ids by segment, times by place.
fn segments(of: &[u64]) -> Vec<Event> {
    let block = |(place, &id): (usize, &u64)| {
        let size = Bytes(id);
        [Action::Allocate { id, size, alignment: 0 }, Action::Free { id }].map(|action| Event::at(place as u64, action))
    };
    of.iter().enumerate().flat_map(block).collect()
}

#[test]
fn segments_change_places_whole() {
    let events = segments(&[1, 1, 2, 2, 3, 3, 4, 4]);
    let how = Perturbation { shuffle: Some(Cuts::Parts(4)), ..Perturbation::default() };
    let orders: Vec<Vec<u64>> = (0..20).map(|seed| sizes(&how.apply(events.clone(), seed).unwrap())).collect();
    for order in &orders {
        assert!(order.chunks(2).all(|segment| segment[0] == segment[1]), "{order:?}");
    }
    assert!(orders.iter().any(|order| *order != orders[0]), "seeds differ");
}

#[test]
fn blocks_across_cuts_stay_as_far_along_as_they_were() {
    let long = |action| vec![Event::at(0, action)];
    let mut events = long(Action::Allocate { id: 99, size: Bytes(99), alignment: 0 });
    events.extend(segments(&[1, 1, 1]));
    events.extend(segments(&[2, 2]));
    events.extend(long(Action::Reallocate { id: 99, size: Bytes(98) }));
    events.extend(segments(&[2]));
    events.extend(segments(&[3, 3, 3]));
    events.extend(long(Action::Free { id: 99 }));
    assert_eq!(events.len(), 21);
    let how = Perturbation { shuffle: Some(Cuts::Parts(3)), ..Perturbation::default() };
    for seed in 0..30 {
        let changed = how.apply(events.clone(), seed).unwrap();
        let inner: Vec<u64> = sizes(&changed).into_iter().filter(|&size| size < 90).collect();
        assert!(inner.chunks(3).all(|segment| segment.iter().all(|size| *size == segment[0])), "{inner:?}");
        let first = changed.iter().position(|event| matches!(event.action, Action::Allocate { id: 0, .. })).unwrap();
        let middle = changed.iter().position(|event| matches!(event.action, Action::Reallocate { .. })).unwrap();
        let last = changed.iter().position(|event| matches!(event.action, Action::Free { id: 0 })).unwrap();
        assert!(first <= 1 && (10..=12).contains(&middle) && last >= 19, "{first} {middle} {last}");
    }
}

#[test]
fn marks_cut_and_begin_their_segments() {
    let mut events = Vec::new();
    for segment in 0..5 {
        events.push(Event::at(0, Action::Mark { label: segment }));
        events.extend(segments(&[u64::from(segment) + 1; 3]));
    }
    let how = Perturbation { shuffle: Some(Cuts::Marks), ..Perturbation::default() };
    let changed = how.apply(events, 3).unwrap();
    for segment in changed.chunks(7) {
        let Action::Mark { label } = segment[0].action else { panic!("{segment:?}") };
        assert_eq!(sizes(segment), [u64::from(label) + 1; 3]);
    }
    assert!(matches!(how.apply(segments(&[1, 2]), 3), Err(TraceError::NoMarks)));
    let trace = packed(&segments(&[1, 2]));
    let unchanged = perturb(&trace, Perturbation::default(), 3);
    assert_eq!(perturb(&trace, how, 3).fingerprint, unchanged.fingerprint);
}

#[test]
fn every_free_is_moved_by_a_whole_share_and_some_by_a_part() {
    let events: Vec<Event> = (0..400_u64)
        .map(|at| {
            Event::at(
                at,
                if at < 200 {
                    Action::Allocate { id: at, size: Bytes(8), alignment: 0 }
                } else {
                    Action::Free { id: at - 200 }
                },
            )
        })
        .collect();
    let moved = |percent| {
        let how = Perturbation { stretch: Some(Stretch(Share::percent(percent))), ..Perturbation::default() };
        let changed = how.apply(events.clone(), 5).unwrap();
        // Times say where a free is now; its id, where it was.
        changed.iter().filter(|event| matches!(event.action, Action::Free { id } if event.time.0 != id + 200)).count()
    };
    assert!((30..=70).contains(&moved(25)), "{}", moved(25));
    assert!(moved(100) > 180, "{}", moved(100));
}

#[test]
fn the_largest_request_stays_one() {
    let events = vec![Event::at(0, Action::Allocate { id: 0, size: LARGEST_REQUEST, alignment: 0 })];
    for seed in 0..20 {
        let how = Perturbation { jitter: Some(Jitter::Sizes(Share::percent(50))), ..Perturbation::default() };
        packed(&how.apply(events.clone(), seed).unwrap());
    }
}

#[test]
fn bytes_are_added_to_every_size_and_no_size_shrinks_below_its_half() {
    let ids = [48_u64, 40, 10, 1, 0].into_iter().enumerate();
    let allocate =
        |(id, size): (usize, u64)| Event::at(0, Action::Allocate { id: id as u64, size: Bytes(size), alignment: 0 });
    let events: Vec<Event> = ids.map(allocate).collect();
    let by = |bytes| Perturbation { jitter: Some(Jitter::Bytes(bytes)), ..Perturbation::default() };
    assert_eq!(sizes(&by(-8).apply(events.clone(), 1).unwrap()), [40, 32, 5, 1, 0]);
    assert_eq!(sizes(&by(8).apply(events, 1).unwrap()), [56, 48, 18, 9, 0]);
}

#[test]
fn perturbations_are_written_as_people_think() {
    assert_eq!("10%".parse::<Jitter>().unwrap().to_string(), "10%");
    assert_eq!("each=2.5%".parse::<Jitter>().unwrap().to_string(), "each=2.5%");
    assert_eq!(["+8", "-8"].map(|text| text.parse::<Jitter>().unwrap()), [8, -8].map(Jitter::Bytes));
    assert_eq!(["+8", "-8"].map(|text| text.parse::<Jitter>().unwrap().to_string()), ["+8", "-8"]);
    assert!("+0".parse::<Jitter>().is_err());
    assert_eq!("100%".parse::<Stretch>().unwrap(), Stretch(Share::percent(100)));
    assert_eq!(["marks", "8"].map(|text| text.parse::<Cuts>().unwrap()), [Cuts::Marks, Cuts::Parts(8)]);
    for text in ["10", "0%", "101%", "-3%", "ten%", ""] {
        assert!(text.parse::<Jitter>().is_err() && text.parse::<Stretch>().is_err(), "{text}");
    }
    for text in ["1", "0", "mark", ""] {
        assert!(text.parse::<Cuts>().is_err(), "{text}");
    }
}

#[test]
fn on_its_way_a_trace_is_perturbed_after_its_slice() {
    let trace = Trace { events: segments(&[1, 2, 3, 4, 5, 6]), labels: vec!["now".to_owned()], ..Trace::default() };
    let perturbation = Perturbation { shuffle: Some(Cuts::Parts(3)), ..Perturbation::default() };
    let transforms = Transforms { slice: Some(Slice::first(6)), perturbation, seed: 4, ..Transforms::default() };
    let mut out = Trace::default();
    trace.send(&mut *transforms.before(&mut out)).unwrap();
    assert_eq!(out.events, perturbation.apply(trace.events[..6].to_vec(), 4).unwrap());
    assert_eq!(out.labels, trace.labels);
    let settings: Vec<String> =
        transforms.settings().into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(settings, ["slice=..6", "shuffle=3", "perturb-seed=4"]);
}

#[test]
fn a_trace_has_no_more_parts_than_events() {
    let events = segments(&[1, 2, 3]);
    let shuffled = |parts| Perturbation { shuffle: Some(Cuts::Parts(parts)), ..Perturbation::default() };
    let each = shuffled(events.len() as u32).apply(events.clone(), 4).unwrap();
    assert_eq!(shuffled(u32::MAX).apply(events, 4).unwrap(), each);
}

#[test]
fn what_is_never_freed_stays_in_its_place() {
    let mut events = vec![Event::at(0, Action::Allocate { id: 99, size: Bytes(99), alignment: 0 })];
    events.extend(segments(&[1, 1]));
    for segment in [2, 3] {
        events.push(Event::at(0, Action::Mark { label: 0 }));
        events.extend(segments(&[segment; 2]));
    }
    let how = Perturbation { shuffle: Some(Cuts::Parts(3)), ..Perturbation::default() };
    for seed in 0..30 {
        let changed = how.apply(events.clone(), seed).unwrap();
        let is_it = |event: &Event| matches!(event.action, Action::Allocate { size: Bytes(99), .. });
        assert!(changed.iter().position(is_it).unwrap() <= 1, "{changed:?}");
    }
}
