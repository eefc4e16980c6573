//! A thread's pen: where in its window the next record goes.
//!
//! ```text
//!   window  ├ 64 bytes ┤ records …            ┆ SLACK ┤
//!                                  ▲ cursor   ▲ end
//! ```
//!
//! Invariants:
//!
//! - **T1**: while `cursor < end`, at least [`SLACK`] bytes from `cursor` on are mapped, belong to
//!   this thread, and are not yet published. An event takes at most `SLACK` bytes.
//! - **T2**: a `Thread` lies in memory that a forked child sees as zeros. A child therefore
//!   finds `cursor == end`, goes the slow way, and there finds that everything is gone;
//!   it never writes into its parent's window.
//! - **T3**: only the thread that owns a `Thread` touches its fields, but `owner` and `next`.
//! - **T4**: what is published is whole records: `state` is stored after their words.

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, compiler_fence};

use crate::clock;
use crate::format::{OPERATION_BITS, operation};
use crate::sample::Sample;

/// Bytes that one event may take at most: site (17 words), clock (2 words), and an allocation (2 words).
pub const SLACK: usize = 192;

/// Whether the process ever had a second thread.
pub static MANY: AtomicBool = AtomicBool::new(false);

/// A stack that was named.
#[repr(C)]
pub struct Named {
    /// Its hash.
    pub hash: u64,
    /// Its number in the window.
    pub number: u64,
}

/// What a thread needs to write records.
#[repr(C)]
pub struct Thread {
    /// Where the next record goes.
    pub cursor: *mut u64,
    /// From here on the slow way is taken; not above it, or zero with `cursor`.
    pub end: *mut u64,
    /// What `cursor` is added to for the window's state: sequence << 32 − address of the first record.
    pub bias: u64,
    /// The window's state.
    pub state: *const AtomicU64,
    /// Ticks of the last stamp.
    pub last: u64,
    /// Which blocks are recorded.
    pub(crate) sample: Sample,
    /// Events that share the last stamp from now on.
    pub shared: u32,
    /// Whether ticks are of the processor's counter.
    pub counter: bool,
    /// Whether it reallocates a block that is recorded, where not all are.
    pub(crate) moves: bool,
    /// 0 while nobody owns this.
    pub owner: AtomicU32,
    /// The window's granule; 0 for none, as after a fork.
    pub granule: u64,
    /// How often the window was begun again.
    pub sequence: u64,
    /// The thread's number.
    pub number: u64,
    /// The stacks that this window lately named; null before the first.
    pub stacks: *mut Named,
    /// How many stacks this window named.
    pub stacks_named: u64,
    /// The next of all threads of the process.
    pub next: AtomicPtr<Thread>,
}

impl Thread {
    /// Writes down what the clock says, in ticks and in time.
    ///
    /// # Safety
    ///
    /// There is room (T1).
    #[inline(never)]
    pub unsafe fn put_clock(&mut self, ticks: u64) {
        let time = if self.counter { clock::nanoseconds() } else { ticks };
        self.last = ticks;
        // SAFETY: the caller's room.
        unsafe { self.put_two(ticks << OPERATION_BITS | operation::CLOCK, time) };
    }

    /// Writes a word.
    ///
    /// # Safety
    ///
    /// There is room (T1).
    #[inline(always)]
    pub unsafe fn put(&mut self, word: u64) {
        // SAFETY: room by T1.
        unsafe {
            self.cursor.write(word);
            self.cursor = self.cursor.add(1);
        }
    }

    /// Writes two words.
    ///
    /// # Safety
    ///
    /// There is room (T1).
    #[inline(always)]
    pub unsafe fn put_two(&mut self, first: u64, second: u64) {
        // SAFETY: room by T1.
        unsafe {
            self.cursor.write(first);
            self.cursor.add(1).write(second);
            self.cursor = self.cursor.add(2);
        }
    }

    /// Makes all that was written part of the recording (T4).
    #[inline(always)]
    pub fn publish(&mut self) {
        // Only a reader of the file after this process looks at these words, so the order of
        // the program is enough: a killed process stops between two instructions.
        compiler_fence(Ordering::Release);
        // SAFETY: the window is mapped while this is its thread (T1).
        unsafe { (*self.state).store((self.cursor as u64).wrapping_add(self.bias), Ordering::Release) };
    }
}
