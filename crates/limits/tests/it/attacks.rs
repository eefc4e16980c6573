//! What attacks reach: Robson's lower bounds, more than chance, and the same footprint when they are replayed.

use std::sync::atomic::AtomicBool;

use heapsmith_limits::attack::{Attack, AttackOptions, forced};
use heapsmith_limits::{AttackGoal, ProgramClass, ProgramError, any_allocator, attack, bound_of};
use heapsmith_replay::{Region, ReplayOptions as Replaying, replay};
use heapsmith_spec::{Spec, catalogue, resolve};
use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Trace};

fn found(spec: &Spec, program: ProgramClass, options: AttackOptions) -> Attack {
    attack(spec, program, options, &AtomicBool::new(false), |_| {}).expect("the heap serves such programs")
}

#[test]
fn robsons_adversary_reaches_nine_tenths_of_his_bound_on_first_fit() {
    let first_fit = ["first-fit", "peintner-first-fast", "peintner-first-slow", "list(order=address) word=8"];
    for name in first_fit {
        let spec = resolve(name).expect("a heap");
        for live in [16, 64, 100, 256, 1000, 4096] {
            for log in (1..=10).filter(|&log| 1 << (log + 1) <= live) {
                let forced = forced(&spec, live, log).expect("an attack");
                let (reached, bound) = (forced.reached, forced.bound);
                assert!(reached * 10 >= bound * 9, "{name}, M = {live}, n = 2^{log}: {reached} of {bound}");
            }
        }
    }
}

#[test]
fn robsons_adversary_reaches_his_bound_on_every_joining_heap() {
    // His theorem is about any policy.
    for name in ["best-fit", "worst-fit", "next-fit", "windows-ce", "red-black-tree", "tlsf", "half-fit", "knuth-buddy"]
    {
        let spec = resolve(name).expect("a heap");
        for (live, log) in [(64, 3), (256, 4), (1024, 6)] {
            let forced = forced(&spec, live, log).expect("an attack");
            let (reached, bound) = (forced.reached, forced.bound);
            assert!(reached >= bound, "{name}, M = {live}, n = 2^{log}: {reached} of {bound}");
        }
    }
}

/// Holes lie before live blocks: fewer of these have fewer holes, under attack and in the bound.
#[test]
fn fewer_blocks_leave_fewer_holes() {
    let program = ProgramClass::new(8_192, 256, 32).expect("a program");
    let options = AttackOptions { rounds: 20, ..AttackOptions::default() };
    for heap in ["first-fit", "best-fit", "tlsf", "half-fit", "knuth-buddy", "enea-ose", "phk"] {
        let spec = resolve(heap).expect("a heap");
        let mut above = u64::MAX;
        for blocks in [u64::MAX, 128, 64, 32, 1] {
            let program = program.within_blocks(blocks);
            let (bound, found) = (bound_of(&spec, program), found(&spec, program, options));
            let live = ProgramClass::of(&found.outcome.tape.packed("it").expect("a sound tape")).expect("requests");
            assert!(live.max_blocks <= program.max_blocks, "{heap}: {} of {blocks} blocks", live.max_blocks);
            let region = bound.region.expect("a bound");
            assert!(found.outcome.footprint <= region && region <= above, "{heap}, {blocks} blocks: {region} bytes");
            assert!(any_allocator(program) <= region, "{heap}, {blocks} blocks: {region} bytes");
            above = region;
        }
    }
    // Half as many of 64 bytes are at most 128.
    assert_eq!(any_allocator(program.within_blocks(128)), any_allocator(ProgramClass { min_size: 64, ..program }));
    assert_eq!(any_allocator(program.within_blocks(1)), 256, "one block, of the largest request");
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn attacks_need_twice_the_memory_of_random_programs_on_five_designs() {
    let program = ProgramClass::new(16_384, 512, 16).expect("a program");
    let options = AttackOptions { rounds: 0, ..AttackOptions::default() };
    let mut twice = Vec::new();
    for entry in catalogue() {
        let spec: Spec = entry.spec.parse().expect("an entry is a spec");
        let attack = found(&spec, program, options);
        assert!(attack.chance.programs >= 30, "random programs went missing");
        if attack.outcome.footprint >= 2 * attack.chance.footprint {
            twice.push(entry.name);
        }
    }
    assert!(twice.len() >= 20, "only {twice:?}");
    for name in ["first-fit", "best-fit", "next-fit", "worst-fit", "tlsf", "half-fit", "enea-ose", "phk", "knuth-buddy"]
    {
        assert!(twice.contains(&name), "{name} is not among {twice:?}");
    }
}

#[test]
fn half_fit_is_made_to_need_more_than_any_program_makes_best_fit_need() {
    let program = ProgramClass::new(16_384, 512, 16).expect("a program");
    let bound = |name| {
        let spec = resolve(name).expect("a heap");
        heapsmith_limits::bound(&spec, program.live, program.max_size, program.min_size).footprint.expect("a bound")
    };
    let half_fit = resolve("half-fit").expect("a heap");
    let reached = found(&half_fit, program, AttackOptions { rounds: 0, ..AttackOptions::default() }).outcome.footprint;
    assert!(reached > bound("best-fit") && reached <= bound("half-fit"), "{reached}");
}

#[test]
fn attacks_on_fixed_sizes_meet_the_bound() {
    for name in ["pool-64", "enea-ose", "uclinux"] {
        let spec = resolve(name).expect("a heap");
        let program = ProgramClass::new(16_384, 512, 16).expect("a program");
        let bound = heapsmith_limits::bound(&spec, program.live, program.max_size, program.min_size);
        let attack = found(&spec, program, AttackOptions { rounds: 0, ..AttackOptions::default() });
        assert_eq!(Some(attack.outcome.footprint), bound.footprint, "{name}");
    }
}

#[test]
fn blocks_of_one_unit_with_a_table_outside_meet_the_bound() {
    for (spec, size) in [("bitmap align=8", 8), ("bitmap word=8 align=16", 16)] {
        let spec: Spec = spec.parse().expect("a spec");
        let program = ProgramClass::new(16_000, size, size).expect("a program");
        let bound = heapsmith_limits::bound(&spec, program.live, size, size).footprint.expect("a bound");
        let attack = found(&spec, program, AttackOptions { rounds: 0, ..AttackOptions::default() }).outcome.footprint;
        // Rounded up: a byte of the blocks, and with it a word of the table.
        assert!((attack..=attack + 16).contains(&bound), "{spec}: {attack} of {bound}");
    }
}

#[test]
fn a_tape_replays_to_the_same_footprint_and_accesses() {
    let program = ProgramClass::new(8_000, 700, 20).expect("a program");
    let mut aligned = 0;
    for entry in catalogue() {
        let spec: Spec = entry.spec.parse().expect("an entry is a spec");
        for (goal, alignment) in [(AttackGoal::Footprint, 1), (AttackGoal::Accesses, 1), (AttackGoal::Footprint, 256)] {
            let program = ProgramClass { alignment, ..program };
            let attack =
                found(&spec, program, AttackOptions { goal, rounds: 10, operations: 10_000, seed: 7, region: None });
            let trace = attack.outcome.tape.packed("test").expect("a sound trace");
            // That of the attack: what a span does not fit into goes to the pool.
            let mut region = Region::new(Bytes(16 << 20)).expect("address space");
            let measures = replay(&spec, &trace, &mut region, Replaying::VERIFY).expect("a replay");
            assert_eq!(measures.failed, 0, "{}", entry.name);
            assert_eq!(measures.footprint_peak.0, attack.outcome.footprint, "{}", entry.name);
            assert_eq!(measures.accesses.max, attack.outcome.accesses_max, "{}", entry.name);
            assert_eq!(trace.requested_peak.0, attack.outcome.live_peak, "{}", entry.name);
            let sizes = trace.events.iter().map(|event| event.size).filter(|&size| size > 0);
            assert!(sizes.into_iter().all(|size| (20..=700).contains(&size)) && trace.requested_peak.0 <= 8_000);
            aligned += usize::from(trace.events.iter().any(|event| event.alignment() > 1));
        }
    }
    assert!(aligned > 10, "alignments hurt most heaps: {aligned}");
}

#[test]
fn a_seed_gives_one_attack_and_the_search_never_makes_it_worse() {
    let spec = resolve("first-fit").expect("a heap");
    let program = ProgramClass::new(8_000, 256, 16).expect("a program");
    let options = AttackOptions { rounds: 40, seed: 3, operations: 20_000, ..AttackOptions::default() };
    let (first, again) = (found(&spec, program, options), found(&spec, program, options));
    assert_eq!(first, again);
    let none = found(&spec, program, AttackOptions { rounds: 0, ..options });
    assert!(first.outcome.footprint >= none.outcome.footprint);
    let other = found(&spec, program, AttackOptions { seed: 4, ..options });
    assert_ne!((&first.plan, first.tried), (&none.plan, none.tried));
    assert!(other.outcome.footprint >= none.outcome.footprint);
}

#[test]
fn a_stop_keeps_the_best_so_far() {
    let spec = resolve("tlsf").expect("a heap");
    let program = ProgramClass::new(4_000, 256, 16).expect("a program");
    let stop = AtomicBool::new(true);
    let attack = attack(&spec, program, AttackOptions::default(), &stop, |_| {}).expect("an attack");
    assert!(attack.stopped && attack.tried == 1 && attack.outcome.footprint > 0);
}

#[test]
fn a_trace_tells_its_own_program_where_a_bound_covers_it() {
    let request = |id, size, alignment| Event::at(0, Action::Allocate { id, size: Bytes(size), alignment });
    let packed = |events: &[Event]| {
        let mut trace = Trace::new(Origin::new("test", "none"));
        trace.events = events.to_vec();
        PackedTrace::new(&trace).expect("a sound trace")
    };
    let events = [request(1, 100, 0), request(2, 30, 8), Event::at(0, Action::Free { id: 1 }), request(3, 60, 0)];
    let program = ProgramClass::new(130, 100, 30).expect("a program").within_blocks(2);
    let program = ProgramClass { alignment: 8, out_of_order: true, ..program };
    assert_eq!(ProgramClass::of(&packed(&events)), Ok(program));
    let resized = Event::at(0, Action::Reallocate { id: 3, size: Bytes(10) });
    let resized = packed(&[&events[..], &[resized]].concat());
    let expected = ProgramClass { min_size: 10, reallocates: true, ..program };
    assert_eq!(ProgramClass::of(&resized), Ok(expected));
    // A request of 0 bytes takes a block, as one of a byte does.
    let nothing = packed(&[request(1, 0, 0), request(2, 0, 0)]);
    assert_eq!(ProgramClass::of(&nothing), ProgramClass::new(2, 1, 1));
    assert_eq!(ProgramClass::of(&packed(&[])), Err(ProgramError::Zero));
}
