//! What spans promise beyond every heap's promises: where blocks lie, which span serves, what is touched, what it costs.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

use heapsmith::parts::{
    BitmapInside, BitmapOutside, ConstantSizes, ListInside, NextSpan as Next, SizeRange, SpanType, SpanValues, Spans,
};
use heapsmith::{
    BestFit, Counting, FirstFit, Fixed, Heap, KnuthBuddy, PhkHeap, RegionError, State, Tlsf, Unmetered, Word,
};

/// A region that begins at a multiple of a page.
#[repr(align(4096))]
struct Memory<const WORDS: usize>([MaybeUninit<u64>; WORDS]);

impl<const WORDS: usize> Memory<WORDS> {
    fn new() -> Box<Self> {
        Box::new(Memory([MaybeUninit::uninit(); WORDS]))
    }
}

/// Requests of 1 to 16, 17 to 32, 33 to 64 and 65 to 200 bytes, in words of four bytes.
#[derive(Clone, Copy, Debug)]
struct Sizes;

impl ConstantSizes for Sizes {
    const LISTS: &'static [SizeRange] = &[
        SizeRange { low: 0, high: 4 },
        SizeRange { low: 5, high: 8 },
        SizeRange { low: 9, high: 16 },
        SizeRange { low: 17, high: 50 },
    ];
}

const VALUES: SpanValues = SpanValues { span: 1024, next: Next::First, keep: 0 };

type Counted<'m, T> = Spans<u32, BestFit<Fixed<'m>, u32, Counting>, Sizes, T>;

fn spans<T: SpanType>(memory: &mut Memory<8192>, values: SpanValues) -> Counted<'_, T> {
    let heap = BestFit::metered(Fixed::new(&mut memory.0), Counting::default()).expect("room");
    Spans::new(heap, 8, Sizes, values).expect("room")
}

fn offset(heap: &impl Heap, block: NonNull<u8>) -> usize {
    block.as_ptr().addr() - heap.base().as_ptr().addr()
}

fn allocate(heap: &mut impl Heap, size: usize) -> NonNull<u8> {
    let block = heap.allocate(size, 1).expect("room");
    heap.check().expect("sound");
    block
}

fn free(heap: &mut impl Heap, block: NonNull<u8>) {
    // SAFETY: each block is live and freed once.
    unsafe { heap.deallocate(block) };
    heap.check().expect("sound");
}

/// Allocates the blocks of whole spans of 1024 bytes; the offsets of the spans.
fn fill(heap: &mut impl Heap, size: usize, spans: usize) -> Vec<Vec<NonNull<u8>>> {
    let mut filled: Vec<Vec<NonNull<u8>>> = Vec::new();
    loop {
        let block = allocate(heap, size);
        let span = |block| offset(heap, block) / 1024;
        match filled.iter().position(|blocks| span(blocks[0]) == span(block)) {
            Some(at) => filled[at].push(block),
            None if filled.len() == spans => {
                free(heap, block);
                return filled;
            }
            None => filled.push(vec![block]),
        }
    }
}

/// Blocks of a class lie next to each other without headers, and spans follow one another without a gap.
fn lie_close<T: SpanType>() {
    let mut memory = Memory::new();
    let mut heap = spans::<T>(&mut memory, VALUES);
    let filled = fill(&mut heap, 30, 3);
    for blocks in &filled {
        let offsets: Vec<_> = blocks.iter().map(|&block| offset(&heap, block)).collect();
        assert!(offsets.windows(2).all(|pair| pair[1] - pair[0] == 32), "{offsets:?}");
        // SAFETY: the block is live.
        assert!(blocks.iter().all(|&block| unsafe { (heap.usable_size(block), heap.block_size(block)) } == (32, 32)));
        // All but the header of the pool, the record and what is left of a block.
        let record = if T::OUTSIDE {
            0
        } else if T::BITMAP {
            56
        } else {
            24
        };
        assert_eq!(blocks.len(), (1024 - 4 - record) / 32);
    }
    let starts: Vec<_> = filled.iter().map(|blocks| offset(&heap, blocks[0]) / 1024).collect();
    assert!(starts[1] + 1 == starts[2], "{starts:?}");
}

#[test]
fn blocks_have_no_header_and_spans_no_gap() {
    lie_close::<ListInside>();
    lie_close::<BitmapInside>();
    lie_close::<BitmapOutside>();
}

#[test]
fn a_request_is_rounded_up_to_its_class_and_a_large_one_goes_below() {
    let mut memory = Memory::new();
    let mut heap = spans::<ListInside>(&mut memory, VALUES);
    for (size, usable) in [(1, 16), (16, 16), (17, 32), (33, 64), (65, 200), (200, 200)] {
        let block = allocate(&mut heap, size);
        // SAFETY: the block is live.
        assert_eq!(unsafe { heap.usable_size(block) }, usable, "{size} bytes");
    }
    let large = allocate(&mut heap, 201);
    // SAFETY: the block is live.
    assert!(unsafe { heap.block_size(large) > heap.usable_size(large) }, "it has a header");
}

#[test]
fn a_block_is_resized_in_place_within_its_class() {
    let mut memory = Memory::new();
    let mut heap = spans::<BitmapInside>(&mut memory, VALUES);
    let empty = heap.footprint();
    let block = allocate(&mut heap, 40);
    // SAFETY: the block is live until it is moved.
    unsafe {
        block.as_ptr().write(7);
        assert_eq!(heap.reallocate(block, 64, 1), Some(block));
        assert_eq!(heap.reallocate(block, 33, 1), Some(block));
        let smaller = heap.reallocate(block, 20, 1).expect("room");
        assert_ne!(smaller, block);
        let large = heap.reallocate(smaller, 5000, 1).expect("room");
        assert_eq!(large.as_ptr().read(), 7);
        heap.check().expect("sound");
        free(&mut heap, large);
    }
    assert_eq!(heap.footprint(), empty, "spans and table are returned");
}

#[test]
fn an_alignment_that_a_class_has_is_served_by_it() {
    let mut memory = Memory::new();
    let mut heap = spans::<BitmapOutside>(&mut memory, VALUES);
    let in_span = |heap: &Counted<'_, _>, block| {
        // SAFETY: the block is live; a block of the heap below has a header.
        unsafe { heap.usable_size(block) == heap.block_size(block) }
    };
    for (size, alignment, served) in [(50, 64, true), (50, 128, false), (30, 32, true), (200, 16, false), (9, 16, true)]
    {
        let block = heap.allocate(size, alignment).expect("room");
        assert!(block.as_ptr().addr().is_multiple_of(alignment), "{size} at {alignment}");
        assert_eq!(in_span(&heap, block), served, "{size} at {alignment}");
        heap.check().expect("sound");
    }
    assert_eq!(heap.allocate(50, 3), None);
}

/// The span, of four that are full, from which the next block comes after one, two, three and no block of them were freed in
/// this order: the last, the first, the third.
fn next_of<T: SpanType>(next: Next) -> usize {
    let mut memory = Memory::new();
    let mut heap = spans::<T>(&mut memory, SpanValues { next, ..VALUES });
    let filled = fill(&mut heap, 60, 4);
    for (span, blocks) in [(3, 3), (1, 1), (2, 2)] {
        filled[span][..blocks].iter().for_each(|&block| free(&mut heap, block));
    }
    let block = allocate(&mut heap, 60);
    let taken = offset(&heap, block) / 1024;
    filled.iter().position(|blocks| offset(&heap, blocks[0]) / 1024 == taken).expect("a span with room")
}

#[test]
fn the_level_says_which_span_serves_next() {
    // The first that got room is the head; the others are chosen as it is full.
    for (next, first) in [(Next::First, 3), (Next::Last, 2), (Next::Fullest, 3), (Next::Lowest, 3)] {
        assert_eq!(next_of::<ListInside>(next), first, "{next:?}");
        assert_eq!(next_of::<BitmapOutside>(next), first, "{next:?}");
    }
    for (next, second) in [(Next::First, 4), (Next::Last, 3), (Next::Fullest, 2), (Next::Lowest, 1)] {
        let mut memory = Memory::new();
        let mut heap = spans::<BitmapInside>(&mut memory, SpanValues { next, ..VALUES });
        let filled = fill(&mut heap, 60, 6);
        for (span, blocks) in [(0, 1), (4, 3), (1, 3), (2, 2), (3, 4)] {
            filled[span][..blocks].iter().for_each(|&block| free(&mut heap, block));
        }
        // Fills the head.
        let head = if next == Next::Last { 4 } else { 1 };
        let _: Vec<_> = (0..head).map(|_| allocate(&mut heap, 60)).collect();
        let block = allocate(&mut heap, 60);
        let taken = offset(&heap, block) / 1024;
        let span = filled.iter().position(|blocks| offset(&heap, blocks[0]) / 1024 == taken);
        assert_eq!(span, Some(if next == Next::Last { 2 } else { second }), "{next:?}");
    }
}

/// Used blocks of the heap below, as far as a walk shows them: what is kept.
fn kept(heap: &impl Heap) -> usize {
    let mut bytes = 0;
    heap.walk(&mut |view| bytes += if view.state == State::Cached { view.size } else { 0 });
    bytes
}

#[test]
fn an_empty_span_is_returned_or_kept_until_a_request_would_be_refused() {
    for keep in [0, 1, 2] {
        let mut memory = Memory::new();
        let mut heap = spans::<ListInside>(&mut memory, SpanValues { keep, ..VALUES });
        let empty = (heap.footprint(), kept(&heap));
        let filled = fill(&mut heap, 60, 4);
        filled.into_iter().flatten().for_each(|block| free(&mut heap, block));
        let (footprint, left) = (heap.footprint(), kept(&heap));
        assert_eq!((footprint, left) == empty, keep == 0);
        assert!(footprint > empty.0 + 1024 * keep || keep == 0, "{footprint} bytes with {keep} spans kept");
        let all = 65_536 - empty.0 - 8;
        let large = allocate(&mut heap, all);
        free(&mut heap, large);
        assert_eq!((heap.footprint(), kept(&heap)), empty, "what was kept is returned");
    }
}

#[test]
fn small_requests_go_below_where_no_span_fits() {
    let mut memory = Memory::new();
    let mut heap = spans::<ListInside>(&mut memory, VALUES);
    let all_but_little = 65_536 - heap.footprint() - 500;
    let large = allocate(&mut heap, all_but_little);
    let blocks: Vec<_> = std::iter::from_fn(|| heap.allocate(16, 1)).collect();
    heap.check().expect("sound");
    assert!(blocks.len() > 15, "{} blocks", blocks.len());
    blocks.into_iter().chain([large]).for_each(|block| free(&mut heap, block));
}

#[test]
fn records_outside_leave_free_blocks_as_they_are() {
    let mut memory = Memory::new();
    let mut heap = spans::<BitmapOutside>(&mut memory, SpanValues { keep: 8, ..VALUES });
    let blocks: Vec<_> = fill(&mut heap, 60, 4).into_iter().flatten().collect();
    let pattern = |number: usize| number as u8 | 1;
    for (number, &block) in blocks.iter().enumerate() {
        // SAFETY: the block is live and has 64 bytes.
        unsafe { block.as_ptr().write_bytes(pattern(number), 64) };
    }
    let mut live = blocks.clone();
    for third in [0, 1, 2, 2, 0, 1] {
        let (freed, left): (Vec<_>, Vec<_>) = live.into_iter().enumerate().partition(|(number, _)| number % 3 == third);
        freed.iter().for_each(|&(_, block)| free(&mut heap, block));
        live = left.into_iter().map(|(_, block)| block).collect();
        live.extend((0..freed.len()).map(|_| allocate(&mut heap, 64)));
    }
    for (number, block) in blocks.iter().enumerate() {
        // SAFETY: no span was returned, so its bytes are those of a live or a free block, and nobody writes them.
        let bytes = unsafe { std::slice::from_raw_parts(block.as_ptr(), 64) };
        assert!(bytes.iter().all(|&byte| byte == pattern(number)), "block {number} was touched");
    }
}

#[test]
fn a_bitmap_serves_the_lowest_block_and_a_list_the_last() {
    fn order<T: SpanType>() -> Vec<usize> {
        let mut memory = Memory::new();
        let mut heap = spans::<T>(&mut memory, VALUES);
        let blocks = fill(&mut heap, 16, 1).remove(0);
        [40, 2, 35, 7].into_iter().for_each(|number: usize| free(&mut heap, blocks[number]));
        let taken = (0..4).map(|_| allocate(&mut heap, 16)).collect::<Vec<_>>();
        taken.iter().map(|block| blocks.iter().position(|other| other == block).expect("a freed one")).collect()
    }
    assert_eq!(order::<ListInside>(), [7, 35, 2, 40]);
    assert_eq!(order::<BitmapInside>(), [2, 7, 35, 40]);
    assert_eq!(order::<BitmapOutside>(), [2, 7, 35, 40]);
}

#[test]
fn operations_cost_what_the_module_says() {
    fn cost<T: SpanType>() -> [u64; 3] {
        let mut memory = Memory::new();
        let mut heap = spans::<T>(&mut memory, VALUES);
        let mut accesses = 0;
        let mut since =
            |heap: &Counted<'_, T>| heap.meter().accesses - std::mem::replace(&mut accesses, heap.meter().accesses);
        let kept = heap.allocate(16, 1).expect("room");
        since(&heap);
        let block = heap.allocate(16, 1).expect("room");
        let fresh = since(&heap);
        // SAFETY: the blocks are live and freed once.
        unsafe { heap.deallocate(block) };
        let freed = since(&heap);
        let block = heap.allocate(16, 1).expect("room");
        let again = since(&heap);
        // SAFETY: as above.
        unsafe { [kept, block].into_iter().for_each(|block| heap.deallocate(block)) };
        [fresh, freed, again]
    }
    let [list, inside, outside] = [cost::<ListInside>(), cost::<BitmapInside>(), cost::<BitmapOutside>()];
    assert_eq!(list, [6, 9, 6]);
    assert_eq!(inside, [5, 9, 7]);
    assert_eq!(outside, [6, 10, 8]);
}

#[test]
fn spans_go_before_heaps_of_every_kind_and_word() {
    fn serves<W: Word, H: Heap, T: SpanType>(heap: Result<H, RegionError>, values: SpanValues) {
        #[derive(Clone, Copy, Debug)]
        struct Two;
        impl ConstantSizes for Two {
            const LISTS: &'static [SizeRange] = &[SizeRange { low: 0, high: 8 }, SizeRange { low: 9, high: 16 }];
        }
        let mut heap = Spans::<W, _, Two, T>::new(heap.expect("room"), 8, Two, values).expect("room");
        let mut blocks: Vec<_> = (0..120).map(|number| allocate(&mut heap, 1 + number % (20 * W::BYTES))).collect();
        while !blocks.is_empty() {
            let block = blocks.swap_remove(blocks.len() * 2 / 3);
            free(&mut heap, block);
        }
        assert!(heap.allocate(500, 1).is_some());
    }
    for next in [Next::First, Next::Last, Next::Fullest, Next::Lowest] {
        for keep in [0, 2] {
            let values = SpanValues { span: 512, next, keep };
            let region = &mut Memory::<4000>::new().0;
            serves::<u16, _, ListInside>(FirstFit::<_, u16>::metered(Fixed::new(region), Unmetered), values);
            serves::<u64, _, BitmapOutside>(Tlsf::<_, u64>::metered(Fixed::new(region), Unmetered), values);
            serves::<u32, _, BitmapInside>(KnuthBuddy::<_, u32>::metered(Fixed::new(region), Unmetered), values);
            serves::<u32, _, BitmapOutside>(PhkHeap::<_, u32>::metered(Fixed::new(region), Unmetered), values);
        }
    }
}

#[test]
fn spans_that_hold_no_block_of_a_class_make_no_heap() {
    #[derive(Clone, Copy, Debug)]
    struct Large;
    impl ConstantSizes for Large {
        const LISTS: &'static [SizeRange] = &[SizeRange { low: 0, high: 256 }];
    }
    let mut memory = Memory::<8192>::new();
    let mut refused = |values: SpanValues, alignment| {
        let heap = FirstFit::<_, u32>::metered(Fixed::new(&mut memory.0), Unmetered).expect("room");
        Spans::<u32, _, Large, ListInside>::new(heap, alignment, Large, values).err()
    };
    for span in [0, 128, 1000, 1024, 1 << 23, usize::MAX] {
        assert_eq!(refused(SpanValues { span, ..VALUES }, 8), Some(RegionError::BlockSizes), "{span}");
    }
    assert_eq!(refused(SpanValues { span: 2048, ..VALUES }, 16), Some(RegionError::Alignment { given: 16 }));
    assert_eq!(refused(SpanValues { span: 2048, ..VALUES }, 8), None);
    let keep = 1 << 40;
    assert_eq!(refused(SpanValues { span: 2048, keep, ..VALUES }, 8), None);
}

/// Owners take turns; each block is freed while another is served.
fn owners<T: SpanType>(next: Next, keep: usize) {
    const OWNERS: usize = 3;
    let mut memory = Memory::<8192>::new();
    let heap: BestFit<_, u32, Counting> =
        BestFit::metered(Fixed::new(&mut memory.0), Counting::default()).expect("room");
    let values = SpanValues { next, keep, ..VALUES };
    let mut heap = Spans::<u32, _, _, T>::owned(heap, 8, Sizes, values, OWNERS).expect("room");
    let empty = heap.footprint();
    let mut told: Vec<AtomicU16> = (0..66).map(|_| AtomicU16::new(0)).collect();
    // SAFETY: zeros, which live longer than the heap is used.
    assert!(unsafe { heap.publish_classes(NonNull::from(told.as_mut_slice())) });
    let mut live: Vec<(NonNull<u8>, usize, usize)> = Vec::new();
    for step in 0..2_000 {
        let (owner, class) = (step * 7 % (OWNERS + 1), step * 5 % 4);
        heap.serve(owner);
        if step % 5 < 3 && live.len() < 250 {
            live.push((allocate(&mut heap, [16, 32, 64, 200][class]), owner, class));
        } else if !live.is_empty() {
            let (block, ..) = live.swap_remove(step * 13 % live.len());
            free(&mut heap, block);
        }
        let unit = |block| offset(&heap, block) / 1024;
        for (block, owner, class) in &live {
            let of_span = told[unit(*block)].load(Ordering::Relaxed).to_le_bytes();
            assert_eq!(of_span, [*class as u8 + 1, *owner as u8], "a span has blocks of one class and one owner");
        }
    }
    live.into_iter().for_each(|(block, ..)| free(&mut heap, block));
    heap.serve(0);
    let all = 65_536 - empty - 8;
    let large = allocate(&mut heap, all);
    free(&mut heap, large);
    assert_eq!(heap.footprint(), empty, "what was kept is returned, of all owners");
}

#[test]
fn spans_of_an_owner_serve_nobody_else() {
    for (next, keep) in [(Next::First, 0), (Next::Last, 1), (Next::Fullest, 2), (Next::Lowest, 1)] {
        owners::<ListInside>(next, keep);
        owners::<BitmapInside>(next, keep);
        owners::<BitmapOutside>(next, keep);
    }
}

#[test]
fn no_more_owners_than_a_byte_names() {
    let made = |owners| {
        let mut memory = Memory::<8192>::new();
        let heap = BestFit::<_, u32>::new(Fixed::new(&mut memory.0)).expect("room");
        Spans::<u32, _, _, ListInside>::owned(heap, 8, Sizes, VALUES, owners).err()
    };
    assert_eq!((made(255), made(256)), (None, Some(RegionError::BlockSizes)));
}
