//! Plays tapes (`tape.rs`) on emitted heaps and compares every answer and the bytes of the region.
#![allow(unsafe_code)]

mod table;

use std::io::{Read, stdin};
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use heapsmith::{Counts, Fixed, Heap, Priority, RegionError, Unmetered};

/// What every byte of a region is before a heap is made in it.
const BLANK: u8 = 0xA5;
const PAGE: usize = 4096;
const REGION: usize = 4 << 20;
const NONE: u64 = u64::MAX;

struct Step {
    kind: u32,
    slot: usize,
    size: u64,
    alignment: u64,
    answer: u64,
    usable: u64,
}

/// Reads little-endian numbers; ends the program where they end early.
struct Tapes(Box<dyn Read>);

impl Tapes {
    fn number<const BYTES: usize>(&mut self) -> Option<u64> {
        let mut bytes = [0; 8];
        self.0.read_exact(&mut bytes[..BYTES]).ok()?;
        Some(u64::from_le_bytes(bytes))
    }

    fn next<const BYTES: usize>(&mut self) -> u64 {
        self.number::<BYTES>().expect("the tape continues")
    }

    fn step(&mut self) -> Step {
        Step {
            kind: self.next::<4>() as u32,
            slot: self.next::<4>() as usize,
            size: self.next::<8>(),
            alignment: self.next::<8>(),
            answer: self.next::<8>(),
            usable: self.next::<8>(),
        }
    }
}

/// One tape on one heap.
pub struct Player<'t> {
    tapes: &'t mut Tapes,
    number: u64,
    steps: u64,
    made: bool,
}

fn expect(number: u64, step: u64, what: &str, expected: u64, found: u64) {
    if expected != found {
        println!("heap {number} step {step}: {what} is {}, not {}", found as i64, expected as i64);
        std::process::exit(1);
    }
}

impl Player<'_> {
    /// Plays the tape on a heap, if it could be made, with what its guard mixes into its words.
    pub fn play<H: Heap<Meter = Unmetered>>(
        self,
        heap: Result<H, RegionError>,
        secret: usize,
        counts: fn(&H) -> Option<Counts>,
    ) {
        expect(self.number, 0, "whether it could be made", self.made.into(), heap.is_ok().into());
        let Ok(mut heap) = heap else { return };
        heap.set_secret(secret);
        let mut slots: Vec<Option<NonNull<u8>>> = vec![None; 1 << 16];
        for at in 0..self.steps {
            let step = self.tapes.step();
            match step.kind {
                4 => self.counts(at, &step, counts(&heap)),
                // What a walk visits is the explored heap's own.
                5 => {}
                _ => self.step(&mut heap, &mut slots, at, &step),
            }
        }
    }

    fn counts(&self, at: u64, step: &Step, counts: Option<Counts>) {
        let Some(counts) = counts else { return };
        let found = [counts.live_blocks, counts.free_bytes, counts.min_free_bytes, counts.refused, counts.largest_request];
        let expected = [step.slot as u64, step.size, step.alignment, step.answer, step.usable];
        let names = ["live blocks", "free bytes", "fewest free bytes", "refused requests", "largest request"];
        for (what, (expected, found)) in names.into_iter().zip(expected.into_iter().zip(found)) {
            expect(self.number, at, what, expected, found as u64);
        }
    }

    fn step(&self, heap: &mut dyn Heap<Meter = Unmetered>, slots: &mut [Option<NonNull<u8>>], at: u64, step: &Step) {
        let (size, alignment) = (step.size as usize, step.alignment as usize);
        let live = slots[step.slot];
        match step.kind {
            0 | 6 => {
                let priority = if step.kind == 6 { Priority::High } else { Priority::Low };
                let block = heap.allocate_with(priority, size, alignment);
                self.served(heap, slots, at, step, block);
            }
            1 => {
                let block = live.expect("a live block");
                // SAFETY: the block is live; the tape says where it is refused.
                let refused = unsafe { heap.try_deallocate(block) }.is_err();
                expect(self.number, at, "whether the free was refused", step.answer, refused.into());
            }
            2 => {
                // SAFETY: the block is live; what replaces it takes its slot.
                let block = unsafe { heap.reallocate(live.expect("a live block"), size, alignment) };
                self.served(heap, slots, at, step, block);
            }
            _ => {
                expect(self.number, at, "whether an invariant is broken", 0, heap.check().is_err().into());
                expect(self.number, at, "the footprint", step.alignment, heap.footprint() as u64);
                expect(self.number, at, "the footprint's peak", step.size, heap.footprint_peak() as u64);
                // SAFETY: the footprint lies in the region, all of which was written.
                let bytes = unsafe { std::slice::from_raw_parts(heap.base().as_ptr(), size) };
                expect(self.number, at, "the hash of the region", step.answer, hash(bytes));
            }
        }
    }

    fn served(
        &self,
        heap: &dyn Heap<Meter = Unmetered>,
        slots: &mut [Option<NonNull<u8>>],
        at: u64,
        step: &Step,
        block: Option<NonNull<u8>>,
    ) {
        let base = heap.base().as_ptr().addr();
        let offset = block.map_or(NONE, |block| (block.as_ptr().addr() - base) as u64);
        expect(self.number, at, "the offset", step.answer, offset);
        let Some(block) = block else { return };
        // SAFETY: the heap has just returned it.
        let usable = unsafe { heap.usable_size(block) } as u64;
        expect(self.number, at, "the usable size", step.usable, usable);
        slots[step.slot] = Some(block);
        for byte in 0..step.size as usize {
            // SAFETY: the heap gave this many bytes.
            unsafe { block.as_ptr().add(byte).write((step.slot + byte) as u8) };
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

fn main() {
    let mut tapes = Tapes(Box::new(std::io::BufReader::new(stdin())));
    let blank = MaybeUninit::new(u64::from_ne_bytes([BLANK; 8]));
    let mut memory = vec![blank; (REGION + 2 * PAGE) / 8];
    let skip = (PAGE - memory.as_ptr().addr() % PAGE) / 8;
    let mut played = 0;
    while let Some(number) = tapes.number::<4>() {
        memory.fill(blank);
        let made = tapes.next::<4>() == 1;
        let region = Fixed::new(&mut memory[skip..]).shortened(tapes.next::<8>() as usize);
        let steps = tapes.next::<8>();
        table::play(number, Player { tapes: &mut tapes, number, steps, made }, region);
        played += 1;
    }
    println!("{played} tapes played");
}
