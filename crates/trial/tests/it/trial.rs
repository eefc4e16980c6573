//! What heaps are tried with, tried itself; and every heap, with some programs.

use heapsmith_spec::resolve;
use heapsmith_trial::{Churned, Operation, Trial, heaps, heaps_in_regions, long_program, shrink, slope};

/// Under tools that slow programs down, fewer programs are run: `HEAPSMITH_TRIAL_PROGRAMS`.
fn programs() -> u64 {
    let set = std::env::var("HEAPSMITH_TRIAL_PROGRAMS").ok();
    set.map_or(40, |number| number.parse().expect("HEAPSMITH_TRIAL_PROGRAMS is a number"))
}

#[test]
fn every_heap_gets_through_some_programs() {
    for heap in heaps().chain(heaps_in_regions()) {
        let spec = resolve(heap).expect("it is a heap");
        let mut trial = Trial::new(spec).unwrap_or_else(|error| panic!("{heap}: {error}"));
        println!("{heap}");
        for seed in 1..=programs() {
            trial.run(seed).unwrap_or_else(|failure| panic!("{heap}: {failure}"));
        }
    }
}

#[test]
fn every_heap_is_one_and_none_is_there_twice() {
    let mut specs: Vec<_> = heaps()
        .chain(heaps_in_regions())
        .map(|heap| resolve(heap).unwrap_or_else(|error| panic!("{error}")).to_string())
        .collect();
    let count = specs.len();
    specs.sort();
    specs.dedup();
    assert_eq!(specs.len(), count);
}

#[test]
fn what_has_no_part_in_a_failure_is_left_out() {
    let large = |operation: &Operation| matches!(operation, Operation::Reallocate { size: 150.., .. });
    let fails = |program: &[Operation]| {
        program.iter().filter(|operation| large(operation)).count() >= 2 && program.contains(&Operation::FreeHighest)
    };
    let program = long_program(5000, 1);
    assert!(fails(&program));
    let short = shrink(program, fails);
    assert!(fails(&short) && short.len() == 3, "{short:?}");
    assert!(short.contains(&Operation::Reallocate { which: 0, size: 150 }), "{short:?}");
}

#[test]
fn a_program_that_is_as_short_as_can_be_stays() {
    let program = vec![Operation::Allocate { size: 0, alignment: 0 }];
    assert_eq!(shrink(program.clone(), |candidate| candidate.len() == 1), program);
}

#[test]
fn the_slope_of_a_power_is_its_exponent() {
    for exponent in [0.0, 0.1, 1.0, 2.0] {
        let point = |live: usize| Churned { live, mean: 7.0 * (live as f64).powf(exponent), p999: 0, max: 0 };
        assert!((slope(&[1_000, 10_000, 100_000].map(point)) - exponent).abs() < 1e-9);
    }
}
