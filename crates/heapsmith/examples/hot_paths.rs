//! The hot paths of the heaps, for tools that count instructions.
//!
//! `hot_paths PROGRAM HEAP ROUNDS` replays a made program so often over one heap, by the loop that a
//! replay is timed with. What an event takes is `(three rounds - one round) / 2 / EVENTS`: all that is
//! done once falls out. `tests/instructions` does this for every pair and compares.
#![allow(unsafe_code)]

use core::mem::MaybeUninit;
use core::ptr::NonNull;

use heapsmith::parts::pages::{ByWord, PageSizes};
use heapsmith::parts::{AddressOrder, BinList, BinOrder, Bins, BlockPool, Buddies, BySize, Estranged, Fit, Format};
use heapsmith::parts::{Implicit, Index, Knuth, Lifo, Nothing, Order, PageHeap, PolicyValues, Recombination, RedBlack};
use heapsmith::parts::{SizeRange, SizeTable, SkipList, SpacedBins, Spacing, TwoLevel};
use heapsmith::{Fixed, FixedSize, FreeLists, Heap, Unmetered, Word};

/// What indexes that ignore the fit are built with.
const BEST: Fit = Fit::Best { depth: 100 };

/// Events of a program.
const EVENTS: usize = 20_000;

/// What is asked for: blocks that live, and the size of each request by a random number.
#[derive(Clone, Copy)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    live: usize,
    size: fn(u64) -> usize,
}

/// The programs: one block over and over; two sizes; all sizes up to 1 KiB.
pub const PROGRAMS: [Program; 3] = [
    Program { name: "pairs", live: 1, size: |_| 64 },
    Program { name: "packets", live: 256, size: |random| [64, 64, 64, 1500][random as usize % 4] },
    Program { name: "mixed", live: 256, size: |random| 1 + random as usize % 1024 },
];

/// The heaps: names of the catalogue where it has them.
pub const HEAPS: [&str; 15] = [
    "nothing",
    "fixed",
    "freelists",
    "list-lifo",
    "list-address",
    "list-implicit",
    "bins-lea",
    "bins-log",
    "tlsf",
    "half-fit",
    "red-black-tree",
    "skip-list",
    "knuth-buddy",
    "estranged-buddy",
    "phk-by-word",
];

/// An event: fills a slot with this many bytes, or empties it.
#[derive(Clone, Copy)]
struct Event {
    slot: u32,
    size: Option<usize>,
}

/// Allocates, and frees a random block whenever as many live as may.
fn events(program: Program) -> Vec<Event> {
    let mut random = 1_u64;
    let mut next = || {
        // Lehmer's generator, modulus 2^31 - 1.
        random = random * 48_271 % 0x7fff_ffff;
        random
    };
    let mut empty: Vec<u32> = (0..program.live as u32).collect();
    let mut full: Vec<u32> = Vec::new();
    let mut event = |_| match empty.pop() {
        None => {
            let slot = full.swap_remove(next() as usize % program.live);
            empty.push(slot);
            Event { slot, size: None }
        }
        Some(slot) => {
            full.push(slot);
            Event { slot, size: Some((program.size)(next())) }
        }
    };
    (0..EVENTS).map(&mut event).collect()
}

/// The loop: what is asked for, and nothing else.
#[inline(never)]
fn replay<H: Heap>(heap: &mut H, events: &[Event], slots: &mut [Option<NonNull<u8>>]) {
    for event in events {
        let slot = &mut slots[event.slot as usize];
        match event.size {
            Some(size) => *slot = heap.allocate(size, 1),
            None => {
                if let Some(pointer) = slot.take() {
                    // SAFETY: the slot's block came from this heap, and leaves the slot here.
                    unsafe { heap.deallocate(pointer) };
                }
            }
        }
    }
}

/// This many rounds, each on a heap that the one before left empty.
fn rounds<H: Heap>(mut heap: H, program: Program, rounds: usize) {
    let (events, mut slots) = (events(program), vec![None; program.live]);
    for _ in 0..rounds {
        replay(&mut heap, &events, &mut slots);
        for slot in &mut slots {
            if let Some(pointer) = slot.take() {
                // SAFETY: as in `replay`.
                unsafe { heap.deallocate(pointer) };
            }
        }
    }
}

type Tagged<'r, I> = BlockPool<u32, I, PolicyValues, Fixed<'r>, Unmetered, true>;

fn indexed<I: Index>(index: I, fit: Fit, region: Fixed<'_>, program: Program, number: usize) {
    // What no optimiser sees through, as the values of a spec.
    let policy = core::hint::black_box(PolicyValues { fit, ..PolicyValues::default() });
    rounds(Tagged::from_parts(region, index, policy, Unmetered).expect("the region is large"), program, number);
}

fn run(heap: &str, region: Fixed<'_>, program: Program, number: usize) {
    const WORD: usize = <u32 as Word>::BYTES;
    let of_one_list = |spacing| Bins::new(SpacedBins::new(spacing, WORD), BinList { order: BinOrder::Lifo, tries: 8 });
    let log = Spacing::Exact { from: WORD, step: 1, count: 0, per_doubling: 4 };
    match heap {
        "nothing" => rounds(nothing(), program, number),
        "fixed" => {
            rounds(FixedSize::<u32, _, _>::from_parts(region, 1500, 8, Unmetered).expect("large"), program, number)
        }
        "freelists" => {
            let words = |size| Format::new::<u32>(8, 2, true).words_for::<u32>(size).expect("a size");
            let lists = [64, 1500].map(|size| SizeRange { low: words(size), high: words(size) });
            let mut direct = [0; 400];
            let map = SizeTable::new(&lists, &mut direct);
            let policy = core::hint::black_box(PolicyValues::default());
            let index = AddressOrder::default();
            let heap = FreeLists::<Tagged<'_, _>, _>::from_parts(region, index, policy, Unmetered, map, Order::Lifo);
            rounds(heap.expect("the region is large"), program, number);
        }
        "list-lifo" => indexed(Lifo::default(), Fit::First, region, program, number),
        "list-address" => indexed(AddressOrder::default(), Fit::First, region, program, number),
        "list-implicit" => indexed(Implicit::default(), Fit::First, region, program, number),
        "bins-lea" => indexed(of_one_list(Spacing::Lea), Fit::First, region, program, number),
        "bins-log" => indexed(of_one_list(log), Fit::First, region, program, number),
        "tlsf" => indexed(TwoLevel::new(5, <u32 as Word>::MAX_WORDS), BEST, region, program, number),
        "half-fit" => indexed(TwoLevel::new(0, <u32 as Word>::MAX_WORDS), BEST, region, program, number),
        "red-black-tree" => indexed(BySize::new(RedBlack), BEST, region, program, number),
        "skip-list" => indexed(BySize::new(SkipList::new(1, 16)), BEST, region, program, number),
        "knuth-buddy" => rounds(buddies::<Knuth>(region), program, number),
        "estranged-buddy" => rounds(buddies::<Estranged>(region), program, number),
        "phk-by-word" => {
            let sizes = PageSizes { page: 4096, min: 16, alignment: 8 };
            rounds(
                PageHeap::<u32, ByWord, _, _>::from_parts(region, sizes, Unmetered).expect("large"),
                program,
                number,
            );
        }
        _ => panic!("no such heap; there are {HEAPS:?}"),
    }
}

fn nothing() -> Nothing {
    // SAFETY: `replay` reads and writes no payload.
    unsafe { Nothing::new() }
}

fn buddies<R: Recombination>(region: Fixed<'_>) -> Buddies<u32, R, Fixed<'_>, Unmetered, false> {
    Buddies::from_parts(region, 8, Unmetered).expect("the region is large")
}

/// Runs the pair that the arguments name.
pub fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, heap, number] = &arguments[..] else { panic!("say PROGRAM HEAP ROUNDS") };
    let program = PROGRAMS.iter().find(|known| known.name == program).expect("a program's name");
    let mut memory = vec![MaybeUninit::<u64>::uninit(); 1 << 18];
    run(heap, Fixed::new(&mut memory), *program, number.parse().expect("a number of rounds"));
}
