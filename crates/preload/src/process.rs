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
use heapsmith_spec::build::{Arena, keep};
use heapsmith_spec::{Layer, Spec, Threads};

use crate::futex::Futex;
use crate::home::Home;
use crate::lists::Sizes;
use crate::pages::{self, Reserved};
use crate::settings::Settings;
use crate::watch::Watch;
use crate::{say, thread};

/// Bytes of address space of one heap, at most: for all threads, and for each.
const ONE: u64 = 64 << 30;
const EACH: u64 = 16 << 30;

/// The least place that is tried when the system refuses larger ones.
const LEAST_PLACE: usize = 1 << 20;

/// The most heaps. Further threads are served by the first.
const MOST_HOMES: usize = 512;

/// The process.
pub struct Process {
    base: usize,
    place_bits: u32,
    places: usize,
    homes: NonNull<MaybeUninit<Home>>,
    used: AtomicUsize,
    idle: AtomicPtr<Home>,
    /// Held while homes are made, and while the idle are changed.
    pub registry: Futex,
    /// The heap of every home.
    spec: Spec,
    /// Whether the heap detects misuse: then a block is freed at once, by whoever frees it.
    pub guarded: bool,
    /// How threads share.
    pub threads: Threads,
    /// The lists of each thread, where threads have lists.
    pub lists: Option<Sizes>,
    /// Requests from so many bytes on are mapped by themselves.
    pub map_from: AtomicUsize,
    /// Who counts, and remembers call sites, if anybody asked for it.
    pub watch: Option<Watch>,
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
        let (most, places) = match spec.threads {
            Threads::Each => (EACH, MOST_HOMES),
            Threads::One | Threads::Lists => (ONE, 1),
        };
        let most = most.min(spec.word.max_region()) as usize;
        let (base, place) = reserve(most, places).unwrap_or_else(|| say::stop(&[b"the system gives no address space"]));
        let homes = pages::map((places * size_of::<Home>()).next_multiple_of(pages::SIZE))
            .unwrap_or_else(|| say::stop(&[b"the system gives no memory"]));
        let mut key = 0;
        // SAFETY: the destructor is called with what `pthread_setspecific` set for the ending thread.
        unsafe { libc::pthread_key_create(&raw mut key, Some(thread::ends)) };
        let process = Process {
            base,
            place_bits: place.trailing_zeros(),
            places,
            homes: NonNull::new(homes).unwrap_or(NonNull::dangling()).cast(),
            used: AtomicUsize::new(0),
            idle: AtomicPtr::new(null_mut()),
            registry: Futex::FREE,
            guarded: spec.layers.iter().any(|layer| matches!(layer, Layer::Guard(_))),
            threads: spec.threads,
            lists,
            spec,
            map_from: AtomicUsize::new(settings.map_from),
            watch: Watch::wanted(&settings, base, place * places),
            settings,
            key,
        };
        if process.make().is_none() {
            say::stop(&[b"the region is too small for the heap"]);
        }
        process
    }

    /// The homes that were made.
    pub fn homes(&self) -> &[Home] {
        let used = self.used.load(Ordering::Acquire);
        // SAFETY: P2.
        unsafe { core::slice::from_raw_parts(self.homes.as_ptr().cast::<Home>(), used) }
    }

    /// The home of the main thread, and of whoever has none.
    #[inline(always)]
    pub fn first(&self) -> &Home {
        // SAFETY: P2; the first is made before the process is.
        unsafe { self.homes.as_ref().assume_init_ref() }
    }

    /// The home that a block lies in; none of a block that was mapped by itself.
    #[inline(always)]
    pub fn home_of(&self, block: NonNull<u8>) -> Option<&Home> {
        let number = block.as_ptr().addr().wrapping_sub(self.base) >> self.place_bits;
        if number >= self.used.load(Ordering::Relaxed) {
            return None;
        }
        // SAFETY: P2: whoever has a block of it has seen its home made.
        Some(unsafe { self.homes.add(number).as_ref().assume_init_ref() })
    }

    /// Whether an address lies where heaps are or could be.
    pub fn covers(&self, address: usize) -> bool {
        address.wrapping_sub(self.base) >> self.place_bits < self.places
    }

    /// A home for a thread that has none: one whose thread has ended, or a new one, or the first.
    #[cold]
    pub fn adopt(&self) -> &Home {
        self.registry.lock();
        let idle = self.idle.load(Ordering::Relaxed);
        // SAFETY: null, or a home (P3).
        let home = match unsafe { idle.as_ref() } {
            Some(home) => {
                self.idle.store(home.idle.load(Ordering::Relaxed), Ordering::Relaxed);
                home
            }
            None => self.make().unwrap_or(self.first()),
        };
        // SAFETY: taken above.
        unsafe { self.registry.unlock() };
        home
    }

    /// Takes a home back from a thread that ends.
    pub fn leave(&self, home: &Home) {
        if !core::ptr::eq(home, self.first()) {
            self.registry.with(|| self.put_idle(home));
        }
    }

    /// In a child of a fork: no thread is left but the calling one, which `mine` serves; nobody else changes the list.
    pub fn alone_with(&self, mine: *const Home) {
        self.idle.store(null_mut(), Ordering::Relaxed);
        for home in self.homes().iter().skip(1) {
            if !core::ptr::eq(home, mine) {
                self.put_idle(home);
            }
        }
    }

    fn put_idle(&self, home: &Home) {
        home.idle.store(self.idle.load(Ordering::Relaxed), Ordering::Relaxed);
        self.idle.store((&raw const *home).cast_mut(), Ordering::Relaxed);
    }

    /// Makes the next home; none when all places are taken. Under the registry, or before there is one.
    fn make(&self) -> Option<&Home> {
        let number = self.used.load(Ordering::Relaxed);
        if number == self.places {
            return None;
        }
        let place = 1_usize << self.place_bits;
        let base = NonNull::new((self.base + number * place) as *mut u8)?;
        let arena: &'static Arena = Box::leak(Box::new(Arena::new()));
        // SAFETY: P1.
        let region = unsafe { Reserved::new(base, place) };
        let heap = keep(&self.spec, region, Unmetered, arena).ok()?;
        // SAFETY: the place of this number is within the table, and nobody else's before `used` says so.
        let home = unsafe { self.homes.add(number).as_mut() }.write(Home::new(heap, self.guarded));
        self.used.store(number + 1, Ordering::Release);
        Some(home)
    }

    /// The calling thread ends with a call of [`thread::ends`].
    pub(crate) fn mind_end(&self, of: *const core::ffi::c_void) {
        // SAFETY: the key was made with the process.
        unsafe { libc::pthread_setspecific(self.key, of) };
    }
}

/// So many places of the same size, a power of two: as large as the system gives.
fn reserve(most: usize, places: usize) -> Option<(usize, usize)> {
    let mut place = 1_usize << most.ilog2();
    while place >= LEAST_PLACE {
        if let Some(base) = pages::reserve(place * places) {
            return Some((base.addr(), place));
        }
        place /= 2;
    }
    None
}
