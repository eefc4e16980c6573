//! Recording a program that runs already: its modules' tables of addresses are written to, and later written back.
//!
//! ```text
//!   heapsmith record --pid ──holds a thread──▶ dlopen ──▶ heapsmith_attach ──▶ tables: malloc ⇒ hook
//!                          ──holds a thread──▶            heapsmith_detach ──▶ tables: hook ⇒ malloc
//! ```
//!
//! A module calls what another one has through a word in a table of its own, which the dynamic linker filled in. A word is
//! changed with one store, so a thread that calls meanwhile calls the one function or the other. Words that a program copied
//! (a pointer to `free` in an object of its own) are not found: calls through one that was copied before are not recorded,
//! and one that was copied meanwhile leads through the hook for ever, which is why the library stays loaded.
//!
//! A command that was killed leaves words that lead to its recorder. The next one takes them for what they led to before.
//!
//! What a module that is loaded later calls is not recorded. Its blocks look as if nobody freed them where others free
//! them, and the other way round as blocks from before.

mod tables;

use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use heapsmith_capture::format::GRANULE;
use heapsmith_capture::system::{
    ENOMEM, Image, MAP_PRIVATE_ANONYMOUS, RTLD_DEFAULT, dl_iterate_phdr, dlsym, errno, map, set_errno,
};
use heapsmith_capture::thread::{MANY, SLACK, Thread};
use heapsmith_capture::{asked, clock, current, local};

use tables::{CALL, Module, Word};

use crate::hooks::own;
use crate::next_symbol;

/// Bytes of a path, with its final zero.
const LONGEST_PATH: usize = 4096;

/// Words that can be changed.
const MAX: usize = 1 << 14;

/// Pairs of calls that are timed.
const TIMED: u64 = 2048;

/// Bytes of a page.
const PAGE: usize = 4096;

/// Hooks that programs call often, so that a thread can be held at one.
#[repr(C)]
pub struct Hooks {
    malloc: unsafe extern "C" fn(usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    calloc: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    realloc: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
}

/// Where they are.
#[allow(non_upper_case_globals, reason = "named as the functions that the command looks for")]
#[unsafe(no_mangle)]
pub static heapsmith_hooks: Hooks =
    Hooks { malloc: own::malloc, free: own::free, calloc: own::calloc, realloc: own::realloc };

/// What a hook is of: its name, where it is, and what it replaces.
struct Replaced {
    name: &'static CStr,
    hook: *mut c_void,
    real: *mut c_void,
}

/// A word that was changed.
#[repr(C)]
struct Changed {
    word: usize,
    before: *mut c_void,
}

static CHANGED: AtomicPtr<Changed> = AtomicPtr::new(null_mut());
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// How the name of the library begins when a program loads it late.
const NAME: &[u8] = b"/heapsmith-recorder-";

/// Where the recorders are that were loaded before, as far as there is room.
static EARLIER: [[AtomicUsize; 2]; 64] = [const { [const { AtomicUsize::new(0) }; 2] }; 64];

/// The path that was handed over, which the recording reads whenever it opens its file.
struct Folder(core::cell::UnsafeCell<[u8; LONGEST_PATH]>);

// SAFETY: it is written once, before anybody knows of it.
unsafe impl Sync for Folder {}

static FOLDER: Folder = Folder(core::cell::UnsafeCell::new([0; LONGEST_PATH]));

/// Begins to record this process into a folder. Returns how many words were changed, or the system's error, negative.
///
/// # Safety
///
/// `folder` ends with a zero. It is called once, by a thread that is not inside its allocator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_attach(folder: *const c_char, frames: usize, every: usize) -> c_long {
    let error = errno();
    // SAFETY: the caller's promises.
    let outcome = unsafe { begin(folder, frames, every) };
    set_errno(error);
    outcome.unwrap_or_else(|error| -c_long::from(error))
}

/// Picoseconds that this process takes to record an event, where its caches have all that this needs.
///
/// # Safety
///
/// [`heapsmith_attach`] was called, by this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_event_cost() -> c_long {
    let error = errno();
    // SAFETY: the caller's promise.
    let cost = unsafe { cost() };
    set_errno(error);
    cost.unwrap_or(0) as c_long
}

/// Ends the recording. Returns how many words were changed back.
///
/// # Safety
///
/// [`heapsmith_attach`] was called. The calling thread is not inside its allocator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_detach() -> c_long {
    let error = errno();
    let mut back = 0;
    let all = replaced();
    for those in stages(&all).into_iter().rev() {
        // SAFETY: as in `begin`.
        unsafe { visit(those, &mut |at, replaced, _| back += change_back(at, replaced)) };
    }
    current::end();
    set_errno(error);
    back
}

/// # Safety
///
/// As [`heapsmith_attach`].
unsafe fn begin(folder: *const c_char, frames: usize, every: usize) -> Result<c_long, c_int> {
    // SAFETY: the caller's promise; nobody reads the folder yet.
    let folder = unsafe {
        let from = CStr::from_ptr(folder).to_bytes_with_nul();
        (*FOLDER.0.get()).get_mut(..from.len()).ok_or(ENOMEM)?.copy_from_slice(from);
        CStr::from_ptr(FOLDER.0.get().cast())
    };
    let mut earlier = 0_usize;
    // How many threads there are is not known, so every event is stamped.
    MANY.store(true, Ordering::Relaxed);
    asked::attach(folder, frames, every);
    next_symbol::prepare();
    let table = map(MAX * size_of::<Changed>(), MAP_PRIVATE_ANONYMOUS, -1, 0);
    if table.is_null() {
        return Err(ENOMEM);
    }
    CHANGED.store(table.cast(), Ordering::Release);
    if current::process().is_none() {
        return Err(match asked::refused() {
            0 => ENOMEM,
            error => error,
        });
    }
    // SAFETY: the visitor gets the pointer that it expects.
    unsafe { dl_iterate_phdr(visit_earlier, (&raw mut earlier).cast()) };
    let mut changed = 0;
    let all = replaced();
    for those in stages(&all) {
        // SAFETY: a word that is shown is one of a table of a module that is loaded.
        unsafe { visit(those, &mut |at, replaced, lazy| changed += change(at, replaced, lazy)) };
    }
    Ok(changed)
}

/// The hooks in the order in which tables are changed, of which the first may go before the others: a block whose allocation
/// is recorded is one whose end is.
fn stages(all: &[Replaced]) -> [&[Replaced]; 3] {
    let (free, others) = all.split_at(FREES);
    let (reallocations, others) = others.split_at(REALLOCATIONS);
    [free, reallocations, others]
}

/// What an event costs, by a window that is thrown away.
///
/// # Safety
///
/// The calling thread records, and is not inside its allocator.
unsafe fn cost() -> Option<u64> {
    let room = map(GRANULE, MAP_PRIVATE_ANONYMOUS, -1, 0);
    let page = map(PAGE, MAP_PRIVATE_ANONYMOUS, -1, 0);
    let mine = local::thread();
    // SAFETY: zeros are a valid state; the room is mapped, and no other thread knows of either.
    let state = unsafe { page.cast::<Thread>().as_mut() }.filter(|_| !room.is_null())?;
    state.state = room.cast();
    state.cursor = room.wrapping_add(64).cast();
    state.end = room.wrapping_add(GRANULE - SLACK).cast();
    state.bias = (state.cursor as u64).wrapping_neg();
    state.counter = clock::counter_is_invariant();
    state.last = clock::ticks(state.counter);
    state.granule = u64::MAX;
    local::set_thread(page.cast());
    let first = state.cursor;
    // SAFETY: a block that is freed was just allocated, by the same functions.
    let pair = || unsafe { own::free(own::malloc(64)) };
    timed(pair);
    // The pages are there now; what was written is written over. Two times as much would have room.
    state.cursor = first;
    let recorded = timed(pair);
    local::set_thread(mine);
    // SAFETY: as before.
    let plain = timed(|| unsafe { next_symbol::free(next_symbol::malloc(64)) });
    Some(recorded.saturating_sub(plain) * 1000 / (2 * TIMED))
}

fn timed(pair: impl Fn()) -> u64 {
    let start = clock::nanoseconds();
    (0..TIMED).for_each(|_| pair());
    clock::nanoseconds() - start
}

/// Makes a word lead to the hook; 1 where it did not, and led to what the hook replaces.
///
/// # Safety
///
/// The word is one of a table of a module that is loaded.
unsafe fn change(at: Word, replaced: &Replaced, lazy: bool) -> c_long {
    let count = COUNT.load(Ordering::Relaxed);
    // SAFETY: the caller's promise; the table has as many places.
    unsafe {
        let mut before = at.get().load(Ordering::Relaxed);
        if is_of_an_earlier_one(before) {
            before = replaced.real;
        }
        let is_meant = before == replaced.real || lazy && at.is_within(before);
        if count == MAX || replaced.real.is_null() || replaced.real == replaced.hook || !is_meant {
            return 0;
        }
        CHANGED.load(Ordering::Relaxed).add(count).write(Changed { word: at.word, before });
        COUNT.store(count + 1, Ordering::Relaxed);
        at.set(replaced.hook)
    }
}

/// What the program has by a name, where the library was loaded late; null where that is not known.
///
/// In a program that is linked to be at a fixed address, what it takes from a library has an address in the program itself:
/// a piece of code that leads on through the word of the program's table, and so to the hook once that is changed. There,
/// what the word leads to is the real one.
pub fn real(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends with a zero.
    let found = unsafe { dlsym(RTLD_DEFAULT, name.as_ptr()) };
    let mut looked_for = (name, found);
    // SAFETY: the visitor gets the pointer that it expects.
    unsafe { dl_iterate_phdr(visit_program, (&raw mut looked_for).cast()) };
    looked_for.1
}

/// Corrects what was found by a name, if the program only passes it on. The program is the first module.
unsafe extern "C" fn visit_program(image: *const Image, _: usize, looked_for: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker's image of a module; the other pointer is that of `real`.
    unsafe {
        let (name, found) = &mut *looked_for.cast::<(&CStr, *mut c_void)>();
        let Some(module) = Module::of(&*image).filter(|module| module.has(*found)) else { return 1 };
        let mut behind = None;
        module.words(&mut |kind, word, symbol, symbol_name| {
            if kind == CALL && symbol.is_undefined() && symbol_name == *name {
                let leads_to = word.get().load(Ordering::Relaxed);
                behind = Some(if module.has(leads_to) { null_mut() } else { leads_to });
            }
        });
        *found = behind.unwrap_or(*found);
    }
    1
}

/// Whether an address is in a recorder that was loaded into this process before.
fn is_of_an_earlier_one(address: *mut c_void) -> bool {
    let earlier = EARLIER.iter().map(|[start, end]| (start.load(Ordering::Relaxed), end.load(Ordering::Relaxed)));
    earlier.into_iter().any(|(start, end)| (start..end).contains(&(address as usize)))
}

/// Notes where a module is, if it is a recorder that was loaded before.
unsafe extern "C" fn visit_earlier(image: *const Image, _: usize, count: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker's image of a module, whose name ends with a zero; the other pointer is that of `begin`.
    unsafe {
        let (image, count) = (&*image, &mut *count.cast::<usize>());
        let is_recorder =
            !image.name.is_null() && CStr::from_ptr(image.name).to_bytes().windows(NAME.len()).any(|part| part == NAME);
        if let Some(module) =
            Module::of(image).filter(|module| is_recorder && !module.has(heapsmith_attach as *mut c_void))
            && let Some([start, end]) = EARLIER.get(*count)
        {
            start.store(module.bounds.0, Ordering::Relaxed);
            end.store(module.bounds.1, Ordering::Relaxed);
            *count += 1;
        }
    }
    0
}

/// Makes a word that leads to the hook lead to what it led to before; 1 where that was so.
///
/// # Safety
///
/// As [`change`].
unsafe fn change_back(at: Word, replaced: &Replaced) -> c_long {
    let table = CHANGED.load(Ordering::Relaxed);
    if table.is_null() {
        return 0;
    }
    // SAFETY: as many places of the table were written.
    let changed = unsafe { core::slice::from_raw_parts(table, COUNT.load(Ordering::Relaxed)) };
    let before = changed.iter().find(|changed| changed.word == at.word).map(|changed| changed.before);
    // SAFETY: the caller's promise.
    unsafe {
        match before {
            Some(before) if at.get().load(Ordering::Relaxed) == replaced.hook => at.set(before),
            _ => 0,
        }
    }
}

/// What is looked for, and what is done with a word that is meant for it; it may be one that is not filled in yet.
struct Visit<'a> {
    replaced: &'a [Replaced],
    then: &'a mut dyn FnMut(Word, &Replaced, bool),
}

/// Shows every word of every module's tables that is meant for a function that there is a hook of.
///
/// # Safety
///
/// Modules are as the dynamic linker made them.
unsafe fn visit(replaced: &[Replaced], then: &mut dyn FnMut(Word, &Replaced, bool)) {
    let mut visit = Visit { replaced, then };
    // SAFETY: the visitor gets the pointer that it expects.
    unsafe { dl_iterate_phdr(visit_module, (&raw mut visit).cast()) };
}

/// Nothing here may wait for the dynamic linker, as it holds one of its locks meanwhile.
unsafe extern "C" fn visit_module(image: *const Image, _: usize, visit: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker's image of a module; the other pointer is that of `visit`.
    unsafe {
        let (image, visit) = (&*image, &mut *visit.cast::<Visit<'_>>());
        if let Some(module) = Module::of(image).filter(|module| !module.has(heapsmith_attach as *mut c_void)) {
            module.words(&mut |kind, word, _, name| {
                if let Some(replaced) = visit.replaced.iter().find(|replaced| replaced.name == name) {
                    (visit.then)(word, replaced, kind == CALL);
                }
            });
        }
    }
    0
}

macro_rules! replaced {
    ($($name:ident)*) => {
        /// All hooks, with what the program has by their names.
        fn replaced() -> [Replaced; [$(stringify!($name)),*].len()] {
            [$((concat!(stringify!($name), "\0"), own::$name as *mut c_void)),*].map(|(name, hook)| {
                let name = CStr::from_bytes_with_nul(name.as_bytes()).unwrap_or_default();
                Replaced { name, hook, real: real(name) }
            })
        }
    };
}

/// How many of the hooks below free, and how many of the next reallocate.
const FREES: usize = 1;
const REALLOCATIONS: usize = 2;

// Not `malloc_usable_size` and `pthread_create`: the hooks of these are of use from a program's first instruction on.
replaced! {
    free
    realloc reallocarray
    malloc calloc posix_memalign aligned_alloc memalign valloc pvalloc
    prctl syscall setrlimit setrlimit64 prlimit prlimit64 _exit _Exit
}
