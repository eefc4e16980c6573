//! A recording as traces that follow each other.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use heapsmith_output::Output;
use heapsmith_recording::{Recorded, Recording, Remarks, Rotation, decode};
use heapsmith_trace::{Action, Event, PackedTrace, Trace};

use super::programs::Bench;

/// What lives where a trace ends, by id: its size.
fn living(trace: &Trace) -> BTreeMap<u64, u64> {
    let mut live = BTreeMap::new();
    for event in &trace.events {
        match event.action {
            Action::Allocate { id, size, .. } | Action::Reallocate { id, size } => drop(live.insert(id, size.0)),
            Action::Free { id } => drop(live.remove(&id)),
            Action::Mark { .. } => {}
        }
    }
    live
}

/// Whether an event is an allocation of the program `threads`, but for those of its reallocations.
fn is_large(event: &Event) -> bool {
    matches!(event.action, Action::Allocate { size, .. } if (2000..5000).contains(&size.0))
}

/// Bytes of a recording that become a trace.
const SIZE: u64 = 1 << 19;

/// Traces of a program that runs, made whenever its recording has grown, until it ends or there are enough.
struct Rotated {
    bench: Bench,
    parts: Vec<(Recorded, Trace)>,
    rotation: Option<Rotation>,
    file: PathBuf,
}

impl Rotated {
    fn of(source: &str, enough: usize) -> Rotated {
        let bench = Bench::new();
        let program = bench.compile(source);
        let mut child = bench.start_with_sites(&[program], 2);
        let (mut rotation, mut parts): (Option<Rotation>, Vec<_>) = (None, Vec::new());
        loop {
            let runs = child.try_wait().expect("it runs").is_none();
            if rotation.is_none() {
                rotation = bench.files().first().and_then(|file| Rotation::open(file).ok());
            }
            let due = rotation.as_mut().filter(|rotation| rotation.grown().expect("a file") > SIZE);
            // What came faster than it was looked at is cut where blocks of the file were written.
            if let Some(rotation) = due.filter(|_| parts.len() < enough) {
                let to = bench.path().join(format!("{}.parquet", parts.len()));
                let output = Output::create_new(&to).expect("a file");
                let recorded = rotation.rotate(SIZE, output, |_, _| {}).expect("a trace");
                parts.push((recorded, Trace::read(to).expect("a trace")));
            } else if !runs {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        child.wait().expect("it ended");
        let file = bench.files().remove(0);
        Rotated { bench, parts, rotation, file }
    }
}

#[test]
fn each_trace_begins_with_what_the_one_before_left() {
    let Rotated { bench, mut parts, rotation, file } = Rotated::of("threads.c", usize::MAX);
    let taken = file.metadata().expect("a file");
    assert!(taken.blocks() * 512 + (2 << 20) < taken.size(), "what is in traces is a hole: {taken:?}");
    let to = bench.path().join("last.parquet");
    let last = rotation.expect("it began").finish(Output::create_new(&to).expect("a file"), |_, _| {});
    parts.push((last.expect("a trace"), Trace::read(to).expect("a trace")));
    let (mut before, mut large, mut time) = (BTreeMap::new(), 0, 0);
    for (number, (recorded, trace)) in parts.iter().enumerate() {
        assert_eq!(recorded.remarks, Remarks::default(), "part {number}");
        let packed = PackedTrace::new(trace).expect("a trace that a heap can serve");
        assert_eq!((packed.events.len() as u64, packed.requested_peak), (recorded.events, recorded.live_peak));
        assert!(trace.origin.settings.contains(&("part".to_owned(), (number + 1).to_string())));
        let (begins, goes_on) = trace.events.split_at(before.len());
        let begins: BTreeMap<u64, u64> = begins
            .iter()
            .map(|event| match event.action {
                Action::Allocate { id, size, .. } => (id, size.0),
                other => panic!("part {number} begins with {other:?}"),
            })
            .collect();
        assert_eq!(begins, before, "part {number}");
        assert!(goes_on.iter().all(|event| event.time.0 >= time), "time goes on in part {number}");
        time = trace.events.last().map_or(time, |last| last.time.0);
        let named = goes_on.iter().filter(|event| is_large(event)).all(|event| {
            event.site.is_some_and(|site| trace.sites.get(site as usize).is_some_and(|name| name.contains("threads+")))
        });
        assert!(named, "sites have their names in part {number}");
        large += goes_on.iter().filter(|event| is_large(event)).count();
        before = living(trace);
    }
    assert_eq!(large, 240_000, "in {} parts", parts.len());
    assert!(before.values().all(|&size| !(2000..5000).contains(&size)), "all was freed: {before:?}");
}

/// A heapsmith that is killed leaves the traces that it made, and a recording of what came after them.
#[test]
fn what_no_trace_has_yet_is_in_the_recording() {
    let Rotated { bench: _bench, parts, rotation, file } = Rotated::of("threads.c", 3);
    drop(rotation);
    let recorded = Recording::open(&file).and_then(|recording| decode(&recording)).expect("a good recording");
    PackedTrace::new(&recorded.trace).expect("a trace that a heap can serve");
    // Frees whose early stamps let them seem those of the blocks before are in the traces, and their blocks are here.
    assert!(recorded.remarks.resumed && recorded.remarks.missed_frees <= 20, "{:?}", recorded.remarks);
    let before: Vec<usize> = parts.iter().map(|(_, trace)| living(trace).len()).collect();
    let begun = std::iter::once(0).chain(before);
    let parts = parts.iter().zip(begun).map(|((_, trace), begun)| &trace.events[begun..]);
    let large = |events: &[Event]| events.iter().filter(|event| is_large(event)).count();
    let all: usize = parts.map(large).sum::<usize>() + large(&recorded.trace.events);
    // Some events were read and in no trace yet.
    assert!((239_000..=240_000).contains(&all), "{all}");
    assert!(recorded.trace.events.first().is_none_or(|first| first.time.0 > 0), "its time goes on");
}
