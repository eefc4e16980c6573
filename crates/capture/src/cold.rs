//! The slow way of an event: the thread has no window, a full one, or lost it at a fork.
//!
//! What is called from here (`pthread_setspecific`, say) may allocate; the flag `BUSY`
//! keeps such events out, as nothing else would end the recursion. The program's `errno`
//! is kept.
//!
//! When a thread ends, its state goes back to the list, to be taken by the next thread. What
//! a thread still frees after that is written through any state that is free, one event at a time.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use crate::event::Event;
use crate::format::{MAX_FRAMES, OPERATION_BITS, RESTRICTED_CALLS, THREAD_ENDS, operation};
use crate::local::{BUSY, ENDED, NUMBER_AT, flags, set_flags, set_thread, thread};
use crate::pages::wiped_pages;
use crate::process::Process;
use crate::reserve::restricted;
use crate::stack::Caller;
use crate::system::{
    Limit, RLIMIT_FSIZE, RLIMIT_NOFILE, errno, getrlimit, pthread_key_create, pthread_setspecific, set_errno,
};
use crate::thread::{MANY, Thread};
use crate::{clock, current, site, window, witness};

/// The key whose destructor runs as a thread ends, plus one; 0 while there is none.
static KEY: AtomicU32 = AtomicU32::new(0);

/// Records one event the slow way.
#[cold]
#[inline(never)]
pub fn record(operation: u64, address: usize, size: usize, alignment: usize, caller: Caller) {
    let event = Event { operation, address, size, alignment };
    // SAFETY: `with_site` has room; the caller's frame is there, as it called.
    with_site(event, |process, thread| unsafe { site::write(process, thread, caller) });
}

/// Records one event with what its block is: a number, and a name that is asked for where it is not written yet.
pub fn record_named(event: Event, number: u64, name: impl FnOnce(&mut [u64; MAX_FRAMES]) -> usize) {
    // SAFETY: `with_site` has room.
    with_site(event, |_, thread| unsafe { site::write_named(thread, number, name) });
}

/// Records one event after what is written of its site.
fn with_site(event: Event, site: impl FnOnce(&Process, &mut Thread)) {
    let before = flags();
    if before & BUSY != 0 {
        return;
    }
    let error = errno();
    set_flags(before | BUSY);
    if let Some(process) = current::process()
        && let Some(thread) = ready(process, before & ENDED != 0)
    {
        // SAFETY: `ready` gives a state that this thread owns, with room.
        unsafe {
            match (*thread).sampled(event) {
                Some(event) if event.fits() => {
                    site(process, &mut *thread);
                    (*thread).write(event);
                }
                Some(_) => process.count_unrecordable(),
                None => {}
            }
            if before & ENDED != 0 {
                (*thread).owner.store(0, Ordering::Release);
            }
        }
    }
    set_flags(before);
    set_errno(error);
}

/// The calling thread's state, with room; nothing when the recording has to stop.
fn ready(process: &'static Process, ended: bool) -> Option<*mut Thread> {
    let mut mine = thread();
    // SAFETY: a thread's pointer is null or its own state; after a fork the state is zeros.
    if mine.is_null() || unsafe { (*mine).granule == 0 } {
        mine = claim(process)?;
        if !ended {
            set_thread(mine);
            announce_end(mine);
        }
    }
    // SAFETY: this thread owns it.
    let state = unsafe { &mut *mine };
    let outcome = match state.granule {
        0 => window::open_window(process, state),
        _ if state.cursor >= state.end => window::flush(process, state),
        _ => Ok(()),
    };
    match outcome {
        Ok(()) => Some(mine),
        Err(error) => {
            process.stop(error);
            None
        }
    }
}

/// A state that was free, or a new one.
fn claim(process: &Process) -> Option<*mut Thread> {
    let number = match flags() & ENDED {
        0 => process.threads.fetch_add(1, Ordering::Relaxed),
        _ => flags() >> NUMBER_AT,
    };
    if number > 0 {
        MANY.store(true, Ordering::Relaxed);
    }
    let mut at = process.first.load(Ordering::Acquire);
    // SAFETY: states are never unmapped, and their list only grows, at its head.
    while let Some(state) = unsafe { at.as_mut() } {
        if state.owner.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            state.number = number;
            if state.granule != 0 && state.cursor < state.end {
                window::introduce(state);
            }
            return Some(at);
        }
        at = state.next.load(Ordering::Acquire);
    }
    if restricted() {
        process.stop(RESTRICTED_CALLS);
        return None;
    }
    let fresh: *mut Thread = wiped_pages(size_of::<Thread>()).cast();
    // SAFETY: zeros are a valid state that nobody knows of.
    let state = unsafe { fresh.as_mut() }?;
    state.owner.store(1, Ordering::Relaxed);
    state.number = number;
    let mut first = process.first.load(Ordering::Acquire);
    loop {
        state.next.store(first, Ordering::Relaxed);
        match process.first.compare_exchange_weak(first, fresh, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return Some(fresh),
            Err(other) => first = other,
        }
    }
}

/// Registers a destructor that notices the thread's end.
fn announce_end(state: *mut Thread) {
    let mut key = KEY.load(Ordering::Acquire);
    if key == 0 {
        let mut fresh = 0;
        // SAFETY: `fresh` is a key to be written to. A key made by two threads at once is lost, which costs nothing.
        if unsafe { pthread_key_create(&mut fresh, end_of_thread) } != 0 {
            return;
        }
        key = match KEY.compare_exchange(0, fresh + 1, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => fresh + 1,
            Err(other) => other,
        };
    }
    // SAFETY: the key was made above, or earlier.
    unsafe { pthread_setspecific(key - 1, state.cast()) };
}

/// The calling thread ends, and does nothing more that is recorded: the next one that has its address is another.
#[cfg(heapsmith_alone)]
pub fn end_thread() {
    end_of_thread(core::ptr::null_mut());
    crate::local::end();
}

/// Gives a thread's state back.
extern "C" fn end_of_thread(_: *mut c_void) {
    let mine = thread();
    set_thread(core::ptr::null_mut());
    // SAFETY: a thread's pointer is null or its own state, and after this nobody's.
    if let Some(state) = unsafe { mine.as_mut() } {
        let before = flags();
        set_flags(before | BUSY);
        note_end(state);
        set_flags(before | ENDED | state.number << NUMBER_AT);
        state.owner.store(0, Ordering::Release);
    }
}

/// Writes down that a thread ends. A forked child has no window to write to.
fn note_end(state: &mut Thread) {
    if state.granule == 0 {
        return;
    }
    let error = errno();
    let has_room = state.cursor < state.end
        || current::process().is_some_and(|process| match window::flush(process, state) {
            Ok(()) => true,
            Err(error) => {
                process.stop(error);
                false
            }
        });
    if has_room {
        // SAFETY: there is room (T1).
        unsafe {
            state.put_clock(clock::ticks(state.counter));
            state.put(THREAD_ENDS | state.number << OPERATION_BITS | operation::THREAD);
        }
        state.publish();
    }
    set_errno(error);
}

/// The program begins: what a library that records calls first.
pub extern "C" fn begin_program() {
    let before = flags();
    // What is asked for meanwhile is not the program's.
    set_flags(before | BUSY);
    witness::begin();
    set_flags(before);
}

/// Notes that the process ends in order: what a library that records calls last.
pub extern "C" fn end_of_process() {
    let before = flags();
    set_flags(before | BUSY);
    if !thread().is_null()
        && let Some(process) = current::process()
    {
        process.end();
    }
    witness::ended();
    set_flags(before);
}

/// The process is about to set one of its limits. Before it lowers one that its recording needs, that takes what it may need.
///
/// # Safety
///
/// `limit` is null or a limit.
pub unsafe fn limit(which: c_int, limit: *const Limit) {
    let mut now = Limit { current: 0, maximum: 0 };
    // SAFETY: `now` is a limit to be written to; the caller's promise.
    let lowers = matches!(which, RLIMIT_FSIZE | RLIMIT_NOFILE) && unsafe {
        limit.as_ref().is_some_and(|limit| getrlimit(which, &mut now) == 0 && limit.current < now.current)
    };
    if lowers {
        reserve_all();
    }
}

#[cold]
fn reserve_all() {
    let (before, error) = (flags(), errno());
    set_flags(before | BUSY);
    current::process().into_iter().for_each(window::reserve);
    set_flags(before);
    set_errno(error);
}

/// The calling thread is about to restrict its system calls.
///
/// It has nothing to do where it did so before. In the strict mode it may not even read the processor's counter, so the recording
/// ends before; with a filter it continues.
#[cold]
pub fn restrict(strict: bool) {
    if !strict && restricted() {
        return;
    }
    let (before, error) = (flags(), errno());
    set_flags(before | BUSY);
    let process = current::process();
    window::restrict(process.filter(|_| !strict));
    if strict {
        process.into_iter().for_each(|process| process.stop(RESTRICTED_CALLS));
        // SAFETY: a thread's pointer is null or its own state.
        if let Some(state) = unsafe { thread().as_mut() } {
            // No event goes the fast way, which reads the counter.
            state.end = core::ptr::null_mut();
            state.shared = 0;
        }
    }
    set_flags(before);
    set_errno(error);
}
