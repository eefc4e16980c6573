//! The page heap: bitmaps, runs, the directory.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use heapsmith::parts::PageHeap;
use heapsmith::parts::pages::{BitmapSearch, ByTree, ByWord, Hardware, Linear, Mmio, PageSizes};
use heapsmith::{Counting, Fixed, Heap, State};

fn with<F: BitmapSearch + Default, O>(
    sizes: PageSizes,
    bytes: usize,
    job: impl FnOnce(PageHeap<u32, F, Fixed<'_>, Counting>) -> O,
) -> O {
    let mut memory: Vec<MaybeUninit<u64>> = vec![MaybeUninit::uninit(); (bytes + 4096) / 8];
    let skip = (4096 - memory.as_ptr().addr() % 4096) / 8;
    let region = Fixed::new(&mut memory[skip..][..bytes / 8]);
    job(PageHeap::from_parts(region, sizes, Counting::default()).expect("a heap"))
}

const PHK: PageSizes = PageSizes { page: 4096, min: 16, alignment: 4 };

fn offset<H: Heap>(heap: &H, pointer: NonNull<u8>) -> usize {
    pointer.as_ptr().addr() - heap.base().as_ptr().addr()
}

fn free<H: Heap>(heap: &mut H, pointer: NonNull<u8>) {
    // SAFETY: the tests free what they allocated, once.
    unsafe { heap.deallocate(pointer) };
    heap.check().expect("after a free");
}

#[test]
fn a_page_holds_objects_of_one_size_each_at_a_multiple_of_it() {
    with::<Linear, _>(PHK, 64 * 1024, |mut heap| {
        let small: Vec<_> = (0..256).map(|_| heap.allocate(10, 1).expect("room")).collect();
        let page = offset(&heap, small[0]);
        assert!(page.is_multiple_of(4096));
        assert!(small.iter().enumerate().all(|(at, &object)| offset(&heap, object) == page + 16 * at));
        let half: Vec<_> = (0..2).map(|_| heap.allocate(2048, 1).expect("room")).collect();
        assert_eq!(offset(&heap, half[1]), offset(&heap, half[0]) + 2048, "a page of two objects holds two");
        let run = heap.allocate(2049, 1).expect("room");
        // SAFETY: the run is live.
        assert_eq!(unsafe { heap.usable_size(run) }, 4096);
        heap.check().expect("a sound heap");
    });
}

#[test]
fn an_empty_page_serves_another_size() {
    with::<Linear, _>(PHK, 64 * 1024, |mut heap| {
        let objects: Vec<_> = (0..4).map(|_| heap.allocate(1000, 1).expect("room")).collect();
        let behind = heap.allocate(5000, 1).expect("room");
        let page = offset(&heap, objects[0]);
        objects.into_iter().for_each(|object| free(&mut heap, object));
        assert_eq!(heap.allocate(10, 1).map(|object| offset(&heap, object)), Some(page));
        free(&mut heap, behind);
    });
}

#[test]
fn free_runs_join_and_the_first_that_fits_serves() {
    with::<ByWord, _>(PHK, 256 * 1024, |mut heap| {
        let runs: Vec<_> = (0..8).map(|_| heap.allocate(8192, 1).expect("room")).collect();
        for at in [1, 3, 5, 4] {
            free(&mut heap, runs[at]);
        }
        let mut free_sizes = Vec::new();
        heap.walk(&mut |block| free_sizes.extend((block.state == State::Free).then_some(block.size)));
        assert_eq!(free_sizes, [8192, 3 * 8192]);
        let served = heap.allocate(12288, 1).expect("room");
        assert_eq!(served, runs[3], "the first run is too short");
        for at in [0, 2, 6, 7] {
            free(&mut heap, runs[at]);
        }
        free(&mut heap, served);
        assert_eq!(heap.footprint(), heap.control_size(), "all is wilderness again");
    });
}

/// Fills a page and frees every third object, then takes as many: offsets, accesses and visits.
fn churn<F: BitmapSearch + Default>() -> (Vec<usize>, u64, u64) {
    with::<F, _>(PageSizes { min: 8, ..PHK }, 256 * 1024, |mut heap| {
        let mut offsets = Vec::new();
        let objects: Vec<_> = (0..1500).map(|_| heap.allocate(8, 1).expect("room")).collect();
        for &object in objects.iter().skip(400).step_by(3) {
            free(&mut heap, object);
        }
        let before = *heap.meter();
        while let Some(object) = heap.allocate(8, 1).filter(|_| offsets.len() < 300) {
            offsets.push(offset(&heap, object));
        }
        heap.check().expect("a sound heap");
        (offsets, heap.meter().accesses - before.accesses, heap.meter().visits - before.visits)
    })
}

#[test]
fn all_searches_find_the_same_objects_at_different_cost() {
    let (linear, word, tree) = (churn::<Linear>(), churn::<ByWord>(), churn::<ByTree>());
    assert_eq!(linear.0, word.0);
    assert_eq!(linear.0, tree.0);
    assert_eq!(linear.0, churn::<Hardware>().0);
    println!("accesses of 300 allocations: linear {}, word {}, tree {}", linear.1, word.1, tree.1);
    println!("visits of 300 allocations: linear {}, word {}, tree {}", linear.2, word.2, tree.2);
    assert!(linear.2 > 2 * word.2 && word.2 > 2 * tree.2);
}

/// The words of a page of 256 objects are 8 of 32 bits.
#[test]
fn a_unit_takes_a_cycle_an_operation_and_a_word_when_the_page_changes() {
    with::<Hardware, _>(PHK, 64 * 1024, |mut heap| {
        let taken = |heap: &mut PageHeap<u32, Hardware, Fixed<'_>, Counting>| {
            let before = *heap.meter();
            let object = heap.allocate(16, 1).expect("room");
            (object, heap.meter().unit - before.unit, heap.meter().accesses - before.accesses)
        };
        let freed = |heap: &mut PageHeap<u32, Hardware, Fixed<'_>, Counting>, object| {
            let before = heap.meter().unit;
            free(heap, object);
            heap.meter().unit - before
        };
        let (first, cycles, _) = taken(&mut heap);
        assert_eq!(cycles, 8 + 1, "the page's words are loaded");
        let (_, cycles, accesses) = taken(&mut heap);
        assert_eq!((cycles, accesses), (1, 5), "list, directory, which page is held, the count read and written");
        (2..256).for_each(|_| assert_eq!(taken(&mut heap).1, 1));
        let (last, cycles, _) = taken(&mut heap);
        assert_eq!(cycles, 16 + 1, "the words of the full page are stored, those of another loaded");
        assert_eq!(freed(&mut heap, first), 0, "its page is not held");
        let (again, cycles, _) = taken(&mut heap);
        assert_eq!((again, cycles), (first, 16 + 1), "a page that has an object again is first on its list");
        assert_eq!(freed(&mut heap, first), 1, "its page is held");
        assert_eq!(freed(&mut heap, last), 0, "the last object of a page frees the page");
    });
}

#[test]
fn a_unit_forgets_a_page_that_is_freed() {
    with::<Hardware, _>(PHK, 64 * 1024, |mut heap| {
        let small = heap.allocate(16, 1).expect("room");
        let behind = heap.allocate(5000, 1).expect("room");
        let page = offset(&heap, small);
        free(&mut heap, small);
        let half = heap.allocate(2000, 1).expect("room");
        assert_eq!(offset(&heap, half), page, "the page serves another size");
        heap.check().expect("no unit holds it for the old one");
        free(&mut heap, behind);
    });
}

/// The registers are memory here: what is read was put there, and what is written stays.
#[test]
fn a_unit_behind_a_bus_is_asked_by_its_registers() {
    let mut registers = vec![0_u32; Mmio::WORDS].into_boxed_slice();
    let base = registers.as_mut_ptr();
    // Class 1 has objects of 32 bytes.
    let (allocate, free, bitmap) = (0x104 / 4, 0x204 / 4, 0x1100 / 4);
    // SAFETY: these registers are memory, which no one else uses; the object that is answered is not used.
    let unit = unsafe {
        base.add(allocate).write_volatile(3);
        Mmio::new(base.expose_provenance())
    };
    let mut memory: Vec<MaybeUninit<u64>> = vec![MaybeUninit::uninit(); (64 * 1024 + 4096) / 8];
    let skip = (4096 - memory.as_ptr().addr() % 4096) / 8;
    let region = Fixed::new(&mut memory[skip..][..64 * 1024 / 8]);
    let mut heap =
        PageHeap::<u32, _, _, _>::with_search(region, PHK, Counting::default(), Hardware { unit }).expect("a heap");
    let block = heap.allocate(30, 1).expect("room");
    assert_eq!(offset(&heap, block) % 4096, 3 * 32);
    // SAFETY: as above.
    let read = |register: usize| unsafe { base.add(register).read_volatile() };
    assert_eq!([0, 1, 2, 3, 4].map(|number| read(bitmap + number)), [u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0]);
    heap.allocate(30, 1).expect("room");
    // SAFETY: it is live.
    unsafe { heap.deallocate(block) };
    assert_eq!(read(free), 3);
    // One object is taken: the unit says so, then the region does.
    // SAFETY: as above.
    unsafe { base.add(bitmap).write_volatile(!8) };
    heap.store_bitmaps();
    heap.check().expect("the region has the unit's bitmap");
}

#[test]
fn the_directory_moves_when_it_is_full_and_keeps_every_page() {
    let sizes = PageSizes { page: 256, min: 16, alignment: 4 };
    with::<ByTree, _>(sizes, 1024 * 1024, |mut heap| {
        let mut blocks = Vec::new();
        let mut moves = 0;
        for number in 0..1500_usize {
            let block = heap.allocate(100 + number % 100, 1).expect("room");
            // SAFETY: the block has 100 bytes.
            unsafe { block.as_ptr().write_bytes(number as u8, 100) };
            blocks.push((block, number as u8));
            let mut cached = 0;
            heap.walk(&mut |block| cached += usize::from(block.state == State::Cached));
            moves = moves.max(cached);
            heap.check().unwrap_or_else(|broken| panic!("{number}: {broken}"));
        }
        assert_eq!(moves, 1, "the directory left the control words");
        for (block, seed) in blocks {
            // SAFETY: the block is live and its first 100 bytes were written.
            assert!(unsafe { std::slice::from_raw_parts(block.as_ptr(), 100) }.iter().all(|&byte| byte == seed));
            free(&mut heap, block);
        }
    });
}
