//! The threads of a play.

use std::ptr;
use std::sync::Barrier;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::mapping::Plain;
use crate::scenario::Step;

/// Looks at a block's turn before the processor is given away.
const SPINS: u32 = 64;

/// Below it a thread does not sleep until its time has come.
const SHORT: Duration = Duration::from_micros(100);

/// Bytes of a page, at least.
const PAGE: usize = 4096;

/// Where a block is, and whose turn it is.
#[derive(Default)]
pub(crate) struct Place {
    pointer: AtomicPtr<u8>,
    turn: AtomicU32,
}

// SAFETY: a null pointer and a count of 0 are zeros; the padding is never read as a value.
unsafe impl Plain for Place {}

/// What all threads of a play share.
pub(crate) struct Stage<'a> {
    /// The place of every block.
    pub places: &'a [Place],
    /// Where all threads meet.
    pub barrier: &'a Barrier,
    /// How often they do.
    pub meetings: u32,
    /// The times of the trace are multiplied by this; 0 is as fast as it goes.
    pub pace: f64,
    /// Requests that were refused.
    pub failed: &'a AtomicU64,
}

impl Stage<'_> {
    /// Plays the steps of one thread.
    pub fn play(&self, steps: &[Step], began: Instant) {
        let mut met = 0;
        for step in steps {
            while met < step.meetings {
                self.barrier.wait();
                met += 1;
            }
            self.wait_for_time(step, began);
            let place = &self.places[step.block as usize];
            let mut looks = 0;
            while place.turn.load(Ordering::Acquire) != step.order {
                looks += 1;
                if looks < SPINS { std::hint::spin_loop() } else { thread::yield_now() }
            }
            self.step(step, place);
            place.turn.store(step.order + 1, Ordering::Release);
        }
        for _ in met..self.meetings {
            self.barrier.wait();
        }
    }

    fn wait_for_time(&self, step: &Step, began: Instant) {
        if self.pace > 0.0 {
            let due = Duration::from_nanos((step.time as f64 * self.pace) as u64);
            let early = due.saturating_sub(began.elapsed());
            if early > SHORT {
                thread::sleep(early);
            }
        }
    }

    fn step(&self, step: &Step, place: &Place) {
        let old = place.pointer.load(Ordering::Relaxed);
        let size = step.size as usize;
        let new: *mut u8 = match step.operation {
            0 => allocate(size, 1 << step.alignment_log2),
            1 => {
                // SAFETY: W1: the block at this place was allocated, and no thread frees it but this one.
                unsafe { libc::free(old.cast()) };
                place.pointer.store(ptr::null_mut(), Ordering::Relaxed);
                return;
            }
            // `realloc` to 0 bytes may free the block.
            // SAFETY: as above.
            _ => unsafe { libc::realloc(old.cast(), size.max(1)) }.cast(),
        };
        if new.is_null() {
            self.failed.fetch_add(1, Ordering::Relaxed);
            // A block that could not be resized is as it was.
            return;
        }
        touch(new, size);
        place.pointer.store(new, Ordering::Relaxed);
    }
}

fn allocate(size: usize, alignment: usize) -> *mut u8 {
    if alignment <= 2 * size_of::<usize>() {
        // SAFETY: `malloc` takes any size.
        return unsafe { libc::malloc(size) }.cast();
    }
    let mut pointer = ptr::null_mut();
    // SAFETY: the alignment is a power of two above the size of a pointer, and the place for the result is there.
    let outcome = unsafe { libc::posix_memalign(&mut pointer, alignment, size) };
    if outcome == 0 { pointer.cast() } else { ptr::null_mut() }
}

/// Writes a byte into every page of a block.
fn touch(block: *mut u8, size: usize) {
    for at in (0..size).step_by(PAGE).chain(size.checked_sub(1)) {
        // SAFETY: the block has `size` bytes and nobody else has it (W1).
        unsafe { block.add(at).write_volatile(1) };
    }
}
