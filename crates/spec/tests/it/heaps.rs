//! Every heap that a spec can name keeps its promises: random programs against
//! an oracle of intervals, every invariant after every step, and the cases that
//! well-known allocators got wrong.
//!
//! A failing program is printed with its seed, shrunk by proptest.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use heapsmith::{Fixed, Growing, Heap, Source, State};
use heapsmith_spec::build::{BuildError, words_for};
use heapsmith_spec::{Bump, Layer, Pool, Reclaim, Spec, WordSize, arbitrary, readings, resolve};
use heapsmith_trial::{Counted, Memory, Operation, Oracle, long_program, over, program};
use proptest::prelude::*;

/// Runs `job` on the heap of `spec` over a region of `bytes` bytes, aligned to a page.
fn on<T>(spec: &Spec, bytes: usize, job: impl FnOnce(&mut Counted<'_>) -> T) -> Result<T, BuildError> {
    heapsmith_trial::on(spec, &mut Memory::new(bytes), bytes, job)
}

/// A region size that the word of `spec` can use.
fn region(spec: &Spec) -> usize {
    if spec.word == WordSize::Two { 30 * 1024 } else { 256 * 1024 }
}

fn every_spec() -> Vec<Spec> {
    let words = [("", 4), (" word=2", 2), (" word=8", 8)];
    // Those that are tried as C, and more.
    let tried = heapsmith_trial::heaps().map(|named| resolve(named).expect("it is tried elsewhere too"));
    let named = tried.chain(readings().iter().map(|entry| entry.spec.parse().expect("the catalogue parses")));
    let lists = ["lifo", "fifo", "address", "implicit"].into_iter().flat_map(|order| {
        ["first", "next", "best", "best(30%)", "worst"].into_iter().flat_map(move |fit| {
            ["split=always", "split=never", "split>=100", "remainder=72"].into_iter().flat_map(move |split| {
                ["immediate", "never", "deferred", "every-call"].into_iter().flat_map(move |coalesce| {
                    ["", ", tags=off"]
                        .map(move |tags| format!("list(order={order}, fit={fit}, {split}, coalesce={coalesce}{tags})"))
                })
            })
        })
    });
    let others = [
        "chunks(header=tags, index=lifo, remainder=1, coalesce=never)",
        "list(coalesce>=100)",
        "list(order=lifo, coalesce>=100, tags=off)",
        "freelists(16,100) list(order=fifo, split>=50, remainder=500, coalesce>=100)",
        "bins(lea, order=size, remainder=130)",
        "tree(red-black, remainder=1, coalesce=deferred)",
        "skiplist(remainder=64)",
        "freelists(16,100,1476) list",
        "freelists(8..=256 step 8, order=fifo) list(order=lifo, split=never)",
        "freelists(1..=32, 33..=64) list(coalesce=deferred)",
        "freelists(16..=512 double) bins(lea, order=size)",
        "bins(lea, order=fifo, coalesce=deferred)",
        "bins(log, tries=all)",
        "bins(exact 16..=64 step 16, tries=1)",
        "bins(log(16), order=lifo, coalesce=never, split>=64)",
        "bins(exact 16..=512 step 16, then log, tags=off)",
        "classes(16..=512 double)",
        "tree",
        "tree(red-black, split>=100, coalesce=deferred)",
        "tree(red-black, split=never, coalesce=never)",
        "freelists(16,100,1476) tree(red-black, coalesce=every-call)",
        "skiplist",
        "skiplist(seed=7, tags=off)",
        "skiplist(split>=100, coalesce>=100)",
        "skiplist(split=never, coalesce=deferred)",
        "bins(lea, each=tree)",
        "bins(log, each=tree, coalesce=deferred, tags=off)",
        "bins(exact 16..=256 step 16, each=tree, coalesce=never)",
        "bins(lea, each=skiplist)",
        "bins(log(2), each=skiplist, coalesce=every-call)",
        "bins(exact 16..=256 step 16, each=skiplist, tags=off)",
        "tlsf(second-level=3)",
        "tlsf(second-level=5, largest=8192)",
        "tlsf(second-level=1, largest=1000)",
        "freelists(66,1514) tlsf(second-level=4, largest=4000)",
        "freelists(66,1514, magazine=7) tlsf(second-level=4, largest=4000)",
        "half-fit",
        "buddy(knuth)",
        "buddy(estranged)",
        "buddy(estranged, start=one-block, glue=bounded(4))",
        "buddy(estranged, start=one-block, defragment=on-demand)",
        "freelists(1..=60) buddy(estranged, glue=bounded(4))",
        "freelists(1..=60, 100..=200, order=fifo) buddy(estranged)",
        "pages",
        "pages(page=256, min=8, search=word)",
        "pages(page=1024, min=8, search=tree)",
        "pages(page=4096, min=8, search=tree)",
        "pages(page=512, min=256, search=linear)",
        "pages(page=1024, min=8, search=hardware)",
        "pages(page=256, min=16, search=hardware)",
        "pages(page=256, min=8, search=linear, order=phk, info=page, retain=2, resize=off)",
        "pages(page=512, min=8, search=tree, order=address, info=page)",
        "pages(page=256, min=16, search=hardware, info=page, retain=1)",
        "pages(page=256, min=16, search=word, order=phk, retain=3)",
        "bump",
        "bump align=32",
        "stack",
        "stack align=16",
        "bitmap",
        "fixed(64)",
        "spans(16..=256 step 16, span=1024) tlsf(second-level=3)",
        "spans(8,24,40,64,128, span=512, next=last) list",
        "spans(8,24,40,64,128, span=512, next=fullest, empty=keep(2)) tree",
        "spans(16..=112 step 16,128..=896 double(4), span=4096, next=fullest) tlsf(second-level=2)",
        "spans(16..=256 double, span=1024, free=bitmap, next=lowest) list(order=address, fit=best)",
        "spans(16..=256 double, span=1024, free=bitmap, empty=keep(1), metadata=outside) list align=16",
        "spans(16..=1024 double, span=8192, free=bitmap, metadata=outside) buddy(knuth)",
        "spans(64, span=4096, next=fullest) freelists(16,100,1476) bins(lea)",
        "spans(64,100, span=256, free=bitmap) list(coalesce=never)",
        "spans(16..=128 step 16, span=1024) buddy(estranged, start=one-block)",
        "spans(16..=128 step 16, span=1024, free=bitmap) pages(page=1024, min=8)",
        "guard(quarantine=3) spans(64,128, span=2048) list",
        "reserve(high=10%) zero spans(64,128, span=2048, free=bitmap, metadata=outside) list",
        "guard(quarantine=0) list",
        "guard(quarantine=3) list align=16",
        "guard(quarantine=5) freelists(64, 100) list",
        "guard(quarantine=2) bump",
        "guard(quarantine=0) bump(reclaim=empty)",
        "guard(quarantine=0) stack",
        "guard(quarantine=4) fixed(128)",
        "zero list",
        "zero bump(reclaim=empty)",
        "zero stack",
        "zero bitmap",
        "zero fixed(64)",
        "zero guard(quarantine=4) bins(lea)",
        "reserve(high=30%) classes(16..=512 double)",
        "reserve(high=10%) stack",
        "reserve(high=10%) bump",
        "reserve(high=10%) fixed(64)",
        "guard(quarantine=16) reserve(high=10%) list(coalesce=deferred)",
        "guard(quarantine=4) buddy(knuth)",
        "guard(quarantine=0) buddy(estranged, defragment=on-demand)",
        "zero buddy(estranged)",
        "zero buddy(knuth, defragment=on-demand)",
        "reserve(high=10%) buddy(estranged)",
        "reserve(high=10%) buddy(knuth, defragment=on-demand)",
        "guard(quarantine=3) reserve(high=5%) freelists(16,100) buddy(knuth)",
        "zero guard(quarantine=5) freelists(1..=60, order=fifo) buddy(estranged)",
        "guard(quarantine=4) pages(page=512, min=16)",
        "zero pages(page=1024, min=8, search=tree)",
        "reserve(high=10%) pages(page=512, min=8, search=word)",
        "reserve(high=10%) zero guard(quarantine=2) pages(page=256, min=8)",
    ]
    .map(str::to_owned);
    let texts: Vec<String> = lists.chain(others).collect();
    let worded = texts.into_iter().flat_map(|text| words.map(|(word, _)| format!("{text}{word}")));
    named.chain(worded.map(|text| text.parse().unwrap_or_else(|error| panic!("{error}")))).collect()
}

// 256 random heaps for each property, or as many as `PROPTEST_CASES` says: 3,000 in `cargo xtask nightly`.
proptest! {
    #[test]
    fn random_programs_on_random_heaps(spec in arbitrary::spec(), program in program(150)) {
        let outcome = on(&spec, region(&spec), |mut heap| Oracle::run(&mut heap, &program));
        let outcome = outcome.map_err(|error| TestCaseError::fail(format!("{spec} is valid and was not built: {error}")))?;
        prop_assert!(outcome.is_ok(), "{spec}: {}", outcome.unwrap_err());
    }

    #[test]
    fn random_programs_in_a_region_that_fills_up(spec in arbitrary::spec(), program in program(300)) {
        match on(&spec, 6 * 1024, |mut heap| Oracle::run(&mut heap, &program)) {
            Ok(outcome) => prop_assert!(outcome.is_ok(), "{spec}: {}", outcome.unwrap_err()),
            // Only that the heap's own words leave no room may keep a valid spec from being a heap.
            Err(BuildError::Region(_)) => {}
            Err(error) => prop_assert!(false, "{spec} is valid and was not built: {error}"),
        }
    }
}

#[test]
fn one_long_program_on_every_structure() {
    let program = long_program(400, 0x5EED);
    for spec in every_spec() {
        let outcome = on(&spec, region(&spec), |mut heap| Oracle::run(&mut heap, &program))
            .unwrap_or_else(|error| panic!("{spec}: {error}"));
        outcome.unwrap_or_else(|broken| panic!("{spec}: {broken}"));
    }
}

/// Sizes and alignments that cannot be served, and that other allocators wrapped around.
fn refuses(heap: &mut Counted<'_>) {
    let cached = heap.allocate(40, 1).expect("a new heap has room");
    let beyond = usize::try_from(1_u64 << 32).unwrap_or(usize::MAX);
    let max = isize::MAX as usize;
    let sizes = [0, usize::MAX, usize::MAX - 7, usize::MAX / 2, max, 1 << 31, u32::MAX as usize - 3, beyond];
    for size in sizes {
        for alignment in [1, 8, 4096] {
            assert_eq!(heap.allocate(size, alignment), None, "{size} at {alignment}");
        }
        // SAFETY: `cached` is live; a refused reallocation leaves it so.
        assert_eq!(unsafe { heap.reallocate(cached, size, 1) }, None, "reallocate to {size}");
    }
    for alignment in [3, 12, 4097, usize::MAX, 1 << (usize::BITS - 1)] {
        assert_eq!(heap.allocate(16, alignment), None, "alignment {alignment}");
    }
    heap.check().expect("refusals change nothing");
    // SAFETY: `cached` is live and freed once.
    unsafe { heap.deallocate(cached) };
    heap.check().expect("freeing after refusals");
}

#[test]
fn what_cannot_be_served_is_refused_and_changes_nothing() {
    for spec in every_spec() {
        on(&spec, region(&spec), refuses).unwrap_or_else(|error| panic!("{spec}: {error}"));
    }
}

/// An alignment that was asked for, and what was written, outlive every reallocation.
fn realigns(heap: &mut Counted<'_>) {
    for alignment in [8, 32, 256] {
        let Some(mut block) = heap.allocate(24, alignment) else { continue };
        // Keeps the block from growing in place.
        let wall = heap.allocate(24, 1);
        for size in [40, 24, 100, 33, 400, 1] {
            // SAFETY: the block is live and has at least the bytes of the smaller size.
            unsafe {
                block.as_ptr().write(alignment as u8);
                let Some(moved) = heap.reallocate(block, size, alignment) else { continue };
                block = moved;
                assert_eq!(block.as_ptr().read(), alignment as u8, "contents at {alignment}");
            }
            assert!(block.as_ptr().addr().is_multiple_of(alignment), "{size} at {alignment}");
            heap.check().expect("sound");
        }
        for block in [wall, Some(block)].into_iter().flatten() {
            // SAFETY: both are live. A stack refuses a wrong order.
            let _ = unsafe { heap.try_deallocate(block) };
        }
    }
}

#[test]
fn a_reallocation_keeps_alignment_and_contents() {
    for spec in every_spec() {
        on(&spec, region(&spec), realigns).unwrap_or_else(|error| panic!("{spec}: {error}"));
    }
}

/// The last block of a region, and one before a free block, grow and shrink in place.
fn resizes_in_place(heap: &mut Counted<'_>) {
    let first = heap.allocate(64, 1).expect("room");
    for size in [100, 200, 40, 64] {
        // SAFETY: the block is live.
        assert_eq!(unsafe { heap.reallocate(first, size, 1) }, Some(first), "{size} bytes");
    }
}

#[test]
fn the_last_block_changes_its_size_where_it_stands() {
    for text in [
        "list",
        "list(order=lifo, fit=best)",
        "list(order=implicit, tags=off)",
        "bins(lea)",
        "bump",
        "stack",
        "bump(reclaim=empty)",
        "guard(quarantine=4) list",
        "guard(quarantine=0) stack",
        "zero list",
        "reserve(high=10%) guard(quarantine=16) zero freelists(64) list",
    ] {
        for word in [2, 4, 8] {
            let spec: Spec = format!("{text} word={word}").parse().expect("a spec");
            on(&spec, region(&spec), resizes_in_place).unwrap_or_else(|error| panic!("{spec}: {error}"));
        }
    }
}

/// Whenever a free block is as large as `need` says for a request, one serves, and with `best` the smallest.
fn fits(mut heap: &mut Counted<'_>, program: &[Operation], best: bool, need: impl Fn(usize) -> Option<usize>) {
    let mut oracle = Oracle::default();
    for &operation in program {
        let mut free = Vec::new();
        heap.walk(&mut |block| free.extend((block.state == State::Free).then_some(block)));
        let served = oracle.step(&mut heap, operation).expect("a sound heap");
        let Operation::Allocate { size, alignment: 1 } = operation else { continue };
        let Some(need) = need(size) else { continue };
        let Some(min) = free.iter().map(|block| block.size).filter(|&free| free >= need).min() else { continue };
        let offset = served.unwrap_or_else(|| panic!("{size} bytes were refused: {min} are free, {need} needed"));
        let from = free.iter().find(|block| (block.offset..block.offset + block.size).contains(&offset));
        let from = from.unwrap_or_else(|| panic!("{size} bytes took new memory: {min} are free, {need} needed"));
        assert!(!best || from.size == min, "{size} bytes took a block of {}, not of {min}", from.size);
    }
}

#[test]
fn a_remainder_is_split_off_from_its_smallest_size_on() {
    for (spec, expected) in [
        ("list", [false, true, true]),
        ("list(remainder=64)", [false, false, true]),
        ("list(split>=25, remainder=64)", [false; 3]),
        ("list(split=never)", [false; 3]),
        ("bins(lea, remainder=64)", [false, false, true]),
        ("tree(red-black, remainder=64)", [false, false, true]),
    ] {
        let spec: Spec = spec.parse().expect("a spec");
        // Blocks of 32, 80 and 400 bytes, for one of 28.
        for (bytes, expected) in [28, 76, 396].into_iter().zip(expected) {
            let splits = on(&spec, region(&spec), |heap| {
                let hole = heap.allocate(bytes, 1).expect("room");
                heap.allocate(24, 1).expect("room");
                // SAFETY: the block is live.
                unsafe { heap.deallocate(hole) };
                assert_eq!(heap.allocate(24, 1), Some(hole), "{spec}: {bytes} bytes");
                let mut free = 0;
                heap.walk(&mut |block| free += usize::from(block.state == State::Free));
                free == 1
            });
            assert_eq!(splits.expect("room for an empty heap"), expected, "{spec}: {bytes} bytes");
        }
    }
}

#[test]
fn best_fit_takes_the_smallest_block_and_no_fit_takes_new_memory_before_a_free_block() {
    let best = [
        "tree",
        "tree(red-black, split>=100, coalesce=never)",
        "tree(red-black, remainder=100)",
        "skiplist",
        "skiplist(seed=5, coalesce=never)",
        "bins(lea, each=tree)",
        "bins(log(1), each=tree, coalesce=never)",
        "bins(log(1), each=skiplist, coalesce=never)",
        "bins(log, order=size)",
        "list(order=lifo, fit=best)",
        "list(order=implicit, fit=best)",
    ];
    let any = [
        "list",
        "list(order=fifo, fit=next)",
        "bins(log(1))",
        "bins(log(1), order=fifo, tries=1)",
        "bins(log, tries=all)",
    ];
    // These look only into lists whose every block serves: one of twice the need is in such a list.
    let good = ["tlsf", "tlsf(second-level=6)", "tlsf(second-level=1)", "half-fit"];
    for (texts, best, factor) in [(&best[..], true, 1), (&any[..], false, 1), (&good[..], false, 2)] {
        for (text, word) in texts.iter().flat_map(|text| [2, 4, 8].map(|word| (text, word))) {
            let spec: Spec = format!("{text} word={word}").parse().expect("a spec");
            let need = |size| words_for(&spec, size as u64)?.checked_mul(word * factor);
            for seed in 0..8 {
                let program = long_program(400, seed);
                on(&spec, region(&spec), |heap| fits(heap, &program, best, need)).expect("a heap");
            }
        }
    }
}

/// Fills the region, frees all, and fills it again.
fn fill_twice(heap: &mut Counted<'_>) -> (usize, usize) {
    let mut fill = || {
        let blocks: Vec<_> = std::iter::from_fn(|| heap.allocate(60, 1)).collect();
        heap.check().expect("a full region");
        for &block in blocks.iter().rev() {
            // SAFETY: each block is live and freed once; in reverse, as a stack wants it.
            unsafe { heap.deallocate(block) };
        }
        heap.check().expect("an empty region");
        blocks.len()
    };
    (fill(), fill())
}

#[test]
fn a_full_region_recovers() {
    for spec in every_spec() {
        let (first, second) = on(&spec, 16 * 1024, fill_twice).unwrap_or_else(|error| panic!("{spec}: {error}"));
        assert!(first > 50, "{spec} served only {first} blocks of 60 bytes in 16 KiB");
        if is_bump(&spec) {
            // What a reserve counts as free is lost to a bump.
            assert!(second < first, "{spec}");
        } else if places_spans_anew(&spec) {
            assert!(first.abs_diff(second) * 20 <= first, "{spec}: {first}, then {second}");
        } else {
            assert_eq!(first, second, "{spec}");
        }
    }
}

/// Whether spans may lie elsewhere in an empty heap that was full: empty ones that are kept stay where they are, and what a pool
/// does not join serves blocks of other sizes than before.
fn places_spans_anew(spec: &Spec) -> bool {
    let keeps = |layer: &Layer| matches!(layer, Layer::Spans(spans) if spans.empty.kept() > 0 || spec.may_starve());
    spec.layers.iter().any(keeps)
}

/// Whether the pool never gives anything back.
fn is_bump(spec: &Spec) -> bool {
    spec.pool == Pool::Bump(Bump { reclaim: Reclaim::Never })
}

/// Frees everything and reports what is left in the region.
fn left_afterwards(heap: &mut Counted<'_>) -> usize {
    let blocks: Vec<_> = (0..200).map_while(|n| heap.allocate(8 + n % 90, 1)).collect();
    for at in (0..blocks.len()).step_by(2).chain((1..blocks.len()).step_by(2)) {
        // SAFETY: every block is freed once: the even ones, then the odd ones.
        unsafe { heap.deallocate(blocks[at]) };
    }
    let mut left = 0;
    heap.walk(&mut |_| left += 1);
    left
}

#[test]
fn where_all_blocks_coalesce_nothing_is_left() {
    let coalesces = |spec: &Spec| {
        let text = spec.to_string();
        let constant_time = text.starts_with("tlsf") || text.starts_with("half-fit");
        let coalesces = text.contains("coalesce=immediate") || text.contains("coalesce=every-call");
        spec.layers.is_empty() && (coalesces || constant_time)
    };
    for spec in every_spec().into_iter().filter(coalesces) {
        assert_eq!(on(&spec, region(&spec), left_afterwards).expect("a heap"), 0, "{spec}");
    }
}

/// The offsets that a program got.
fn offsets(mut heap: &mut Counted<'_>, program: &[Operation]) -> Vec<Option<usize>> {
    let mut oracle = Oracle::default();
    program.iter().map(|&operation| oracle.step(&mut heap, operation).expect("a sound heap")).collect()
}

#[test]
fn addresses_are_the_same_in_every_run_and_in_a_growing_region() {
    let program = long_program(200, 7);
    for spec in every_spec().into_iter().step_by(5) {
        let bytes = region(&spec);
        let once = on(&spec, bytes, |heap| offsets(heap, &program)).expect("a heap");
        assert_eq!(once, on(&spec, bytes, |heap| offsets(heap, &program)).expect("a heap"), "{spec}");
        let mut reserve = Memory::new(bytes);
        let mut source = Growing::new(reserve.region(bytes), 512);
        assert_eq!(once, over(&spec, &mut source, |heap| offsets(heap, &program)).expect("a heap"), "{spec}, growing");
    }
}

#[test]
fn a_region_that_is_too_small_or_unaligned_is_an_error() {
    let spec: Spec = "list word=4".parse().expect("a spec");
    let mut bytes = [MaybeUninit::<u8>::uninit(); 64];
    let skip = (4 - bytes.as_ptr().addr() % 4) % 4;
    for size in [0, 3, 8, 16] {
        let error = over(&spec, &mut Fixed::new(&mut bytes[skip..skip + size]), |_| ()).expect_err("too small");
        assert!(error.to_string().contains(&format!("the region has {size} bytes")), "{error}");
    }
    let error = over(&spec, &mut Fixed::new(&mut bytes[skip + 1..]), |_| ()).expect_err("unaligned");
    assert!(error.to_string().contains("multiple of the heap's word of 4 bytes"), "{error}");
    let mut none = Growing::new(Fixed::new(&mut bytes[skip..skip]), 16);
    assert_eq!(none.length(), 0);
    assert!(over(&spec, &mut none, |_| ()).is_err());
}

#[test]
fn blocks_that_a_layer_keeps_are_reported_and_flushed_when_the_pool_fails() {
    let keeps = |heap: &mut Counted<'_>| {
        let blocks: Vec<_> = std::iter::from_fn(|| heap.allocate(100, 1)).collect();
        for &block in &blocks {
            // SAFETY: each block is live and freed once.
            unsafe { heap.deallocate(block) };
        }
        let mut cached = 0;
        heap.walk(&mut |block| cached += usize::from(block.state == State::Cached));
        assert_eq!(cached, blocks.len());
        assert!(heap.allocate(3000, 1).is_some(), "the kept blocks coalesce into one that is large enough");
        heap.check().expect("after a flush");
    };
    on(&"freelists(100) list".parse().expect("a spec"), 4096, keeps).expect("a heap");
}
