//! No attack exceeds the bound, on any heap that has one.

use std::cell::Cell;
use std::sync::atomic::AtomicBool;

use heapsmith_limits::attack::{AttackOptions, by_chance, region_for};
use heapsmith_limits::{AttackGoal, ProgramClass, attack, bound, bound_of};
use heapsmith_replay::{Region, ReplayOptions, replay};
use heapsmith_spec::{Spec, arbitrary, catalogue};
use heapsmith_trace::{Action, Bytes, Event, PackedTrace, Trace};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

/// Attacks that fit a test: the constructions, and some rounds of search.
fn quick(goal: AttackGoal, seed: u64) -> AttackOptions {
    AttackOptions { goal, seed, rounds: 8, operations: 6_000, region: None }
}

/// Attacks and random programs for both goals; what exceeds the bound, in words.
fn exceeded(spec: &Spec, program: ProgramClass, seed: u64, tried: &Tried) -> Option<String> {
    let bound = bound_of(spec, program);
    let mut worst_case = (0, 0);
    for goal in [AttackGoal::Footprint, AttackGoal::Accesses] {
        let found = attack(spec, program, quick(goal, seed), &AtomicBool::new(false), |_| {});
        let Ok(found) = found else { return None };
        tried.add(found.tried + found.chance.programs);
        worst_case.0 = worst_case.0.max(found.outcome.footprint).max(found.chance.footprint);
        worst_case.1 = worst_case.1.max(found.outcome.accesses_max).max(found.chance.accesses_max);
    }
    let (footprint, accesses) = worst_case;
    if bound.footprint.is_some_and(|max| footprint > max) {
        return Some(format!("{spec}, {program:?}: footprint {footprint} above the bound {:?}", bound.footprint));
    }
    // An attack counts one operation's accesses without telling which kind it was. A region without room for the bound
    // may refuse a request, and then layers give back all that they keep: this is not counted.
    let max = bound.worst_case.either();
    let region = region_for(spec, program).expect("address space").size().0;
    let has_room = bound.room.is_none_or(|needed| needed <= region);
    if has_room && max.is_some_and(|max| accesses > max) {
        return Some(format!("{spec}, {program:?}: {accesses} accesses above the bound {max:?}"));
    }
    None
}

const PROGRAMS: [(u64, u64, u64); 8] = [
    (200, 200, 1),
    (1_000, 64, 1),
    (4_000, 500, 8),
    (8_192, 1_024, 16),
    (10_000, 32, 32),
    (20_000, 5_000, 24),
    (30_000, 30_000, 700),
    (40_000, 9_000, 100),
];

/// Every entry against every program in `cargo xtask nightly` (`HEAPSMITH_WHOLE`); against one of the eight, by turns,
/// otherwise.
#[test]
fn no_attack_on_the_catalogue_exceeds_its_bound() {
    let every = if std::env::var_os("HEAPSMITH_WHOLE").is_some() { 1 } else { PROGRAMS.len() };
    let mut bounded = 0;
    for (number, entry) in catalogue().iter().enumerate() {
        let spec: Spec = entry.spec.parse().expect("an entry is a spec");
        for (turn, (live, max_size, min_size)) in PROGRAMS.into_iter().enumerate() {
            let program = ProgramClass::new(live, max_size, min_size).expect("a program");
            bounded += usize::from(bound(&spec, live, max_size, min_size).footprint.is_some());
            if (number + turn) % every == 0 {
                assert_eq!(exceeded(&spec, program, 1, &Tried::default()), None);
            }
        }
    }
    assert!(bounded >= 20 * PROGRAMS.len(), "bounds went missing: {bounded}");
}

#[test]
fn what_is_reserved_comes_on_top_of_the_bound() {
    // Blocks of one size: the bound is exact.
    let spec: Spec = "guard(quarantine=4) reserve(high=75%) fixed(96) word=8".parse().expect("a spec");
    let program = ProgramClass::new(256 << 10, 64, 64).expect("a program");
    let bound = bound(&spec, program.live, program.max_size, program.min_size);
    let refused = |bytes: Option<u64>| {
        let mut region = Region::exactly(Bytes(bytes.expect("a bound"))).expect("address space");
        by_chance(&spec, program, &mut region, 10_000).expect("room for an empty heap").refused
    };
    assert_eq!(bound.region, bound.footprint.map(|bytes| bytes * 4));
    assert_eq!(refused(bound.region), 0);
    assert!(refused(bound.footprint) > 0);
    assert!(bound.requires.iter().any(|requires| requires.contains("75% in reserve")), "{:?}", bound.requires);
}

/// A region full of small blocks, all of which are freed, and a large request again and again.
fn filled() -> PackedTrace {
    let mut trace = Trace::default();
    let mut push = |action| trace.events.push(Event::at(trace.events.len() as u64, action));
    (0..400).for_each(|id| push(Action::Allocate { id, size: Bytes(24 + id % 5 * 8), alignment: 0 }));
    (0..400).for_each(|id| push(Action::Free { id }));
    for id in 400..1_000 {
        push(Action::Allocate { id, size: Bytes(8 << 10), alignment: 0 });
        push(Action::Free { id });
    }
    PackedTrace::new(&trace).expect("a sound trace")
}

#[test]
fn the_worst_operation_of_a_full_region_is_bounded_where_the_flush_is() {
    let (trace, bytes) = (filled(), Bytes(24 << 10));
    let worst = |flush: &str| {
        let spec: Spec = format!("freelists(8..=64 step 4, {flush}) tlsf").parse().expect("a spec");
        let mut region = Region::new(bytes).expect("address space");
        let options = ReplayOptions { region: Some(bytes), ..ReplayOptions::MEASURE };
        let measured = replay(&spec, &trace, &mut region, options).expect("room for an empty heap");
        (measured, bound(&spec, 20_000, 8 << 10, 8).worst_case.either())
    };
    let (all, unknown) = worst("flush=all");
    assert_eq!((all.failed, unknown), (0, None), "all that lists keep may be flushed in one operation");
    for blocks in [1, 4, 16] {
        let (found, proven) = worst(&format!("flush=bounded({blocks})"));
        let (found, proven, failed) = (found.accesses.max, proven.expect("a number"), found.failed);
        assert!(failed > 0 && failed <= 400 / blocks, "{blocks} blocks: {failed} refused");
        assert!(found <= proven && proven < all.accesses.max, "{found} accesses, {proven}, {}", all.accesses.max);
        assert!(found > 4 * blocks, "{blocks} blocks: {found} accesses");
    }
}

/// What a heap looks at before it trusts it is counted.
#[test]
fn no_attack_on_a_heap_that_checks_exceeds_its_bound() {
    let specs = [
        "tlsf",
        "list(order=lifo)",
        "classes(16..=1024 double)",
        "freelists(16,64, flush=bounded(3)) half-fit word=8",
        "buddy(knuth)",
        "buddy(estranged, glue=bounded(4)) word=8",
    ];
    for spec in specs {
        let spec: Spec = format!("{spec} check=header").parse().expect("a spec");
        let program = ProgramClass::new(20_000, 1_000, 24).expect("a program");
        assert!(bound(&spec, 20_000, 1_000, 24).worst_case.either().is_some(), "{spec} has a bound");
        assert_eq!(exceeded(&spec, program, 1, &Tried::default()), None);
    }
}

/// The usual cases in `cargo xtask nightly` (`HEAPSMITH_WHOLE`), which take a minute, and where a number is asked for; a tenth
/// otherwise.
fn fewer() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let is_whole = ["HEAPSMITH_WHOLE", "PROPTEST_CASES"].iter().any(|name| std::env::var_os(name).is_some());
    ProptestConfig { cases: if is_whole { usual.cases } else { usual.cases / 10 }, ..usual }
}

/// Every other may have fewer blocks live than its bytes have of the smallest.
fn programs() -> impl Strategy<Value = ProgramClass> {
    let blocks = prop_oneof![Just(u64::MAX), 1_u64..300];
    (1_u64..400, 0_u64..2_000, 0_u64..12_000, blocks).prop_map(|(min_size, more, live, blocks)| {
        let program = ProgramClass::new(min_size + more + live, min_size + more, min_size);
        program.expect("a program").within_blocks(blocks)
    })
}

/// The same, of which every other resizes blocks, and every third aligns some.
fn resizing() -> impl Strategy<Value = ProgramClass> {
    let alignment = prop_oneof![4 => Just(1_u64), 2 => (1_u32..=12).prop_map(|log2| 1 << log2)];
    (programs(), any::<bool>(), alignment).prop_map(|(program, reallocates, alignment)| ProgramClass {
        reallocates,
        alignment,
        ..program
    })
}

/// Heaps whose layers may keep blocks for ever: a region of the bound serves every program all the same, as they give all back.
#[test]
fn what_lists_trap_is_given_back_before_a_request_is_refused() {
    let program = ProgramClass::new(8_192, 512, 16).expect("a program");
    for (spec, reallocates) in [
        ("freelists(8..=1024 step 8) list(order=fifo, fit=first, split=always, coalesce=immediate) align=8", false),
        ("freelists(16,24,32) list(order=lifo)", true),
        ("freelists(16,24,32,48) tlsf", true),
        ("bins(lea, order=size, split=always, coalesce>=69) align=8", false),
    ] {
        let spec: Spec = spec.parse().expect("a spec");
        let program = ProgramClass { reallocates, ..program };
        let bound = bound_of(&spec, program);
        assert_eq!(bound.footprint, None, "{spec}");
        let region = Bytes(bound.region.expect("a region"));
        let options = AttackOptions { region: Some(region), rounds: 40, ..quick(AttackGoal::Refusal, 3) };
        let found = attack(&spec, program, options, &AtomicBool::new(false), |_| {}).expect("an attack");
        assert_eq!(found.outcome.refused, None, "{spec} by {}", found.by);
    }
}

/// Shrinking in place puts a hole before every smallest block: the bound for blocks that are resized is nearly reached.
#[test]
fn blocks_that_shrink_meet_the_bound() {
    for name in ["first-fit", "best-fit", "tlsf"] {
        let spec = heapsmith_spec::resolve(name).expect("a heap");
        let program = ProgramClass::new(16_384, 512, 16).expect("a program").reallocating();
        let bound = bound_of(&spec, program).footprint.expect("a bound");
        let options = AttackOptions { rounds: 0, ..AttackOptions::default() };
        let found =
            attack(&spec, program, options, &AtomicBool::new(false), |_| {}).expect("an attack").outcome.footprint;
        assert!(found <= bound && found * 8 >= bound * 7, "{name}: {found} of {bound}");
    }
}

/// No region of a heap is larger than its words can name, so a bound above that is no promise.
#[test]
fn a_region_that_no_word_names_is_no_guarantee() {
    let program = ProgramClass::new(2 << 20, 64 << 10, 16).expect("a program");
    for (heap, footprint) in [("tlsf", true), ("freelists(16,24,32) tlsf", false)] {
        let [four, eight] = [4, 8].map(|word| {
            let spec: Spec = format!("{heap} word={word}").parse().expect("a spec");
            bound_of(&spec, program)
        });
        assert!(four.region.is_none() && four.footprint.is_some() == footprint, "{four:?}");
        assert!(four.why_none.contains("words of 4 bytes name 4 294 967 292"), "{}", four.why_none);
        assert!(eight.region.is_some_and(|bytes| bytes > 1 << 32) && eight.worst_case.free.is_some() == footprint);
    }
    // 32 KB have a word of two bytes more than such words can name.
    let spec: Spec = "fixed(16) word=2".parse().expect("a spec");
    assert_eq!((spec.max_region(), spec.max_footprint()), (1 << 15, (1 << 15) - 2));
}

/// The control words of `largest=region` grow with the region, so with the bound that they are a part of.
#[test]
fn control_words_that_grow_with_the_region_are_those_of_the_bounds_own() {
    let spec: Spec = "tlsf(largest=region) word=8".parse().expect("a spec");
    let mut last = 0;
    for live in [335, 4_000, 60_000, 1 << 20, 50 << 20, 1 << 44] {
        let program = ProgramClass::new(live, live.min(4_000), 335).expect("a program");
        let bound = bound_of(&spec, program);
        let bytes = bound.region.expect("a bound");
        let control = &bound.terms.iter().find(|term| term.symbol == "C").expect("a term").value;
        let words: u64 = control.replace(' ', "").parse().expect("a number");
        assert!(words > last, "{live} bytes live: {words} bytes of control words, as of fewer");
        last = words;
        if live < 1 << 40 {
            let mut region = Region::exactly(Bytes(bytes)).expect("address space");
            let empty = heapsmith_replay::drive(&spec, &mut region, 0, |heap| heap.footprint().0).expect("room");
            assert_eq!(empty, words, "{live} bytes live");
        }
        assert!(live > 60_000 || exceeded(&spec, program, 1, &Tried::default()).is_none());
    }
}

/// A few operations over and over, found by searching all states of small programs: what a step adds, a heap keeps for ever, or has
/// no bound of.
#[test]
fn what_repeats_adds_up_to_no_more_than_the_bound() {
    let allocate = |size, alignment| Action::Allocate { id: 0, size: Bytes(size), alignment };
    let resize = |size| Action::Reallocate { id: 0, size: Bytes(size) };
    let [shrinks, grows_and_shrinks] = [vec![allocate(60, 0), resize(8)], vec![allocate(40, 0), resize(60), resize(8)]];
    let aligned = vec![allocate(1, 8)];
    let cases = [
        ("list(order=lifo, remainder=32, coalesce>=20)", &shrinks, (60, 60, 8), 1),
        ("tree(red-black, remainder=64, coalesce>=32) word=8", &shrinks, (60, 60, 8), 1),
        ("guard list(order=lifo, coalesce>=28) word=4 align=4", &aligned, (20, 8, 1), 64),
        ("list(order=fifo, coalesce=deferred)", &grows_and_shrinks, (80, 60, 8), 1),
        ("list(order=address, fit=best, coalesce=deferred)", &grows_and_shrinks, (80, 60, 8), 1),
        ("tree(red-black, coalesce=deferred)", &grows_and_shrinks, (80, 60, 8), 1),
        ("bins(lea, order=size, coalesce=deferred)", &grows_and_shrinks, (80, 60, 8), 1),
        ("skiplist(coalesce=deferred)", &grows_and_shrinks, (60, 60, 8), 1),
        ("spans(16, span=512) skiplist(coalesce=deferred) word=4", &grows_and_shrinks, (60, 60, 8), 1),
    ];
    for (text, pattern, (live, max_size, min_size), alignment) in cases {
        let spec: Spec = text.parse().expect("a spec");
        let once = || pattern.iter().copied().chain([Action::Free { id: 0 }]);
        let events = (0..3_000).flat_map(|_| once()).map(|action| Event::at(0, action)).collect();
        let trace = PackedTrace::new(&Trace { events, ..Trace::default() }).expect("a sound trace");
        let program = ProgramClass::new(live, max_size, min_size).expect("a program").within_blocks(1);
        let program = ProgramClass { reallocates: alignment == 1, alignment, ..program };
        let bound = bound_of(&spec, program);
        let used = |bytes: Option<u64>| {
            let mut region = bytes.map_or_else(|| region_for(&spec, program), |bytes| Region::exactly(Bytes(bytes)));
            let measures = replay(&spec, &trace, region.as_mut().expect("address space"), ReplayOptions::MEASURE);
            measures.map(|measures| (measures.footprint_peak.0, measures.failed)).expect("a replay")
        };
        assert!(bound.footprint.is_none_or(|max| used(None).0 <= max), "{text}: {:?} of {bound:?}", used(None));
        // Spans keep memory even where a request is refused.
        assert!(bound.region.is_some() || text.starts_with("spans"), "{bound:?}");
        assert_eq!(bound.region.map_or(0, |bytes| used(Some(bytes)).1), 0, "{text}");
    }
}

/// Both arguments count: what lists keep, they give back before they refuse.
#[test]
fn a_region_is_the_smaller_of_what_is_used_and_what_refuses_nothing() {
    let program = ProgramClass::new(8_192, 256, 32).expect("a program").within_blocks(40);
    let region = |text: &str| bound_of(&text.parse().expect("a spec"), program);
    for pool in ["tlsf", "half-fit", "list(order=implicit) word=4 align=8"] {
        let (plain, behind) = (region(pool), region(&format!("freelists(32) {pool}")));
        assert!(behind.footprint > plain.footprint && behind.room == behind.footprint, "{behind:?}");
        let own = behind.region.expect("a region") - plain.region.expect("a region");
        assert!(own <= 16, "{pool}: {own} bytes of the lists");
    }
}

/// Of what waits a magazine has no more than its places, whatever was live of the size.
#[test]
fn a_magazine_keeps_no_more_than_its_places() {
    let program = ProgramClass::new(8_192, 32, 32).expect("a program");
    let footprint = |text: &str| bound_of(&text.parse().expect("a spec"), program).footprint.expect("a bound");
    let [plain, few, all] = ["tlsf", "freelists(32, magazine=4) tlsf", "freelists(32) tlsf"].map(footprint);
    assert!(plain < few && few < all, "{plain}, {few}, {all}");
    assert!(few - plain < all - few, "{plain}, {few}, {all}: four blocks of 256");
}

/// Blocks that are limited limit bytes, too; and what moves is not asked of any other allocator.
#[test]
fn limits_are_those_of_the_program() {
    let program = ProgramClass::new(8_192, 256, 32).expect("a program");
    assert_eq!(program.within_blocks(5), ProgramClass::new(1_280, 256, 32).expect("a program").within_blocks(5));
    let first_fit: Spec = "list(order=address, fit=first)".parse().expect("a spec");
    assert!(bound_of(&first_fit, program.within_blocks(1)).footprint.expect("a bound") < 300);
    for (live, size) in [(256, 256), (8_192, 64)] {
        let equal = ProgramClass::new(live, size, size).expect("a program").reallocating();
        assert_eq!(bound_of(&first_fit, equal).any_allocator, Some(live));
    }
}

/// A heap that begins as one block takes as much of each region as this holds.
#[test]
fn one_block_takes_its_region() {
    let program = ProgramClass::new(100, 40, 8).expect("a program");
    for regions in ["a(64K)", "a(64K), b(64K)", "a(16K, up-to=16), b(64K)"] {
        let spec: Spec = format!("regions({regions}) buddy(knuth, start=one-block)").parse().expect("a spec");
        let bound = bound_of(&spec, program);
        assert!(bound.footprint >= Some(65_536) && bound.worst_case.either().is_none(), "{bound:?}");
    }
}

/// Counts the programs that a property is tried with, and says how many at its end: for `cargo xtask fuzz bounds`, which tries
/// many more than the tests.
#[derive(Default)]
struct Tried(Cell<usize>);

impl Tried {
    fn add(&self, programs: usize) {
        self.0.set(self.0.get() + programs);
    }
}

impl Drop for Tried {
    fn drop(&mut self) {
        println!("{} programs tried", self.0.get());
    }
}

#[test]
fn no_attack_on_any_heap_exceeds_its_bound() {
    let tried = Tried::default();
    proptest!(fewer(), |(spec in arbitrary::spec(), program in resizing(), seed in any::<u64>())| {
        let exceeded = exceeded(&spec, program, seed, &tried);
        prop_assert!(exceeded.is_none(), "{}", exceeded.unwrap_or_default());
    });
}

#[test]
fn no_random_program_exceeds_the_bound_of_any_heap() {
    let tried = Tried::default();
    proptest!(fewer(), |(spec in arbitrary::spec(), program in resizing())| {
        let bound = bound_of(&spec, program);
        let mut region = region_for(&spec, program).expect("address space");
        if let Ok(chance) = by_chance(&spec, program, &mut region, 3_000) {
            tried.add(chance.programs);
            prop_assert!(bound.footprint.is_none_or(|max| chance.footprint <= max), "{spec} {chance:?} {bound:?}");
        }
    });
}

#[test]
fn a_region_of_the_bound_serves_every_program() {
    let tried = Tried::default();
    proptest!(fewer(), |(spec in arbitrary::spec(), program in resizing())| {
        let bound = bound_of(&spec, program);
        let Some(bytes) = bound.region.filter(|&bytes| bytes <= spec.max_footprint()) else { return Ok(()) };
        let mut region = Region::exactly(Bytes(bytes)).expect("address space");
        let chance = by_chance(&spec, program, &mut region, 1_000).expect("room for an empty heap");
        let options = AttackOptions { region: Some(Bytes(bytes)), ..quick(AttackGoal::Refusal, 1) };
        let found = attack(&spec, program, options, &AtomicBool::new(false), |_| {}).expect("room for an empty heap");
        tried.add(chance.programs + found.tried + found.chance.programs);
        prop_assert_eq!(found.outcome.refused, None, "{} {:?} {} {:?}", spec, program, found.by, bound);
        let max = bound.worst_case.either().filter(|_| bound.room.is_some_and(|room| room <= bytes));
        prop_assert_eq!(chance.refused, 0, "{} {:?} {:?}", spec, chance, bound);
        prop_assert!(max.is_none_or(|max| chance.accesses_max <= max), "{spec} {chance:?} {bound:?}");
    });
}
