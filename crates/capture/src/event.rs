//! Events: what is recorded of an operation, and how a thread writes it into its window.
//!
//! Cost of an event: some ten instructions and 8 bytes where stamps are shared (below), else
//! the clock and 8 or 16 bytes. A window that is full costs one write of 256 KiB.
//!
//! While a process has one thread, order needs no clock, and where events come so fast that
//! the clock would cost more than they do, only one event in `SHARED` reads it.

use core::sync::atomic::Ordering;

use crate::clock;
use crate::format::{ADDRESS_AT, ADDRESS_BITS, ADDRESS_SHIFT, ALIGNMENT_AT, OPERATION_BITS, TICK_BITS, operation};
use crate::thread::{MANY, Thread};

/// Events that share a stamp in a process with one thread.
const SHARED: u32 = 16;

/// Ticks in which this many events count as fast.
const FAST: u64 = 4096;

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
    pub fn has_site(self) -> bool {
        self.operation == operation::ALLOCATE || self.operation == operation::REALLOCATE_ENDS
    }

    /// Whether it is of a reallocation.
    #[inline(always)]
    pub(crate) fn reallocates(self) -> bool {
        self.operation == operation::REALLOCATE_BEGINS || self.operation == operation::REALLOCATE_ENDS
    }

    /// Operation and address, with the bits between them empty.
    #[inline(always)]
    fn word(self) -> u64 {
        (self.address as u64) << (ADDRESS_AT - ADDRESS_SHIFT) | self.operation
    }

    /// Whether this can be written without a stamp of its own.
    #[inline(always)]
    pub(crate) fn may_share(self) -> bool {
        self.operation != operation::ALLOCATE || self.size | self.alignment << TICK_BITS < 1 << TICK_BITS
    }
}

impl Thread {
    /// Whether nothing is to be recorded of an event; known without a change of the state.
    #[inline(always)]
    pub(crate) fn skips(&self, event: &Event) -> bool {
        let ends_a_move = event.operation == operation::REALLOCATE_ENDS && self.moves;
        !self.sample.is_whole() && !ends_a_move && !self.sample.takes(event.address)
    }

    /// What is recorded of an event, if anything is.
    pub(crate) fn sampled(&mut self, event: Event) -> Option<Event> {
        if self.sample.is_whole() {
            return Some(event);
        }
        let takes = self.sample.takes(event.address);
        match event.operation {
            operation::REALLOCATE_BEGINS => self.moves = takes,
            operation::REALLOCATE_ENDS => {
                return match (core::mem::take(&mut self.moves), takes) {
                    // It is as it was where there was no memory, and gone where nothing was asked for.
                    (moves, _) if event.address == 0 => moves.then_some(event),
                    (true, true) => Some(event),
                    (true, false) => Some(Event { address: 0, size: 0, ..event }),
                    (false, true) => Some(Event { operation: operation::ALLOCATE, ..event }),
                    (false, false) => None,
                };
            }
            _ => {}
        }
        takes.then_some(event)
    }

    /// Writes an event with the stamp of the one before.
    ///
    /// # Safety
    ///
    /// There is room (T1), and the event [may share](Event::may_share).
    #[inline(always)]
    pub(crate) unsafe fn write_shared(&mut self, event: Event) {
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
    pub(crate) unsafe fn write_stamped(&mut self, event: Event, since: u64) {
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
}
