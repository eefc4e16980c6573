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
//!
//! Cost of an event: some ten instructions and 8 bytes where stamps are shared (below), else
//! the clock and 8 or 16 bytes. A window that is full costs one write of 256 KiB.
//!
//! While a process has one thread, order needs no clock, and where events come so fast that
//! the clock would cost more than they do, only every [`SHARED`]th event reads it.

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, compiler_fence};

use crate::format::{ADDRESS_AT, ADDRESS_BITS, ADDRESS_SHIFT, ALIGNMENT_AT, OPERATION_BITS, TICK_BITS, operation};
use crate::site::{self, Named};
use crate::stack::Caller;
use crate::{clock, cold};

/// Bytes that one event may take at most: site (17 words), clock (2 words), and an allocation (2 words).
pub const SLACK: usize = 192;

/// Events that share a stamp in a process with one thread.
const SHARED: u32 = 16;

/// Ticks in which this many events count as fast.
const FAST: u64 = 4096;

/// Whether the process ever had a second thread.
pub static MANY: AtomicBool = AtomicBool::new(false);

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
    /// Events that share the last stamp from now on.
    pub shared: u32,
    /// Whether ticks are of the processor's counter.
    pub counter: bool,
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

/// One event.
#[derive(Clone, Copy)]
pub struct Event {
    /// One of [`operation`].
    pub operation: u64,
    /// The block's address.
    pub address: usize,
    /// Bytes that were asked for; 0 with a free.
    pub size: usize,
    /// The alignment that was asked for, in bytes; 0 for none.
    pub alignment: usize,
}

impl Event {
    /// Whether a record can hold the address.
    #[inline(always)]
    pub fn fits(self) -> bool {
        let address = self.address as u64;
        address & ((1 << ADDRESS_SHIFT) - 1) == 0 && address >> ADDRESS_BITS == 0
    }

    /// Whether it is asked where this was done.
    #[inline(always)]
    fn has_site(self) -> bool {
        self.operation == operation::ALLOCATE || self.operation == operation::REALLOCATE_ENDS
    }

    /// Operation and address, with the bits between them empty.
    #[inline(always)]
    fn word(self) -> u64 {
        (self.address as u64) << (ADDRESS_AT - ADDRESS_SHIFT) | self.operation
    }

    /// Whether this can be written without a stamp of its own.
    #[inline(always)]
    fn may_share(self) -> bool {
        self.operation != operation::ALLOCATE || self.size | self.alignment << TICK_BITS < 1 << TICK_BITS
    }
}

/// Writes one event down.
///
/// # Safety
///
/// Called by a hook, on the thread that it runs on.
#[inline(always)]
pub unsafe fn record(event: Event) {
    let thread = crate::local::thread();
    // The frame is the hook's own, as this is always inlined there.
    let caller = if event.has_site() && site::wanted() { Caller::of_hook() } else { Caller::NONE };
    // SAFETY: a thread's pointer is null or its own `Thread` (T3).
    let mine = unsafe { thread.as_mut() };
    if caller.is_none()
        && let Some(thread) = mine
        && thread.cursor < thread.end
        && event.fits()
    {
        if thread.shared > 0 && event.may_share() {
            // SAFETY: there is room (T1).
            return unsafe { thread.write_shared(event) };
        }
        let now = clock::counter();
        let since = now.wrapping_sub(thread.last);
        if since >> TICK_BITS == 0 && thread.counter {
            thread.last = now;
            // SAFETY: there is room (T1).
            return unsafe { thread.write_stamped(event, since) };
        }
    }
    // Nothing is called before this, and nothing after it: the fast way needs no stack.
    cold::record(event.operation, event.address, event.size, event.alignment, caller);
}

impl Thread {
    /// Writes an event with the stamp of the one before.
    ///
    /// # Safety
    ///
    /// There is room (T1), and the event [may share](Event::may_share).
    #[inline(always)]
    unsafe fn write_shared(&mut self, event: Event) {
        self.shared -= 1;
        // SAFETY: room by T1.
        unsafe {
            match event.operation {
                operation::ALLOCATE => {
                    let small = operation::ALLOCATE_SMALL ^ operation::ALLOCATE;
                    self.put(event.word() ^ small | (event.size as u64) << OPERATION_BITS);
                }
                operation::REALLOCATE_ENDS => self.put_two(event.word(), event.size as u64),
                _ => self.put(event.word()),
            }
        }
        self.publish();
    }

    /// Writes an event with its own stamp, `since` ticks after the last.
    ///
    /// # Safety
    ///
    /// There is room (T1).
    #[inline(always)]
    unsafe fn write_stamped(&mut self, event: Event, since: u64) {
        if since < FAST && !MANY.load(Ordering::Relaxed) {
            self.shared = SHARED - 1;
        }
        let word = event.word() | since << OPERATION_BITS;
        // SAFETY: room by T1.
        unsafe {
            match event.operation {
                operation::ALLOCATE => {
                    let alignment = u64::from(event.alignment.max(1).trailing_zeros());
                    self.put_two(word, event.size as u64 | alignment << ALIGNMENT_AT);
                }
                operation::REALLOCATE_ENDS => self.put_two(word, event.size as u64),
                _ => self.put(word),
            }
        }
        self.publish();
    }

    /// Writes an event with its own stamp, and first what the clock says where the last stamp
    /// is long ago.
    ///
    /// # Safety
    ///
    /// There is room (T1).
    pub unsafe fn write(&mut self, event: Event) {
        let now = clock::ticks(self.counter);
        let mut since = now.wrapping_sub(self.last);
        // SAFETY: room by T1, for the clock and the event.
        unsafe {
            if since >> TICK_BITS != 0 {
                self.put_clock(now);
                since = 0;
            }
            self.last = now;
            self.write_stamped(event, since);
        }
    }

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
