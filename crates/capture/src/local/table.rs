//! The words of a thread in a table, by the address of the thread: the base of its segment register, which every thread of a
//! program has another one of.
//!
//! An entry is taken for ever. A thread that has the address of one that ended continues as that one: C libraries use a
//! stack again, and the thread's own storage with it, so that a table stays as long as threads are many at once.
//!
//! Cost: some ten instructions a word.

use core::arch::asm;
use core::ptr::without_provenance_mut;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::local::BUSY;
use crate::system::ENOMEM;
use crate::thread::Thread;

/// Threads that there is room for. Pages of the table that no thread is in take no memory.
const PLACES: usize = 1 << 16;

/// The words of a thread.
struct Entry {
    /// Its address and 1, as the first thread's may be 0 before the program has set it; 0 for none.
    thread: AtomicU64,
    words: [AtomicPtr<Thread>; 3],
}

impl Entry {
    const fn with_flags(flags: u64) -> Entry {
        Entry {
            thread: AtomicU64::new(0),
            words: [
                AtomicPtr::new(core::ptr::null_mut()),
                AtomicPtr::new(without_provenance_mut(flags as usize)),
                AtomicPtr::new(core::ptr::null_mut()),
            ],
        }
    }
}

static TABLE: [Entry; PLACES] = [const { Entry::with_flags(0) }; PLACES];
/// Of threads that there is no room for: they record nothing, and the recording ends.
static NO_ROOM: Entry = Entry::with_flags(BUSY);

/// This thread's entry.
#[inline(always)]
fn entry() -> &'static Entry {
    let base: u64;
    // SAFETY: programs that may not read it are not recorded.
    unsafe { asm!("rdfsbase {}", out(reg) base, options(nostack, preserves_flags, nomem)) };
    let key = base | 1;
    // Addresses of threads are multiples of 64.
    let mut place = ((base >> 6).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % PLACES;
    for _ in 0..PLACES {
        let entry = &TABLE[place];
        let mut found = entry.thread.load(Ordering::Relaxed);
        if found == 0 {
            // Only this thread has this key, so nobody else puts it elsewhere.
            found = entry.thread.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed).map_or_else(|it| it, |_| key);
        }
        if found == key {
            return entry;
        }
        place = (place + 1) % PLACES;
    }
    crate::current::stop(ENOMEM);
    &NO_ROOM
}

/// Reads a word of this thread's own.
#[inline(always)]
pub(super) fn get<const WORD: usize>() -> *mut Thread {
    entry().words[WORD].load(Ordering::Relaxed)
}

/// Writes a word of this thread's own.
#[inline(always)]
pub(super) fn set<const WORD: usize>(word: *mut Thread) {
    let entry = entry();
    if !core::ptr::eq(entry, &NO_ROOM) {
        entry.words[WORD].store(word, Ordering::Relaxed);
    }
}
