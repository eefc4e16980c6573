//! What a heap cannot be made of is refused when it is made: else safe code could make it break its promises.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use heapsmith::parts::pages::{ByWord, PageSizes};
use heapsmith::parts::{
    AddressOrder, BlockPool, Buddies, Classes, FixedSize, Frees, Knuth, Linear, Order, PageHeap, PolicyValues,
    SizeRange, SizeTable,
};
use heapsmith::{
    FirstFit, Fixed, FreeLists, Global, Growing, Guard, Heap, KnuthBuddy, Locked, RegionError, Reserve, Spin,
    StaticRegion, Tlsf, Unmetered, Zero,
};

type Memory = [MaybeUninit<u64>; 1024];

fn memory() -> Memory {
    [MaybeUninit::uninit(); 1024]
}

#[test]
fn an_alignment_that_is_no_power_of_two_or_below_the_word_makes_no_heap() {
    let mut memory = memory();
    for given in [0, 1, 3, 12, 8192, 1 << 30, usize::MAX] {
        let refused = Some(RegionError::Alignment { given });
        let policy = PolicyValues { alignment: given, ..PolicyValues::DEFAULT };
        let region = Fixed::new(&mut memory);
        let heap = BlockPool::<u32, _, _, _, _, true>::from_parts(region, AddressOrder::new(), policy, Unmetered);
        assert_eq!(heap.err(), refused);
        let region = Fixed::new(&mut memory);
        assert_eq!(Buddies::<u32, Knuth, _, _, true>::from_parts(region, given, Unmetered).err(), refused);
        let region = Fixed::new(&mut memory);
        assert_eq!(FixedSize::<u32, _, _>::from_parts(region, 64, given, Unmetered).err(), refused);
        let region = Fixed::new(&mut memory);
        assert_eq!(Linear::<u32, _, _>::from_parts(region, given, Frees::Never, Unmetered).err(), refused);
        let sizes = PageSizes { page: 1024, min: 16, alignment: given };
        let region = Fixed::new(&mut memory);
        assert_eq!(PageHeap::<u32, ByWord, _, _>::from_parts(region, sizes, Unmetered).err(), refused);
        let heap = FirstFit::new(Fixed::new(&mut memory)).expect("room");
        assert_eq!(Guard::<u32, _>::new(heap, given, 0).err(), refused);
    }
}

#[test]
fn pages_and_objects_that_do_not_fit_together_make_no_heap() {
    let mut memory = memory();
    for (page, min) in [(0, 16), (1000, 16), (1024, 0), (1024, 2), (1024, 24), (1024, 1024), (1 << 30, 16)] {
        let sizes = PageSizes { page, min, alignment: 8 };
        let heap = PageHeap::<u32, ByWord, _, _>::from_parts(Fixed::new(&mut memory), sizes, Unmetered);
        assert_eq!(heap.err(), Some(RegionError::PageSizes), "{sizes:?}");
    }
}

#[test]
fn lists_and_classes_of_sizes_that_no_block_has_make_no_heap() {
    let mut memory = memory();
    let mut direct = [0; 64];
    // Blocks of these pools are of an even number of words from 4 on, and of powers of two.
    for high in [1, 5, 1 << 30] {
        let lists = [SizeRange { low: 1, high }];
        let map = SizeTable::new(&lists, &mut direct);
        let (index, policy) = (AddressOrder::new(), PolicyValues::DEFAULT);
        let region = Fixed::new(&mut memory);
        let heap = FreeLists::<BlockPool<u32, _, _, _, _, true>, _>::from_parts(
            region,
            index,
            policy,
            Unmetered,
            map,
            Order::Lifo,
        );
        assert_eq!(heap.err(), Some(RegionError::BlockSizes), "{high} words");
        let index = Classes::new(map, None);
        let heap = BlockPool::<u32, _, _, _, _, false>::from_parts(Fixed::new(&mut memory), index, policy, Unmetered);
        assert_eq!(heap.err(), Some(RegionError::BlockSizes), "{high} words");
    }
    let lists = [SizeRange { low: 1, high: 12 }];
    let map = SizeTable::new(&lists, &mut direct);
    let heap = FreeLists::<KnuthBuddy<_>, _>::before_buddies(Fixed::new(&mut memory), 8, Unmetered, map, Order::Fifo);
    assert_eq!(heap.err(), Some(RegionError::BlockSizes));
    let index = Classes::new(map, Some(0));
    let heap = BlockPool::<u32, _, _, _, _, false>::from_parts(
        Fixed::new(&mut memory),
        index,
        PolicyValues::DEFAULT,
        Unmetered,
    );
    assert_eq!(heap.err(), Some(RegionError::BlockSizes), "a step of nothing");
    assert_eq!(FreeLists::<Tlsf<_>, _>::new(Fixed::new(&mut memory), [0]).err(), Some(RegionError::BlockSizes));
}

#[test]
#[should_panic(expected = "ascend")]
fn tables_of_lists_that_overlap_are_refused() {
    SizeTable::new(&[SizeRange { low: 4, high: 8 }, SizeRange { low: 6, high: 6 }], &mut [0; 64]);
}

#[test]
fn a_layer_whose_words_do_not_fit_the_heap_below_is_refused() {
    let mut memory = memory();
    let region = Fixed::new(&mut memory);
    let heap = Linear::<u16, _, _>::from_parts(region, 2, Frees::Never, Unmetered).expect("room");
    assert_eq!(Reserve::<u64, _>::new(heap, 8192, 10).err(), Some(RegionError::Unaligned { word: 8 }));
    let region = Fixed::new(&mut memory);
    let heap = Linear::<u16, _, _>::from_parts(region, 2, Frees::Never, Unmetered).expect("room");
    assert_eq!(Guard::<u32, _>::new(heap, 4, 1).err(), Some(RegionError::Alignment { given: 4 }));
    // The payloads would do, but words are counted from the region's base.
    let base = std::ptr::NonNull::from(&mut memory).cast::<u8>();
    // Memory of 32-bit programs may begin four bytes after a multiple of eight.
    let skipped = 4 + base.addr().get() % 8;
    // SAFETY: all but the first bytes of memory that nobody else has.
    let region = unsafe { Fixed::from_raw(base.add(skipped), size_of::<Memory>() - skipped) };
    let heap = FirstFit::new(region).expect("room");
    assert_eq!(Reserve::<u64, _>::new(heap, 8192, 10).err(), Some(RegionError::Unaligned { word: 8 }));
}

#[test]
fn a_layer_stands_before_an_empty_heap_only() {
    let mut memory = memory();
    let mut heap = FirstFit::new(Fixed::new(&mut memory)).expect("room");
    let block = heap.allocate(100, 1).expect("room");
    assert_eq!(Guard::<u32, _>::new(&mut heap, 8, 3).err(), Some(RegionError::InUse));
    assert_eq!(Reserve::<u32, _>::new(&mut heap, 8192, 10).err(), Some(RegionError::InUse));
    // SAFETY: the block is live.
    unsafe { heap.deallocate(block) };
    let reserve = Reserve::<u32, _>::new(&mut heap, 8192, 10).expect("it is empty");
    assert!(Guard::<u32, _>::new(Zero::new(reserve), 8, 3).is_ok(), "a layer's own block is not in use");
}

#[test]
fn an_alignment_beyond_the_region_is_refused_at_once() {
    let mut memory = memory();
    let mut heap = FixedSize::<u64, _, _>::from_parts(Fixed::new(&mut memory), 64, 8, Unmetered).expect("room");
    assert_eq!(heap.allocate(1, 1 << (usize::BITS * 54 / 64)), None);
    assert!(heap.allocate(1, 8).is_some());
}

#[test]
fn a_static_region_is_handed_out_once() {
    static REGION: StaticRegion<4096> = StaticRegion::new();
    let regions = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| REGION.take().is_some())).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).filter(|&taken| taken).count()
    });
    assert_eq!(regions, 1);
    static HEAP: Global<Tlsf, Spin, 4096> = Global::new(&REGION, Tlsf::new);
    assert_eq!(HEAP.with(|heap| heap.footprint()), None, "somebody else has the region");
}

#[test]
fn a_global_heap_whose_region_is_too_small_refuses_everything() {
    static REGION: StaticRegion<8> = StaticRegion::new();
    static HEAP: Global<Tlsf, Spin, 8> = Global::new(&REGION, Tlsf::new);
    for _ in 0..2 {
        assert_eq!(HEAP.with(|heap| heap.footprint()), None);
    }
    let layout = std::alloc::Layout::new::<u64>();
    // SAFETY: the layout has a size.
    assert!(unsafe { std::alloc::GlobalAlloc::alloc(&HEAP, layout) }.is_null());
}

#[test]
fn a_heap_is_used_through_its_lock() {
    let mut memory = memory();
    let shared = Locked::<_, Spin>::new(Tlsf::new(Growing::new(Fixed::new(&mut memory), 512)).expect("room"));
    // SAFETY: the job leaves the heap where it is.
    let block = unsafe { shared.with_mut(|heap| heap.allocate(100, 1)) };
    let mut used = 0;
    shared.with(|heap| heap.walk(&mut |_| used += 1));
    assert_eq!((block.is_some(), used), (true, 1));
}
