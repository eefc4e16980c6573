//! Programs on the explored heap, and what it answers.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use heapsmith::{Counters, Fixed, Heap as _, Priority, State, Word};
use heapsmith_spec::build::BuildError;
use heapsmith_spec::{Layer, Spec, WordSize};
use heapsmith_trace::Operation as Traced;
use heapsmith_trial::{Counted, Operation, over};

use super::compile::secret;
use super::heaps::Heap;
use super::programs::{LARGEST, Program, Request, programs};
use super::tape::{Kind, NONE, Step, Tape, hash};

/// What every byte of a region is before a heap is made in it.
const BLANK: u8 = 0xA5;
/// What a region's base is a multiple of.
const PAGE: usize = 4096;

/// The tapes of a heap, of that number.
pub fn tapes(heap: &Heap, number: usize) -> Vec<Tape> {
    programs(&heap.spec, number).iter().map(|program| tape(heap, number, program)).collect()
}

/// What a heap of that number answers to a program.
pub fn tape(heap: &Heap, number: usize, program: &Program) -> Tape {
    let blank = MaybeUninit::new(u64::from_ne_bytes([BLANK; 8]));
    let mut memory = vec![blank; (LARGEST.min(program.region) + 2 * PAGE) / 8];
    let skip = (PAGE - memory.as_ptr().addr() % PAGE) / 8;
    let mut source = Fixed::new(&mut memory[skip..]).shortened(program.region);
    let region = heap.spec.max_region().min(program.region as u64) as usize;
    let steps = over(&heap.spec, &mut source, |below| match heap.spec.word {
        // Regions may have more together than a word reaches. Nobody compares their counts.
        _ if heap.spec.regions().is_some() => Recorder::<u64>::new(below, program.region, &heap.spec).run(program),
        WordSize::Two => Recorder::<u16>::new(below, region, &heap.spec).run(program),
        WordSize::Four => Recorder::<u32>::new(below, region, &heap.spec).run(program),
        WordSize::Eight => Recorder::<u64>::new(below, region, &heap.spec).run(program),
    });
    let (made, steps) = match steps {
        Ok(steps) => (true, steps),
        Err(BuildError::Region(_)) => (false, Vec::new()),
        Err(error) => panic!("{}: {error}", heap.spec),
    };
    Tape { heap: number as u32, made, region: program.region as u64, steps }
}

#[derive(Clone, Copy)]
struct Block {
    pointer: NonNull<u8>,
    slot: u32,
    alignment: usize,
}

struct Recorder<'h, 'm, W> {
    heap: Counters<W, &'h mut Counted<'m>>,
    /// Some of its region is for requests of high priority.
    reserves: bool,
    /// In address order.
    live: Vec<Block>,
    free_slots: Vec<u32>,
    slots: u32,
    steps: Vec<Step>,
}

impl<'h, 'm, W: Word> Recorder<'h, 'm, W> {
    fn new(heap: &'h mut Counted<'m>, region: usize, spec: &Spec) -> Self {
        let mut heap = Counters::new(heap, region);
        heap.set_secret(secret(spec));
        let reserves = spec.layers.iter().any(|layer| matches!(layer, Layer::Reserve(_)));
        Recorder { heap, reserves, live: Vec::new(), free_slots: Vec::new(), slots: 0, steps: Vec::new() }
    }

    fn run(mut self, program: &Program) -> Vec<Step> {
        self.image();
        for (number, request) in program.requests.iter().enumerate() {
            self.step(*request);
            if (number + 1) % program.every == 0 {
                self.image();
            }
        }
        self.image();
        self.steps
    }

    fn step(&mut self, request: Request) {
        match request {
            Request::Random(Operation::Allocate { size, alignment }) => {
                let slot = self.free_slots.pop().unwrap_or(self.slots);
                self.slots = self.slots.max(slot + 1);
                if !self.allocate(slot, narrowed(size), alignment) {
                    self.free_slots.push(slot);
                }
            }
            Request::Random(Operation::Free { which }) => {
                if let Some(number) = which.checked_rem(self.live.len()) {
                    self.free(number);
                }
            }
            Request::Random(Operation::FreeHighest) => {
                if let Some(number) = self.live.len().checked_sub(1) {
                    self.free(number);
                }
            }
            Request::Random(Operation::Reallocate { which, size }) => {
                if let Some(number) = which.checked_rem(self.live.len()) {
                    self.reallocate(number, narrowed(size));
                }
            }
            Request::Traced(event) => {
                let number = self.live.iter().position(|block| block.slot == event.slot);
                match (event.operation, number) {
                    (Traced::Allocate, _) => {
                        // A stack may have refused to free the block that was there.
                        self.live.retain(|block| block.slot != event.slot);
                        self.allocate(event.slot, event.size.max(1) as usize, event.alignment() as usize);
                    }
                    (Traced::Free, Some(number)) => self.free(number),
                    (Traced::Reallocate, Some(number)) => self.reallocate(number, event.size.max(1) as usize),
                    // The block was refused.
                    (_, None) => {}
                }
            }
        }
    }

    fn allocate(&mut self, slot: u32, size: usize, alignment: usize) -> bool {
        // Every fourth request may use the reserve.
        let is_urgent = self.reserves && self.steps.len().is_multiple_of(4);
        let (kind, priority) =
            if is_urgent { (Kind::AllocateUrgent, Priority::High) } else { (Kind::Allocate, Priority::Low) };
        let pointer = self.heap.allocate_with(priority, size, alignment);
        self.note(kind, slot, size, alignment, pointer);
        if let Some(pointer) = pointer {
            self.admit(Block { pointer, slot, alignment }, size);
        }
        pointer.is_some()
    }

    fn free(&mut self, number: usize) {
        let block = self.live[number];
        // SAFETY: the block is live; it leaves the list if the heap takes it.
        let refused = unsafe { self.heap.try_deallocate(block.pointer) }.is_err();
        let answer = u64::from(refused);
        self.steps.push(Step { kind: Kind::Free, slot: block.slot, size: 0, alignment: 0, answer, usable: 0 });
        if !refused {
            self.live.remove(number);
            self.free_slots.push(block.slot);
        }
    }

    fn reallocate(&mut self, number: usize, size: usize) {
        let block = self.live[number];
        // SAFETY: the block is live; what replaces it takes its place.
        let pointer = unsafe { self.heap.reallocate(block.pointer, size, block.alignment) };
        self.note(Kind::Reallocate, block.slot, size, block.alignment, pointer);
        if let Some(pointer) = pointer {
            self.live.remove(number);
            self.admit(Block { pointer, ..block }, size);
        }
    }

    fn note(&mut self, kind: Kind, slot: u32, size: usize, alignment: usize, pointer: Option<NonNull<u8>>) {
        let base = self.heap.base().as_ptr().addr();
        let answer = pointer.map_or(NONE, |pointer| (pointer.as_ptr().addr() - base) as u64);
        let usable = pointer.map_or(0, |pointer| {
            // SAFETY: the heap has just returned it.
            unsafe { self.heap.usable_size(pointer) as u64 }
        });
        self.steps.push(Step { kind, slot, size: size as u64, alignment: alignment as u64, answer, usable });
    }

    /// Writes to all of the block what the player will write, too.
    fn admit(&mut self, block: Block, size: usize) {
        for byte in 0..size {
            // SAFETY: the heap gave `size` bytes.
            unsafe { block.pointer.as_ptr().add(byte).write((block.slot as usize + byte) as u8) };
        }
        let place = self.live.partition_point(|other| other.pointer < block.pointer);
        self.live.insert(place, block);
    }

    fn image(&mut self) {
        self.heap.check().unwrap_or_else(|violation| panic!("{violation}"));
        let (peak, now) = (self.heap.footprint_peak(), self.heap.footprint());
        // SAFETY: the footprint lies in the region, all of which was written before the heap was made.
        let bytes = unsafe { std::slice::from_raw_parts(self.heap.base().as_ptr(), peak) };
        let (kind, answer) = (Kind::Image, hash(bytes));
        self.steps.push(Step { kind, slot: 0, size: peak as u64, alignment: now as u64, answer, usable: 0 });
        self.counts();
        self.walk();
    }

    fn counts(&mut self) {
        let counts = self.heap.counts();
        self.steps.push(Step {
            kind: Kind::Counts,
            slot: counts.live_blocks as u32,
            size: counts.free_bytes as u64,
            alignment: counts.min_free_bytes as u64,
            answer: counts.refused as u64,
            usable: counts.largest_request as u64,
        });
    }

    fn walk(&mut self) {
        let mut blocks = Vec::new();
        self.heap.walk(&mut |block| {
            let status = match block.state {
                State::Used => 0,
                State::Free => 1,
                State::Cached => 2,
            };
            let numbers = [(block.offset + block.header) as u64, (block.size - block.header) as u64, status];
            blocks.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
        });
        let (kind, answer) = (Kind::Walk, hash(&blocks));
        self.steps.push(Step { kind, slot: 0, size: 0, alignment: 0, answer, usable: 0 });
    }
}

/// A size that a program of 32 bits can ask for.
fn narrowed(size: usize) -> usize {
    size.min(u32::MAX as usize)
}
