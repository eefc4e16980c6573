//! Blocks between pages that nobody can access: the layer `guard`, as far as it takes an operating system.
//!
//! ```text
//!   not mapped │ FILL ……… payload ── FILL │ not mapped │ FILL … payload │ not mapped …   the next slot lies above the last
//!              └────── whole pages ───────┘
//! ```
//!
//! A payload ends with its last page, but for the bytes that its alignment takes: an access beyond them is a fault, and
//! [`crate::fault`] says of which block. The other bytes of its pages hold a pattern, which is verified when the block is freed
//! or reallocated, now and then, and at the end. What is freed is unmapped, and its addresses are used again when those of 4 GiB
//! were. A block of 0 bytes has an address and no memory.
//!
//! | `pages=` | requests that are served here |
//! |---|---|
//! | `off` | none |
//! | `sampled` | of 0 bytes; of at least [`LARGE`]; the first [`FIRST`] of a process; then one in [`EVERY`], at random, while fewer than [`MAX_SMALL`] small ones are live |
//! | `all` | all, while fewer than [`MAX_LIVE`] are live |
//!
//! Invariants:
//!
//! - **F1** Slots change under the lock. The handler of faults reads them without it, as the process ends.
//! - **F2** The pages of a live slot are mapped, those next to it and those of a freed one are not.
//!
//! Sources: Perens 1987 (Electric Fence); Serebryany et al. 2024, *GWP-ASan*.

use core::cell::UnsafeCell;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use heapsmith::lock::RawLock;
use heapsmith::{HeapError, HeapErrorKind};
use heapsmith_spec::GuardPages;

use crate::futex::Futex;
use crate::mapped;
use crate::pages::{self, Space};

/// Requests of at least this many bytes are guarded by pages at every level but `off`.
const LARGE: usize = 64 << 10;
/// The first requests of a process that are, at `pages=sampled`.
const FIRST: u32 = 1024;
/// One in this many is later, on average.
const EVERY: u32 = 1024;
/// The most small blocks in pages of their own at once, at `pages=sampled`; those below a page take 32 MiB.
const MAX_SMALL: usize = 8192;
/// The most blocks in pages of their own at once: the system gives a process 65,530 mappings.
const MAX_LIVE: usize = 32 << 10;

/// Pages of which slots take their turns, while that is enough: 4 GiB of addresses. The table of slots is bounded by it.
const WINDOW: usize = 1 << 20;

/// What bytes of a slot's pages outside the payload hold.
const FILL: u8 = 0xA5;

/// What every payload is a multiple of.
const GRAIN: usize = 16;

/// Pages of one piece of the table of slots.
const PIECE: usize = 1024;

/// State of a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// No block was ever there.
    #[default]
    Vacant,
    /// With the program.
    Live,
    /// Freed.
    Freed,
}

/// A block, in the table at its first page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slot {
    /// Its address.
    pub block: usize,
    /// The bytes that it was asked for with.
    pub size: usize,
    /// Its state.
    pub state: State,
}

impl Slot {
    /// The address of its first page.
    fn first(self) -> usize {
        self.block / pages::SIZE * pages::SIZE
    }

    /// The address behind its last page.
    fn end(self) -> usize {
        self.first() + self.size.div_ceil(pages::SIZE) * pages::SIZE
    }

    /// The first of the bytes in these pages that is not as it was filled, outside the payload.
    fn damaged(self) -> Option<(HeapErrorKind, usize)> {
        let differs = |from: usize, to: usize| {
            // SAFETY: F2: the pages of a live slot.
            let bytes = unsafe { core::slice::from_raw_parts(from as *const u8, to - from) };
            // Without a way out early: many bytes at once.
            let any = bytes.iter().fold(0, |any, byte| any | (byte ^ FILL));
            if any == 0 { None } else { bytes.iter().position(|byte| *byte != FILL).map(|byte| from + byte) }
        };
        let behind = differs(self.block + self.size, self.end().max(self.block + self.size));
        let behind = behind.map(|at| (HeapErrorKind::Overrun, at));
        behind.or_else(|| differs(self.first(), self.block).map(|at| (HeapErrorKind::HeaderDamaged, at)))
    }
}

type Piece = [Slot; PIECE];

/// What the lock is for.
struct Turns {
    /// The page where the next slot may begin.
    next: usize,
    /// The pages that slots take before the first are used again: more where large blocks need them.
    window: usize,
    /// Whether those were used once.
    lapped: bool,
    /// How many of the first requests are to come.
    first: u32,
    /// Requests before the next of the sample.
    wait: u32,
    /// Of random bits.
    draw: usize,
    /// Small blocks that are live.
    small: usize,
    /// All that are live and have memory.
    live: usize,
}

/// The part of the address space that blocks in pages of their own take, and which of them there are.
pub struct PageGuard {
    level: GuardPages,
    space: Space,
    base: usize,
    /// How many pages.
    pages: usize,
    pieces: &'static [AtomicPtr<Piece>],
    /// Held while slots change.
    pub lock: Futex,
    turns: UnsafeCell<Turns>,
    /// Requests until the heaps are verified again.
    until_audit: AtomicUsize,
}

// SAFETY: F1; the rest is constant or atomic.
unsafe impl Sync for PageGuard {}

impl PageGuard {
    /// The guard in part `number` of `parts` of the space, whose sample `seed` decides; none where there is no memory for its table.
    pub fn new(level: GuardPages, space: Space, (number, parts): (usize, usize), seed: usize) -> Option<PageGuard> {
        let length = space.length / parts;
        let count = length / pages::SIZE / PIECE;
        let room = (count * size_of::<AtomicPtr<Piece>>()).next_multiple_of(pages::SIZE);
        let pieces = pages::map(room)?.cast::<AtomicPtr<Piece>>();
        // SAFETY: pages of zeros, which are null pointers, and belong to the table for ever.
        let pieces = unsafe { core::slice::from_raw_parts(pieces, count) };
        let pages = count * PIECE;
        let turns = Turns {
            next: 1,
            window: pages.min(WINDOW),
            lapped: false,
            first: FIRST,
            wait: 0,
            draw: seed | 1,
            small: 0,
            live: 0,
        };
        Some(PageGuard {
            level,
            space,
            base: space.base + number * length,
            pages,
            pieces,
            lock: Futex::FREE,
            turns: UnsafeCell::new(turns),
            until_audit: AtomicUsize::new(0),
        })
    }

    /// The address that places of heap errors are relative to.
    pub fn base(&self) -> NonNull<u8> {
        NonNull::new(self.base as *mut u8).unwrap_or(NonNull::dangling())
    }

    /// Whether an address lies where these blocks are or could be.
    pub fn owns(&self, address: usize) -> bool {
        (address.wrapping_sub(self.base)) / pages::SIZE < self.pages
    }

    /// Counts a request; whether it is time to verify everything. If so, it is again after `period` requests.
    pub fn is_due(&self, period: impl FnOnce() -> usize) -> bool {
        let left = self.until_audit.load(Ordering::Relaxed);
        let next = if left == 0 { period() } else { left - 1 };
        self.until_audit.store(next, Ordering::Relaxed);
        left == 0
    }

    fn alone<T>(&self, job: impl FnOnce(&mut Turns) -> T) -> T {
        // SAFETY: F1.
        self.lock.with(|| job(unsafe { &mut *self.turns.get() }))
    }

    /// A block of zeros in pages of its own; none if the request is not one of those, or the system gives no pages.
    pub fn allocate(&self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if size.checked_add(alignment)? >= self.pages * pages::SIZE {
            return None;
        }
        self.alone(|turns| {
            let block = if turns.wants(self.level, size) { self.place(turns, size, alignment) } else { None };
            if block.is_some() {
                turns.live += usize::from(size > 0);
                turns.small += usize::from((1..LARGE).contains(&size));
            }
            block
        })
    }

    /// Makes the slot of a block.
    fn place(&self, turns: &mut Turns, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let count = size.div_ceil(pages::SIZE);
        let first = self.vacant(turns, count, alignment)?;
        let at = self.base + first * pages::SIZE;
        let entry = self.entry(first, true)?;
        if count > 0 && !self.space.commit(at, count * pages::SIZE) {
            return None;
        }
        let block = at + count * pages::SIZE - size.next_multiple_of(alignment.clamp(GRAIN, pages::SIZE));
        let slot = Slot { block, size, state: State::Live };
        // SAFETY: F1 and F2: the entry and the pages are this slot's.
        unsafe {
            entry.write(slot);
            (at as *mut u8).write_bytes(FILL, block - at);
            let end = block + size;
            (end as *mut u8).write_bytes(FILL, slot.end().saturating_sub(end));
        }
        turns.next = first + count + 1;
        mapped::LIVE.fetch_add(count * pages::SIZE, Ordering::Relaxed);
        NonNull::new(block as *mut u8)
    }

    /// The page where a slot of this many pages can begin, with a page behind it that is not mapped.
    fn vacant(&self, turns: &mut Turns, count: usize, alignment: usize) -> Option<usize> {
        let aligned = |page: usize| {
            let at = (self.base + page * pages::SIZE).next_multiple_of(alignment.max(pages::SIZE));
            (at - self.base) / pages::SIZE
        };
        for begin in [turns.next, 1] {
            let mut first = aligned(begin);
            while first + count < turns.window {
                match if turns.lapped { self.clear(first, count + 1) } else { None } {
                    Some(behind) => first = aligned(behind),
                    None => return Some(first),
                }
            }
            turns.lapped = true;
        }
        let first = aligned(turns.window);
        turns.window = self.pages;
        (first + count < self.pages).then_some(first)
    }

    /// Forgets the freed slots that begin in these pages; at a live one, the page where a next one may begin.
    fn clear(&self, first: usize, count: usize) -> Option<usize> {
        for entry in (first..first + count).filter_map(|page| self.entry(page, false)) {
            // SAFETY: F1.
            let slot = unsafe { entry.read() };
            if slot.state == State::Live {
                return Some((slot.end() - self.base) / pages::SIZE + 1);
            }
            // SAFETY: F1.
            unsafe { entry.write(Slot::default()) };
        }
        None
    }

    /// The entry of a page; where its piece is missing it is `made`, or there is none.
    fn entry(&self, page: usize, made: bool) -> Option<*mut Slot> {
        let place = self.pieces.get(page / PIECE)?;
        let mut piece = place.load(Ordering::Acquire);
        if piece.is_null() && made {
            piece = pages::map(size_of::<Piece>().next_multiple_of(pages::SIZE))?.cast();
            place.store(piece, Ordering::Release);
        }
        // SAFETY: a piece, which is never released; its zeros are vacant slots.
        (!piece.is_null()).then(|| unsafe { piece.cast::<Slot>().add(page % PIECE) })
    }

    /// The slot at a page.
    fn slot(&self, page: usize) -> Slot {
        // SAFETY: F1.
        self.entry(page, false).map_or(Slot::default(), |entry| unsafe { entry.read() })
    }

    fn error(&self, kind: HeapErrorKind, block: usize, at: usize) -> HeapError {
        HeapError { kind, block: block.wrapping_sub(self.base), at: at.wrapping_sub(self.base) }
    }

    /// The live slot of a block.
    fn live(&self, block: NonNull<u8>) -> Result<Slot, HeapError> {
        let at = block.as_ptr().addr();
        let slot = self.slot(at.wrapping_sub(self.base) / pages::SIZE);
        let kind = match slot.state {
            State::Live if slot.block == at => return Ok(slot),
            State::Freed if slot.block == at => HeapErrorKind::DoubleFree,
            _ => HeapErrorKind::Foreign,
        };
        Err(self.error(kind, at, at))
    }

    /// The bytes of a live block, which are those that it was asked for with; none of any other pointer.
    pub fn usable(&self, block: NonNull<u8>) -> Option<usize> {
        self.alone(|_| self.live(block).ok().map(|slot| slot.size))
    }

    /// Frees a block.
    ///
    /// # Errors
    ///
    /// What is wrong with the pointer, or what was written around the block, which is then still live.
    pub fn deallocate(&self, block: NonNull<u8>) -> Result<(), HeapError> {
        self.alone(|turns| {
            let slot = self.live(block)?;
            if let Some((kind, at)) = slot.damaged() {
                return Err(self.error(kind, slot.block, at));
            }
            let length = slot.end() - slot.first();
            if let Some(entry) = self.entry((slot.first() - self.base) / pages::SIZE, false) {
                // SAFETY: F1.
                unsafe { entry.write(Slot { state: State::Freed, ..slot }) };
            }
            if length > 0 {
                // SAFETY: F2: the pages are this slot's, whose owner gave them up.
                unsafe { self.space.decommit(slot.first(), length) };
            }
            mapped::LIVE.fetch_sub(length, Ordering::Relaxed);
            turns.live -= usize::from(slot.size > 0);
            turns.small -= usize::from((1..LARGE).contains(&slot.size));
            Ok(())
        })
    }

    /// Reports what was written around live blocks.
    pub fn audit(&self, found: &mut dyn FnMut(HeapError)) {
        self.alone(|turns| {
            let used = if turns.lapped { turns.window } else { turns.next };
            for slot in (0..used).map(|page| self.slot(page)).filter(|slot| slot.state == State::Live) {
                if let Some((kind, at)) = slot.damaged() {
                    found(self.error(kind, slot.block, at));
                }
            }
        });
    }

    /// The block that is nearest to an address that faulted. Takes no lock: for the handler of faults.
    pub fn nearest(&self, address: usize) -> Option<Slot> {
        let page = address.checked_sub(self.base)? / pages::SIZE;
        let known = |slot: &Slot| slot.state != State::Vacant;
        let before = (0..=page).rev().map(|page| self.slot(page)).find(known);
        let after = Some(self.slot(page + 1)).filter(known);
        let distance = |slot: &Slot| match address {
            _ if address < slot.block => slot.block - address,
            _ => address.saturating_sub(slot.block + slot.size),
        };
        before.into_iter().chain(after).min_by_key(distance)
    }
}

impl Turns {
    /// Whether a request gets pages of its own.
    fn wants(&mut self, level: GuardPages, size: usize) -> bool {
        match level {
            GuardPages::Off => false,
            _ if size == 0 => true,
            _ if self.live >= MAX_LIVE => false,
            GuardPages::All => true,
            GuardPages::Sampled if size >= LARGE => true,
            GuardPages::Sampled => self.small < MAX_SMALL && self.samples(),
        }
    }

    /// Whether a small request is one of the sample.
    fn samples(&mut self) -> bool {
        if self.first > 0 {
            self.first -= 1;
            return true;
        }
        if self.wait > 0 {
            self.wait -= 1;
            return false;
        }
        // Marsaglia's xorshift: from 0 to twice the mean.
        self.draw ^= self.draw << 13;
        self.draw ^= self.draw >> 7;
        self.draw ^= self.draw << 17;
        self.wait = (self.draw >> 16) as u32 % (2 * EVERY);
        true
    }
}
