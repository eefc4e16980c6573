//! Forks and execs: a file for every process.

use super::programs::{Bench, allocations_of};
use heapsmith_launch::Ended;

#[test]
fn every_child_and_every_new_program_has_a_recording_of_its_own() {
    let bench = Bench::new();
    let program = bench.compile("forks.c");
    assert_eq!(bench.run(&[program]), Ended::Code(0));
    let recorded = bench.recorded();
    assert_eq!(recorded.len(), 5);
    let of = |size| {
        let mut found = recorded.iter().filter(|one| allocations_of(one, size) > 0);
        let one = found.next().unwrap_or_else(|| panic!("nobody allocated {size} bytes"));
        (one, found.count() + 1)
    };
    let (parent, parents) = of(1111);
    let (child, children) = of(2222);
    let (bare, bares) = of(3333);
    let (_, again) = of(4444);
    assert_eq!((parents, children, bares, again), (1, 1, 1, 2));
    assert_eq!(allocations_of(parent, 5555), 50_000, "a child does not write to its parent's file");
    assert_eq!((child.parent, bare.parent), (parent.process, parent.process));
    assert_eq!(child.remarks.unknown_frees, 1, "the block that it inherited");
    assert_eq!(parent.remarks.unknown_frees, 0);
    let became = recorded.iter().filter(|one| one.process == parent.process).count();
    assert_eq!(became, 2, "the parent became another program under its number");
}

#[test]
fn a_program_may_close_every_descriptor() {
    let bench = Bench::new();
    let program = bench.compile("closes.c");
    let own = bench.path().join("own");
    assert_eq!(bench.run(&[program, own.clone().into()]), Ended::Code(0), "nothing is written to its file");
    assert_eq!(allocations_of(&bench.only(), 100), 200_000);
    assert_eq!(std::fs::metadata(own).expect("its file").len(), 0);
}
