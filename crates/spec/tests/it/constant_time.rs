//! Two-level segregated fit and half-fit where other implementations of them fail, and best fit
//! where it must be the best.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use heapsmith::{Fixed, Heap};
use heapsmith_trial::{Counted, over};

fn on<T>(spec: &str, bytes: usize, job: impl FnOnce(&mut Counted<'_>) -> T) -> T {
    let mut memory = vec![MaybeUninit::<u64>::uninit(); bytes / 8];
    let spec = spec.parse().expect("a spec");
    over(&spec, &mut Fixed::new(&mut memory), job).expect("a heap")
}

/// Frees a block that came from `heap`.
fn free(heap: &mut Counted<'_>, block: NonNull<u8>) {
    // SAFETY: the tests free each of their blocks once.
    unsafe { heap.deallocate(block) };
}

/// Fills the region around one block, frees that one, and asks for its size again.
fn same_size_again(heap: &mut Counted<'_>, size: usize) {
    let block = heap.allocate(size, 1).expect("a new heap has room");
    for filler in [size, 64, 4, 1] {
        while heap.allocate(filler, 1).is_some() {}
    }
    free(heap, block);
    let before = heap.meter().accesses;
    assert_eq!(heap.allocate(size, 1), Some(block), "a request of {size} bytes, freed before");
    let cost = heap.meter().accesses - before;
    assert!(cost <= heapsmith::parts::TwoLevel::BOUND, "{cost} accesses");
    heap.check().expect("a sound heap");
}

/// The freed block lies in a list below the one that requests of its size begin at.
#[test]
fn a_freed_block_serves_its_own_size_in_a_full_region() {
    for word in [2, 4, 8] {
        for spec in ["half-fit", "tlsf(second-level=1)", "tlsf(second-level=3)", "tlsf(second-level=5, largest=2000)"] {
            for size in [8, 9, 60, 63, 64, 65, 100, 132, 500, 513, 777, 1000, 1022, 1023, 1024, 1025, 1500, 2000] {
                on(&format!("{spec} word={word}"), 24 * 1024, |heap| same_size_again(heap, size));
            }
        }
    }
}

/// In a full region, the only block that serves lies in its list behind smaller ones.
#[test]
fn a_full_region_is_looked_at_twice() {
    let behind = |heap: &mut Counted<'_>| {
        let holes: Vec<_> = (0..heapsmith::parts::TwoLevel::SECOND_LOOK)
            .map(|number| {
                let size = if number == 0 { 1004 } else { 604 };
                let hole = heap.allocate(size, 1).expect("a new heap has room");
                heap.allocate(4, 1).expect("a new heap has room");
                (size, hole)
            })
            .collect();
        for filler in [2000, 300, 64, 4, 1] {
            while heap.allocate(filler, 1).is_some() {}
        }
        holes.iter().for_each(|&(_, hole)| free(heap, hole));
        let (size, hole) = holes[0];
        assert_eq!(heap.allocate(size, 1), Some(hole), "the last that a second look sees");
        heap.check().expect("a sound heap");
    };
    // One list holds blocks of 512 up to 1023 bytes.
    on("half-fit", 24 * 1024, behind);
}

/// Leaves holes of many sizes and asks for each.
fn holes(heap: &mut Counted<'_>) {
    let sizes = [400, 24, 96, 200, 16, 48, 1000, 32, 12, 120, 64];
    let holes = sizes.map(|size| {
        let hole = heap.allocate(size, 1).expect("a new heap has room");
        heap.allocate(4, 1).expect("a new heap has room");
        hole
    });
    for hole in holes {
        free(heap, hole);
    }
    for (size, hole) in sizes.into_iter().zip(holes) {
        assert_eq!(heap.allocate(size, 1), Some(hole), "a hole of exactly {size} bytes is there");
        free(heap, hole);
        heap.check().expect("a sound heap");
    }
}

#[test]
fn best_fit_by_size_finds_the_exact_hole() {
    for spec in [
        "tree",
        "skiplist",
        "skiplist(seed=9)",
        "bins(lea, each=tree)",
        "bins(lea, each=skiplist)",
        "bins(log, each=tree)",
    ] {
        on(spec, 64 * 1024, holes);
    }
}

/// Frees many blocks of one size, apart from each other, and counts what one more costs.
fn equals(heap: &mut Counted<'_>) -> u64 {
    let blocks: Vec<_> = (0..2000).map(|_| heap.allocate(100, 1).expect("the region has room")).collect();
    for &block in blocks.iter().step_by(2) {
        free(heap, block);
    }
    heap.check().expect("a sound heap");
    let mut max = 0;
    for _ in 0..900 {
        let before = heap.meter().accesses;
        let again = heap.allocate(100, 1).expect("a thousand such blocks are free");
        let between = heap.meter().accesses;
        free(heap, again);
        let after = heap.meter().accesses;
        max = max.max(between - before).max(after - between);
        heap.allocate(100, 1).expect("a thousand such blocks are free");
    }
    heap.check().expect("a sound heap");
    max
}

#[test]
fn equal_sizes_cost_the_same_however_many_are_free() {
    for spec in ["tree", "skiplist", "bins(lea, each=tree)", "bins(lea, each=skiplist)"] {
        let max = on(spec, 512 * 1024, equals);
        println!("{spec}: at most {max}");
        assert!(max <= 40, "{spec}: {max} accesses");
    }
}

/// A limit on requests is no limit on free blocks: those that are larger share the last list.
#[test]
fn a_request_above_the_largest_is_refused() {
    let largest = |heap: &mut Counted<'_>| {
        assert_eq!(heap.allocate(1000, 1), None);
        let max: Vec<_> = std::iter::from_fn(|| heap.allocate(500, 1)).collect();
        assert!(max.len() > 5);
        max.iter().for_each(|&block| free(heap, block));
        heap.check().expect("a sound heap");
    };
    on("tlsf(second-level=4, largest=500)", 8192, largest);
}
