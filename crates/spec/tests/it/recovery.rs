//! No heap starves: once everything is free it serves what it served at the start, and a refusal joins only once.
#![allow(unsafe_code)]

use heapsmith::{Heap, State};
use heapsmith_spec::{Layer, Pool, Spec, WordSize, arbitrary, resolve};
use heapsmith_trial::{Counted, History, Memory, heaps, heaps_in_regions, largest_request, on, recovers};
use proptest::prelude::*;

/// Bytes of a region that the word of `spec` can name.
fn region(spec: &Spec) -> usize {
    if spec.word == WordSize::Two { 30 << 10 } else { 64 << 10 }
}

/// What the heap of `spec` does not serve again after one of a few histories.
fn starves(spec: &Spec, memory: &mut Memory, seed: u64) -> Option<String> {
    let bytes = region(spec);
    let largest = largest_request(spec, memory, bytes);
    let mut histories = History::few(seed);
    (largest > 0).then(|| histories.find_map(|history| recovers(spec, memory, bytes, largest, history).err())).flatten()
}

/// Whether the heap says that it may refuse for ever; or whether a layer's own block is in a page or a span that never becomes
/// free, so that the directory or the table may have to stay where it grew to.
fn may_decline(spec: &Spec) -> bool {
    let own = |layer: &Layer| matches!(layer, Layer::Guard(_) | Layer::Reserve(_));
    let spans = spec.layers.iter().any(|layer| matches!(layer, Layer::Spans(_)));
    spec.may_starve()
        || spec.flushes_in_parts()
        || (spans || matches!(spec.pool, Pool::Pages(_))) && spec.layers.iter().any(own)
}

#[test]
fn every_heap_serves_again_what_it_served_at_the_start() {
    let mut memory = Memory::new(64 << 10);
    let specs = heaps()
        .chain(heaps_in_regions())
        .chain(STARVED)
        .map(|text| resolve(text).unwrap_or_else(|error| panic!("{error}")));
    let (declining, joining): (Vec<_>, Vec<_>) = specs.partition(may_decline);
    let starved: Vec<_> =
        joining.iter().filter_map(|spec| starves(spec, &mut memory, 1).map(|why| format!("{spec}: {why}"))).collect();
    assert!(starved.is_empty(), "{starved:#?}");
    // What is said to decline does, or says so for nothing.
    for spec in &declining {
        assert!(starves(spec, &mut memory, 1).is_some(), "{spec} serves all again, and says that it does not");
    }
    println!("{} heaps, and {} that may decline", joining.len(), declining.len());
}

/// A full heap, all of which is freed and cached: each refusal flushes as many blocks as it may, until the largest request fits.
#[test]
fn a_bounded_flush_serves_what_is_asked_for_often_enough() {
    const BYTES: usize = 8 << 10;
    for (spec, many) in [
        ("freelists(40, flush=bounded(8)) tlsf(largest=region)", 8),
        ("freelists(40,64, order=fifo, flush=bounded(3)) list(order=address, coalesce>=64)", 3),
        ("freelists(8..=64 step 8, flush=bounded(1)) bins(lea)", 1),
        ("freelists(60, flush=bounded(5)) buddy(knuth)", 5),
        ("freelists(40, flush=bounded(4), magazine=500) tlsf", 4),
    ] {
        let spec = resolve(spec).expect("a heap");
        let mut memory = Memory::new(BYTES);
        let largest = largest_request(&spec, &mut memory, BYTES);
        let (blocks, waiting) = on(&spec, &mut memory, BYTES, |heap| {
            let blocks: Vec<_> = std::iter::from_fn(|| heap.allocate(40, 1)).collect();
            // SAFETY: each is freed once.
            blocks.iter().for_each(|&block| unsafe { heap.deallocate(block) });
            let mut waiting = Vec::new();
            while heap.allocate(largest, 1).is_none() {
                heap.check().expect("a sound heap");
                waiting.push(cached(heap));
                assert!(waiting.len() <= blocks.len(), "{spec} starves");
            }
            (blocks.len(), waiting)
        })
        .expect("a heap");
        let expected: Vec<usize> = (1..).map(|asked| blocks - asked * many).take(waiting.len()).collect();
        assert_eq!(waiting, expected, "{spec}");
        assert!(waiting.len() > blocks / many / 3 && blocks > 3 * many, "{spec}: {blocks} blocks");
    }
}

/// What finds no place in a magazine is coalesced, and what found one is taken from the last on.
#[test]
fn a_magazine_keeps_as_many_blocks_as_it_has_places() {
    const BYTES: usize = 8 << 10;
    for spec in ["freelists(40, magazine=7) list", "freelists(40, magazine=7) list check=header"] {
        let spec = resolve(spec).expect("a heap");
        let mut memory = Memory::new(BYTES);
        on(&spec, &mut memory, BYTES, |heap| {
            let blocks: Vec<_> = (0..20).filter_map(|_| heap.allocate(40, 1)).collect();
            assert_eq!(blocks.len(), 20);
            for (freed, &block) in blocks.iter().enumerate() {
                assert_eq!(cached(heap), freed.min(7), "{spec}");
                // SAFETY: each is freed once.
                unsafe { heap.deallocate(block) };
                heap.check().expect("a sound heap");
            }
            assert!(
                heap.allocate(13 * 40, 1).is_some_and(|large| large == blocks[7]),
                "{spec}: the others are one block"
            );
            let again: Vec<_> = (0..7).filter_map(|_| heap.allocate(40, 1)).collect();
            assert!(again.iter().eq(blocks[..7].iter().rev()), "{spec}");
            assert_eq!(cached(heap), 0);
        })
        .expect("a heap");
    }
}

/// Blocks that wait on free lists.
fn cached(heap: &Counted<'_>) -> usize {
    let mut blocks = 0;
    heap.walk(&mut |block| blocks += usize::from(block.state == State::Cached));
    blocks
}

/// Heaps that once refused for ever.
const STARVED: [&str; 3] = [
    "freelists(16,22,28,30,36,40,42,47,52,53,60,64,66,87,90,1464) \
     list(order=address, fit=first, split>=23, coalesce>=64)",
    "list(order=address, fit=first, split=never, coalesce>=48)",
    "list(order=implicit, coalesce>=100, tags=off)",
];

/// 64 KB full of 40-byte blocks, all freed, then 100 bytes.
fn asks_for_100_bytes(spec: &str) -> bool {
    let spec = resolve(spec).unwrap_or_else(|error| panic!("{error}"));
    let mut memory = Memory::new(64 << 10);
    recovers(&spec, &mut memory, 64 << 10, 100, History::Filled(40)).is_ok()
}

#[test]
fn small_blocks_that_a_threshold_left_apart_serve_a_larger_request() {
    for spec in STARVED.into_iter().chain(["lea-2.7.2"]) {
        assert!(asks_for_100_bytes(spec), "{spec}");
    }
    // Blocks of a class keep their size, as its documentation says.
    assert!(!asks_for_100_bytes("enea-ose"));
}

/// In a full region every block becomes smaller where it is, or elsewhere; none is refused, whatever its class holds.
#[test]
fn a_block_that_becomes_smaller_is_never_refused() {
    const BYTES: usize = 16 << 10;
    let mut memory = Memory::new(BYTES);
    // A stack resizes its last block alone, and no reserve is for it.
    let specs = heaps().map(|text| resolve(text).unwrap_or_else(|error| panic!("{error}")));
    for spec in specs.filter(|spec| !spec.layers.iter().any(|layer| matches!(layer, Layer::Guard(_)))) {
        let refused = on(&spec, &mut memory, BYTES, |heap| {
            let sizes = [300, 108, 89, 40].into_iter().cycle();
            let blocks: Vec<_> = sizes.map_while(|size| heap.allocate(size, 1).map(|block| (size, block))).collect();
            let mut refused = Vec::new();
            for (size, block) in blocks {
                for smaller in [size - 1, size - 19, size / 2, 1] {
                    // SAFETY: the block is live; what replaces it is not used.
                    let Some(moved) = (unsafe { heap.reallocate(block, smaller, 1) }) else {
                        refused.push((size, smaller));
                        break;
                    };
                    if moved != block {
                        break;
                    }
                }
            }
            refused
        });
        assert!(refused.expect("a heap").is_empty(), "{spec}");
    }
}

/// Accesses of a refused request.
fn refused(heap: &mut Counted<'_>, size: usize) -> u64 {
    let before = heap.meter().accesses;
    assert_eq!(heap.allocate(size, 1), None);
    heap.meter().accesses - before
}

#[test]
fn a_refusal_walks_once_for_what_was_freed() {
    for spec in ["list(order=lifo, coalesce>=64)", "freelists(40) list(coalesce>=64)", "bins(lea, coalesce>=64)"] {
        let spec = resolve(spec).expect("a heap");
        let costs = on(&spec, &mut Memory::new(64 << 10), 64 << 10, |heap| {
            let blocks: Vec<_> = std::iter::from_fn(|| heap.allocate(40, 1)).collect();
            let full = refused(heap, 40_000);
            for pair in blocks[..1000].chunks_exact(4) {
                // SAFETY: each block is freed once; of four that touch two are freed.
                pair[..2].iter().for_each(|&block| unsafe { heap.deallocate(block) });
            }
            let [walk, next, third] = [40_000; 3].map(|size| refused(heap, size));
            heap.check().expect("a sound heap");
            // SAFETY: it was not freed before.
            unsafe { heap.deallocate(blocks[2]) };
            let again = refused(heap, 40_000);
            (full, walk, next, third, again)
        });
        let (full, walk, next, third, again) = costs.expect("a heap");
        println!("{spec}: full {full}, walk {walk}, then {next} and {third}, after a free {again}");
        assert!(walk > next + 1500, "{spec}: {walk} accesses join {} blocks, {next} do not", 1600);
        assert_eq!(next, third, "{spec}");
        assert!(again > next + 1000, "{spec}");
    }
}

/// A reallocation is not refused either where the free neighbour is large enough once it is joined.
#[test]
fn a_reallocation_grows_into_what_was_joined_for_it() {
    for spec in ["list(coalesce>=64)", "freelists(40) list", "list(coalesce=deferred)"] {
        let spec = resolve(spec).expect("a heap");
        let grown = on(&spec, &mut Memory::new(8 << 10), 8 << 10, |heap| {
            let blocks: Vec<_> = std::iter::from_fn(|| heap.allocate(40, 1)).collect();
            let kept = blocks.len() / 2;
            // SAFETY: each is freed once, and the one before them stays.
            blocks[kept + 1..kept + 3].iter().for_each(|&block| unsafe { heap.deallocate(block) });
            // SAFETY: the block is live.
            let grown = unsafe { heap.reallocate(blocks[kept], 90, 1) };
            heap.check().expect("a sound heap");
            grown == Some(blocks[kept])
        });
        assert!(grown.expect("a heap"), "{spec}");
    }
}

#[test]
fn the_directory_of_pages_moves_back() {
    let spec = resolve("pages(page=256, min=8)").expect("a heap");
    let (mut memory, bytes) = (Memory::new(64 << 10), 64 << 10);
    let largest = largest_request(&spec, &mut memory, bytes);
    assert_eq!(recovers(&spec, &mut memory, bytes, largest, History::Filled(8)), Ok(()));
}

// 256 random heaps, or as many as `PROPTEST_CASES` says.
proptest! {
    #[test]
    fn random_heaps_serve_again_what_they_served_at_the_start(spec in arbitrary::spec(), seed in any::<u64>()) {
        let starved = if may_decline(&spec) { None } else { starves(&spec, &mut Memory::new(64 << 10), seed) };
        prop_assert!(starved.is_none(), "{spec}: {}", starved.unwrap_or_default());
    }
}
