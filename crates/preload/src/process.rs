//! What the process has: one heap for all threads, or one for each, side by side in vacant address space.
//!
//! ```text
//!   base                base + segment           base + 2 segments
//!    ├── region of heap 0 ──┼── region of heap 1 ──┼── …            an address less the base, by the segment: its heap
//! ```
//!
//! Invariants:
//!
//! - **P1** The segments are chosen once; the region of heap *n* lies in segment *n*, mapped as far as its heap has grown.
//!   With a guard the last part is for blocks in pages of their own.
//!   So a program's limit of address space (`RLIMIT_AS`) counts what heaps took, and nothing else.
//! - **P2** Arenas below `used` are whole and never move; they are made under [`Process::registry`].
//! - **P3** An arena is on the list of free arenas, or serves threads; it knows how many.
//!
//! With a heap for each thread there are at most [`FOR_EACH_PROCESSOR`] for each processor, as more threads than that do
//! not run at once; the GNU C library has up to twice as many arenas. Further threads share the heaps that serve the fewest.
//! Memory is bounded by the sum over heaps of what the threads of each had live at once at most,
//! with the fragmentation of the heap: a block counts for the thread that allocated it, whichever thread frees it.

use core::mem::MaybeUninit;
use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use heapsmith::Unmetered;
use heapsmith::lock::RawLock;
use heapsmith_sharing::{Budget, Lists, Owners, Shared, Sizes};
use heapsmith_spec::build::{Storage, keep, keep_checked};
use heapsmith_spec::{Check, Layer, Spec, Threads};

use crate::arena::Arena;
use crate::futex::{self, Futex};
use crate::page_guard::PageGuard;
use crate::pages::{self, Space};
use crate::settings::Settings;
use crate::table::Table;
use crate::tracker::Tracker;
use crate::{diagnostics, heap_error, thread};

/// Bytes of address space of one heap, at most: for all threads, and for each.
const ONE: u64 = 64 << 30;
const EACH: u64 = 16 << 30;

/// The max heaps, for each processor and in all.
const FOR_EACH_PROCESSOR: usize = 4;
const MAX_ARENAS: usize = 512;

/// The process.
pub struct Process {
    space: Space,
    segment_bits: u32,
    segments: usize,
    /// The segments, and one for blocks in pages of their own.
    parts: usize,
    arenas: NonNull<MaybeUninit<Arena>>,
    used: AtomicUsize,
    free_arenas: AtomicPtr<Arena>,
    /// Held while arenas are made, and while the free ones are changed.
    pub registry: Futex,
    /// The heap of every arena.
    spec: Spec,
    /// Whether the heap detects heap errors: then a block is freed at once, by the thread that frees it.
    pub guarded: bool,
    /// Blocks in pages of their own, where the heap has a guard.
    pub page_guard: Option<PageGuard>,
    /// Which operators made which blocks, where the heap has a guard.
    pub origins: Option<Table>,
    /// How threads share.
    pub threads: Threads,
    /// The lists of each thread, where threads have lists.
    pub lists: Option<Sizes>,
    /// What those lists may hold.
    pub budget: Budget,
    /// The owners of spans, where threads own some.
    pub owners: Option<Owners>,
    /// Requests of at least this many bytes are mapped separately, or looked at by the guard: all, where there is one.
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
    // SAFETY: null, or a whole process, which is never released.
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
            Threads::Lists | Threads::ListsWithin(_) | Threads::Owned => Sizes::split(&settings.spec),
            Threads::One | Threads::Each => (settings.spec.clone(), None),
        };
        let (max, segments) = match spec.threads {
            Threads::Each => (EACH, (FOR_EACH_PROCESSOR * processors()).min(MAX_ARENAS)),
            Threads::One | Threads::Lists | Threads::ListsWithin(_) | Threads::Owned => (ONE, 1),
        };
        let guard = spec.layers.iter().find_map(|layer| match layer {
            Layer::Guard(guard) => Some(guard.pages),
            _ => None,
        });
        let parts = segments + usize::from(guard.is_some());
        let segment = 1_usize << max.min(spec.max_region()).ilog2();
        let space =
            Space::find(segment * parts).unwrap_or_else(|| diagnostics::stop(&[b"the system gives no address space"]));
        let arenas = pages::map((segments * size_of::<Arena>()).next_multiple_of(pages::SIZE))
            .unwrap_or_else(|| diagnostics::stop(&[b"the system gives no memory"]));
        let mut key = 0;
        // SAFETY: the destructor is called with what `pthread_setspecific` set for the ending thread.
        unsafe { libc::pthread_key_create(&raw mut key, Some(thread::ends)) };
        let mut process = Process {
            space,
            segment_bits: (space.length / parts).ilog2(),
            segments,
            parts,
            arenas: NonNull::new(arenas).unwrap_or(NonNull::dangling()).cast(),
            used: AtomicUsize::new(0),
            free_arenas: AtomicPtr::new(null_mut()),
            registry: Futex::FREE,
            guarded: guard.is_some(),
            page_guard: guard.and_then(|level| {
                let seed = settings.seed.unwrap_or_else(pages::random);
                PageGuard::new(level, space, (segments, parts), seed)
            }),
            origins: guard.and_then(|_| Table::new(space)),
            threads: spec.threads,
            lists,
            budget: Budget::within(spec.threads.max_of_lists()),
            owners: (spec.threads.owners() > 0).then(Owners::default),
            spec,
            map_from: AtomicUsize::new(if guard.is_some() { 0 } else { settings.map_from }),
            tracker: Tracker::wanted(&settings, space),
            settings,
            key,
        };
        if process.make().is_none() {
            diagnostics::stop(&[b"the region is too small for the heap"]);
        }
        if let Some(mut lists) = process.lists.take() {
            // SAFETY: what it tells is never dropped.
            core::mem::forget(process.first().work(|heap| unsafe { lists.ask(heap, segment) }));
            process.lists = Some(lists);
        }
        process
    }

    /// The arenas that were made.
    pub fn arenas(&self) -> &[Arena] {
        let used = self.used.load(Ordering::Acquire);
        // SAFETY: P2.
        unsafe { core::slice::from_raw_parts(self.arenas.as_ptr().cast::<Arena>(), used) }
    }

    /// The arena of the main thread, and of threads that have none.
    #[inline(always)]
    pub fn first(&self) -> &Arena {
        // SAFETY: P2; the first is made before the process is.
        unsafe { self.arenas.as_ref().assume_init_ref() }
    }

    /// The arena that a block lies in; none of a block that was mapped by itself.
    #[inline(always)]
    pub fn arena_of(&self, block: NonNull<u8>) -> Option<&Arena> {
        let number = block.as_ptr().addr().wrapping_sub(self.space.base) >> self.segment_bits;
        if number >= self.used.load(Ordering::Relaxed) {
            return None;
        }
        // SAFETY: P2: a thread with a block of it has seen its arena made.
        Some(unsafe { self.arenas.add(number).as_ref().assume_init_ref() })
    }

    /// Whether an address lies where heaps are or could be.
    pub fn covers(&self, address: usize) -> bool {
        address.wrapping_sub(self.space.base) >> self.segment_bits < self.parts
    }

    /// Ends the program if something was written around a block, or into one in quarantine.
    pub fn audit(&self) {
        self.arenas().iter().for_each(Arena::audit);
        if let Some(guard) = &self.page_guard {
            guard.audit(&mut |found| heap_error::stop(&found, guard.base(), guard.base()));
        }
    }

    /// An arena for a thread that has none: one whose thread has ended, or a new one, or the first.
    #[cold]
    pub fn adopt(&self) -> &Arena {
        self.registry.lock();
        let free_arenas = self.free_arenas.load(Ordering::Relaxed);
        // SAFETY: null, or an arena (P3).
        let arena = match unsafe { free_arenas.as_ref() } {
            Some(arena) => {
                self.free_arenas.store(arena.next_free.load(Ordering::Relaxed), Ordering::Relaxed);
                arena
            }
            None => self.make().unwrap_or_else(|| self.fewest_threads()),
        };
        arena.threads.fetch_add(1, Ordering::Relaxed);
        // SAFETY: taken above.
        unsafe { self.registry.unlock() };
        arena
    }

    /// The arena that serves the fewest threads.
    fn fewest_threads(&self) -> &Arena {
        self.arenas().iter().min_by_key(|arena| arena.threads.load(Ordering::Relaxed)).unwrap_or(self.first())
    }

    /// Takes an arena back from a thread that ends.
    pub fn leave(&self, arena: &Arena) {
        self.registry.with(|| {
            if arena.threads.fetch_sub(1, Ordering::Relaxed) == 1 && !core::ptr::eq(arena, self.first()) {
                self.put_free(arena);
            }
        });
    }

    /// In a child of a fork: no thread is left but the calling one, which `mine` serves; nobody else changes the list.
    pub fn alone_with(&self, mine: *const Arena) {
        self.free_arenas.store(null_mut(), Ordering::Relaxed);
        for arena in self.arenas() {
            let served = core::ptr::eq(arena, mine);
            arena.threads.store(usize::from(served), Ordering::Relaxed);
            if !served && !core::ptr::eq(arena, self.first()) {
                self.put_free(arena);
            }
        }
    }

    fn put_free(&self, arena: &Arena) {
        arena.next_free.store(self.free_arenas.load(Ordering::Relaxed), Ordering::Relaxed);
        self.free_arenas.store((&raw const *arena).cast_mut(), Ordering::Relaxed);
    }

    /// Makes the next arena; none when all segments are taken. Under the registry, or before there is one.
    fn make(&self) -> Option<&Arena> {
        let number = self.used.load(Ordering::Relaxed);
        if number == self.segments {
            return None;
        }
        let storage: &'static Storage = Box::leak(Box::new(Storage::new()));
        // SAFETY: P1.
        let (region, part) = unsafe { self.space.region(number, self.parts, self.spec.huge) }?;
        let heap = match self.spec.check {
            Check::Off => keep(&self.spec, region, Unmetered, storage),
            Check::Header => keep_checked(&self.spec, region, Unmetered, storage),
        }
        .ok()?;
        heap.set_secret(pages::secret());
        // SAFETY: the slot of this number is within the table, and nobody else's before `used` says so.
        let arena = unsafe { self.arenas.add(number).as_mut() }.write(Arena::new(
            heap,
            part,
            self.spec.purged(),
            self.guarded,
            self.tracker.is_some(),
        ));
        self.used.store(number + 1, Ordering::Release);
        Some(arena)
    }

    /// The calling thread ends with a call of [`thread::ends`].
    pub(crate) fn mind_end(&self, of: *const core::ffi::c_void) {
        // SAFETY: the key was made with the process.
        unsafe { libc::pthread_setspecific(self.key, of) };
    }
}

impl Shared for Process {
    type Arena = Arena;

    #[inline(always)]
    fn threads(&self) -> Threads {
        self.threads
    }

    #[inline(always)]
    fn first(&self) -> &Arena {
        self.first()
    }

    #[inline(always)]
    fn own(&self) -> &Arena {
        thread::arena(self)
    }

    #[inline(always)]
    fn sizes(&self) -> Option<&Sizes> {
        self.lists.as_ref()
    }

    #[inline(always)]
    fn budget(&self) -> &Budget {
        &self.budget
    }

    #[inline(always)]
    fn owners(&self) -> Option<&Owners> {
        self.owners.as_ref()
    }

    #[inline(always)]
    fn with_lists<T>(&self, job: impl FnOnce(&mut Lists) -> T) -> Option<T> {
        thread::lists(self).map(job)
    }

    #[inline(always)]
    fn is_alone(&self) -> bool {
        futex::alone()
    }

    #[inline(always)]
    fn frees_at_once(&self) -> bool {
        self.guarded
    }
}

/// Processors that the process may run on.
fn processors() -> usize {
    // SAFETY: a set of bits, which the system fills.
    let set = unsafe {
        let mut set: libc::cpu_set_t = core::mem::zeroed();
        (libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) == 0).then_some(set)
    };
    // SAFETY: the set is whole.
    set.map_or(1, |set| unsafe { libc::CPU_COUNT(&set) }.max(1) as usize)
}
