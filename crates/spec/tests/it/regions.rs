//! Heaps in several regions: random programs against the oracle, and each region against a heap alone.
#![allow(unsafe_code)]

use std::ptr::NonNull;

use heapsmith::Heap;
use heapsmith_spec::build::BuildError;
use heapsmith_spec::{Regions, Spec, arbitrary, resolve};
use heapsmith_trial::{Counted, Memory, Operation, Oracle, heaps_in_regions, long_program, on, program};
use proptest::prelude::*;

fn spec(text: &str) -> Spec {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn size(regions: &Regions) -> usize {
    regions.size() as usize
}

/// Runs a program in the regions of `spec`, and verifies everything after every step.
fn run(spec: &Spec, program: &[Operation]) -> Result<Result<(), String>, BuildError> {
    let bytes = size(spec.regions().expect("it has some"));
    on(spec, &mut Memory::new(bytes), bytes, |mut heap| Oracle::run(&mut heap, program))
}

proptest! {
    #[test]
    fn random_programs_on_random_heaps_in_random_regions(spec in arbitrary::in_regions(), program in program(250)) {
        match run(&spec, &program) {
            Ok(outcome) => prop_assert!(outcome.is_ok(), "{spec}: {}", outcome.unwrap_err()),
            // Only that the heap's own words leave no room in a region may keep a valid spec from being a heap.
            Err(BuildError::Region(_)) => {}
            Err(error) => prop_assert!(false, "{spec} is valid and was not built: {error}"),
        }
    }

    #[test]
    fn a_region_is_the_heap_that_would_be_alone_in_it(
        kind in proptest::sample::select(ALONE), up_to in 1_u64..300, program in program(250)
    ) {
        let together = spec(&format!("regions(first({FIRST}, up-to={up_to}), second({SECOND}, cost=7)) {kind}"));
        let (memory, parts) = (&mut Memory::new(FIRST + SECOND), &mut [Memory::new(FIRST), Memory::new(SECOND)]);
        let offsets = on(&together, memory, FIRST + SECOND, |heap| played(heap, &program)).expect("room");
        let [first, second] = parts;
        let alone = spec(kind);
        let expected = on(&alone, first, FIRST, |first| {
            on(&alone, second, SECOND, |second| {
                Apart { heaps: [first, second], up_to: up_to as usize, live: Vec::new() }.played(&program)
            })
        });
        prop_assert_eq!(offsets, expected.expect("room").expect("room"), "{}", together);
    }
}

/// A page, so that the second begins at one as it does alone.
const FIRST: usize = 4 << 10;
const SECOND: usize = 4 << 10;

/// Heaps that take blocks back in any order.
const ALONE: &[&str] = &[
    "list",
    "list(order=lifo, coalesce=deferred)",
    "freelists(16,100) bins(lea)",
    "tlsf(largest=region) word=8",
    "buddy(knuth)",
    "guard(quarantine=3) tree",
    "reserve(high=10%) zero list(order=fifo)",
    "chunks",
];

/// The offsets that a program gets, none where it is refused; blocks are named in the order of their allocation.
fn played(heap: &mut Counted<'_>, program: &[Operation]) -> (Vec<Option<usize>>, u64) {
    let (mut live, mut answers): (Vec<(NonNull<u8>, usize)>, _) = (Vec::new(), Vec::new());
    for &operation in program {
        let block = match operation {
            Operation::Allocate { size, alignment } => {
                let block = heap.allocate(size, alignment);
                live.extend(block.map(|block| (block, alignment)));
                block
            }
            Operation::Free { which } if !live.is_empty() => {
                let (block, _) = live.remove(which % live.len());
                // SAFETY: the block is live, and leaves the list here.
                unsafe { heap.deallocate(block) };
                continue;
            }
            Operation::Reallocate { which, size } if !live.is_empty() => {
                let number = which % live.len();
                let (block, alignment) = live[number];
                // SAFETY: the block is live; the list takes what replaces it.
                let moved = unsafe { heap.reallocate(block, size, alignment) };
                live[number].0 = moved.unwrap_or(block);
                moved
            }
            _ => continue,
        };
        answers.push(block.map(|block| block.as_ptr().addr() - heap.base().as_ptr().addr()));
    }
    (answers, heap.meter().accesses)
}

/// Two heaps that know nothing of each other, and the rule of the regions once more, in the words of its documentation.
struct Apart<'h, 'a> {
    heaps: [&'h mut Counted<'a>; 2],
    up_to: usize,
    live: Vec<(usize, NonNull<u8>, usize)>,
}

impl Apart<'_, '_> {
    fn played(mut self, program: &[Operation]) -> (Vec<Option<usize>>, u64) {
        let mut answers = Vec::new();
        for &operation in program {
            let block = match operation {
                Operation::Allocate { size, alignment } => {
                    let block = self.allocate(size, alignment, 2);
                    self.live.extend(block.map(|(region, block)| (region, block, alignment)));
                    block
                }
                Operation::Free { which } if !self.live.is_empty() => {
                    let (region, block, _) = self.live.remove(which % self.live.len());
                    // SAFETY: the block is live, and leaves the list here.
                    unsafe { self.heaps[region].deallocate(block) };
                    continue;
                }
                Operation::Reallocate { which, size } if !self.live.is_empty() => {
                    let number = which % self.live.len();
                    let moved = self.reallocate(self.live[number], size);
                    if let Some((region, block)) = moved {
                        (self.live[number].0, self.live[number].1) = (region, block);
                    }
                    moved
                }
                _ => continue,
            };
            answers.push(block.map(|(region, block)| self.offset(region, block)));
        }
        (answers, self.heaps.iter().map(|heap| heap.meter().accesses).sum())
    }

    /// In the first region what is small, else in the second; then in the other. Not in the region `without`.
    fn allocate(&mut self, size: usize, alignment: usize, without: usize) -> Option<(usize, NonNull<u8>)> {
        let order = if size <= self.up_to { [0, 1] } else { [1, 0] };
        let mut tried = order.into_iter().filter(|&region| region != without);
        tried.find_map(|region| Some((region, self.heaps[region].allocate(size, alignment)?)))
    }

    fn reallocate(&mut self, old: (usize, NonNull<u8>, usize), size: usize) -> Option<(usize, NonNull<u8>)> {
        let (region, block, alignment) = old;
        // SAFETY: the block is live in that heap.
        if let Some(same) = unsafe { self.heaps[region].reallocate(block, size, alignment) } {
            return Some((region, same));
        }
        let moved = self.allocate(size, alignment, region)?;
        // SAFETY: as before; it is freed once.
        unsafe { self.heaps[region].deallocate(block) };
        Some(moved)
    }

    fn offset(&self, region: usize, block: NonNull<u8>) -> usize {
        [0, FIRST][region] + block.as_ptr().addr() - self.heaps[region].base().as_ptr().addr()
    }
}

#[test]
fn long_programs_on_every_kind_of_regions() {
    for text in heaps_in_regions() {
        let spec = spec(text);
        for seed in [1, 2] {
            let outcome = run(&spec, &long_program(600, seed)).unwrap_or_else(|error| panic!("{text}: {error}"));
            outcome.unwrap_or_else(|broken| panic!("{text}: {broken}"));
        }
    }
}

#[test]
fn all_in_one_region_is_the_heap_without_regions() {
    let program = long_program(500, 7);
    for kind in ALONE {
        let (one, alone) = (spec(&format!("regions(all(8K)) {kind}")), spec(kind));
        let play = |spec: &Spec| on(spec, &mut Memory::new(8 << 10), 8 << 10, |heap| played(heap, &program));
        assert_eq!(play(&one), play(&alone), "{kind}");
    }
}

#[test]
fn a_source_that_does_not_hold_the_regions_is_refused() {
    let spec = spec("regions(sram(4K), psram(8K)) list");
    let built = |bytes| on(&spec, &mut Memory::new(16 << 10), bytes, |heap| heap.footprint());
    assert!(built(12 << 10).is_ok() && built(16 << 10) == built(12 << 10), "what is left is not used");
    assert!(matches!(built((12 << 10) - 8), Err(BuildError::Region(_))));
}

#[test]
fn a_guard_in_each_region_names_what_a_program_did_by_its_place() {
    let spec = spec("regions(sram(4K, up-to=64), psram(8K)) guard(quarantine=0) list");
    on(&spec, &mut Memory::new(12 << 10), 12 << 10, |heap| {
        let blocks = [10, 100].map(|size| heap.allocate(size, 1).expect("room"));
        for (block, size) in blocks.into_iter().zip([10, 100]) {
            let offset = block.as_ptr().addr() - heap.base().as_ptr().addr();
            // SAFETY: the canary of the guard follows the block.
            unsafe { block.as_ptr().add(size).write(7) };
            let mut seen = Vec::new();
            heap.audit(&mut |found| seen.push(found.block));
            assert!(seen.contains(&offset), "{seen:?} {offset}");
            // SAFETY: the guard refuses the block.
            let refused = unsafe { heap.try_deallocate(block) }.expect_err("it is damaged");
            assert_eq!((refused.block, heap.last_heap_error()), (offset, Some(refused)));
        }
        assert_eq!(heap.heap_errors().count, 2);
    })
    .expect("room");
}

#[test]
fn full_checks_are_in_every_region() {
    let full = resolve("regions(sram(4K), psram(8K)) tlsf check=full").expect("a heap");
    let guarded = "guard(quarantine=16, pages=off) tlsf(second-level=5) check=header";
    assert_eq!(full.in_one_region().to_string(), guarded);
    assert_eq!(full.to_string(), format!("regions(sram(4096), psram(8192)) {guarded}"));
}
