use proptest::prelude::*;

use super::*;
use crate::{Action, Event, PackedTrace, Trace};

/// A trace written as `+id:size`, `~id:size`, `-id`; one event a millisecond, on thread id % 2.
fn trace(text: &str) -> Trace {
    let mut trace = Trace::default();
    for (index, word) in text.split_whitespace().enumerate() {
        let (kind, rest) = word.split_at(1);
        let (id, size) = rest.split_once(':').unwrap_or((rest, "0"));
        let (id, size) = (id.parse().unwrap(), Bytes(size.parse().unwrap()));
        let action = match kind {
            "+" => Action::Allocate { id, size, alignment: 0 },
            "~" => Action::Reallocate { id, size },
            _ => Action::Free { id },
        };
        trace.events.push(Event { thread: (id % 2) as u32, ..Event::at(index as u64 * 1_000_000, action) });
    }
    trace
}

fn text(trace: &Trace) -> String {
    let words = trace.events.iter().map(|event| match event.action {
        Action::Allocate { id, size, .. } => format!("+{id}:{}", size.0),
        Action::Reallocate { id, size } => format!("~{id}:{}", size.0),
        Action::Free { id } => format!("-{id}"),
        Action::Mark { label } => format!("!{label}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn through(transforms: &Transforms, trace: &Trace) -> Trace {
    let mut out = Trace::default();
    trace.send(&mut *transforms.before(&mut out)).unwrap();
    out
}

fn sliced(slice: &str, given: &str) -> String {
    let transforms = Transforms { slice: Some(slice.parse().unwrap()), ..Transforms::default() };
    text(&through(&transforms, &trace(given)))
}

const PROGRAM: &str = "+1:10 +2:20 +3:30 -2 ~1:40 +4:50 -1 -3 -4";

#[test]
fn a_slice_begins_with_the_blocks_that_live_then() {
    assert_eq!(sliced("5..", PROGRAM), "+1:40 +3:30 +4:50 -1 -3 -4");
    assert_eq!(sliced("5..7", PROGRAM), "+1:40 +3:30 +4:50 -1");
    assert_eq!(sliced("..3", PROGRAM), "+1:10 +2:20 +3:30");
    assert_eq!(sliced("3ms..5ms", PROGRAM), "+1:10 +2:20 +3:30 -2 ~1:40");
    assert_eq!(sliced("0.000003s..3", PROGRAM), "+1:10 +2:20 +3:30");
    assert_eq!(sliced("99..", PROGRAM), "");
    let transforms = Transforms { slice: Some("5..6".parse().unwrap()), ..Transforms::default() };
    let times: Vec<u64> = through(&transforms, &trace(PROGRAM)).events.iter().map(|event| event.time.0).collect();
    assert_eq!(times, [5_000_000; 3]);
}

#[test]
fn slices_are_written_as_people_think() {
    for (text, shown) in [("..100_000", "..100000"), ("1.5s..2min", "1500000000ns..120000000000ns"), ("7..", "7..")] {
        assert_eq!(text.parse::<Slice>().unwrap().to_string(), shown);
    }
    for text in ["", "7", "7..7", "9..7", "2s..1s", "..0", "a..b", "-1..3", "1 fortnight..", "1e99s.."] {
        assert!(text.parse::<Slice>().is_err(), "{text}");
    }
    insta::assert_snapshot!("3..soon".parse::<Slice>().unwrap_err());
}

#[test]
fn a_full_slice_stops_its_source() {
    let transforms = Transforms { slice: Some(Slice::first(2)), ..Transforms::default() };
    let mut out = Trace::default();
    let mut chain = transforms.before(&mut out);
    let events = trace(PROGRAM).events;
    chain.take(events[0]).unwrap();
    assert!(!chain.is_full());
    chain.take(events[1]).unwrap();
    assert!(chain.is_full());
}

/// Counts what a sink gets besides events, and takes a number of them.
#[derive(Default)]
struct Told {
    sites: Vec<String>,
    labels: Vec<String>,
    ends: u32,
    room: usize,
}

impl crate::Sink for Told {
    fn take(&mut self, _: Event) -> Result<(), crate::TraceError> {
        self.room = self.room.saturating_sub(1);
        Ok(())
    }

    fn name_site(&mut self, name: &str) {
        self.sites.push(name.to_owned());
    }

    fn name_label(&mut self, text: &str) {
        self.labels.push(text.to_owned());
    }

    fn is_full(&self) -> bool {
        self.room == 0
    }

    fn end(&mut self) -> Result<(), crate::TraceError> {
        self.ends += 1;
        Ok(())
    }
}

#[test]
fn what_is_told_beside_events_comes_through_every_transform() {
    let mut program = trace(PROGRAM);
    program.sites = vec!["here".to_owned(), "there".to_owned()];
    program.labels = vec!["now".to_owned()];
    for transforms in [
        Transforms { slice: Some("2..8".parse().unwrap()), ..Transforms::default() },
        Transforms { threads: vec![0, 1], ..Transforms::default() },
        Transforms { copies: 2, ..Transforms::default() },
        Transforms { gc_every: Some(Bytes(20)), ..Transforms::default() },
    ] {
        let mut told = Told { room: 100, ..Told::default() };
        program.send(&mut *transforms.before(&mut told)).unwrap();
        let expected = (&program.sites, &program.labels, 1);
        assert_eq!((&told.sites, &told.labels, told.ends), expected, "{transforms:?}");
        let mut full = Told::default();
        assert!(transforms.before(&mut full).is_full(), "{transforms:?}");
    }
}

#[test]
fn a_thread_keeps_its_blocks_whichever_thread_frees_them() {
    let mut program = trace(PROGRAM);
    program.events[7].thread = 0;
    let transforms = Transforms { threads: vec![1], ..Transforms::default() };
    assert_eq!(text(&through(&transforms, &program)), "+1:10 +3:30 ~1:40 -1 -3");
}

#[test]
fn copies_come_side_by_side_on_threads_of_their_own() {
    let transforms = Transforms { copies: 2, ..Transforms::default() };
    let doubled = through(&transforms, &trace("+1:10 -1 +1:20"));
    assert_eq!(text(&doubled), "+0:10 +1:10 -0 -1 +0:20 +1:20");
    let threads: Vec<u32> = doubled.events.iter().map(|event| event.thread).collect();
    assert_eq!(threads, [2, 3, 2, 3, 2, 3]);
}

#[test]
fn more_copies_than_a_trace_can_hold_are_refused() {
    let program = trace("+1:10 -1");
    let mut out = Trace::default();
    let transforms = Transforms { copies: u32::MAX, ..Transforms::default() };
    let error = program.send(&mut *transforms.before(&mut out)).unwrap_err();
    assert_eq!(error.to_string(), "event 1: more than 10,000 copies of a trace");
    assert!(out.events.is_empty());
}

#[test]
fn a_collection_frees_the_dead_in_a_burst() {
    let transforms = Transforms { gc_every: Some(Bytes(60)), ..Transforms::default() };
    // Ids are new, as an id may come again before its block is collected.
    let collected = through(&transforms, &trace("+7:30 -7 +7:20 +8:10 -8 ~7:30 +9:10 -9 -7"));
    assert_eq!(text(&collected), "+0:30 +2:20 +3:10 -0 -3 ~2:30 +6:10 -6 -2");
}

#[test]
fn transforms_that_meet_what_is_not_live_refuse_it() {
    for transforms in [
        Transforms { slice: Some("9..".parse().unwrap()), ..Transforms::default() },
        Transforms { copies: 3, ..Transforms::default() },
        Transforms { gc_every: Some(Bytes(5)), ..Transforms::default() },
    ] {
        for bad in ["-1", "~1:5", "+1:1 +1:1", "+1:1 -1 -1"] {
            let mut out = Trace::default();
            assert!(trace(bad).send(&mut *transforms.before(&mut out)).is_err(), "{transforms:?} {bad}");
        }
    }
}

/// A random legal program over few ids.
fn program() -> impl Strategy<Value = Trace> {
    proptest::collection::vec((0_u64..8, 0_u64..3, 0_u64..100), 1..120).prop_map(|steps| {
        let mut live = std::collections::HashSet::new();
        let words = steps.into_iter().map(|(id, choice, size)| match (live.contains(&id), choice) {
            (false, _) => {
                live.insert(id);
                format!("+{id}:{size}")
            }
            (true, 0) => format!("~{id}:{size}"),
            (true, _) => {
                live.remove(&id);
                format!("-{id}")
            }
        });
        trace(&words.collect::<Vec<_>>().join(" "))
    })
}

proptest! {
    #[test]
    fn whatever_comes_out_is_a_valid_trace(
        program in program(),
        slice in proptest::option::of((0_u64..100, 1_u64..100)),
        thread in proptest::option::of(0_u32..2),
        copies in 0_u32..4,
        gc_every in proptest::option::of(1_u64..500),
    ) {
        let slice = slice.map(|(from, length)| format!("{from}..{}", from + length).parse().unwrap());
        let transforms =
            Transforms { slice, threads: thread.into_iter().collect(), copies, gc_every: gc_every.map(Bytes), ..Transforms::default() };
        let out = through(&transforms, &program);
        let packed = PackedTrace::new(&out).unwrap();
        if copies > 1 && gc_every.is_none() {
            let single = PackedTrace::new(&through(&Transforms { copies: 1, ..transforms }, &program)).unwrap();
            prop_assert_eq!(packed.requested_peak.0, single.requested_peak.0 * u64::from(copies));
            prop_assert_eq!(packed.slots, single.slots * copies as usize);
        }
    }

    #[test]
    fn a_slice_has_the_live_bytes_of_its_place(program in program(), from in 1_u64..60) {
        let transforms = Transforms { slice: Some(format!("{from}..").parse().unwrap()), ..Transforms::default() };
        let whole = crate::LiveCurve::of(&program, usize::MAX).unwrap();
        let slice = crate::LiveCurve::of(&through(&transforms, &program), usize::MAX).unwrap();
        let rest = whole.points.iter().skip(from as usize).map(|point| point.live);
        let tail: Vec<Bytes> = slice.points.iter().map(|point| point.live).collect();
        let rest: Vec<Bytes> = rest.collect();
        prop_assert_eq!(&tail[tail.len() - rest.len()..], &rest[..]);
    }
}

#[test]
fn a_heap_that_is_full_is_collected() {
    let collected = |heap, given: &str| {
        let transforms = Transforms { heap: Some(Bytes(heap)), ..Transforms::default() };
        text(&through(&transforms, &trace(given)))
    };
    let program = "+1:30 -1 +2:20 -2 +3:40 +4:10 -3 +5:60 -4 -5";
    // 30 dead, 20 dead and 40 live fill 90; 10 more do not fit.
    assert_eq!(collected(99, program), "+0:30 +2:20 +4:40 -0 -2 +5:10 -4 +7:60 -5 -7");
    assert_eq!(collected(100, program), "+0:30 +2:20 +4:40 +5:10 -0 -2 -4 +7:60 -5 -7");
    // What lives does not fit: as the program frees, one request late.
    assert_eq!(collected(1, program), "+0:30 -0 +2:20 -2 +4:40 +5:10 -4 +7:60 -5 -7");
    assert_eq!(collected(50, "+1:20 ~1:10 -1 +2:20 +3:30"), "+0:20 ~0:10 +3:20 -0 +4:30");
}
