//! The heap errors of `heap_errors.c`, of the explored heap.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use heapsmith::{Fixed, HeapErrorKind};
use heapsmith_spec::Spec;
use heapsmith_trial::{Counted, over};

/// Bytes of the region, and of what lies before and behind it.
const REGION: usize = 32000;
const MARGIN: usize = 256;
/// The region lies [`MARGIN`] behind a multiple of this, here as in C: buddy heaps align their blocks to as much, so that
/// what is a block of theirs depends on it.
const ALIGN: usize = 4096;
/// Bytes of the blocks that live.
const SIZES: [usize; 7] = [40, 56, 56, 40, 72, 100, 40];

/// The case that Rust does not have: no pointer is NULL.
pub(super) const NO_BLOCK: u32 = 16;

/// What the heap says of the heap errors that have a bit in `cases`, a digit each, but for [`NO_BLOCK`].
pub(super) fn of_rust(spec: &Spec, cases: u32) -> String {
    let all = (0..u32::BITS - cases.leading_zeros()).filter(|&which| which != NO_BLOCK);
    all.map(|which| if cases >> which & 1 == 1 { told(spec, which) } else { '-' }).collect()
}

/// What the heap says of one.
fn told(spec: &Spec, which: u32) -> char {
    let mut memory = vec![MaybeUninit::new(u64::from_ne_bytes([0xA5; 8])); (REGION + 2 * MARGIN + ALIGN) / 8];
    let skip = (memory.as_ptr().addr().next_multiple_of(ALIGN) - memory.as_ptr().addr() + MARGIN) / 8;
    let base: NonNull<u8> = NonNull::from(&mut memory[skip]).cast();
    let mut live = [base; 7];
    // SAFETY: the bytes belong to `memory`, which is touched through this region and pointers into it alone.
    let region = || unsafe { Fixed::from_raw(base, REGION) };
    if which == 15 {
        over(spec, &mut region(), |heap| live = blocks(heap)).expect("the region suits");
    }
    let last = over(spec, &mut region(), |heap| {
        if which != 15 {
            live = blocks(heap);
        }
        let word = spec.word.bytes() as usize;
        Faulty { heap, live, base, word }.run(which);
        heap.last_heap_error()
    });
    match last.expect("the region suits").map(|heap_error| heap_error.kind) {
        None => '0',
        Some(HeapErrorKind::DoubleFree) => '1',
        Some(HeapErrorKind::Foreign) => '2',
        Some(HeapErrorKind::HeaderDamaged | HeapErrorKind::Overrun | HeapErrorKind::WrittenAfterFree) => '3',
        Some(other) => panic!("{other:?}"),
    }
}

fn blocks(heap: &mut Counted<'_>) -> [NonNull<u8>; 7] {
    SIZES.map(|size| heap.allocate(size, 1).expect("there is room"))
}

/// The pointer this many bytes behind another.
fn at(pointer: NonNull<u8>, bytes: isize) -> NonNull<u8> {
    NonNull::new(pointer.as_ptr().wrapping_offset(bytes)).expect("no region begins at 0")
}

/// A program with a heap error.
struct Faulty<'h, 'm> {
    heap: &'h mut Counted<'m>,
    live: [NonNull<u8>; 7],
    base: NonNull<u8>,
    word: usize,
}

impl Faulty<'_, '_> {
    /// Frees, unless a heap error was found before.
    fn frees(&mut self, block: NonNull<u8>) {
        if self.heap.last_heap_error().is_none() {
            // SAFETY: the heap detects what is wrong with it, or the program ends here.
            let _ = unsafe { self.heap.try_deallocate(block) };
        }
    }

    fn fill(&self, block: NonNull<u8>, value: u8, bytes: usize) {
        // SAFETY: the bytes are in the region.
        unsafe { block.write_bytes(value, bytes) };
    }

    fn usable(&self, block: usize) -> usize {
        // SAFETY: the block lives.
        unsafe { self.heap.usable_size(self.live[block]) }
    }

    fn resize(&mut self, block: usize, size: usize) -> Option<NonNull<u8>> {
        // SAFETY: as in `frees`.
        unsafe { self.heap.reallocate(self.live[block], size, 1) }
    }

    fn writes_late(&mut self, block: usize) {
        self.frees(self.live[block]);
        self.fill(self.live[block], 0x41, SIZES[block]);
        for _ in 0..6 {
            if self.heap.last_heap_error().is_none() {
                let _ = self.heap.allocate(SIZES[block], 1);
            }
        }
    }

    fn overruns(&mut self, value: u8) {
        self.fill(self.live[4], value, self.usable(4) + self.word);
        self.frees(self.live[4]);
    }

    fn none(&mut self) {
        let [_, first, second, ..] = self.live;
        self.frees(second);
        self.frees(first);
        let moved = self.resize(0, 90).expect("there is room");
        self.frees(moved);
        let block = self.heap.allocate(self.usable(3), 1).expect("there is room");
        self.frees(block);
    }

    fn run(&mut self, which: u32) {
        let live = self.live;
        let mut each = |blocks: &[NonNull<u8>]| blocks.iter().for_each(|block| self.frees(*block));
        match which {
            0 => self.none(),
            1 => each(&[live[0], live[0]]),
            2 => each(&[live[1], live[2], live[2]]),
            3 => each(&[live[3], live[4], live[3]]),
            _ => self.points_wrongly(which),
        }
    }

    fn points_wrongly(&mut self, which: u32) {
        let live = self.live;
        match which {
            4 => {
                self.fill(live[5], 0x11, SIZES[5]);
                self.frees(at(live[5], 48));
            }
            5 => {
                let elsewhere = Box::new([0_u64; 32]);
                self.frees(NonNull::from(&elsewhere[8]).cast());
            }
            6 => self.frees(at(self.base, -64)),
            7 => self.frees(at(live[3], 1)),
            8 => self.overruns(0x41),
            9 => {
                self.overruns(0xFF);
                self.frees(live[5]);
            }
            10 => {
                self.fill(at(live[4], -(self.word as isize)), 0, self.word);
                self.frees(live[4]);
            }
            11 => self.writes_late(1),
            12 => self.writes_late(0),
            13 => self.frees(at(self.base, 25600)),
            14 => {
                self.frees(live[0]);
                let _ = self.resize(0, 200);
            }
            15 => self.frees(live[3]),
            _ => self.damages_guards(which),
        }
    }

    /// Frees this block, and those behind it.
    fn frees_from(&mut self, first: usize) {
        let live = self.live;
        live[first..].iter().for_each(|&block| self.frees(block));
    }

    /// Writes a byte of a block, or behind it.
    fn writes(&self, block: usize, byte: usize) {
        self.fill(at(self.live[block], byte as isize), 0, 1);
    }

    /// Sets the words from this many before a block to 0.
    fn clears_before(&self, block: usize, words: usize, count: usize) {
        self.fill(at(self.live[block], -((words * self.word) as isize)), 0, count * self.word);
    }

    fn damages_guards(&mut self, which: u32) {
        let live = self.live;
        match which {
            17 => {
                self.writes(5, SIZES[5]);
                self.frees(live[5]);
            }
            18 => {
                self.frees(live[1]);
                self.writes(1, SIZES[1] - 1);
                self.frees_from(2);
            }
            19 => {
                self.clears_before(4, 3, 3);
                self.frees(live[4]);
            }
            20 => {
                self.writes(4, SIZES[4]);
                let _ = self.resize(4, 200);
            }
            21 => {
                self.frees(live[1]);
                self.frees_from(3);
                self.frees(live[1]);
            }
            22 => {
                self.clears_before(2, 4, 1);
                self.frees_from(2);
            }
            _ => {
                self.clears_before(2, 4, 1);
                let _ = self.resize(2, 200);
            }
        }
    }
}
