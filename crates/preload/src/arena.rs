//! A heap and what it needs to serve a program: its lock, what other threads freed, its memory's way back.
//!
//! ```text
//!   threads that it serves ──▶ lock ──▶ heap ──▶ region, committed as it grows
//!                               ▲        │
//!   other threads ──push──▶ returned     └──▶ the memory above its footprint, back to the system
//! ```
//!
//! Invariants:
//!
//! - **H1** The heap is worked on under the lock, or while the process has one thread.
//! - **H2** A block of this heap lies in its segment ([`crate::process`]), so an address determines its heap.
//! - **H3** The heap takes the blocks that other threads freed before it serves the next request, or with
//!   every [`Arena::work`]: what waits on the list is at most what the heap's footprint was.

use core::cell::UnsafeCell;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use heapsmith::lock::RawLock;
use heapsmith::{Heap, State as BlockState, Unmetered};
use heapsmith_sharing::{Due, RemoteFree, Surplus};
use heapsmith_spec::Purge;
use heapsmith_spec::build::HeapRef;

use crate::futex::Futex;
use crate::pages::Part;
use crate::restricted::{Use, forbids};
use crate::{heap_error, operators, pages};

/// What the lock is for.
struct State {
    heap: HeapRef<'static, Unmetered>,
    /// Whether memory is to go back.
    surplus: Surplus,
    /// Whether the system takes it only when it lacks memory.
    lazy: bool,
    /// Whether the heap detects heap error, also later than it was done.
    guarded: bool,
    /// What is mapped for the region, where somebody wants to know how much of it has memory.
    watched: Option<&'static Part>,
}

/// A heap that serves.
pub struct Arena {
    /// Held by the thread that works on the heap.
    pub lock: Futex,
    state: UnsafeCell<State>,
    /// What is mapped for the heap's region.
    part: &'static Part,
    remote_free: RemoteFree,
    /// The threads that it serves, where each has a heap.
    pub threads: AtomicUsize,
    /// The next on the list of those that serve no thread.
    pub next_free: AtomicPtr<Arena>,
    /// Blocks that came back from other threads.
    pub from_others: AtomicU64,
    /// Bytes of the blocks that the program has, headers included, where that is noted.
    pub in_blocks: AtomicUsize,
    /// The footprint as it was last noted.
    pub footprint: AtomicUsize,
    /// The heap's own highest footprint, as it was last noted: also in the midst of an operation.
    pub footprint_peak: AtomicUsize,
}

// SAFETY: H1; the rest are atomics.
unsafe impl Sync for Arena {}

impl Arena {
    /// An arena of this heap, whose region is in `part`, and which is `guarded` if it detects heap error; memory goes back as `purge`
    /// says. Where it is `watched`, it is noted how much of the region has memory.
    pub fn new(
        heap: HeapRef<'static, Unmetered>,
        part: &'static Part,
        purge: Purge,
        guarded: bool,
        watched: bool,
    ) -> Arena {
        let watched = watched.then_some(part);
        Arena {
            lock: Futex::FREE,
            state: UnsafeCell::new(State {
                heap,
                surplus: Surplus::new(purge),
                lazy: purge.is_lazy(),
                guarded,
                watched,
            }),
            part,
            remote_free: RemoteFree::default(),
            threads: AtomicUsize::new(0),
            next_free: AtomicPtr::default(),
            from_others: AtomicU64::new(0),
            in_blocks: AtomicUsize::new(0),
            footprint: AtomicUsize::new(0),
            footprint_peak: AtomicUsize::new(0),
        }
    }

    /// Does something with the heap, alone.
    #[inline(always)]
    fn alone<T>(&self, job: impl FnOnce(&mut State) -> T) -> T {
        // SAFETY: H1.
        self.lock.with(|| job(unsafe { &mut *self.state.get() }))
    }

    /// Maps what the heap may need once nothing can be mapped any more.
    pub fn prepare(&self) {
        // SAFETY: H1.
        self.alone(|_| unsafe { self.part.prepare() });
    }

    /// Notes the footprints as they are now; how many bytes it grew by since they were last noted, or shrank by, as what wraps.
    pub fn note_footprint(&self) -> usize {
        let (now, peak) = self.alone(|state| (state.heap.footprint(), state.heap.footprint_peak()));
        self.footprint_peak.store(peak, Ordering::Relaxed);
        now.wrapping_sub(self.footprint.swap(now, Ordering::Relaxed))
    }

    /// Bytes of its region that have memory, by whole pages.
    pub fn touched(&self) -> usize {
        self.part.touched()
    }

    /// The most bytes of its region that had memory at once, by whole pages.
    pub fn touched_peak(&self) -> usize {
        self.part.note_touched();
        self.part.touched_peak()
    }

    /// Does something with the heap, alone, after it got back what others freed.
    pub fn work<T>(&self, job: impl FnOnce(&mut (dyn Heap<Meter = Unmetered> + 'static)) -> T) -> T {
        self.alone(|state| {
            self.gather(state);
            job(state.heap)
        })
    }

    /// As [`Arena::work`] for a caller that holds the lock, or is the only thread.
    ///
    /// # Safety
    ///
    /// That is so.
    pub unsafe fn work_locked<T>(&self, job: impl FnOnce(&mut (dyn Heap<Meter = Unmetered> + 'static)) -> T) -> T {
        // SAFETY: H1, by the caller's promise.
        let state = unsafe { &mut *self.state.get() };
        self.gather(state);
        job(state.heap)
    }

    /// A block, or none.
    #[inline(always)]
    pub fn allocate(&self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        self.alone(|state| {
            if !self.remote_free.is_empty() {
                self.gather(state);
            }
            let block = state.heap.allocate(size, alignment);
            state.surplus.allocated(size, || state.heap.footprint());
            block
        })
    }

    /// Frees a block of this heap for a thread that it serves.
    ///
    /// # Safety
    ///
    /// As for [`Heap::deallocate`].
    #[inline(always)]
    pub unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        self.alone(|state| unsafe { state.free(block) });
    }

    /// Makes a block of this heap another size, here; none if it cannot, and the block is as it was.
    ///
    /// # Safety
    ///
    /// As for [`Heap::reallocate`].
    pub unsafe fn reallocate(&self, block: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
        self.alone(|state| {
            // SAFETY: the caller's promise.
            let moved = unsafe { state.heap.reallocate(block, size, 1) };
            if moved.is_none() {
                state.tracker(block);
            }
            moved
        })
    }

    /// Ends the program if something was written around a block of the heap, or into one in quarantine.
    pub fn audit(&self) {
        self.work(|heap| {
            let base = heap.base();
            heap.audit(&mut |found| heap_error::stop(&found, base, base));
        });
    }

    /// The bytes of a block that the program may use.
    pub fn usable(&self, block: NonNull<u8>) -> usize {
        // SAFETY: as for `free`: the program asks about a block that it has.
        self.alone(|state| unsafe { state.heap.usable_size(block) })
    }

    /// Bytes of a block, header included.
    pub fn block_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: as for `usable`.
        self.alone(|state| unsafe { state.heap.block_size(block) })
    }

    /// Bytes of the footprint that hold no block of the program's, as both were last noted.
    pub fn spare(&self) -> usize {
        self.footprint.load(Ordering::Relaxed).saturating_sub(self.in_blocks.load(Ordering::Relaxed))
    }

    /// Gives the heap what others freed.
    #[cold]
    fn gather(&self, state: &mut State) {
        let mut count = 0;
        for block in self.remote_free.take() {
            // SAFETY: who pushed it promised that it was a live block of this heap.
            unsafe { state.free(block) };
            count += 1;
        }
        self.from_others.fetch_add(count, Ordering::Relaxed);
    }

    /// Gives all memory that the heap does not need back to the system; how many bytes at most.
    pub fn trim(&self) -> usize {
        self.alone(|state| {
            self.gather(state);
            state.watched.into_iter().for_each(Part::note_touched);
            state.release_above(false) + state.release_inside(false)
        })
    }
}

impl heapsmith_sharing::Arena for Arena {
    type Meter = Unmetered;

    #[inline(always)]
    fn allocate(&self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        self.allocate(size, alignment)
    }

    #[inline(always)]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise is the same.
        unsafe { self.deallocate(block) };
    }

    unsafe fn send_back(&self, block: NonNull<u8>) {
        // SAFETY: every block behind `malloc` has 8 bytes at the least, at a multiple of 16 bytes.
        unsafe { self.remote_free.push(block) };
    }

    unsafe fn take_back(&self, mut next: impl FnMut() -> Option<NonNull<u8>>) -> usize {
        self.alone(|state| {
            let mut count = 0;
            while let Some(block) = next() {
                // SAFETY: the caller's promise.
                unsafe { state.heap.deallocate(block) };
                count += 1;
            }
            state.count(count as u32);
            count
        })
    }

    fn work<T>(&self, job: impl FnOnce(&mut dyn Heap<Meter = Unmetered>) -> T) -> T {
        self.work(|heap| job(heap))
    }
}

/// Milliseconds of the system's clock. The heap is locked: a function of the program's in place of the C library's, which may allocate, must not
/// be called.
fn milliseconds() -> u64 {
    // Where the program forbade itself to give memory back, no time passes.
    if forbids(Use::Release) {
        return 0;
    }
    let mut now: [libc::c_long; 2] = [0; 2];
    // SAFETY: the call writes seconds and nanoseconds.
    unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC_COARSE, now.as_mut_ptr()) };
    now[0] as u64 * 1000 + now[1] as u64 / 1_000_000
}

impl State {
    /// # Safety
    ///
    /// As for [`Heap::deallocate`].
    #[inline(always)]
    unsafe fn free(&mut self, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        let refused = unsafe { self.heap.try_deallocate(block) }.is_err();
        if refused || self.guarded {
            self.tracker(block);
        }
        self.count(1);
    }

    /// Counts frees, and gives memory back now and then.
    #[inline(always)]
    fn count(&mut self, frees: u32) {
        match self.surplus.freed(frees, || self.heap.footprint(), milliseconds) {
            Due::Nothing => {}
            due => self.give_back(due),
        }
    }

    #[cold]
    fn give_back(&mut self, due: Due) {
        self.watched.into_iter().for_each(Part::note_touched);
        self.release_above(self.lazy);
        if due == Due::Inside {
            self.release_inside(self.lazy);
        }
    }

    /// Ends the program if the heap was misused.
    #[cold]
    fn tracker(&mut self, block: NonNull<u8>) {
        if let Some(heap_error) = self.heap.last_heap_error() {
            heap_error::stop(&heap_error, self.heap.base(), block);
        }
        operators::freed(block);
    }

    /// Gives back what lies above the footprint. The heap reads no word there that it did not write after it had grown,
    /// but the one at the footprint itself. One that grows from both ends has blocks there.
    fn release_above(&mut self, lazy: bool) -> usize {
        if self.heap.hole().is_some() {
            return 0;
        }
        let footprint = self.heap.footprint();
        self.surplus.gone(footprint);
        let base = self.heap.base().as_ptr().addr();
        // SAFETY: the region is committed up to any footprint that it ever had.
        unsafe { pages::release(base + footprint + pages::SIZE, base + self.heap.footprint_peak(), lazy) }
    }

    /// Gives back the pages inside free blocks, but for their first, where the heap has its links, and their last. What it costs is that
    /// of a visit to every block.
    fn release_inside(&mut self, lazy: bool) -> usize {
        let base = self.heap.base().as_ptr().addr();
        let (mut released, mut blocks) = (0, 0);
        self.heap.walk(&mut |block| {
            blocks += 1;
            if block.state == BlockState::Free && block.size > 4 * pages::SIZE {
                let from = base + block.offset + pages::SIZE;
                let to = base + block.offset + block.size - size_of::<u64>();
                // SAFETY: links are in the first 4096 bytes of a free block, its size in its last word.
                released += unsafe { pages::release(from, to, lazy) };
            }
        });
        self.surplus.visited(blocks);
        released
    }
}
