//! An exploration is a function of its trace: interrupted or not, on one thread
//! or several, the table is the same.

use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_explore::{
    Exploration, Preference, Progress, Space, Store, StoreError, Sweep, SweepError, effects, measure_catalogue, sweep,
    write_csv,
};
use heapsmith_replay::Measures;
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
    let (space, stop) = (Space::classic(traces), AtomicBool::new(false));
    let job = Sweep::exhaustive(&space, traces, jobs, &stop);
    swept(dir, &job, stop_at).map(|store| {
        let mut store = store;
        measure_catalogue(&mut store, traces, &stop).expect("the catalogue");
        table(&store)
    })
}

/// Sweeps until this many designs are done; none if that came before the end.
fn swept(dir: &std::path::Path, job: &Sweep<'_>, stop_at: Option<usize>) -> Option<Store> {
    let mut store = Store::begin(&dir.join(Store::FILE), job.space, job.traces, "a test").expect("a store");
    let mut progress = |progress: Progress| {
        if stop_at.is_some_and(|designs| progress.designs >= designs) {
            job.stop.store(true, Ordering::Relaxed);
        }
    };
    match sweep(job, &mut store, &mut progress) {
        Ok(_) => Some(store),
        Err(SweepError::Interrupted) => None,
        Err(error) => panic!("{error}"),
    }
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
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

/// The designs that matter: both fronts, every pick by the traces alone, and those that the paper recommends, with their measures.
fn answer(exploration: &Exploration) -> Vec<(u32, Vec<Measures>)> {
    let recommended = (0..exploration.rows.len())
        .filter(|&index| exploration.families.is_recommended(&exploration.rows[index].design));
    let picks = [Preference::Balanced, Preference::Speed, Preference::Memory, Preference::Bounded];
    let picks = picks.map(|preference| exploration.nominal_pick(preference).expect("one serves"));
    let fronts = exploration.front.iter().chain(&exploration.front_2d).copied();
    let indexes = fronts.chain(picks).chain(recommended);
    indexes.map(|index| &exploration.rows[index]).map(|row| (row.design.number, row.measures.clone())).collect()
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn what_is_cut_short_was_on_no_front() {
    let load = |store: Store| Exploration::load(&store).expect("an exploration");
    for seeds in [&[3][..], &[4, 5]] {
        let traces: Vec<PackedTrace> = seeds.iter().map(|&seed| trace(seed)).collect();
        let space = Space::classic(&traces);
        let dirs: [_; 2] = std::array::from_fn(|_| tempfile::tempdir().expect("a folder"));
        let stop = AtomicBool::new(false);
        let pruning = Sweep { prune: true, ..Sweep::exhaustive(&space, &traces, 2, &stop) };
        assert!(swept(dirs[0].path(), &pruning, Some(3000)).is_none(), "it is interrupted, and resumes");
        stop.store(false, Ordering::Relaxed);
        let pruned = load(swept(dirs[0].path(), &pruning, None).expect("not interrupted"));
        let all = Sweep::exhaustive(&space, &traces, 2, &stop);
        let whole = load(swept(dirs[1].path(), &all, None).expect("not interrupted"));
        assert_eq!((whole.pruned, whole.rows.len()), (0, 10_000));
        assert!(pruned.pruned > 1000, "{} designs were cut short", pruned.pruned);
        assert_eq!(pruned.rows.len() + pruned.pruned, 10_000);
        assert_eq!(answer(&pruned), answer(&whole));
        assert!(effects(&pruned, 0).is_empty(), "they are not over the whole space");
        // What was cut short is replayed when it is asked for.
        let mended = load(swept(dirs[0].path(), &all, None).expect("not interrupted"));
        assert_eq!((mended.pruned, mended.rows.len()), (0, 10_000));
        assert_eq!(mended.rows, whole.rows);
    }
}

#[test]
fn a_store_of_another_trace_is_refused_by_name() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join(Store::FILE);
    let (mine, other) = ([trace(1)], [trace(2)]);
    let space = Space::classic(&mine);
    drop(Store::begin(&path, &space, &mine, "a test").expect("a store"));
    assert!(Store::begin(&path, &space, &mine, "a test").is_ok(), "the same resumes");
    let refused = Store::begin(&path, &Space::classic(&other), &other, "a test").expect_err("another trace");
    assert!(refused.to_string().contains("holds another exploration (of queue)"), "{refused}");
    std::fs::write(&path, "no database at all, but long enough to look at").expect("a file");
    let refused = Store::open(&path).expect_err("no store");
    assert!(refused.to_string().contains("is not a results store"), "{refused}");
}

#[test]
fn what_is_no_file_in_the_place_of_a_store_is_refused_by_its_kind() {
    let traces = [trace(1)];
    let space = Space::classic(&traces);
    let fifo = |path: &Path| {
        assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
    };
    let socket = |path: &Path| drop(UnixListener::bind(path).expect("a socket"));
    let folder = |path: &Path| std::fs::create_dir(path).expect("a folder");
    type Make<'m> = &'m dyn Fn(&Path);
    let kinds: [(&str, Make<'_>); 3] = [("a FIFO", &fifo), ("a socket", &socket), ("a folder", &folder)];
    for (kind, make) in kinds {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(Store::FILE);
        make(&path);
        let begun = Store::begin(&path, &space, &traces, "a test").expect_err("it is no file");
        for error in [begun, Store::open(&path).expect_err("it is no file")] {
            assert!(matches!(&error, StoreError::NotAFile { kind: found, .. } if *found == kind), "{error}");
            let text = error.to_string();
            assert!(text.contains(kind) && text.contains("remove it") && text.contains("--out"), "{text}");
        }
    }
}
