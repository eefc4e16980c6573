//! What is counted, and which call sites are remembered, where somebody asked for it.
//!
//! ```text
//!   address of a block ──(less base) / 16──▶ its entry in each table
//!     asked for   bytes + 1, and a mark once it was freed; 0 where no block ever began
//!     allocated   number of the stack that asked for it
//!     freed       number of the stack that freed it last
//! ```
//!
//! The tables lie in reserved address space as large as all places need, and have memory where blocks begin. So
//! the bytes requested are exact whatever the heap, at the cost of 4 bytes a table for each block.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::process::Process;
use crate::settings::Settings;
use crate::site::Sites;
use crate::stack::Caller;
use crate::{diagnostics, mapped, pages};

/// The mark of a block that was freed.
const FREED: u32 = 1 << 31;

/// A number for every place where a block can begin.
#[derive(Debug)]
struct Table {
    base: usize,
    entries: &'static [AtomicU32],
}

impl Table {
    fn new(base: usize, length: usize) -> Option<Table> {
        let count = length / 16;
        let entries = pages::map((count * size_of::<AtomicU32>()).next_multiple_of(pages::SIZE))?.cast::<AtomicU32>();
        // SAFETY: pages of zeros, which belong to the table for ever.
        let entries = unsafe { core::slice::from_raw_parts(entries, count) };
        Some(Table { base, entries })
    }

    fn entry(&self, block: NonNull<u8>) -> Option<&AtomicU32> {
        self.entries.get(block.as_ptr().addr().wrapping_sub(self.base) / 16)
    }

    fn get(&self, block: NonNull<u8>) -> u32 {
        self.entry(block).map_or(0, |entry| entry.load(Ordering::Relaxed))
    }

    fn set(&self, block: NonNull<u8>, number: u32) {
        if let Some(entry) = self.entry(block) {
            entry.store(number, Ordering::Relaxed);
        }
    }
}

/// Stacks, and which blocks they allocated and freed.
#[derive(Debug)]
pub struct Remembered {
    /// The stacks.
    pub sites: Sites,
    allocated: Table,
    freed: Table,
}

/// What is counted, in bytes and calls.
#[derive(Debug, Default)]
pub struct Counts {
    /// Bytes requested and live.
    pub requested: AtomicUsize,
    /// The most of them.
    pub requested_peak: AtomicUsize,
    /// Bytes of the regions that are used, and of blocks that are mapped by themselves.
    pub footprint: AtomicUsize,
    /// The most of them.
    pub footprint_peak: AtomicUsize,
    /// Blocks handed out.
    pub allocations: AtomicU64,
    /// Blocks taken back.
    pub frees: AtomicU64,
}

/// Who counts and remembers.
#[derive(Debug)]
pub struct Tracker {
    asked_for: Table,
    remembered: Option<Remembered>,
    /// What was counted.
    pub counts: Counts,
}

impl Tracker {
    /// A watch over `length` bytes from `base`, if the settings ask for one; without address space for it, it is said
    /// that there is none.
    pub fn wanted(settings: &Settings, base: usize, length: usize) -> Option<Tracker> {
        if settings.stats.is_none() && settings.frames == 0 {
            return None;
        }
        let tracker = Tracker::new(settings, base, length);
        if tracker.is_none() {
            diagnostics::line(&[
                b"the system gives no address space for statistics and call sites (ulimit -v), so there are none",
            ]);
        }
        tracker
    }

    fn new(settings: &Settings, base: usize, length: usize) -> Option<Tracker> {
        let table = || Table::new(base, length);
        let remembered = match settings.frames {
            0 => None,
            frames => Some(Remembered { sites: Sites::new(frames)?, allocated: table()?, freed: table()? }),
        };
        Some(Tracker { asked_for: table()?, remembered, counts: Counts::default() })
    }

    /// Notes a block of `size` bytes for the hook's caller.
    pub fn allocated(&self, process: &Process, block: NonNull<u8>, size: usize, caller: Caller) {
        let counts = &self.counts;
        counts.allocations.fetch_add(1, Ordering::Relaxed);
        let requested = counts.requested.fetch_add(size, Ordering::Relaxed) + size;
        counts.requested_peak.fetch_max(requested, Ordering::Relaxed);
        if let Some(arena) = process.arena_of(block) {
            self.asked_for
                .set(block, u32::try_from(size).map_or(FREED - 1, |size| size.saturating_add(1).min(FREED - 1)));
            let now = arena.work(|heap| heap.footprint());
            let before = arena.footprint.swap(now, Ordering::Relaxed);
            counts.footprint.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
        }
        let footprint = counts.footprint.load(Ordering::Relaxed) + mapped::LIVE.load(Ordering::Relaxed);
        counts.footprint_peak.fetch_max(footprint, Ordering::Relaxed);
        if let Some(remembered) = &self.remembered {
            remembered.allocated.set(block, remembered.sites.number(caller));
        }
    }

    /// Notes that the hook's caller frees a block.
    pub fn freed(&self, process: &Process, block: NonNull<u8>, caller: Caller) {
        let size = match process.arena_of(block) {
            Some(_) if self.asked_for.get(block) & FREED != 0 => 0,
            Some(_) => self.asked_for.get(block) as usize,
            // SAFETY: the block is mapped, or its caller does what ends the program anyway.
            None => unsafe { mapped::sizes(block) }.map_or(0, |(_, size)| size + 1),
        };
        // A block that is not live was freed before: who did it stays remembered.
        let Some(size) = size.checked_sub(1) else { return };
        self.asked_for.set(block, self.asked_for.get(block) | FREED);
        self.counts.frees.fetch_add(1, Ordering::Relaxed);
        self.counts.requested.fetch_sub(size, Ordering::Relaxed);
        if let Some(remembered) = &self.remembered {
            remembered.freed.set(block, remembered.sites.number(caller));
        }
    }

    /// Bytes that the block was asked for with that begins there, or did last.
    pub fn asked_for(&self, block: NonNull<u8>) -> Option<usize> {
        ((self.asked_for.get(block) & !FREED) as usize).checked_sub(1)
    }

    /// The stacks, and the numbers of those that asked for a block and that freed it last.
    pub fn stacks(&self, block: NonNull<u8>) -> Option<(&Sites, u32, u32)> {
        let remembered = self.remembered.as_ref()?;
        Some((&remembered.sites, remembered.allocated.get(block), remembered.freed.get(block)))
    }
}
