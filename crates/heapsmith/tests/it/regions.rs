//! What several regions promise beyond every heap's promises.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use heapsmith::{Counters, Fixed, Guard, Heap, HeapErrorKind, Region, RegionError, Regions, Reserve, Tlsf, Zero};

type Heaps<'a> = Regions<Tlsf<Fixed<'a>>, [Region<Tlsf<Fixed<'a>>>; 2]>;

/// The preferred region has the higher address, as external memory mostly has not.
fn heap(memory: &mut [MaybeUninit<u64>], up_to: [usize; 2]) -> Heaps<'_> {
    let (external, internal) = Fixed::new(memory).split_at(6 << 10);
    let regions = [internal, external].map(|source| Tlsf::new(source).expect("room"));
    let [internal, external] = regions;
    Regions::new([Region::new(internal, up_to[0]), Region::new(external, up_to[1])]).expect("two regions")
}

fn free(heap: &mut Heaps<'_>, pointer: NonNull<u8>) -> Option<HeapErrorKind> {
    // SAFETY: the block is live, or below all regions.
    unsafe { heap.try_deallocate(pointer) }.err().map(|heap_error| heap_error.kind)
}

#[test]
fn a_request_goes_to_its_region_spills_over_and_is_refused_by_none_that_has_room() {
    let mut memory = vec![MaybeUninit::uninit(); 1024];
    let mut heap = heap(&mut memory, [256, usize::MAX]);
    let mut places = Vec::new();
    for size in [100, 300, 256, 257] {
        let block = heap.allocate(size, 8).expect("room");
        places.push(heap.region_of(block));
    }
    assert_eq!(places, [Some(0), Some(1), Some(0), Some(1)]);
    // The first has 2 KiB: small requests fill it, and spill over.
    let blocks: Vec<_> = std::iter::from_fn(|| heap.allocate(200, 8)).collect();
    let small: Vec<_> = blocks.iter().map(|&block| heap.region_of(block)).collect();
    let spilled = small.iter().position(|&place| place == Some(1)).expect("the first is full");
    assert!(spilled > 3 && small[spilled..].iter().all(|&place| place == Some(1)), "{small:?}");
    heap.check().expect("two sound heaps");
}

#[test]
fn a_region_that_a_size_skips_serves_what_all_others_refuse() {
    let mut memory = vec![MaybeUninit::uninit(); 1024];
    let mut heap = heap(&mut memory, [64, usize::MAX]);
    let external: Vec<_> = std::iter::from_fn(|| heap.allocate(1000, 8)).collect();
    assert_eq!(external.iter().filter(|&&block| heap.region_of(block) == Some(0)).count(), 1, "2 KiB hold one more");
    assert_eq!(heap.region_of(*external.last().expect("some")), Some(0));
}

#[test]
fn a_block_that_its_region_cannot_resize_moves_and_keeps_what_it_holds() {
    let mut memory = vec![MaybeUninit::uninit(); 1024];
    let mut heap = heap(&mut memory, [256, usize::MAX]);
    let empty = heap.footprint();
    let block = heap.allocate(100, 8).expect("room");
    (0..100).for_each(|byte| {
        // SAFETY: the block has 100 bytes.
        unsafe { block.as_ptr().add(byte).write(byte as u8) }
    });
    // SAFETY: the block is live.
    let same = unsafe { heap.reallocate(block, 600, 8) }.expect("its region has room");
    assert_eq!(heap.region_of(same), Some(0), "in its region first");
    // SAFETY: the block is live.
    let moved = unsafe { heap.reallocate(same, 4000, 8) }.expect("the other has room");
    assert_eq!(heap.region_of(moved), Some(1));
    // SAFETY: the block has 4000 bytes, of which 100 were written.
    assert!((0..100).all(|byte| unsafe { moved.as_ptr().add(byte).read() } == byte as u8));
    // SAFETY: the block is live.
    assert_eq!(unsafe { heap.reallocate(moved, 1 << 20, 8) }, None);
    assert_eq!(heap.region_of(moved), Some(1), "it is as it was");
    assert_eq!(free(&mut heap, moved), None);
    assert_eq!(heap.footprint(), empty);
}

#[test]
fn a_pointer_below_all_regions_is_refused() {
    let mut memory = vec![MaybeUninit::uninit(); 1024];
    let mut heap = heap(&mut memory, [usize::MAX; 2]);
    let below = NonNull::new(heap.base().as_ptr().wrapping_sub(8)).expect("not null");
    assert_eq!(free(&mut heap, below), Some(HeapErrorKind::Foreign));
    // SAFETY: as above.
    assert_eq!(unsafe { heap.reallocate(below, 8, 8) }, None);
    assert_eq!(heap.heap_errors().count, 2);
    assert_eq!(heap.last_heap_error().map(|last| last.block as isize), Some(-8));
}

#[test]
fn the_lowest_region_is_the_base_whatever_the_order() {
    let mut memory = vec![MaybeUninit::uninit(); 1024];
    let base = memory.as_ptr().cast::<u8>();
    let mut heap = heap(&mut memory, [usize::MAX; 2]);
    assert_eq!(heap.base().as_ptr().cast_const(), base);
    let block = heap.allocate(64, 8).expect("room");
    let mut offsets = Vec::new();
    heap.walk(&mut |view| offsets.push(view.offset + view.header));
    assert_eq!(offsets, [block.as_ptr().addr() - base.addr()]);
    let mut regions = Vec::new();
    heap.regions(&mut |region| regions.push((region.offset, region.footprint)));
    assert_eq!(regions.iter().map(|region| region.0).collect::<Vec<_>>(), [6 << 10, 0]);
    assert_eq!(regions.iter().map(|region| region.1).sum::<usize>(), heap.footprint());
}

#[test]
fn counters_count_in_all_regions_and_layers_with_words_go_into_each() {
    let mut memory = vec![MaybeUninit::uninit(); 1024];
    let mut heap = Counters::<u64, _>::new(Zero::new(heap(&mut memory, [256, usize::MAX])), 8 << 10);
    let before = heap.counts().free_bytes;
    let blocks = [100, 1000, 200].map(|size| heap.allocate(size, 8).expect("room"));
    assert!(before - heap.counts().free_bytes >= 1300);
    // SAFETY: each is live, and freed once.
    blocks.into_iter().for_each(|block| unsafe { heap.deallocate(block) });
    assert_eq!((heap.counts().free_bytes, heap.counts().live_blocks), (before, 0));
    let mut memory = vec![MaybeUninit::uninit(); 1024];
    let guarded = Guard::<u32, _>::new(self::heap(&mut memory, [64; 2]), 4, 0);
    assert_eq!(guarded.map(|_| ()), Err(RegionError::SeveralRegions));
    let reserved = Reserve::<u32, _>::new(self::heap(&mut memory, [64; 2]), 8 << 10, 10);
    assert_eq!(reserved.map(|_| ()), Err(RegionError::SeveralRegions));
}

#[test]
fn no_region_is_no_heap() {
    let none: [Region<Tlsf<Fixed<'_>>>; 0] = [];
    assert!(matches!(Regions::new(none), Err(RegionError::TooSmall { .. })));
    let mut memory = vec![MaybeUninit::uninit(); 1024];
    let nested = Regions::new([Region::new(heap(&mut memory, [64; 2]), 64)]);
    assert!(matches!(nested, Err(RegionError::SeveralRegions)), "blocks would not be distinguished by their bases");
}
