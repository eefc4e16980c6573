//! Blocks in pages of their own, over a small part of the address space: it is used up many times.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::collections::BTreeMap;
use std::sync::OnceLock;

use heapsmith::HeapErrorKind;
use heapsmith_preload::page_guard::{PageGuard, State};
use heapsmith_preload::pages::{SIZE, Space};
use heapsmith_spec::GuardPages;

/// Bytes of address space: 8,192 pages.
const LENGTH: usize = 32 << 20;

/// A guard in a part of its own: the place of the space is the same each time in a process.
fn guard(level: GuardPages) -> PageGuard {
    const PARTS: usize = 8192;
    static SPACE: OnceLock<Space> = OnceLock::new();
    static PART: AtomicUsize = AtomicUsize::new(0);
    let space = *SPACE.get_or_init(|| Space::find(PARTS * LENGTH).expect("address space"));
    let part = PART.fetch_add(1, Ordering::Relaxed);
    PageGuard::new(level, space, (part, PARTS), 1).expect("memory for its table")
}

fn at(block: NonNull<u8>) -> usize {
    block.as_ptr().addr()
}

/// A generator with a period that is long enough here (Knuth's MMIX).
fn draw(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % below
}

#[test]
fn blocks_overlap_no_other_and_no_page_next_to_them_however_often_addresses_are_used_again() {
    let guard = guard(GuardPages::All);
    let mut live: BTreeMap<usize, (usize, u8)> = BTreeMap::new();
    let mut state = 7;
    let mut reused = 0;
    let mut highest = 0;
    for round in 0..40_000_usize {
        if live.len() > draw(&mut state, 60) {
            let (&block, &(size, mark)) = live.iter().nth(draw(&mut state, live.len())).expect("one of them");
            let block = NonNull::new(block as *mut u8).expect("a block");
            // SAFETY: the block is live and has this many bytes.
            let bytes = unsafe { core::slice::from_raw_parts(block.as_ptr(), size) };
            assert!(bytes.iter().all(|byte| *byte == mark), "round {round}");
            assert_eq!(guard.usable(block), Some(size));
            guard.deallocate(block).expect("a live block");
            assert_eq!(guard.deallocate(block).expect_err("freed").kind, HeapErrorKind::DoubleFree);
            live.remove(&at(block));
            continue;
        }
        let size = [0, 1, 24, 100, 4096, 5000, 70_000][draw(&mut state, 7)];
        let alignment = [16, 64, 4096, 16_384][draw(&mut state, 4)];
        let block = guard.allocate(size, alignment).expect("room");
        assert!(at(block).is_multiple_of(alignment) && guard.owns(at(block)));
        // No live block has a page of its own or one next to it.
        let pages = at(block) / SIZE..=(at(block) + size.max(1) - 1) / SIZE;
        for (&other, &(other_size, _)) in
            live.range(..=at(block)).next_back().into_iter().chain(live.range(at(block)..).next())
        {
            let others = other / SIZE..=(other + other_size.max(1) - 1) / SIZE;
            let next = usize::from(size > 0 && other_size > 0);
            assert!(others.end() + next < *pages.start() || pages.end() + next < *others.start(), "round {round}");
        }
        let mark = round as u8;
        // SAFETY: the block is live and has this many bytes.
        unsafe {
            let bytes = core::slice::from_raw_parts_mut(block.as_ptr(), size);
            assert!(bytes.iter().all(|byte| *byte == 0), "round {round}: zeros");
            bytes.fill(mark);
        }
        reused += usize::from(at(block) < highest);
        highest = highest.max(at(block));
        live.insert(at(block), (size, mark));
    }
    assert!(reused > 1000, "addresses were used again: {reused}");
    guard.audit(&mut |found| panic!("{found}"));
}

#[test]
fn a_block_waits_until_the_whole_part_was_used() {
    let guard = guard(GuardPages::All);
    let first = guard.allocate(100, 16).expect("room");
    guard.deallocate(first).expect("a live block");
    let mut others = 0;
    loop {
        let other = guard.allocate(100, 16).expect("room");
        if other == first {
            break;
        }
        assert_eq!(guard.deallocate(first).expect_err("it waits").kind, HeapErrorKind::DoubleFree);
        guard.deallocate(other).expect("a live block");
        others += 1;
    }
    // Each takes a page and one behind it, all together one before them; the block that waited is one of them.
    assert_eq!(others, (LENGTH / SIZE - 1) / 2 - 1);
}

#[test]
fn every_byte_around_a_payload_is_verified_and_the_nearest_block_is_known() {
    for (size, alignment) in [(1, 16), (100, 16), (4000, 64), (5000, 4096)] {
        let pages = usize::div_ceil(size, SIZE) * SIZE;
        for byte in (0..pages).step_by(7).chain([pages - 1]) {
            let guard = guard(GuardPages::All);
            let block = guard.allocate(size, alignment).expect("room");
            let start = at(block) / SIZE * SIZE;
            let address = start + byte;
            if (at(block)..at(block) + size).contains(&address) {
                continue;
            }
            // SAFETY: the pages of a live block are mapped.
            unsafe { (address as *mut u8).write(1) };
            let kind = if address < at(block) { HeapErrorKind::HeaderDamaged } else { HeapErrorKind::Overrun };
            let mut seen = Vec::new();
            guard.audit(&mut |found| seen.push(found));
            let refused = guard.deallocate(block).expect_err("it was written around");
            assert_eq!((seen, refused.kind), (vec![refused], kind), "byte {byte} of {size}");
            assert_eq!(refused.at + at(guard.base()), address);
            let nearest = guard.nearest(start + pages).expect("a block");
            assert_eq!((nearest.block, nearest.size, nearest.state), (at(block), size, State::Live));
        }
    }
}

#[test]
fn pointers_that_are_no_blocks_are_foreign() {
    let guard = guard(GuardPages::All);
    let block = guard.allocate(5000, 16).expect("room");
    for offset in [1, 16, 4096, 8192, 1 << 20] {
        let pointer = NonNull::new(block.as_ptr().wrapping_add(offset)).expect("a pointer");
        assert_eq!(guard.deallocate(pointer).expect_err("none").kind, HeapErrorKind::Foreign, "{offset}");
        assert_eq!(guard.usable(pointer), None);
    }
    guard.deallocate(block).expect("a live block");
}

#[test]
fn levels_say_which_requests_get_pages() {
    let off = guard(GuardPages::Off);
    assert!([0, 24, 1 << 20].iter().all(|size| off.allocate(*size, 16).is_none()));
    let sampled = guard(GuardPages::Sampled);
    let takes = |size: usize| {
        let block = sampled.allocate(size, 16);
        block.into_iter().for_each(|block| sampled.deallocate(block).expect("a live block"));
        block.is_some()
    };
    assert!((0..1024).all(|_| takes(24)), "the first of a process");
    let later = (0..200_000).filter(|_| takes(24)).count();
    assert!((100..400).contains(&later), "one in 1,024 or so: {later}");
    assert!(takes(0) && takes(64 << 10) && !takes(LENGTH));
}
