//! What the process has: one heap for all threads, or one for each, side by side in reserved address space.
//!
//! ```text
//!   base                base + place           base + 2 places
//!    ├── region of heap 0 ──┼── region of heap 1 ──┼── …            an address less the base, by the place: its heap
//! ```
//!
//! Invariants:
//!
//! - **P1** The places are reserved once and never given back; the region of heap *n* lies in place *n*.
//! - **P2** Homes below `used` are whole and never move; they are made under [`Process::registry`].
//! - **P3** A home is on the list of the idle, or serves one thread; the first serves those that could get none as well.
//!
//! So with a heap for each thread, memory is bounded by the sum over heaps of what each thread had live at once at most,
//! with the fragmentation of the heap: a block counts for the thread that asked for it, whoever frees it.

use core::mem::MaybeUninit;
use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use heapsmith::Unmetered;
use heapsmith::lock::RawLock;
use heapsmith_spec::build::{Storage, keep};
use heapsmith_spec::{Layer, Spec, Threads};

use crate::arena::Arena;
use crate::futex::Futex;
use crate::lists::Sizes;
use crate::pages::{self, Reserved};
use crate::settings::Settings;
use crate::tracker::Tracker;
use crate::{diagnostics, thread};

/// Bytes of address space of one heap, at most: for all threads, and for each.
const ONE: u64 = 64 << 30;
const EACH: u64 = 16 << 30;

/// The least place that is tried when the system refuses larger ones.
const MIN_SEGMENT: usize = 1 << 20;

/// The most heaps. Further threads are served by the first.
const MAX_ARENAS: usize = 512;

/// The process.
pub struct Process {
    base: usize,
    segment_bits: u32,
    segments: usize,
    arenas: NonNull<MaybeUninit<Arena>>,
    used: AtomicUsize,
    free_arenas: AtomicPtr<Arena>,
    /// Held while homes are made, and while the idle are changed.
    pub registry: Futex,
    /// The heap of every home.
    spec: Spec,
    /// Whether the heap detects heap error: then a block is freed at once, by whoever frees it.
    pub guarded: bool,
    /// How threads share.
    pub threads: Threads,
    /// The lists of each thread, where threads have lists.
    pub lists: Option<Sizes>,
    /// Requests from so many bytes on are mapped by themselves.
    pub map_from: AtomicUsize,
    /// Who counts, and remembers call sites, if anybody asked for it.
    pub tracker: Option<Tracker>,
    /// What the environment asks for.
    pub settings: Settings,
    key: libc::pthread_key_t,
}

// SAFETY: P2, and the rest is constant or atomic.
unsafe impl Sync for Process {}
// SAFETY: as above.
unsafe impl Send for Process {}

static PROCESS: AtomicPtr<Process> = AtomicPtr::new(null_mut());
static BEGINS: Futex = Futex::FREE;

/// The process, which begins with its first request.
#[inline(always)]
pub fn process() -> &'static Process {
    // SAFETY: null, or a process that was made whole and is never given back.
    unsafe { PROCESS.load(Ordering::Acquire).as_ref() }.unwrap_or_else(|| begin())
}

/// The process, if it has begun.
pub fn begun() -> Option<&'static Process> {
    // SAFETY: as above.
    unsafe { PROCESS.load(Ordering::Acquire).as_ref() }
}

#[cold]
fn begin() -> &'static Process {
    BEGINS.lock();
    let process = begun().unwrap_or_else(|| {
        let made: &'static Process = Box::leak(Box::new(Process::new(Settings::of_environment())));
        PROCESS.store((&raw const *made).cast_mut(), Ordering::Release);
        thread::first(made);
        made
    });
    // SAFETY: taken above.
    unsafe { BEGINS.unlock() };
    process
}

impl Process {
    /// The process that these settings ask for; ends the program where they cannot be had.
    pub fn new(settings: Settings) -> Process {
        let (spec, lists) = match settings.spec.threads {
            Threads::Lists => Sizes::split(&settings.spec),
            Threads::One | Threads::Each => (settings.spec.clone(), None),
        };
        let (max, segments) = match spec.threads {
            Threads::Each => (EACH, MAX_ARENAS),
            Threads::One | Threads::Lists => (ONE, 1),
        };
        let max = max.min(spec.word.max_region()) as usize;
        let (base, segment) =
            reserve(max, segments).unwrap_or_else(|| diagnostics::stop(&[b"the system gives no address space"]));
        let arenas = pages::map((segments * size_of::<Arena>()).next_multiple_of(pages::SIZE))
            .unwrap_or_else(|| diagnostics::stop(&[b"the system gives no memory"]));
        let mut key = 0;
        // SAFETY: the destructor is called with what `pthread_setspecific` set for the ending thread.
        unsafe { libc::pthread_key_create(&raw mut key, Some(thread::ends)) };
        let process = Process {
            base,
            segment_bits: segment.trailing_zeros(),
            segments,
            arenas: NonNull::new(arenas).unwrap_or(NonNull::dangling()).cast(),
            used: AtomicUsize::new(0),
            free_arenas: AtomicPtr::new(null_mut()),
            registry: Futex::FREE,
            guarded: spec.layers.iter().any(|layer| matches!(layer, Layer::Guard(_))),
            threads: spec.threads,
            lists,
            spec,
            map_from: AtomicUsize::new(settings.map_from),
            tracker: Tracker::wanted(&settings, base, segment * segments),
            settings,
            key,
        };
        if process.make().is_none() {
            diagnostics::stop(&[b"the region is too small for the heap"]);
        }
        process
    }

    /// The homes that were made.
    pub fn arenas(&self) -> &[Arena] {
        let used = self.used.load(Ordering::Acquire);
        // SAFETY: P2.
        unsafe { core::slice::from_raw_parts(self.arenas.as_ptr().cast::<Arena>(), used) }
    }

    /// The home of the main thread, and of whoever has none.
    #[inline(always)]
    pub fn first(&self) -> &Arena {
        // SAFETY: P2; the first is made before the process is.
        unsafe { self.arenas.as_ref().assume_init_ref() }
    }

    /// The home that a block lies in; none of a block that was mapped by itself.
    #[inline(always)]
    pub fn arena_of(&self, block: NonNull<u8>) -> Option<&Arena> {
        let number = block.as_ptr().addr().wrapping_sub(self.base) >> self.segment_bits;
        if number >= self.used.load(Ordering::Relaxed) {
            return None;
        }
        // SAFETY: P2: whoever has a block of it has seen its home made.
        Some(unsafe { self.arenas.add(number).as_ref().assume_init_ref() })
    }

    /// Whether an address lies where heaps are or could be.
    pub fn covers(&self, address: usize) -> bool {
        address.wrapping_sub(self.base) >> self.segment_bits < self.segments
    }

    /// A home for a thread that has none: one whose thread has ended, or a new one, or the first.
    #[cold]
    pub fn adopt(&self) -> &Arena {
        self.registry.lock();
        let free_arenas = self.free_arenas.load(Ordering::Relaxed);
        // SAFETY: null, or a home (P3).
        let arena = match unsafe { free_arenas.as_ref() } {
            Some(arena) => {
                self.free_arenas.store(arena.next_free.load(Ordering::Relaxed), Ordering::Relaxed);
                arena
            }
            None => self.make().unwrap_or(self.first()),
        };
        // SAFETY: taken above.
        unsafe { self.registry.unlock() };
        arena
    }

    /// Takes a home back from a thread that ends.
    pub fn leave(&self, arena: &Arena) {
        if !core::ptr::eq(arena, self.first()) {
            self.registry.with(|| self.put_free(arena));
        }
    }

    /// In a child of a fork: no thread is left but the calling one, which `mine` serves; nobody else changes the list.
    pub fn alone_with(&self, mine: *const Arena) {
        self.free_arenas.store(null_mut(), Ordering::Relaxed);
        for arena in self.arenas().iter().skip(1) {
            if !core::ptr::eq(arena, mine) {
                self.put_free(arena);
            }
        }
    }

    fn put_free(&self, arena: &Arena) {
        arena.next_free.store(self.free_arenas.load(Ordering::Relaxed), Ordering::Relaxed);
        self.free_arenas.store((&raw const *arena).cast_mut(), Ordering::Relaxed);
    }

    /// Makes the next home; none when all places are taken. Under the registry, or before there is one.
    fn make(&self) -> Option<&Arena> {
        let number = self.used.load(Ordering::Relaxed);
        if number == self.segments {
            return None;
        }
        let segment = 1_usize << self.segment_bits;
        let base = NonNull::new((self.base + number * segment) as *mut u8)?;
        let storage: &'static Storage = Box::leak(Box::new(Storage::new()));
        // SAFETY: P1.
        let region = unsafe { Reserved::new(base, segment) };
        let heap = keep(&self.spec, region, Unmetered, storage).ok()?;
        // SAFETY: the place of this number is within the table, and nobody else's before `used` says so.
        let arena = unsafe { self.arenas.add(number).as_mut() }.write(Arena::new(heap, self.guarded));
        self.used.store(number + 1, Ordering::Release);
        Some(arena)
    }

    /// The calling thread ends with a call of [`thread::ends`].
    pub(crate) fn mind_end(&self, of: *const core::ffi::c_void) {
        // SAFETY: the key was made with the process.
        unsafe { libc::pthread_setspecific(self.key, of) };
    }
}

/// So many places of the same size, a power of two: as large as the system gives.
fn reserve(max: usize, segments: usize) -> Option<(usize, usize)> {
    let mut segment = 1_usize << max.ilog2();
    while segment >= MIN_SEGMENT {
        if let Some(base) = pages::reserve(segment * segments) {
            return Some((base.addr(), segment));
        }
        segment /= 2;
    }
    None
}
