//! Every heap that has a name, and every layer, through random programs, compared with a list of the live blocks.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use heapsmith::parts::{
    BitmapInside, BitmapOutside, ConstantSizes, ListInside, NextSpan as Next, SizeRange, SpanType, SpanValues, Spans,
};
use heapsmith::{
    BestFit, Counters, Counting, Counts, EstrangedBuddy, FirstFit, Fixed, FixedSize, FreeLists, Frees, Growing, Guard,
    HalfFit, Heap, HeapErrorKind, KnuthBuddy, Linear, Meter, MovableBuddy, NextFit, PhkHeap, RegionError, Reserve,
    SegregatedFit, State, Tlsf, Unmetered, Word, Zero,
};
use proptest::prelude::*;
use proptest::test_runner::Config;

/// Classes of spans, in words.
#[derive(Clone, Copy, Debug)]
struct Classes;

impl ConstantSizes for Classes {
    const LISTS: &'static [SizeRange] = &[
        SizeRange { low: 0, high: 4 },
        SizeRange { low: 5, high: 12 },
        SizeRange { low: 13, high: 32 },
        SizeRange { low: 33, high: 100 },
    ];
}

/// Bytes of a region.
const REGION: usize = 24 * 1024;

#[derive(Clone, Copy, Debug)]
enum Ask {
    /// This many bytes, at a multiple of two to this power.
    Allocate(usize, u32),
    /// The live block of this number is freed.
    Free(usize),
    /// The live block of this number becomes so large.
    Resize(usize, usize),
}

fn programs() -> impl Strategy<Value = Vec<Ask>> {
    let size = sizes();
    let alignment = prop_oneof![6 => Just(0_u32), 1 => 1..9_u32];
    let ask = prop_oneof![
        5 => (size.clone(), alignment).prop_map(|(size, alignment)| Ask::Allocate(size, alignment)),
        4 => any::<usize>().prop_map(Ask::Free),
        2 => (any::<usize>(), size).prop_map(|(number, size)| Ask::Resize(number, size)),
    ];
    // Miri takes minutes for what is compiled in a second.
    proptest::collection::vec(ask, 0..if cfg!(miri) { 40 } else { 150 })
}

/// Sizes as programs ask for them, with none and far too much among them.
fn sizes() -> impl Strategy<Value = usize> + Clone {
    prop_oneof![8 => 1..300_usize, 2 => 1..3000_usize, 1 => Just(0_usize), 1 => Just(usize::MAX), 1 => Just(usize::MAX / 4 + 1)]
}

fn config() -> Config {
    let cases = if cfg!(miri) { 1 } else { 64 };
    Config { cases, failure_persistence: None, ..Config::default() }
}

#[derive(Clone, Copy, Debug)]
struct Block {
    pointer: NonNull<u8>,
    size: usize,
    alignment: usize,
    fill: u8,
}

impl Block {
    fn start(&self) -> usize {
        self.pointer.as_ptr().addr()
    }

    /// Writes to all bytes from `from` on.
    fn fill(&self, from: usize) {
        for byte in from..self.size {
            // SAFETY: the heap gave `size` bytes.
            unsafe { self.pointer.as_ptr().add(byte).write(self.fill.wrapping_add(byte as u8)) };
        }
    }

    /// Whether the first bytes are what was written.
    fn holds(&self, bytes: usize) -> bool {
        // SAFETY: the block has `size` bytes at least as many, and they were written.
        (0..bytes).all(|byte| unsafe { self.pointer.as_ptr().add(byte).read() } == self.fill.wrapping_add(byte as u8))
    }
}

/// Runs the program on the heap, which is empty at the end again.
fn survives<H: Heap>(mut heap: H, program: &[Ask]) {
    let base = heap.base().as_ptr().addr();
    let mut live: Vec<Block> = Vec::new();
    for (number, &ask) in program.iter().enumerate() {
        let fill = (number * 37) as u8;
        match ask {
            Ask::Allocate(size, alignment) => {
                let alignment = 1 << alignment;
                if let Some(pointer) = heap.allocate(size, alignment) {
                    admit(&heap, base, &live, Block { pointer, size, alignment, fill });
                    let block = Block { pointer, size, alignment, fill };
                    block.fill(0);
                    live.push(block);
                }
            }
            Ask::Free(number) if !live.is_empty() => {
                let place = number % live.len();
                let block = live[place];
                assert!(block.holds(block.size), "{block:?} was overwritten");
                // SAFETY: the block is live. A stack refuses all but the last.
                if unsafe { heap.try_deallocate(block.pointer) }.is_ok() {
                    live.remove(place);
                }
            }
            Ask::Resize(number, size) if !live.is_empty() => {
                let place = number % live.len();
                let old = live[place];
                // SAFETY: the block is live.
                if let Some(pointer) = unsafe { heap.reallocate(old.pointer, size, old.alignment) } {
                    live.remove(place);
                    let block = Block { pointer, size, ..old };
                    admit(&heap, base, &live, block);
                    assert!(block.holds(old.size.min(size)), "{old:?} lost bytes on its way to {block:?}");
                    block.fill(old.size.min(size));
                    live.push(block);
                }
            }
            _ => {}
        }
        heap.check().unwrap_or_else(|broken| panic!("after {ask:?}: {broken}"));
    }
    while let Some(block) = live.pop() {
        // SAFETY: the block is live.
        unsafe { heap.deallocate(block.pointer) };
    }
    heap.check().expect("sound");
    let (mut used, mut cached) = (0, 0);
    heap.walk(&mut |view| match view.state {
        State::Used => used += view.size,
        State::Cached => cached += view.size,
        State::Free => {}
    });
    assert!(used <= cached || heap.last_heap_error().is_some(), "{used} bytes are used, {cached} of them cached");
    assert!(heap.footprint() <= heap.footprint_peak());
}

/// A block that the heap handed out: aligned, large enough, inside the region, over nobody else's bytes.
fn admit<H: Heap>(heap: &H, base: usize, live: &[Block], block: Block) {
    assert!(block.size > 0 && block.start().is_multiple_of(block.alignment.max(heap.alignment())), "{block:?}");
    assert!(block.start() >= base && block.start() + block.size <= base + REGION, "{block:?} is outside the region");
    // SAFETY: the heap has just returned it.
    let (usable, bytes) = unsafe { (heap.usable_size(block.pointer), heap.block_size(block.pointer)) };
    assert!(block.size <= usable && usable <= bytes, "{block:?} of {usable} and {bytes} bytes");
    let overlap =
        live.iter().find(|other| other.start() < block.start() + usable && block.start() < other.start() + other.size);
    assert!(overlap.is_none(), "{block:?} overlaps {overlap:?}");
}

/// Makes a heap over a region, and does the job with it.
fn within<H: Heap>(make: impl FnOnce(Fixed<'static>) -> Result<H, RegionError>, job: impl FnOnce(H)) {
    let memory = Box::leak(vec![MaybeUninit::<u64>::uninit(); REGION / 8].into_boxed_slice());
    let memory: *mut [MaybeUninit<u64>] = memory;
    // SAFETY: the box was just leaked; the heap is gone when it is taken back.
    let region = Fixed::new(unsafe { &mut *memory });
    job(make(region).expect("the region is large enough"));
    // SAFETY: as above.
    drop(unsafe { Box::from_raw(memory) });
}

/// Makes a heap over a region, and runs the program on it.
fn run<H: Heap>(program: &[Ask], make: impl FnOnce(Fixed<'static>) -> Result<H, RegionError>) {
    within(make, |heap| survives(heap, program));
}

/// Runs the program, and counts its live blocks and its requests as the layer does.
fn is_counted<H: Heap>(mut heap: Counters<u32, H>, program: &[Ask]) {
    let empty = heap.counts();
    let mut live: Vec<(NonNull<u8>, usize)> = Vec::new();
    let mut expected = empty;
    for &ask in program {
        let (size, answer) = match ask {
            Ask::Allocate(size, alignment) => (size, heap.allocate(size, 1 << alignment)),
            Ask::Free(number) if !live.is_empty() => {
                let place = number % live.len();
                // SAFETY: the block is live. A stack refuses all but the last.
                if unsafe { heap.try_deallocate(live[place].0) }.is_ok() {
                    live.remove(place);
                }
                (0, None)
            }
            Ask::Resize(number, size) if !live.is_empty() => {
                let place = number % live.len();
                // SAFETY: the block is live.
                let moved = unsafe { heap.reallocate(live[place].0, size, 1) };
                if moved.is_some() {
                    live.remove(place);
                }
                (size, moved)
            }
            _ => (0, None),
        };
        // SAFETY: the heap has just returned it.
        live.extend(answer.map(|pointer| (pointer, unsafe { heap.block_size(pointer) })));
        let free_bytes = empty.free_bytes - live.iter().map(|(_, bytes)| bytes).sum::<usize>();
        expected = Counts {
            live_blocks: live.len(),
            free_bytes,
            min_free_bytes: expected.min_free_bytes.min(free_bytes),
            refused: expected.refused + usize::from(size > 0 && answer.is_none()),
            largest_request: expected.largest_request.max(size),
        };
        assert_eq!(heap.counts(), expected, "after {ask:?}");
    }
}

/// The named pools of blocks with words of `W`.
fn blocks<W: Word, M: Meter + Default>(program: &[Ask]) {
    run(program, |region| FirstFit::<_, W, M>::metered(region, M::default()));
    run(program, |region| NextFit::<_, W, M>::metered(region, M::default()));
    run(program, |region| BestFit::<_, W, M>::metered(region, M::default()));
    run(program, |region| Tlsf::<_, W, M>::metered(region, M::default()));
    run(program, |region| HalfFit::<_, W, M>::metered(region, M::default()));
    run(program, |region| SegregatedFit::<_, W, M>::metered(region, M::default()));
}

/// The other named heaps with words of `W`.
fn others<W: Word, M: Meter + Default>(program: &[Ask]) {
    run(program, |region| KnuthBuddy::<_, W, M>::metered(region, M::default()));
    run(program, |region| EstrangedBuddy::<_, W, M>::metered(region, M::default()));
    run(program, |region| MovableBuddy::<_, W, M>::metered(region, M::default()));
    run(program, |region| PhkHeap::<_, W, M>::metered(region, M::default()));
    run(program, |region| FixedSize::<W, _, M>::metered(region, 200, M::default()));
    for frees in [Frees::Never, Frees::WhenEmpty, Frees::LastFirst] {
        run(program, |region| Linear::<W, _, M>::metered(region, frees, M::default()));
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn pools_of_blocks_keep_their_promises(program in programs()) {
        blocks::<u16, Counting>(&program);
        blocks::<u32, Unmetered>(&program);
        blocks::<u64, Unmetered>(&program);
    }

    #[test]
    fn buddies_pages_and_simple_heaps_keep_their_promises(program in programs()) {
        others::<u16, Unmetered>(&program);
        others::<u32, Counting>(&program);
        others::<u64, Unmetered>(&program);
    }

    #[test]
    fn counters_know_the_live_blocks_and_the_requests(program in programs()) {
        fn counted<H: Heap>(program: &[Ask], make: impl FnOnce(Fixed<'static>) -> Result<H, RegionError>) {
            within(make, |heap| is_counted(Counters::new(heap, REGION), program));
        }
        counted(&program, |region| FreeLists::<Tlsf<_>, _>::new(region, [16, 64, 1500]));
        counted(&program, |region| Guard::<u32, _>::new(FirstFit::<_, u32>::new(region)?, 4, 3));
        counted(&program, |region| Reserve::<u32, _>::new(KnuthBuddy::<_, u32>::new(region)?, REGION, 10));
        counted(&program, |region| Linear::<u32, _, _>::new(region, Frees::LastFirst));
        counted(&program, PhkHeap::<_, u32>::new);
    }

    #[test]
    fn layers_keep_the_promises_of_the_heap_below(program in programs()) {
        run(&program, |region| FreeLists::<Tlsf<_>, _>::new(region, [16, 64, 1500]));
        run(&program, |region| FreeLists::<FirstFit<_, u16>, _>::new(region, [8]));
        run(&program, |region| FreeLists::<KnuthBuddy<_>, _>::new(region, [24, 100]));
        run(&program, |region| Ok(Zero::new(BestFit::new(region)?)));
        run(&program, |region| Guard::<u32, _>::new(FirstFit::new(region)?, 8, 5));
        run(&program, |region| Guard::<u32, _>::new(KnuthBuddy::new(region)?, 8, 0));
        run(&program, |region| Reserve::<u32, _>::new(Tlsf::new(region)?, REGION, 20));
        run(&program, |region| {
            let lists = FreeLists::<SegregatedFit<_>, _>::new(region, [32])?;
            Guard::<u32, _>::new(Zero::new(Reserve::<u32, _>::new(lists, REGION, 10)?), 8, 3)
        });
    }

    #[test]
    fn spans_keep_the_promises_of_the_heap_below(program in programs()) {
        fn spans<W: Word, T: SpanType, H: Heap>(
            program: &[Ask],
            make: impl FnOnce(Fixed<'static>) -> Result<H, RegionError>,
            values: SpanValues,
        ) {
            run(program, |region| Spans::<W, H, Classes, T>::new(make(region)?, 8, Classes, values));
        }
        for next in [Next::First, Next::Last, Next::Fullest, Next::Lowest] {
            for (span, keep) in [(2048, 0), (4096, 1), (8192, 2)] {
                let values = SpanValues { span, next, keep };
                spans::<u32, ListInside, _>(&program, |region| BestFit::<_, u32>::metered(region, Unmetered), values);
                spans::<u16, BitmapInside, _>(&program, |region| FirstFit::<_, u16>::metered(region, Unmetered), values);
                spans::<u64, BitmapOutside, _>(&program, |region| Tlsf::<_, u64>::metered(region, Unmetered), values);
                spans::<u32, ListInside, _>(&program, |region| KnuthBuddy::<_, u32>::metered(region, Unmetered), values);
            }
        }
        let values = SpanValues { span: 4096, next: Next::First, keep: 1 };
        spans::<u32, BitmapOutside, _>(&program, |region| PhkHeap::<_, u32>::metered(region, Unmetered), values);
        spans::<u32, BitmapInside, _>(&program, |region| FreeLists::<Tlsf<_>, _>::new(region, [16, 64, 1500]), values);
        spans::<u32, ListInside, _>(&program, |region| Guard::<u32, _>::new(FirstFit::<_, u32>::new(region)?, 8, 2), values);
        // `check` of a guard looks, by a volatile read, at what spans keep behind their blocks, where nobody ever wrote: Miri refuses that.
        #[cfg(not(miri))]
        run(&program, |region| {
            let heap = Tlsf::<_, u32>::metered(region, Unmetered)?;
            Guard::<u32, _>::new(Spans::<u32, _, Classes, BitmapOutside>::new(heap, 8, Classes, values)?, 8, 2)
        });
    }

    #[test]
    fn a_region_that_grows_gives_the_addresses_of_one_that_has_all(program in programs(), step in 1..5000_usize) {
        run(&program, |region| Ok(FirstFit::metered(Growing::new(region, step), Unmetered)? as FirstFit<_>));
        run(&program, |region| PhkHeap::new(Growing::new(region, step)));
    }
}

#[test]
fn layers_before_a_guard_audit_it_and_give_it_the_secret() {
    fn reaches<H: Heap>(mut heap: H) {
        let block = heap.allocate(21, 1).expect("room");
        let mut seen = Vec::new();
        // SAFETY: a guard defines what becomes of a byte behind a block.
        unsafe { block.as_ptr().add(21).write(0x55) };
        heap.audit(&mut |found| seen.push(found.kind));
        assert_eq!(seen, [HeapErrorKind::Overrun]);
        let before = heap.allocate(21, 1).expect("room");
        heap.set_secret(0x1234_5678);
        // SAFETY: the block is live; a guard refuses it, as it has another secret.
        assert!(unsafe { heap.try_deallocate(before) }.is_err());
        assert!(heap.last_heap_error().is_some());
    }
    let guard = |region| Guard::<u32, _>::new(FirstFit::<_, u32>::new(region)?, 8, 3);
    within(guard, reaches);
    within(|region| Ok(Zero::new(guard(region)?)), reaches);
    within(|region| Ok(Counters::<u32, _>::new(guard(region)?, REGION)), reaches);
    within(|region| Reserve::<u32, _>::new(guard(region)?, REGION, 10), reaches);
}
