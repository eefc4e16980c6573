//! What serves the calling thread, from its first request to its end.
//!
//! With one heap for all there is nothing to know. With a heap for each thread it is the thread's arena; with lists for
//! each thread, its lists. A thread that is about to end, whose storage is being taken apart, is served by the
//! first arena.

use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

use heapsmith_sharing::Lists;
use heapsmith_spec::Threads;

use crate::arena::Arena;
use crate::local;
use crate::process::{Process, process};

/// The arena that serves the calling thread, with a heap for each.
#[inline(always)]
pub fn arena(process: &Process) -> &Arena {
    // SAFETY: null, or an arena; arenas never move.
    unsafe { local::serving::<Arena>().as_ref() }.unwrap_or_else(|| settle(process))
}

/// The calling thread is the first of the process: the first arena serves it.
pub fn first(process: &Process) {
    if process.threads == Threads::Each {
        process.first().threads.store(1, Ordering::Relaxed);
        local::serve_by((&raw const *process.first()).cast_mut());
    }
}

#[cold]
fn settle(process: &Process) -> &Arena {
    if local::ends() {
        return process.first();
    }
    let arena = process.adopt();
    let it = (&raw const *arena).cast_mut();
    local::serve_by(it);
    // May allocate, and is served already.
    process.mind_end(it.cast());
    arena
}

/// The lists of a thread, which outlive it.
struct Kept {
    lists: Lists,
    /// Bytes of their blocks, as they were last noted.
    noted: usize,
    /// The next of the idle.
    idle: *mut Kept,
}

/// Lists whose thread has ended: they are empty, and serve the next thread.
static IDLE: AtomicPtr<Kept> = AtomicPtr::new(null_mut());

/// The calling thread's lists; none for a thread that ends.
#[inline(always)]
pub fn lists(process: &Process) -> Option<&'static mut Lists> {
    let kept = local::serving::<Kept>();
    // SAFETY: null, or this thread's own lists, which nobody else uses; no call that has them makes another.
    unsafe { kept.as_mut() }.map(|kept| &mut kept.lists).or_else(|| list(process))
}

#[cold]
fn list(process: &Process) -> Option<&'static mut Lists> {
    if local::ends() {
        return None;
    }
    let sizes = process.lists.as_ref()?;
    let idle = process.registry.with(|| {
        // SAFETY: null, or idle lists, which the registry's holder alone takes.
        let idle = unsafe { IDLE.load(Ordering::Relaxed).as_mut() }?;
        IDLE.store(idle.idle, Ordering::Relaxed);
        Some(idle)
    });
    let it: *mut Kept =
        idle.unwrap_or_else(|| Box::leak(Box::new(Kept { lists: Lists::new(sizes), noted: 0, idle: null_mut() })));
    // SAFETY: made above, for this thread.
    unsafe { it.as_mut() }.into_iter().for_each(|kept| kept.lists.begin(process));
    local::serve_by(it);
    // May allocate, from the lists.
    process.mind_end(it.cast());
    // SAFETY: the same.
    unsafe { it.as_mut() }.map(|kept| &mut kept.lists)
}

/// The owner whose spans are the calling thread's, or 0.
pub fn owner() -> usize {
    // SAFETY: as for `lists`.
    unsafe { local::serving::<Kept>().as_ref() }.map_or(0, |kept| kept.lists.owner())
}

/// Notes the bytes of the blocks on the calling thread's lists: how many there are, and how many more than when they were
/// last noted, or fewer, as what wraps.
pub fn note_lists(process: &Process) -> (usize, usize) {
    // SAFETY: as for `lists`.
    match (unsafe { local::serving::<Kept>().as_mut() }, &process.lists) {
        (Some(kept), Some(sizes)) => {
            let now = kept.lists.bytes(sizes);
            (now, now.wrapping_sub(core::mem::replace(&mut kept.noted, now)))
        }
        _ => (0, 0),
    }
}

impl Kept {
    /// Gives everything to the pool: the thread ends.
    fn give_up(&mut self, process: &Process) {
        self.lists.end(process);
        if let Some(tracker) = &process.tracker {
            tracker.counts.on_lists.fetch_sub(self.noted, Ordering::Relaxed);
            self.noted = 0;
        }
        process.registry.with(|| {
            self.idle = IDLE.load(Ordering::Relaxed);
            IDLE.store(self, Ordering::Relaxed);
        });
    }
}

/// The calling thread ends: what served it goes back.
pub(crate) unsafe extern "C" fn ends(it: *mut c_void) {
    let process = process();
    local::end();
    local::serve_by::<c_void>(core::ptr::null_mut());
    match process.threads {
        Threads::One => {}
        // SAFETY: what `mind_end` was told, by `settle`.
        Threads::Each => process.leave(unsafe { &*it.cast::<Arena>() }),
        // SAFETY: what `mind_end` was told, by `list`.
        Threads::Lists | Threads::ListsWithin(_) | Threads::Owned => unsafe { (*it.cast::<Kept>()).give_up(process) },
    }
}
