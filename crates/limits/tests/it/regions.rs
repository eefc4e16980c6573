//! What is certain of several regions, against programs; and what is not.

use heapsmith_limits::attack::{AttackError, AttackOptions};
use heapsmith_limits::{AttackGoal, ProgramClass, attack, bound_of};
use heapsmith_replay::{Drive, Driven, Region, drive};
use heapsmith_spec::{Layer, Spec, arbitrary};
use heapsmith_trace::Bytes;
use proptest::prelude::{any, prop_assert, proptest};

/// Numbers that a seed gives.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Plays a random program of the class; how many of its requests are refused.
fn refused(heap: &mut Driven<'_>, program: ProgramClass, seed: u64) -> u64 {
    let (mut numbers, mut live, mut refused) = (Numbers(seed), Vec::new(), 0);
    for _ in 0..2_000 {
        let size = program.min_size + numbers.below(program.max_size - program.min_size + 1);
        if heap.requested().0 + size <= program.live && numbers.below(8) > 0 {
            match heap.allocate(size) {
                Some(block) => live.push(block.slot),
                None => refused += 1,
            }
        } else if !live.is_empty() {
            let slot = live.swap_remove(numbers.below(live.len() as u64) as usize);
            heap.free(slot);
        }
    }
    refused
}

/// As [`refused`], over the regions of `spec`; with it the largest footprint.
fn played(spec: &Spec, program: ProgramClass, seed: u64) -> Option<(u64, u64)> {
    let mut region = Region::new(Bytes(spec.regions()?.size())).expect("memory");
    drive(spec, &mut region, 1 << 12, |heap| (refused(heap, program, seed), heap.footprint_peak().0)).ok()
}

fn spec(text: &str) -> Spec {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn one_region_with_room_for_the_bound_is_enough_and_the_footprint_is_the_sum() {
    let program = ProgramClass::new(4_000, 500, 8).expect("a program");
    let one = bound_of(&spec("tlsf"), program).footprint.expect("a bound");
    let size = one.next_multiple_of(4096);
    for (text, footprint) in [
        (format!("regions(sram(4K, up-to=64), psram({size}, cost=8)) tlsf"), 4096 + one),
        (format!("regions(psram({size}, up-to=20), sram(8K)) tlsf"), 8192 + one),
    ] {
        let spec = spec(&text);
        let bound = bound_of(&spec, program);
        assert_eq!(bound.footprint, Some(footprint), "{text}");
        assert!(bound.requires[0].starts_with("the region psram, which alone has room"), "{:?}", bound.requires);
        for seed in 0..20 {
            let (refused, peak) = played(&spec, program, seed).expect("room");
            assert!(refused == 0 && peak <= footprint, "{text}: {refused} refused, {peak} bytes");
        }
    }
}

#[test]
fn regions_with_room_for_the_requests_that_begin_in_them_have_bounds_that_add_up() {
    let program = ProgramClass::new(4_000, 500, 8).expect("a program");
    let of = |min_size, max_size| {
        let class = ProgramClass { min_size, max_size, ..program };
        bound_of(&spec("tlsf align=8"), class).footprint.expect("a bound")
    };
    let (small, large, whole) = (of(8, 64), of(65, 500), of(8, 500));
    let (sram, psram) = (small.next_multiple_of(8), large.next_multiple_of(8));
    assert!(sram.max(psram) < whole, "no region has room for the whole program: {sram} {psram} {whole}");
    let text = |sram| format!("regions(sram({sram}, up-to=64), psram({psram}, cost=8), more(4K)) tlsf align=8");
    let heap = spec(&text(sram));
    let bound = bound_of(&heap, program);
    let footprint = bound.footprint.expect("a bound");
    assert!((small + large..small + large + 4096).contains(&footprint), "nothing begins in the third: {footprint}");
    assert!(bound.requires[0].contains("nothing spills over"), "{:?}", bound.requires);
    assert!(bound.worst_case.allocate.is_some(), "an operation is one of its region");
    for seed in 0..40 {
        let (refused, peak) = played(&heap, program, seed).expect("room");
        assert!(refused == 0 && peak <= footprint, "{refused} refused, {peak} bytes");
    }
    // Eight bytes less in one of them, or blocks that are resized where they lie: nothing is proven.
    assert_eq!(bound_of(&spec(&text(sram - 8)), program).footprint, None);
    assert_eq!(bound_of(&heap, program.reallocating()).footprint, None);
}

#[test]
fn regions_that_are_too_small_one_by_one_have_no_bound_however_large_together() {
    let program = ProgramClass::new(4_000, 500, 8).expect("a program");
    let half = (bound_of(&spec("tlsf"), program).footprint.expect("a bound") / 4096) * 4096;
    let bound = bound_of(&spec(&format!("regions(one({half}), two({half}), three({half})) tlsf")), program);
    assert_eq!((bound.footprint, bound.region), (None, None));
    assert!(bound.why_none.contains("no region alone has room for the bound"), "{}", bound.why_none);
}

#[test]
fn an_attack_is_on_what_one_region_holds() {
    let program = ProgramClass::new(4_000, 500, 8).expect("a program");
    let options = AttackOptions { goal: AttackGoal::Footprint, ..AttackOptions::default() };
    let attacked = attack(&spec("regions(a(8K), b(8K)) tlsf"), program, options, &false.into(), |_| {});
    assert!(matches!(attacked, Err(AttackError::Refuses(why)) if why.contains("tlsf(second-level=5)")));
}

proptest! {
    #[test]
    fn no_random_program_exceeds_the_bound_of_random_heaps_in_regions(spec in arbitrary::in_regions(), seed in any::<u64>()) {
        let mut spec = spec;
        let program = ProgramClass::new(600, 100, 8).expect("a program");
        // One region that has room, behind those that have not.
        let Some(needed) = bound_of(&spec.in_one_region(), program).region else { return Ok(()) };
        let size = needed.next_multiple_of(4096);
        if size > spec.max_region() {
            return Ok(());
        }
        if let Some(Layer::Regions(regions)) = spec.layers.first_mut() {
            regions.regions.iter_mut().for_each(|region| region.size = region.size.next_multiple_of(4096));
            regions.regions.last_mut().expect("one").size = size;
        }
        let bound = bound_of(&spec, program);
        if let (Some(max), Some((refused, peak))) = (bound.footprint, played(&spec, program, seed)) {
            // A request that no block of any region holds takes no memory anywhere.
            let too_large = bound.requires.iter().any(|of_each| of_each.contains("are refused by this heap"));
            prop_assert!(too_large || refused == 0, "{spec} {refused} {bound:?}");
            prop_assert!(peak <= max, "{spec}: {peak} {bound:?}");
        }
    }
}
