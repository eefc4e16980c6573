//! Call sites: where the program asked for a block, as the return addresses of its stack.
//!
//! ```text
//!   hook ── its frame ──▶ Caller ──unwind──▶ return addresses ──hash──▶ named already? ── its number
//!                                                                   │
//!                                                                   └─ no: all of them, and their modules
//! ```
//!
//! Every window numbers the stacks that it names. A table of a thread's own remembers the
//! latest; a stack that fell out of it is named again, and is one site again when the
//! recording is read. 64 bits of a hash distinguish stacks.
//!
//! Cost: 8 bytes an allocation, and the walk ([`unwind`]); 64 KiB a thread.

use core::sync::atomic::{AtomicUsize, Ordering};

use crate::format::{MAX_FRAMES, NEW_SITE, SITE_AT, header, operation};
use crate::pages::wiped_pages;
use crate::process::Process;
use crate::reserve::restricted;
use crate::stack::{Caller, REMEMBERED, hash, place};
use crate::thread::{Named, Thread};
use crate::{module, unwind};

/// Before it is known whether sites are wanted, they are.
const UNKNOWN: usize = usize::MAX;

/// The most frames of a site; 0 where no sites are wanted.
static FRAMES: AtomicUsize = AtomicUsize::new(UNKNOWN);

/// Whether sites are, or may be, wanted.
#[inline(always)]
pub fn wanted() -> bool {
    FRAMES.load(Ordering::Relaxed) != 0
}

/// A process begins to record with this many frames.
pub fn begin(process: &Process, frames: usize) {
    if frames > 0 {
        let knows = unwind::prepare();
        process.header_word(header::NO_MODULES).store(u64::from(!knows), Ordering::Relaxed);
    }
    process.header_word(header::FRAMES).store(frames as u64, Ordering::Relaxed);
    FRAMES.store(frames, Ordering::Relaxed);
}

/// Writes where the next event's block was asked for.
///
/// # Safety
///
/// There is room (T1), and the caller's frame is still there.
pub unsafe fn write(process: &Process, thread: &mut Thread, caller: Caller) {
    let max = FRAMES.load(Ordering::Relaxed);
    if caller.is_none() || max == 0 || max > MAX_FRAMES {
        return;
    }
    let mut frames = [0; MAX_FRAMES];
    // SAFETY: the caller vouches for the frame.
    let count = unsafe { unwind::walk(caller, &mut frames[..max]) };
    let frames = &frames[..count];
    // SAFETY: the caller vouches for the room.
    unsafe {
        if !again(thread, hash(frames)) {
            module::note(process, frames);
            first(thread, frames);
        }
    }
}

/// Writes what the next event's block is, by a number, and a name in words that is asked for where the window does not
/// have it yet.
///
/// # Safety
///
/// There is room (T1).
pub unsafe fn write_named(thread: &mut Thread, number: u64, name: impl FnOnce(&mut [u64; MAX_FRAMES]) -> usize) {
    // SAFETY: the caller vouches for the room.
    unsafe {
        if !again(thread, hash(&[number])) {
            let mut words = [0; MAX_FRAMES];
            let count = name(&mut words);
            first(thread, &words[..count.min(MAX_FRAMES)]);
        }
    }
}

/// Writes the number of a site that this window named; where it did not, the next name is to be this one's.
///
/// # Safety
///
/// There is room (T1).
unsafe fn again(thread: &mut Thread, hash: u64) -> bool {
    let named = remembered(thread, hash);
    // SAFETY: null, or an entry of this thread's own table.
    if let Some(named) = unsafe { named.as_mut() } {
        if named.hash == hash {
            // SAFETY: room by T1.
            unsafe { thread.put((named.number + 1) << SITE_AT | operation::SITE) };
            return true;
        }
        *named = Named { hash, number: thread.stacks_named };
    }
    thread.stacks_named += 1;
    false
}

/// Writes the name of a site.
///
/// # Safety
///
/// There is room (T1), and it is of at most `MAX_FRAMES` words.
unsafe fn first(thread: &mut Thread, words: &[u64]) {
    // SAFETY: room by T1.
    unsafe {
        thread.put((words.len() as u64) << SITE_AT | NEW_SITE | operation::SITE);
        words.iter().for_each(|&word| thread.put(word));
    }
}

/// Where a stack of this hash would be remembered; null where there is no memory.
fn remembered(thread: &mut Thread, hash: u64) -> *mut Named {
    if thread.stacks.is_null() {
        if restricted() {
            return core::ptr::null_mut();
        }
        thread.stacks = wiped_pages(REMEMBERED * size_of::<Named>()).cast();
        if thread.stacks.is_null() {
            return core::ptr::null_mut();
        }
    }
    thread.stacks.wrapping_add(place(hash))
}
