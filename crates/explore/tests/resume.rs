//! An exploration is a function of its trace: interrupted or not, on one thread
//! or several, the table is the same.

use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_explore::{Exploration, Space, Store, Sweep, SweepError, measure_catalogue, sweep, write_csv};
use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Trace};

/// Packets of two popular sizes and many others, in a queue that fills and drains.
fn trace(seed: u64) -> PackedTrace {
    let mut trace = Trace::new(Origin::new("queue", ""));
    let mut state = seed;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut queue = std::collections::VecDeque::new();
    for id in 0..400 {
        let size = [66, 66, 1514, 1514, 40 + random(1400)][random(5) as usize];
        trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
        queue.push_back(id);
        while queue.len() as u64 > 8 + random(30) {
            let oldest = queue.pop_front().expect("it is not empty");
            trace.events.push(Event::at(id, Action::Free { id: oldest }));
        }
    }
    PackedTrace::new(&trace).expect("a sound trace")
}

fn table(store: &Store) -> Vec<u8> {
    let mut out = Vec::new();
    write_csv(&Exploration::load(store).expect("a finished exploration"), &mut out).expect("memory");
    out
}

fn explore(dir: &std::path::Path, traces: &[PackedTrace], jobs: usize, stop_at: Option<usize>) -> Option<Vec<u8>> {
    let space = Space::classic(traces);
    let mut store = Store::begin(&dir.join(Store::FILE), &space, traces, "a test").expect("a store");
    let stop = AtomicBool::new(false);
    let swept = sweep(&Sweep { space: &space, traces, jobs, stop: &stop }, &mut store, &mut |progress| {
        if stop_at.is_some_and(|designs| progress.designs >= designs) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    match swept {
        Ok(_) => {
            measure_catalogue(&mut store, traces).expect("the catalogue");
            Some(table(&store))
        }
        Err(SweepError::Interrupted) => None,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_table_does_not_depend_on_threads_or_interrupts() {
    let traces = [trace(1), trace(2)];
    let dirs: [_; 3] = std::array::from_fn(|_| tempfile::tempdir().expect("a folder"));
    let whole = explore(dirs[0].path(), &traces, 2, None).expect("not interrupted");
    assert_eq!(whole.iter().filter(|&&byte| byte == b'\n').count(), 20_001, "10,000 designs on two traces");
    assert_eq!(Some(&whole), explore(dirs[1].path(), &traces, 1, None).as_ref());

    let mut resumed = None;
    for part in [1, 2000, 5000, 10_001] {
        resumed = explore(dirs[2].path(), &traces, 2, Some(part));
    }
    assert_eq!(Some(&whole), resumed.or_else(|| explore(dirs[2].path(), &traces, 2, None)).as_ref());
}

#[test]
fn a_store_of_another_trace_is_refused_by_name() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join(Store::FILE);
    let (mine, other) = ([trace(1)], [trace(2)]);
    let space = Space::classic(&mine);
    drop(Store::begin(&path, &space, &mine, "a test").expect("a store"));
    assert!(Store::begin(&path, &space, &mine, "a test").is_ok(), "the same goes on");
    let refused = Store::begin(&path, &Space::classic(&other), &other, "a test").expect_err("another trace");
    assert!(refused.to_string().contains("holds another exploration (of queue)"), "{refused}");
    std::fs::write(&path, "no database at all, but long enough to look at").expect("a file");
    let refused = Store::open(&path).expect_err("no store");
    assert!(refused.to_string().contains("is not a results store"), "{refused}");
}
