//! What is counted, and which call sites are remembered, where somebody asked for it.
//!
//! ```text
//!   address of a block ──(less base) / 16──▶ its entry in each table
//!     asked for   bytes + 1, and a mark once it was freed; 0 where no block ever began
//!     allocated   number of the stack that asked for it
//!     freed       number of the stack that freed it last
//! ```
//!
//! So the bytes requested are exact whatever the heap, at the cost of a [`Table`] each.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::arena::Arena;
use crate::pages::Space;
use crate::process::Process;
use crate::settings::Settings;
use crate::site::Sites;
use crate::table::Table;
use crate::{diagnostics, mapped, record, serve, thread};
use heapsmith_capture::stack::Caller;
use heapsmith_spec::Threads;

/// The mark of a block that was freed.
const FREED: u32 = 1 << 31;

/// Stacks, and which blocks they allocated and freed.
#[derive(Debug)]
pub struct Remembered {
    /// The stacks.
    pub sites: Sites,
    allocated: Table,
    freed: Table,
}

/// Operations between two looks at which pages have memory: a look takes a call of the system for each 4 MiB.
const LOOK: u64 = 1024;

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
    /// Blocks made another size.
    pub reallocations: AtomicU64,
    /// Requests that a heap refused, whether or not they were mapped then.
    pub refused: AtomicU64,
    /// Blocks that were mapped by themselves.
    pub mapped: AtomicU64,
    /// The footprint after each allocation, free and reallocation, summed.
    pub footprints: AtomicU64,
    /// Bytes of the blocks that are on lists of threads.
    pub on_lists: AtomicUsize,
    /// Bytes that wait for other threads than the one that makes an operation: the most after one.
    pub stranded_peak: AtomicUsize,
    /// The same after each operation, summed.
    pub stranded: AtomicU64,
    /// Bytes of the regions that have memory, each time that was looked at, summed.
    pub touched: AtomicU64,
    /// How often it was: once in [`LOOK`] operations.
    pub looks: AtomicU64,
}

impl Counts {
    /// Allocations, frees and reallocations.
    pub fn operations(&self) -> u64 {
        [&self.allocations, &self.frees, &self.reallocations].map(|count| count.load(Ordering::Relaxed)).iter().sum()
    }
}

/// Who counts and remembers, and has what is asked of the heap recorded.
#[derive(Debug)]
pub struct Tracker {
    asked_for: Table,
    remembered: Option<Remembered>,
    records: bool,
    /// What was counted.
    pub counts: Counts,
}

impl Tracker {
    /// A tracker over the heaps' address space, if the settings ask for one; without address space for it, it is said
    /// that there is none.
    pub fn wanted(settings: &Settings, space: Space) -> Option<Tracker> {
        if settings.stats.is_none() && settings.frames == 0 && !settings.records {
            return None;
        }
        let tracker = Tracker::new(settings, space);
        if tracker.is_none() {
            diagnostics::line(&[
                b"the system gives no address space for statistics and call sites (ulimit -v), so there are none",
            ]);
        }
        tracker
    }

    fn new(settings: &Settings, space: Space) -> Option<Tracker> {
        let table = || Table::new(space);
        let remembered = match settings.frames {
            0 => None,
            frames => Some(Remembered { sites: Sites::new(frames)?, allocated: table()?, freed: table()? }),
        };
        Some(Tracker { asked_for: table()?, remembered, records: settings.records, counts: Counts::default() })
    }

    /// The hook's caller got a block of `size` bytes.
    pub fn allocated(&self, process: &Process, block: NonNull<u8>, size: usize, alignment: usize, caller: Caller) {
        self.counts.allocations.fetch_add(1, Ordering::Relaxed);
        self.begins(process, block, size, caller);
        self.note_footprint(process, &[block]);
        if self.records {
            record::allocated(block, size, alignment, caller);
        }
    }

    /// The hook's caller frees a block, by `free`.
    pub fn frees(&self, process: &Process, block: NonNull<u8>, caller: Caller, free: impl FnOnce()) {
        if self.records {
            record::freed(block);
        }
        if self.ends(process, block, caller).is_some() {
            self.counts.frees.fetch_add(1, Ordering::Relaxed);
        }
        free();
        self.note_footprint(process, &[block]);
    }

    /// The hook's caller makes a block `size` bytes large, by `resize`.
    pub fn reallocates(
        &self,
        process: &Process,
        block: NonNull<u8>,
        size: usize,
        caller: Caller,
        resize: impl FnOnce() -> Option<NonNull<u8>>,
    ) -> Option<NonNull<u8>> {
        if self.records {
            record::reallocates(block);
        }
        let old = self.ends(process, block, caller);
        let outcome = resize();
        let (now, bytes) = match outcome {
            Some(moved) => (moved, size),
            // It lives on as it was.
            None => (block, old.unwrap_or(0)),
        };
        self.begins(process, now, bytes, caller);
        if outcome.is_some() {
            self.counts.reallocations.fetch_add(1, Ordering::Relaxed);
            self.note_footprint(process, &[block, now]);
        }
        if self.records {
            record::reallocated(outcome, size, caller);
        }
        outcome
    }

    /// Notes a block of `size` bytes.
    fn begins(&self, process: &Process, block: NonNull<u8>, size: usize, caller: Caller) {
        let counts = &self.counts;
        let requested = counts.requested.fetch_add(size, Ordering::Relaxed) + size;
        counts.requested_peak.fetch_max(requested, Ordering::Relaxed);
        if let Some(arena) = process.arena_of(block) {
            arena.in_blocks.fetch_add(arena.block_size(block), Ordering::Relaxed);
        }
        if process.covers(block.as_ptr().addr()) {
            self.asked_for
                .set(block, u32::try_from(size).map_or(FREED - 1, |size| size.saturating_add(1).min(FREED - 1)));
        }
        if let Some(remembered) = &self.remembered {
            remembered.allocated.set(block, remembered.sites.number(caller));
        }
    }

    /// Notes that a block is none any more; the bytes that it was asked for with. None where it is no live block: it was
    /// freed before, and who did it stays remembered.
    fn ends(&self, process: &Process, block: NonNull<u8>, caller: Caller) -> Option<usize> {
        let size = match process.covers(block.as_ptr().addr()) {
            true if self.asked_for.get(block) & FREED != 0 => 0,
            true => self.asked_for.get(block) as usize,
            false if serve::is_foreign(process, block) => 0,
            // SAFETY: the block is mapped, or its caller does what ends the program anyway.
            false => unsafe { mapped::sizes(block) }.map_or(0, |(_, size)| size + 1),
        };
        let size = size.checked_sub(1)?;
        self.asked_for.set(block, self.asked_for.get(block) | FREED);
        self.counts.requested.fetch_sub(size, Ordering::Relaxed);
        if let Some(arena) = process.arena_of(block) {
            arena.in_blocks.fetch_sub(arena.block_size(block), Ordering::Relaxed);
        }
        if let Some(remembered) = &self.remembered {
            remembered.freed.set(block, remembered.sites.number(caller));
        }
        Some(size)
    }

    /// Notes the footprints after an operation on these blocks.
    fn note_footprint(&self, process: &Process, blocks: &[NonNull<u8>]) {
        let counts = &self.counts;
        let mut highest = 0;
        for arena in blocks.iter().filter_map(|block| process.arena_of(*block)) {
            counts.footprint.fetch_add(arena.note_footprint(), Ordering::Relaxed);
            highest = highest.max(arena.footprint_peak.load(Ordering::Relaxed));
        }
        let footprint = counts.footprint.load(Ordering::Relaxed) + mapped::LIVE.load(Ordering::Relaxed);
        counts.footprint_peak.fetch_max(footprint.max(highest), Ordering::Relaxed);
        counts.footprints.fetch_add(footprint as u64, Ordering::Relaxed);
        let stranded = self.stranded(process);
        counts.stranded_peak.fetch_max(stranded, Ordering::Relaxed);
        counts.stranded.fetch_add(stranded as u64, Ordering::Relaxed);
        if counts.operations().is_multiple_of(LOOK) {
            let touched: usize = process.arenas().iter().map(Arena::touched).sum();
            counts.touched.fetch_add(touched as u64, Ordering::Relaxed);
            counts.looks.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Bytes that the calling thread could not have, as they wait on the lists of other threads or in their heaps.
    fn stranded(&self, process: &Process) -> usize {
        match process.threads {
            Threads::One => 0,
            Threads::Each => {
                let (own, all) = (thread::arena(process), process.arenas());
                all.iter().filter(|arena| !core::ptr::eq(*arena, own)).map(Arena::spare).sum()
            }
            Threads::Lists | Threads::ListsWithin(_) | Threads::Owned => {
                let (own, more) = thread::note_lists(process);
                let all = self.counts.on_lists.fetch_add(more, Ordering::Relaxed).wrapping_add(more);
                let sent = process.owners.as_ref().map_or(0, |owners| owners.waiting(thread::owner()));
                all.saturating_sub(own) + sent
            }
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
