//! The buddy heaps: their steps, their lists, and what they move.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use heapsmith::parts::{Buddies, Estranged, Growth, Knuth, OneBlock, Recombination};
use heapsmith::{Counting, Fixed, Handle, Handles, Heap, Moved, ServePath, State};

/// A region that begins at a multiple of 4096.
struct Memory(Vec<MaybeUninit<u64>>);

impl Memory {
    fn new(bytes: usize) -> Self {
        Memory(vec![MaybeUninit::uninit(); (bytes + 4096) / 8])
    }

    fn region(&mut self, bytes: usize) -> Fixed<'_> {
        let skip = (4096 - self.0.as_ptr().addr() % 4096) / 8;
        Fixed::new(&mut self.0[skip..][..bytes / 8])
    }
}

type Fast<'m, R> = Buddies<u32, R, Fixed<'m>, Counting, false>;
type Moving<'m, R> = Buddies<u32, R, Fixed<'m>, Counting, true>;

/// Bytes that fill a block of `order`.
fn bytes(order: u32) -> usize {
    ((1 << order) - 1) * 4
}

/// Allocates a block of `order` and returns its payload in words from the base.
fn allocate<H: Heap>(heap: &mut H, order: u32) -> usize {
    let pointer = heap.allocate(bytes(order), 1).expect("the region has room");
    heap.check().expect("after an allocation");
    (pointer.as_ptr().addr() - heap.base().as_ptr().addr()) / 4
}

fn free<H: Heap>(heap: &mut H, at: usize) {
    let pointer = NonNull::new(heap.base().as_ptr().wrapping_add(at * 4)).expect("inside the region");
    // SAFETY: the tests free what they allocated, once.
    unsafe { heap.deallocate(pointer) };
    heap.check().expect("after a free");
}

fn served<H: Heap<Meter = Counting>>(heap: &H, way: ServePath) -> u64 {
    heap.meter().served[way as usize]
}

/// Sixteen blocks of order 2 that begin at a multiple of 64 words, and a used one behind them.
fn sixteen<H: Heap>(heap: &mut H) -> usize {
    let first = allocate(heap, 6);
    free(heap, first);
    let mut blocks: Vec<_> = (0..16).map(|_| allocate(heap, 2)).collect();
    while blocks[blocks.len() - 16] % 64 != 0 {
        blocks.push(allocate(heap, 2));
    }
    let first = blocks[blocks.len() - 16];
    assert_eq!(blocks.last(), Some(&(first + 60)));
    let after = allocate(heap, 6);
    assert!(after >= first + 64);
    first
}

#[test]
fn the_estranged_system_takes_its_five_steps_in_order() {
    let mut memory = Memory::new(16 * 1024);
    let mut heap = Fast::<Estranged>::from_parts(memory.region(16 * 1024), 4, Counting::default()).expect("a heap");
    let at = sixteen(&mut heap);
    let [large, _, larger, _] = [4, 4, 5, 5].map(|order| allocate(&mut heap, order));
    // Whatever else is free goes first, so that the lists hold only what a step is about.
    while served(&heap, ServePath::AfterSplit) + served(&heap, ServePath::AtOnce) > 0 {
        let before = heap.meter().served;
        allocate(&mut heap, 2);
        if heap.meter().served[ServePath::ByGrowing as usize] > before[ServePath::ByGrowing as usize] {
            break;
        }
    }
    // 1 before 2: the block whose buddy is used, though the pair was freed last.
    for block in [0, 8, 12] {
        free(&mut heap, at + block);
    }
    assert_eq!(allocate(&mut heap, 2), at, "step 1: buddy-busy");
    assert_eq!(allocate(&mut heap, 2), at + 8, "step 2: the lower of a pair");
    assert_eq!(allocate(&mut heap, 2), at + 12, "step 1: the upper is buddy-busy now");
    // 3 before 4: a pair of the order below is joined although a larger block is there.
    for block in [large, at + 16, at + 20, at + 32, at + 36, at + 40, at + 44] {
        free(&mut heap, block);
    }
    let glued = served(&heap, ServePath::AfterCoalescing);
    let three = allocate(&mut heap, 3);
    assert!([16, 32, 40].map(|pair| at + pair).contains(&three), "step 3: two buddies of the order below");
    assert_eq!(served(&heap, ServePath::AfterCoalescing), glued + 1);
    free(&mut heap, three);
    assert_eq!(allocate(&mut heap, 3), three, "step 1, at order 3");
    // 4 before 5: a larger block is split although gluing would do.
    let split = served(&heap, ServePath::AfterSplit);
    free(&mut heap, larger);
    assert_eq!(allocate(&mut heap, 4), large, "step 1, at order 4");
    assert_eq!(allocate(&mut heap, 4), larger, "step 4: the lower half of the larger block");
    assert_eq!(served(&heap, ServePath::AfterSplit), split + 1);
    allocate(&mut heap, 4);
    // 5: pairs of order 2 become a pair of order 3, and that the block.
    for block in [48, 52, 56, 60] {
        free(&mut heap, at + block);
    }
    let glued = served(&heap, ServePath::AfterCoalescing);
    let four = allocate(&mut heap, 4);
    assert_eq!(four, at + 48, "step 5: glued from the lowest order up");
    assert_eq!(served(&heap, ServePath::AfterCoalescing), glued + 1);
}

#[test]
fn knuths_buddies_join_at_once_and_give_the_wilderness_back() {
    let mut memory = Memory::new(64 * 1024);
    let mut heap = Fast::<Knuth>::from_parts(memory.region(64 * 1024), 4, Counting::default()).expect("a heap");
    let blocks: Vec<_> = (0..300).map(|number| allocate(&mut heap, 2 + number % 4)).collect();
    for &block in blocks.iter().step_by(2).chain(blocks.iter().skip(1).step_by(2)) {
        free(&mut heap, block);
    }
    heap.walk(&mut |block| panic!("{block:?} is left"));
    assert_eq!(heap.footprint(), heap.control_size());
}

#[test]
fn payloads_are_aligned_to_their_blocks() {
    let mut memory = Memory::new(64 * 1024);
    let mut heap = Fast::<Knuth>::from_parts(memory.region(64 * 1024), 4, Counting::default()).expect("a heap");
    for order in 2..=11 {
        let pointer = heap.allocate(bytes(order), 1).expect("room");
        assert!(pointer.as_ptr().addr().is_multiple_of((4 << order).min(4096)), "order {order}");
    }
}

type Whole<'m, R> = Buddies<u32, R, Fixed<'m>, Counting, false, OneBlock>;

fn whole<R: Recombination>(memory: &mut Memory, bytes: usize) -> Whole<'_, R> {
    Whole::from_parts(memory.region(bytes), 4, Counting::default()).expect("a heap")
}

/// Allocates blocks of `size` bytes until the heap refuses.
fn fill<H: Heap>(heap: &mut H, size: usize) -> Vec<NonNull<u8>> {
    std::iter::from_fn(|| heap.allocate(size, 1)).collect()
}

fn free_all<H: Heap>(heap: &mut H, blocks: &[NonNull<u8>]) {
    for &block in blocks {
        // SAFETY: the tests free what they allocated, once.
        unsafe { heap.deallocate(block) };
    }
    heap.check().expect("after the frees");
}

/// 64 KB, the table of a byte for each 16, and the control words.
const SIXTY_FOUR: usize = (64 + 4 + 4) << 10;

fn one_block_is_used_to_the_last_byte<R: Recombination>() {
    let mut memory = Memory::new(SIXTY_FOUR);
    let mut heap = whole::<R>(&mut memory, SIXTY_FOUR);
    assert!(heap.allocate((64 << 10) + 1, 1).is_none());
    for size in [16, 1, 32, 4096, 64 << 10] {
        let blocks = fill(&mut heap, size);
        assert_eq!(blocks.len(), (64 << 10) / size.max(16), "blocks of {size} bytes");
        heap.check().expect("when it is full");
        let aligned = |block: &NonNull<u8>| block.as_ptr().addr().is_multiple_of(size.clamp(16, 4096));
        assert!(size == 1 || blocks.iter().all(aligned));
        free_all(&mut heap, &blocks);
    }
}

#[test]
fn one_block_has_no_headers_and_becomes_one_again() {
    one_block_is_used_to_the_last_byte::<Knuth>();
    one_block_is_used_to_the_last_byte::<Estranged>();
}

#[test]
fn a_region_that_is_no_power_of_two_is_used_up_to_one() {
    for (region, block) in [(SIXTY_FOUR, 64 << 10), (SIXTY_FOUR - 4096, 32 << 10), (100_000, 64 << 10), (5000, 2048)] {
        let mut memory = Memory::new(region);
        let mut heap = whole::<Knuth>(&mut memory, region);
        assert_eq!(heap.footprint() - heap.control_size(), block, "of {region} bytes");
        assert_eq!(fill(&mut heap, block).len(), 1);
    }
}

#[test]
fn one_request_glues_all_pairs_unless_they_are_bounded() {
    let glued = |pairs: usize| {
        let mut memory = Memory::new(SIXTY_FOUR);
        let mut heap = whole::<Estranged>(&mut memory, SIXTY_FOUR).gluing(pairs);
        let blocks = fill(&mut heap, 16);
        free_all(&mut heap, &blocks);
        let before = *heap.meter();
        heap.allocate(64 << 10, 1).expect("all of it is free");
        (heap.meter().visits - before.visits, heap.meter().accesses - before.accesses)
    };
    // 4,096 blocks of 16 bytes become one in 4,095 joins.
    let (all, accesses) = glued(usize::MAX);
    assert!(all >= 4095 && accesses > 4095 * 8, "{all} joins, {accesses} accesses");
    for pairs in [0, 1, 5, 40] {
        let (visits, accesses) = glued(pairs);
        assert!(visits <= 12 * (pairs as u64 + 1), "{visits} visits where {pairs} may wait");
        assert!(accesses <= (21 * 14 * pairs + 22 * 14 + 20) as u64, "{accesses} accesses where {pairs} may wait");
    }
}

#[test]
fn where_no_pair_may_wait_the_estranged_system_is_knuths() {
    let addresses = |mut heap: Box<dyn Heap<Meter = Counting> + '_>| {
        let (mut live, mut seen, mut seed) = (Vec::new(), Vec::new(), 9_u32);
        for _ in 0..4000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let size = 1 + (seed >> 20) as usize % 700;
            if (seed >> 24) % 8 < 5 || live.is_empty() {
                let block = heap.allocate(size, 1);
                seen.push(block.map(|block| block.as_ptr().addr() - heap.base().as_ptr().addr()));
                live.extend(block);
            } else {
                let block = live.swap_remove(seed as usize % live.len());
                // SAFETY: it is live, and no more from now on.
                unsafe { heap.deallocate(block) };
            }
        }
        seen
    };
    let (mut one, mut other) = (Memory::new(SIXTY_FOUR), Memory::new(SIXTY_FOUR));
    let knuth = addresses(Box::new(whole::<Knuth>(&mut one, SIXTY_FOUR)));
    assert!(knuth.iter().flatten().count() > 1000 && knuth.iter().any(Option::is_none));
    assert_eq!(addresses(Box::new(whole::<Estranged>(&mut other, SIXTY_FOUR).gluing(0))), knuth);
}

#[test]
fn never_used_memory_is_taken_after_gluing_or_before() {
    for (growth, way) in
        [(Growth::AfterGluing, ServePath::AfterCoalescing), (Growth::BeforeGluing, ServePath::ByGrowing)]
    {
        let mut memory = Memory::new(16 * 1024);
        let heap = Fast::<Estranged>::from_parts(memory.region(16 * 1024), 4, Counting::default()).expect("a heap");
        let mut heap = heap.growing(growth);
        let first = sixteen(&mut heap);
        while served(&heap, ServePath::AtOnce) + served(&heap, ServePath::AfterSplit) > 0 {
            let before = heap.meter().served[ServePath::ByGrowing as usize];
            allocate(&mut heap, 2);
            if heap.meter().served[ServePath::ByGrowing as usize] > before {
                break;
            }
        }
        for block in 0..16 {
            free(&mut heap, first + 4 * block);
        }
        let before = served(&heap, way);
        allocate(&mut heap, 5);
        assert_eq!(served(&heap, way), before + 1, "{growth:?}");
    }
}

/// What a program wrote to a movable block.
struct Live {
    handle: Handle,
    size: usize,
    seed: u8,
    pinned: Option<NonNull<u8>>,
}

impl Live {
    fn new<H: Handles>(heap: &mut H, size: usize, seed: u8) -> Option<Self> {
        let live = Live { handle: heap.allocate_movable(size)?, size, seed, pinned: None };
        // SAFETY: the handle is live, and its block has `size` bytes.
        unsafe { heap.get(live.handle).as_ptr().write_bytes(seed, size) };
        Some(live)
    }

    fn intact<H: Handles>(&self, heap: &H) -> bool {
        // SAFETY: the handle is live, and its bytes were written when it was made.
        let (pointer, bytes) = unsafe {
            let pointer = heap.get(self.handle);
            (pointer, std::slice::from_raw_parts(pointer.as_ptr(), self.size))
        };
        bytes.iter().all(|&byte| byte == self.seed) && self.pinned.is_none_or(|pinned| pinned == pointer)
    }
}

fn defragments<H: Handles<Meter = Counting>>(heap: &mut H) {
    let mut live: Vec<Live> = std::iter::from_fn(|| Live::new(heap, 8, 7)).collect();
    for at in (0..live.len()).rev().step_by(2) {
        // SAFETY: the handle leaves the list here.
        unsafe { heap.free_movable(live.swap_remove(at).handle) };
    }
    heap.check().expect("every other block is free");
    assert_eq!(heap.moved().blocks, 0);
    let max = heap.max_moved(1000).expect("a size that can be served");
    let large = Live::new(heap, 1000, 9).expect("half of the region is free: blocks are moved");
    heap.check().expect("after moving");
    assert!(heap.moved().last > 0 && heap.moved().last <= max, "{} of {max}", heap.moved().last);
    println!("a block of 1024 bytes: {} bytes moved, at most {max}", heap.moved().last);
    assert!(live.iter().chain([&large]).all(|block| block.intact(heap)));
    assert!(heap.meter().served[ServePath::AfterDefragmentation as usize] > 0);
}

#[test]
fn blocks_are_moved_for_one_request_and_no_more() {
    let mut memory = Memory::new(16 * 1024);
    defragments(&mut Moving::<Knuth>::from_parts(memory.region(16 * 1024), 4, Counting::default()).expect("a heap"));
    defragments(
        &mut Moving::<Estranged>::from_parts(memory.region(16 * 1024), 4, Counting::default()).expect("a heap"),
    );
}

/// A heap full of movable blocks of the least order, by their places in words from the base.
fn full_of_movable<H: Handles>(heap: &mut H) -> BTreeMap<usize, Handle> {
    let mut live = BTreeMap::new();
    while let Some(handle) = heap.allocate_movable(8) {
        // SAFETY: the handle is live.
        let pointer = unsafe { heap.get(handle) };
        live.insert((pointer.as_ptr().addr() - heap.base().as_ptr().addr()) / 4, handle);
    }
    // What has no master word left is filled with blocks that never move.
    while heap.allocate(8, 1).is_some() {}
    live
}

/// `count` windows of `2^order` words that hold nothing but `live`, each at a multiple of its size.
fn windows(live: &BTreeMap<usize, Handle>, order: u32, count: usize) -> Vec<usize> {
    let words = 1 << order;
    let whole = |start: &usize| (*start..start + words).step_by(4).all(|at| live.contains_key(&at));
    let found: Vec<_> = (words..4096).step_by(words).filter(whole).take(count).collect();
    assert_eq!(found.len(), count, "windows of 2^{order} words");
    found
}

/// Frees the upper block of every two in these windows; the lowest free block is then the first of its list.
fn free_every_other<H: Handles>(heap: &mut H, live: &mut BTreeMap<usize, Handle>, windows: &[usize], order: u32) {
    for &start in windows.iter().rev() {
        for at in (start..start + (1 << order)).skip(4).step_by(8).collect::<Vec<_>>().into_iter().rev() {
            let handle = live.remove(&at).expect("the window is full");
            // SAFETY: the handle was live and left the map.
            unsafe { heap.free_movable(handle) };
        }
    }
    heap.check().expect("every other block is free");
}

/// Where every other block is free, only the used half of one window moves, each block once.
fn moves_half_a_window<H: Handles>(heap: &mut H) {
    let mut live = full_of_movable(heap);
    for order in 3..=7 {
        let windows = windows(&live, order + 1, 1);
        free_every_other(heap, &mut live, &windows, order + 1);
        let before = heap.moved().bytes;
        assert!(heap.allocate_movable(((1 << order) - 2) * 4).is_some(), "half of the window is free");
        heap.check().expect("after moving");
        assert_eq!(heap.moved().bytes - before, (1 << (order - 1)) * 4, "order {order}");
        // What is left in the window has moved there; other windows are whole.
        live.retain(|at, _| !(windows[0]..windows[0] + (2 << order)).contains(at));
    }
}

#[test]
fn no_more_is_moved_than_the_emptiest_window_holds() {
    let mut memory = Memory::new(16 * 1024);
    moves_half_a_window(
        &mut Moving::<Knuth>::from_parts(memory.region(16 * 1024), 4, Counting::default()).expect("a heap"),
    );
    moves_half_a_window(
        &mut Moving::<Estranged>::from_parts(memory.region(16 * 1024), 4, Counting::default()).expect("a heap"),
    );
}

/// Every window holds one used block of each order and one free block of the least, so that no block finds a place
/// before another window was emptied for it.
fn moves_half_of_the_bound<H: Handles>(heap: &mut H) {
    let order = 6;
    let mut live = full_of_movable(heap);
    let windows = windows(&live, order, 1 << (order - 2));
    for &start in &windows {
        for at in (start..start + (1 << order)).step_by(4) {
            let handle = live.remove(&at).expect("the window is full");
            // SAFETY: the handle was live and left the map.
            unsafe { heap.free_movable(handle) };
        }
    }
    for smaller in (2..order).rev() {
        let allocate = |_| heap.allocate_movable(((1 << smaller) - 2) * 4).expect("half of a window is free");
        let halves: Vec<_> = (0..2 * windows.len()).map(allocate).collect();
        for handle in halves {
            // SAFETY: the handle is live; the upper half is freed.
            unsafe {
                if heap.get(handle).as_ptr().addr() & (4 << smaller) != 0 {
                    heap.free_movable(handle);
                }
            }
        }
    }
    let (size, before) = (((1 << order) - 2) * 4, heap.moved().bytes);
    let max = heap.max_moved(size).expect("a size that can be served");
    assert_eq!(max, (4 << order) * (order as usize - 2), "(k - l) * 2^k words");
    assert!(heap.allocate_movable(size).is_some(), "as many words are free");
    heap.check().expect("after moving");
    assert_eq!((heap.moved().last, heap.moved().bytes - before), (max / 2, max as u64 / 2));
    assert!(heap.allocate_movable(8).is_none(), "not a word is left");
}

#[test]
fn half_of_the_bound_on_moved_bytes_is_reached() {
    let mut memory = Memory::new(16 * 1024);
    moves_half_of_the_bound(
        &mut Moving::<Knuth>::from_parts(memory.region(16 * 1024), 4, Counting::default()).expect("a heap"),
    );
    moves_half_of_the_bound(
        &mut Moving::<Estranged>::from_parts(memory.region(16 * 1024), 4, Counting::default()).expect("a heap"),
    );
}

/// A pinned block in every window, and half of the heap free: nothing moves in vain.
fn refuses_before_it_moves<H: Handles>(heap: &mut H) {
    let order = 7;
    let mut live = full_of_movable(heap);
    let windows = windows(&live, order, 6);
    free_every_other(heap, &mut live, &windows, order);
    let pinned: Vec<_> = windows
        .iter()
        .map(|start| {
            let handle = live[&(start + (1 << order) - 8)];
            // SAFETY: the handle is live.
            (handle, unsafe { heap.pin(handle) })
        })
        .collect();
    for (&at, &handle) in live.iter().filter(|(at, _)| !windows.iter().any(|start| (*start..start + 128).contains(at)))
    {
        // SAFETY: the handle is live.
        assert_eq!((unsafe { heap.pin(handle) }.as_ptr().addr() - heap.base().as_ptr().addr()) / 4, at);
    }
    assert!(heap.allocate_movable(((1 << order) - 2) * 4).is_none(), "a pinned block lies in every place for it");
    assert_eq!(heap.moved(), Moved::default());
    heap.check().expect("a refusal changes nothing");
    assert!(heap.allocate_movable(((1 << (order - 1)) - 2) * 4).is_some(), "half of a window has no pinned block");
    heap.check().expect("after moving");
    for (handle, pointer) in pinned {
        // SAFETY: the handle is live.
        assert_eq!(unsafe { heap.get(handle) }, pointer, "a pinned block stays");
    }
}

#[test]
fn what_cannot_be_served_by_moving_is_refused_before_anything_moves() {
    let mut memory = Memory::new(16 * 1024);
    refuses_before_it_moves(
        &mut Moving::<Knuth>::from_parts(memory.region(16 * 1024), 4, Counting::default()).expect("a heap"),
    );
    let estranged = Moving::<Estranged>::from_parts(memory.region(16 * 1024), 4, Counting::default());
    refuses_before_it_moves(&mut estranged.expect("a heap"));
}

#[test]
fn a_plain_pointer_pins_its_block() {
    let mut memory = Memory::new(16 * 1024);
    let mut heap = Moving::<Knuth>::from_parts(memory.region(16 * 1024), 4, Counting::default()).expect("a heap");
    let blocks: Vec<_> = std::iter::from_fn(|| heap.allocate(8, 1)).collect();
    for &block in blocks.iter().step_by(2) {
        // SAFETY: each block is live and freed once.
        unsafe { heap.deallocate(block) };
    }
    assert_eq!(heap.allocate(1000, 1), None);
    assert_eq!(heap.moved().blocks, 0);
    heap.check().expect("a refusal changes nothing");
}

/// Whether all movable blocks and one more of `words` words have places in a heap of `all` words: those that stay are
/// marked, and then the largest come first.
fn fits(stays: &[(usize, usize)], movable: &[usize], words: usize, first: usize, all: usize) -> bool {
    let mut taken = vec![false; all];
    taken[..first].fill(true);
    for &(at, words) in stays {
        taken[at..at + words].fill(true);
    }
    let mut sizes = movable.to_vec();
    sizes.push(words);
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.into_iter().all(|words| {
        let place = (0..all / words * words).step_by(words).find(|&at| !taken[at..at + words].contains(&true));
        place.map(|at| taken[at..at + words].fill(true)).is_some()
    })
}

/// Whether some arrangement of the blocks has room for `size` bytes; `live` are all that are not the heap's own.
fn has_room<H: Handles>(heap: &H, live: &[Live], size: usize, region: usize) -> bool {
    let at = |pointer: NonNull<u8>| (pointer.as_ptr().addr() - heap.base().as_ptr().addr()) / 4;
    let words = |size: usize| (size.div_ceil(4) + 2).next_power_of_two().max(4);
    let mut own = Vec::new();
    heap.walk(&mut |block| {
        if block.state == State::Cached {
            own.push(((block.offset + block.header) / 4, block.size / 4));
        }
    });
    let pinned = live.iter().filter_map(|block| block.pinned.map(|pointer| (at(pointer), words(block.size))));
    let movable: Vec<_> = live.iter().filter(|block| block.pinned.is_none()).map(|block| words(block.size)).collect();
    // Payloads begin two words behind blocks.
    let (first, all) = (heap.control_size() / 4 + 2, region / 4 + 2);
    fits(&pinned.chain(own).collect::<Vec<_>>(), &movable, words(size), first, all)
}

/// A random program over handles: contents, pins, invariants and the bound after every step; and a request is refused
/// if and only if no arrangement of the movable blocks has room for it.
fn handles_at_random<H: Handles<Meter = Counting>>(heap: &mut H, seed: u64, steps: u32, region: usize) -> (u64, u64) {
    let mut state = seed;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    assert!(heap.reserve_handles(210), "an empty heap has room for all that are needed");
    let own = |heap: &H| {
        let mut own = Vec::new();
        heap.walk(&mut |block| own.extend((block.state == State::Cached).then_some(block.offset)));
        own
    };
    let masters = own(heap);
    let (mut live, mut refused): (Vec<Live>, u64) = (Vec::new(), 0);
    for step in 0..steps {
        let before = heap.moved();
        let max = if random(8) == 0 { 900 } else { 60 };
        let size = 1 + random(max);
        match random(9) {
            0..=4 => match Live::new(heap, size, step as u8) {
                Some(block) => live.push(block),
                None => {
                    assert!(!has_room(heap, &live, size, region), "seed {seed}, step {step}: {size} bytes");
                    assert_eq!(heap.moved(), before, "nothing moves for what is refused");
                    refused += 1;
                }
            },
            5..=6 if !live.is_empty() => {
                let at = random(live.len());
                let gone = live.swap_remove(at);
                assert!(gone.intact(heap), "step {step}");
                // SAFETY: the handle left the list.
                unsafe { heap.free_movable(gone.handle) };
            }
            7 if !live.is_empty() => {
                let at = random(live.len());
                let block = &mut live[at];
                // SAFETY: the handle is live.
                unsafe {
                    match block.pinned.take() {
                        Some(_) => heap.unpin(block.handle),
                        None if random(3) == 0 => block.pinned = Some(heap.pin(block.handle)),
                        None => {}
                    }
                }
            }
            _ => {
                if let Some(pointer) = heap.allocate(size, 1) {
                    // SAFETY: the block is freed at once.
                    unsafe { heap.deallocate(pointer) };
                }
            }
        }
        let moved = (heap.moved().bytes - before.bytes) as usize;
        assert!(moved <= heap.max_moved(size).expect("a size that can be served"), "step {step} moved {moved}");
        heap.check().unwrap_or_else(|broken| panic!("seed {seed}, step {step}: {broken}"));
        if step % 16 == 0 {
            assert!(live.iter().all(|block| block.intact(heap)), "seed {seed}, step {step}");
        }
    }
    assert_eq!(own(heap), masters, "no more words for handles were needed");
    (heap.moved().blocks, refused)
}

#[test]
fn random_programs_over_handles_keep_contents_pins_and_bound() {
    let mut memory = Memory::new(8 * 1024);
    let (mut knuth, mut estranged) = ((0, 0), (0, 0));
    let add = |sum: &mut (u64, u64), more: (u64, u64)| *sum = (sum.0 + more.0, sum.1 + more.1);
    for seed in 0..14 {
        // A power of two, and a region that cuts its last blocks off.
        let bytes = if seed % 2 == 0 { 8 * 1024 } else { 8 * 1024 - 24 * (1 + seed as usize) };
        let region = memory.region(bytes);
        let mut heap = Moving::<Knuth>::from_parts(region, 4, Counting::default()).expect("a heap");
        add(&mut knuth, handles_at_random(&mut heap, seed, 1500, bytes));
        let region = memory.region(bytes);
        let mut heap = Moving::<Estranged>::from_parts(region, 4, Counting::default()).expect("a heap");
        add(&mut estranged, handles_at_random(&mut heap, seed, 1500, bytes));
    }
    let enough = |(moved, refused): (u64, u64)| moved > 100 && refused > 100;
    assert!(enough(knuth) && enough(estranged), "{knuth:?} and {estranged:?} blocks moved, requests refused");
}
