//! What serves the calling thread, from its first request to its end.
//!
//! With one heap for all there is nothing to know. With a heap for each thread it is the thread's arena; with lists for
//! each thread, its lists. A thread that is about to end, whose storage is being taken apart, is served by the
//! first arena.

use core::ffi::c_void;
use core::sync::atomic::Ordering;

use heapsmith_spec::Threads;

use crate::arena::Arena;
use crate::lists::Lists;
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

/// The calling thread's lists; none for a thread that ends, or without memory for them.
#[inline(always)]
pub fn lists(process: &Process) -> Option<&'static mut Lists> {
    let lists = local::serving::<Lists>();
    // SAFETY: null, or this thread's own lists, which nobody else uses; no call that has them makes another.
    unsafe { lists.as_mut() }.or_else(|| list(process))
}

#[cold]
fn list(process: &Process) -> Option<&'static mut Lists> {
    if local::ends() {
        return None;
    }
    let lists = Lists::new(process)?;
    let it: *mut Lists = lists;
    local::serve_by(it);
    process.mind_end(it.cast());
    // SAFETY: made above, for this thread.
    unsafe { it.as_mut() }
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
        Threads::Lists => unsafe { (*it.cast::<Lists>()).give_up(process) },
    }
}
