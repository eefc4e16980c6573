//! What the simple pools and the layers promise beyond every heap's promises.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use heapsmith::parts::{AddressOrder, BlockPool, PolicyValues};
use heapsmith::{
    Counting, Fixed, FixedSize, Frees, Guard, Heap, HeapErrorKind, Linear, Priority, Reserve, State, Unmetered,
};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trial::{Counted, over};

fn memory() -> Vec<MaybeUninit<u64>> {
    vec![MaybeUninit::uninit(); 1024]
}

fn run<T>(spec: &str, job: impl FnOnce(&mut Counted<'_>) -> T) -> T {
    let spec: Spec = resolve(spec).unwrap_or_else(|error| panic!("{error}"));
    over(&spec, &mut Fixed::new(&mut memory()), job).expect("room")
}

fn free(heap: &mut dyn Heap<Meter = Counting>, pointer: NonNull<u8>) -> Option<HeapErrorKind> {
    // SAFETY: the block is live, or the heap detects that it is not.
    unsafe { heap.try_deallocate(pointer) }.err().map(|heap_error| heap_error.kind)
}

fn grow(heap: &mut dyn Heap<Meter = Counting>, pointer: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
    // SAFETY: the block is live.
    unsafe { heap.reallocate(pointer, size, 1) }
}

#[test]
fn a_stack_names_the_block_that_was_freed_out_of_order_and_keeps_it() {
    run("stack", |heap| {
        let [first, second] = [40, 50].map(|size| heap.allocate(size, 1).expect("room"));
        assert_eq!(free(heap, first), Some(HeapErrorKind::OutOfOrder));
        let heap_error = heap.last_heap_error().expect("it was remembered");
        assert_eq!(heap_error.block, first.as_ptr().addr() - heap.base().as_ptr().addr());
        assert_eq!(heap.heap_errors().count, 1);
        assert_eq!(grow(heap, first, 400), None, "its place could not be freed");
        assert_eq!(free(heap, second), None);
        assert_eq!(free(heap, second), Some(HeapErrorKind::DoubleFree));
        assert_eq!(grow(heap, first, 400), Some(first), "the last block grows in place");
        assert_eq!(free(heap, first), None);
        assert_eq!(heap.footprint(), heap.control_size());
    });
}

#[test]
fn a_stack_gives_back_the_gap_that_an_alignment_left() {
    run("stack", |heap| {
        let small = heap.allocate(4, 1).expect("room");
        let before = heap.footprint();
        for alignment in [8, 64, 256, 1024] {
            let block = heap.allocate(4, alignment).expect("room");
            assert!(block.as_ptr().addr().is_multiple_of(alignment));
            heap.check().expect("a gap");
            assert_eq!(free(heap, block), None);
            assert_eq!(heap.footprint(), before);
        }
        assert_eq!(free(heap, small), None);
    });
}

#[test]
fn a_bump_gives_nothing_back_unless_it_is_empty() {
    let footprints = |spec| {
        run(spec, |heap| {
            let blocks = [100, 200, 300].map(|size| heap.allocate(size, 1).expect("room"));
            let full = heap.footprint();
            assert_eq!(free(heap, blocks[2]), None);
            assert_eq!(heap.footprint(), full);
            assert_eq!(free(heap, blocks[2]), Some(HeapErrorKind::DoubleFree));
            assert_eq!(blocks[..2].iter().find_map(|&block| free(heap, block)), None);
            heap.check().expect("an empty bump");
            heap.footprint() == full
        })
    };
    assert!(footprints("bump"));
    assert!(!footprints("bump(reclaim=empty)"));
}

#[test]
fn fixed_blocks_have_no_header_and_one_size() {
    run("fixed(64)", |heap| {
        let [first, second] = [1, 64].map(|size| heap.allocate(size, 1).expect("room"));
        assert_eq!(second.as_ptr().addr() - first.as_ptr().addr(), 64);
        // SAFETY: the block is live.
        assert_eq!(unsafe { (heap.usable_size(first), heap.block_size(first)) }, (64, 64));
        assert_eq!(heap.allocate(65, 1), None);
        assert_eq!(grow(heap, first, 64), Some(first));
        assert_eq!(grow(heap, first, 65), None);
        assert_eq!(free(heap, first), None);
        assert_eq!(free(heap, first), Some(HeapErrorKind::DoubleFree));
        let inside = NonNull::new(second.as_ptr().wrapping_add(8)).expect("not null");
        assert_eq!(free(heap, inside), Some(HeapErrorKind::Foreign));
        assert_eq!(heap.allocate(8, 1), Some(first), "the block freed last is served first");
    });
}

#[test]
fn fixed_blocks_are_walked_as_they_are_however_many() {
    let mut memory = vec![MaybeUninit::<u64>::uninit(); 9000];
    let mut heap = FixedSize::<u32, _, _>::from_parts(Fixed::new(&mut memory), 4, 4, Unmetered).expect("room");
    let blocks: Vec<_> = std::iter::from_fn(|| heap.allocate(4, 1)).collect();
    assert!(blocks.len() > 4 * 4096, "several windows of the walk");
    for &block in blocks.iter().step_by(3) {
        // SAFETY: each block is live and freed once.
        unsafe { heap.deallocate(block) };
    }
    let mut states = Vec::new();
    heap.walk(&mut |block| states.push((block.offset, block.state)));
    let expected = blocks.iter().enumerate().map(|(number, block)| {
        let state = if number % 3 == 0 { State::Free } else { State::Used };
        (block.as_ptr().addr() - heap.base().as_ptr().addr(), state)
    });
    assert!(states.into_iter().eq(expected));
}

#[test]
fn simple_pools_cost_what_their_modules_say() {
    let cost = |spec: &str| {
        run(spec, |heap| {
            let cached = heap.allocate(20, 1).expect("room");
            let start = heap.meter().accesses;
            let block = heap.allocate(20, 1).expect("room");
            let allocated = heap.meter().accesses;
            assert_eq!(free(heap, block), None);
            let freed = heap.meter().accesses;
            assert_eq!(free(heap, cached), None);
            (allocated - start, freed - allocated, heap.meter().accesses - freed)
        })
    };
    assert_eq!(cost("bump"), (3, 2, 2));
    assert_eq!(cost("bump(reclaim=empty)"), (5, 4, 5));
    assert_eq!(cost("stack"), (3, 3, 3));
    assert_eq!(cost("fixed(64)"), (3, 3, 3));
    println!(
        "list {:?}, guard {:?}, guard and quarantine {:?}, reserve {:?}, zero {:?}",
        cost("list"),
        cost("guard(quarantine=0) list"),
        cost("guard(quarantine=1) list"),
        cost("reserve(high=1%) list"),
        cost("zero list")
    );
}

type List<'a> = BlockPool<u32, AddressOrder, PolicyValues, Fixed<'a>, Unmetered, true>;

fn list(memory: &mut [MaybeUninit<u64>]) -> List<'_> {
    BlockPool::from_parts(Fixed::new(memory), AddressOrder::default(), PolicyValues::default(), Unmetered)
        .expect("room")
}

#[test]
fn a_guard_finds_every_damaged_byte_around_a_payload() {
    for size in 1..20_usize {
        for alignment in [1, 8, 64] {
            for byte in (-12..0).chain(size as isize..size.next_multiple_of(4) as isize + 4) {
                let mut memory = memory();
                let mut heap = Guard::<u32, _>::new(list(&mut memory), 8, 2).expect("room");
                let other = heap.allocate(8, 1).expect("room");
                let block = heap.allocate(size, alignment).expect("room");
                // SAFETY: the byte belongs to the guard, which defines what becomes of it.
                let heap_error = unsafe {
                    let damaged = block.as_ptr().offset(byte);
                    damaged.write(!damaged.read());
                    heap.check().expect_err("the damage is seen before the free");
                    let mut seen = Vec::new();
                    heap.audit(&mut |found| seen.push(found.kind));
                    let heap_error = heap.try_deallocate(block).expect_err("it is refused");
                    assert_eq!(seen, [heap_error.kind], "the audit sees what the free sees");
                    heap_error
                };
                let kind = if byte < 0 { HeapErrorKind::HeaderDamaged } else { HeapErrorKind::Overrun };
                assert_eq!(heap_error.kind, kind, "byte {byte} of {size} at {alignment}");
                // SAFETY: the other block is live and whole.
                unsafe { heap.try_deallocate(other) }.expect("a whole block");
            }
        }
    }
}

#[test]
fn a_guard_refuses_foreign_pointers_and_second_frees() {
    let mut memory = memory();
    let mut heap = Guard::<u32, _>::new(list(&mut memory), 8, 3).expect("room");
    let blocks: Vec<_> = (0..8).map(|_| heap.allocate(32, 1).expect("room")).collect();
    let mut kind = |pointer: *mut u8| {
        let pointer = NonNull::new(pointer).expect("not null");
        // SAFETY: a guard defines what becomes of any pointer.
        unsafe { heap.try_deallocate(pointer) }.err().map(|heap_error| heap_error.kind)
    };
    for &block in &blocks {
        // SAFETY: the payload has 32 bytes.
        unsafe { block.as_ptr().write_bytes(7, 32) };
        for byte in [1, 2, 4, 8, 28] {
            assert_eq!(kind(block.as_ptr().wrapping_add(byte)), Some(HeapErrorKind::Foreign));
        }
    }
    assert_eq!(kind(std::ptr::without_provenance_mut(16)), Some(HeapErrorKind::Foreign));
    assert_eq!(kind(usize::MAX as *mut u8), Some(HeapErrorKind::Foreign));
    assert!(blocks[..4].iter().all(|block| kind(block.as_ptr()).is_none()));
    assert!(blocks[1..4].iter().all(|block| kind(block.as_ptr()) == Some(HeapErrorKind::DoubleFree)));
    heap.check().expect("refused frees change nothing");
    let mut cached = 0;
    heap.walk(&mut |block| cached += usize::from(block.state == State::Cached));
    assert_eq!(cached, 1 + 3, "the guard's own block and the quarantine");
}

#[test]
fn a_write_after_free_is_found_when_the_block_leaves_the_quarantine() {
    let mut memory = memory();
    let mut heap = Guard::<u32, _>::new(list(&mut memory), 8, 2).expect("room");
    let block = heap.allocate(30, 1).expect("room");
    // SAFETY: the block is freed once and then written, which the guard detects.
    unsafe {
        heap.deallocate(block);
        block.as_ptr().add(11).write(0);
    }
    assert!(heap.check().expect_err("written").invariant.starts_with("G2"));
    let mut seen = Vec::new();
    heap.audit(&mut |found| seen.push((found.kind, found.at - found.block)));
    assert_eq!(seen, [(HeapErrorKind::WrittenAfterFree, 11)]);
    for _ in 0..2 {
        assert_eq!(heap.last_heap_error(), None);
        let other = heap.allocate(30, 1).expect("room");
        // SAFETY: the block is live.
        unsafe { heap.deallocate(other) };
    }
    let heap_error = heap.last_heap_error().expect("found");
    assert_eq!((heap_error.kind, heap_error.at - heap_error.block), (HeapErrorKind::WrittenAfterFree, 11));
}

#[test]
fn an_audit_of_a_sound_heap_sees_nothing() {
    for spec in ["list", "guard(quarantine=3) freelists(16..=64) list", "zero guard(quarantine=0) buddy(knuth)"] {
        run(spec, |heap| {
            let blocks: Vec<_> = (1..20).map(|size| heap.allocate(size * 3, 1).expect("room")).collect();
            blocks.iter().step_by(2).for_each(|block| assert_eq!(free(heap, *block), None));
            heap.audit(&mut |found| panic!("{spec}: {found}"));
        });
    }
}

/// Bytes that a heap with the second secret takes a block for whose header was copied from a heap with the first.
fn usable_of_forged(secrets: [usize; 2], quarantine: usize) -> usize {
    let (mut theirs, mut own) = (memory(), memory());
    let [mut forger, mut heap] =
        [&mut theirs, &mut own].map(|memory| Guard::<u32, _>::new(list(memory), 8, quarantine).expect("room"));
    forger.set_secret(secrets[0]);
    heap.set_secret(secrets[1]);
    let _ = forger.allocate(16, 1).expect("room");
    let pattern = forger.allocate(16, 1).expect("room");
    let offset = pattern.as_ptr().addr() - forger.base().as_ptr().addr();
    let around = heap.allocate(200, 1).expect("room");
    // SAFETY: the header of the pattern lies before it, and in the other heap inside the block, which is large enough.
    unsafe {
        let forged = heap.base().add(offset);
        assert!(forged.as_ptr().addr() - around.as_ptr().addr() + 24 <= 200);
        forged.sub(12).copy_from_nonoverlapping(pattern.sub(12), 12 + 16 + 4);
        heap.usable_size(forged)
    }
}

#[test]
fn a_header_that_was_made_without_the_secret_is_none() {
    for quarantine in [0, 4] {
        assert_eq!(usable_of_forged([77, 77], quarantine), 16, "who knows the secret can forge");
        assert_eq!(usable_of_forged([0, 77], quarantine), 0);
        assert_eq!(usable_of_forged([78, 77], quarantine), 0);
    }
}

#[test]
fn a_guard_with_a_secret_finds_what_one_without_does() {
    let mut memory = memory();
    let mut heap = Guard::<u32, _>::new(list(&mut memory), 8, 3).expect("room");
    heap.set_secret(0x1234_5678);
    let blocks: Vec<_> = (0..8).map(|size| heap.allocate(20 + size, 1).expect("room")).collect();
    // SAFETY: a guard defines what becomes of frees and of what is written around blocks.
    unsafe {
        blocks[..5].iter().for_each(|block| heap.deallocate(*block));
        heap.check().expect("sound");
        assert_eq!(heap.try_deallocate(blocks[4]).expect_err("waits").kind, HeapErrorKind::DoubleFree);
        blocks[6].as_ptr().add(26).write(0);
        assert_eq!(heap.try_deallocate(blocks[6]).expect_err("written").kind, HeapErrorKind::Overrun);
        blocks[3].as_ptr().write(0);
        let mut seen = Vec::new();
        heap.audit(&mut |found| seen.push(found.kind));
        assert_eq!(seen, [HeapErrorKind::Overrun, HeapErrorKind::WrittenAfterFree]);
    }
}

#[test]
fn a_quarantine_is_given_back_when_the_heap_is_full() {
    run("guard(quarantine=4000) list", |heap| {
        for _ in 0..100 {
            let block = heap.allocate(1000, 1).expect("eight would fill the region");
            assert_eq!(free(heap, block), None);
        }
        heap.check().expect("sound");
    });
}

#[test]
fn storage_is_zero_when_it_is_handed_out_again_and_when_it_grows() {
    for below in ["list", "guard(quarantine=0) list", "guard(quarantine=2) list", "bins(lea)", "fixed(512)", "stack"] {
        run(&format!("zero {below}"), |heap| check_zero(heap, below));
        if below.starts_with("guard") {
            let swapped = format!("{} zero list", below.trim_end_matches(" list"));
            run(&swapped, |heap| check_zero(heap, &swapped));
        }
    }
}

fn check_zero(heap: &mut dyn Heap<Meter = Counting>, below: &str) {
    let zeroes = |heap: &dyn Heap<Meter = Counting>, block: NonNull<u8>, from: usize| {
        // SAFETY: the owner of the live block may use these bytes, and the layer wrote all that the test did not.
        let payload = unsafe { std::slice::from_raw_parts_mut(block.as_ptr(), heap.usable_size(block)) };
        assert!(payload[from..].iter().all(|&byte| byte == 0), "{below}: {payload:?} from {from}");
        payload.fill(0xEE);
    };
    for round in 0..4 {
        let mut block = heap.allocate(30 + round, 1).expect("room");
        zeroes(heap, block, 0);
        for size in [100, 20, 60, 300, 7, 301] {
            // SAFETY: the block is live.
            let cached = unsafe { heap.usable_size(block) }.min(size);
            block = grow(heap, block, size).expect("room");
            zeroes(heap, block, cached);
        }
        assert_eq!(free(heap, block), None);
    }
}

#[test]
fn a_reserve_is_kept_for_high_priority() {
    let mut memory = memory();
    let region = size_of_val(&memory[..]);
    let mut heap = Reserve::<u32, _>::new(list(&mut memory), region, 25).expect("room");
    let low: Vec<_> = std::iter::from_fn(|| heap.allocate(100, 1)).collect();
    let free = region - heap.footprint();
    assert!((region / 4 - 108..region / 4 + 108).contains(&free), "{free} of {region} are free");
    // SAFETY: the block is live; a refused reallocation leaves it so.
    assert_eq!(unsafe { heap.reallocate(low[0], 200, 1) }, None);
    let high = std::iter::from_fn(|| heap.allocate_with(Priority::High, 100, 1)).count();
    assert!(high >= region / 4 / 108 - 1, "{high} blocks came from the reserve");
    heap.check().expect("sound");
    let statistics = heap.statistics(Priority::Low);
    assert_eq!((statistics.requests, statistics.blocked, statistics.failed), (low.len() as u64 + 2, 2, 0));
    let statistics = heap.statistics(Priority::High);
    assert_eq!((statistics.requests, statistics.blocked, statistics.failed), (high as u64 + 1, 0, 1));
}

#[test]
fn a_layer_before_a_reserve_has_its_own_words_however_little_is_left() {
    run("guard(quarantine=2) reserve(high=99%) list", |heap| {
        assert_eq!(heap.allocate(100, 1), None, "a request of low priority is refused");
        let block = heap.allocate_with(Priority::High, 100, 1).expect("the reserve");
        assert_eq!(free(heap, block), None);
        heap.check().expect("sound");
    });
}

#[test]
fn a_reallocation_takes_from_the_reserve_only_what_it_adds() {
    let mut memory = memory();
    let region = size_of_val(&memory[..]);
    let mut heap = Reserve::<u32, _>::new(list(&mut memory), region, 25).expect("room");
    let resize = |heap: &mut Reserve<u32, List<'_>>, block, size| {
        // SAFETY: the block is live; a refused reallocation leaves it so.
        let moved = unsafe { heap.reallocate(block, size, 1) };
        heap.check().expect("sound");
        moved
    };
    let large = heap.allocate(region / 2, 1).expect("half of the region, of three quarters");
    assert_eq!(resize(&mut heap, large, region * 5 / 8), Some(large), "an eighth more is left");
    assert_eq!(resize(&mut heap, large, region * 7 / 8), None, "that would be of the reserve");
    assert_eq!(resize(&mut heap, large, region / 2), Some(large));
    let small = heap.allocate(region / 8, 1).expect("what the large block gave up");
    while heap.allocate_with(Priority::High, 40, 1).is_some() {}
    // The reserve is used up: a block may be smaller, or as large as it is, but no larger.
    // SAFETY: the block is live.
    let usable = unsafe { heap.usable_size(small) };
    assert_eq!(resize(&mut heap, small, usable), Some(small));
    assert_eq!(resize(&mut heap, small, region / 16), Some(small));
    assert_eq!(resize(&mut heap, small, region / 8 + 64), None);
    let statistics = heap.statistics(Priority::Low);
    assert_eq!((statistics.requests, statistics.blocked, statistics.failed), (8, 2, 0));
}

#[test]
fn a_reallocation_that_the_heap_refuses_has_failed_and_changes_nothing() {
    let mut memory = memory();
    let region = size_of_val(&memory[..]);
    let mut heap = Reserve::<u32, _>::new(list(&mut memory), region, 1).expect("room");
    let blocks: Vec<_> = std::iter::from_fn(|| heap.allocate(100, 1)).collect();
    for &block in blocks.iter().step_by(2) {
        // SAFETY: each block is live and freed once.
        unsafe { heap.deallocate(block) };
    }
    let before = heap.statistics(Priority::Low);
    // SAFETY: the block is live; a refused reallocation leaves it so.
    assert_eq!(unsafe { heap.reallocate(blocks[1], 2000, 1) }, None, "half is free, in pieces of 100 bytes");
    heap.check().expect("sound");
    let after = heap.statistics(Priority::Low);
    assert_eq!((after.requests, after.blocked, after.failed), (before.requests + 1, before.blocked, before.failed + 1));
}

#[test]
fn a_layer_before_a_heap_of_known_type_gives_the_same_addresses_and_counts() {
    let program = |heap: &mut heapsmith_trial::Counted<'_>| {
        let mut offsets = Vec::new();
        let mut live = Vec::new();
        for n in 0..60 {
            if let Some(block) = heap.allocate(1 + n * 37 % 200, 1) {
                offsets.push(block.as_ptr().addr() - heap.base().as_ptr().addr());
                live.push(block);
            }
            if n % 3 == 0 {
                let block = live.remove(n % live.len());
                assert_eq!(free(heap, block), None);
            }
        }
        (offsets, *heap.meter())
    };
    let erased = run("guard(quarantine=3) list(order=address, fit=first) align=8", program);
    let mut memory = memory();
    let source = Fixed::new(&mut memory);
    type Counted<'a> = BlockPool<u32, AddressOrder, PolicyValues, Fixed<'a>, Counting, true>;
    let pool = Counted::from_parts(source, AddressOrder::default(), PolicyValues::default(), Counting::default())
        .expect("room");
    let mut typed = Guard::<u32, _>::new(pool, 8, 3).expect("room");
    assert_eq!(erased, program(&mut typed));
}

#[test]
fn simple_pools_can_be_used_by_type() {
    let (mut one, mut two) = (memory(), memory());
    let mut stack =
        Linear::<u16, _, _>::from_parts(Fixed::new(&mut one), 2, Frees::LastFirst, Unmetered).expect("room");
    let mut fixed = FixedSize::<u64, _, _>::from_parts(Fixed::new(&mut two), 24, 8, Unmetered).expect("room");
    assert!(stack.allocate(100, 64).is_some() && fixed.allocate(24, 64).is_some());
}
