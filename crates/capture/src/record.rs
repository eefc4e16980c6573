//! The fast way of an event: what a hook calls.

use crate::event::Event;
use crate::format::{MAX_FRAMES, TICK_BITS};
use crate::stack::Caller;
use crate::{clock, cold, local, site};

/// Writes one event down.
///
/// # Safety
///
/// Called by a hook, on the thread that it runs on.
#[inline(always)]
pub unsafe fn record(event: Event) {
    // The frame is the hook's own, as this is always inlined there.
    let caller = if event.has_site() && site::wanted() { Caller::of_hook() } else { Caller::NONE };
    // SAFETY: the caller's promise.
    unsafe { record_from(event, caller) }
}

/// The same, from a place that is known; nobody where call sites are not recorded.
///
/// # Safety
///
/// As [`record`]; the frame of `caller` is there.
#[inline(always)]
pub unsafe fn record_from(event: Event, caller: Caller) {
    let thread = local::thread();
    // SAFETY: a thread's pointer is null or its own `Thread` (T3).
    let mine = unsafe { thread.as_mut() };
    if mine.as_ref().is_some_and(|thread| thread.skips(&event)) {
        return;
    }
    if caller.is_none()
        && let Some(thread) = mine
        && thread.cursor < thread.end
        && event.fits()
        && (thread.sample.is_whole() || !event.reallocates())
    {
        if thread.shared > 0 && event.may_share() {
            // SAFETY: there is room (T1).
            return unsafe { thread.write_shared(event) };
        }
        let now = clock::counter();
        let since = now.wrapping_sub(thread.last);
        if since >> TICK_BITS == 0 && thread.counter {
            thread.last = now;
            // SAFETY: there is room (T1).
            return unsafe { thread.write_stamped(event, since) };
        }
    }
    // Nothing is called before this, and nothing after it: the fast way needs no stack.
    cold::record(event.operation, event.address, event.size, event.alignment, caller);
}

/// Writes one event down with what its block is: a number, and a name in words that is asked for where the thread's
/// window does not have it yet.
///
/// # Safety
///
/// As [`record`].
pub unsafe fn record_named(event: Event, number: u64, name: impl FnOnce(&mut [u64; MAX_FRAMES]) -> usize) {
    cold::record_named(event, number, name);
}
