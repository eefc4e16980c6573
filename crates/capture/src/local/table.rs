//! The words of a thread in a table, by the address of the thread: the base of its segment register, which every thread of a
//! program has another one of.
//!
//! An entry whose thread has ended is that of the next thread at its address, and where all are taken, of any other. A forked child
//! sees an empty table: its parent's threads are not there, and their addresses may be those of its own.
//!
//! Cost: some ten instructions a word.

use core::arch::asm;
use core::ptr::{null_mut, without_provenance_mut};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use crate::local::BUSY;
use crate::pages::wiped_pages;
use crate::system::ENOMEM;
use crate::thread::Thread;

/// Threads that there is room for. Pages of the table that no thread is in take no memory.
const PLACES: usize = 1 << 16;

/// The words of a thread; zeros are an entry that nobody has.
struct Entry {
    /// Its address and 1, as the first thread's may be 0 before the program has set it; 0 for none.
    thread: AtomicU64,
    words: [AtomicPtr<Thread>; 3],
}

impl Entry {
    /// Whether its thread, if there is one, has nothing in it: it has ended, or has not begun to use it.
    fn is_idle(&self) -> bool {
        self.words.iter().all(|word| word.load(Ordering::Relaxed).is_null())
    }
}

/// The table, which lies in pages that a forked child sees as zeros; null before [`begin`].
static TABLE: AtomicPtr<[Entry; PLACES]> = AtomicPtr::new(null_mut());
/// Whether there were more threads at once than places: the recording has ended then.
static IS_FULL: AtomicBool = AtomicBool::new(false);
/// The entry of all threads then: none records anything.
static NO_ROOM: Entry = Entry {
    thread: AtomicU64::new(0),
    words: [
        AtomicPtr::new(null_mut()),
        AtomicPtr::new(without_provenance_mut(BUSY as usize)),
        AtomicPtr::new(null_mut()),
    ],
};

/// Makes the table; false where there is no memory for it.
pub fn begin() -> bool {
    let table: *mut [Entry; PLACES] = wiped_pages(size_of::<[Entry; PLACES]>()).cast();
    TABLE.store(table, Ordering::Relaxed);
    !table.is_null()
}

/// This thread's entry.
#[inline(always)]
fn entry() -> &'static Entry {
    let base: u64;
    // SAFETY: programs that may not read it are not recorded.
    unsafe { asm!("rdfsbase {}", out(reg) base, options(nostack, preserves_flags, nomem)) };
    let key = base | 1;
    // SAFETY: null, or a table that is never unmapped; zeros are a valid one.
    let table = unsafe { TABLE.load(Ordering::Relaxed).as_ref() };
    let Some(table) = table.filter(|_| !IS_FULL.load(Ordering::Relaxed)) else { return &NO_ROOM };
    // Addresses of threads are multiples of 64.
    let first = ((base >> 6).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % PLACES;
    let places = || table[first..].iter().chain(&table[..first]);
    for entry in places() {
        let mut found = entry.thread.load(Ordering::Relaxed);
        if found == 0 {
            found = entry.take(0, key);
        }
        if found == key {
            return entry;
        }
    }
    another(places(), key)
}

impl Entry {
    /// Takes an entry that `from` has for `key`; says who has it then. Only one thread has this key, so nobody else puts it elsewhere.
    fn take(&self, from: u64, key: u64) -> u64 {
        self.thread.compare_exchange(from, key, Ordering::Relaxed, Ordering::Relaxed).map_or_else(|it| it, |_| key)
    }
}

/// Takes the entry of a thread that has ended. Where none has, the recording ends.
#[cold]
fn another(mut places: impl Iterator<Item = &'static Entry>, key: u64) -> &'static Entry {
    let taken = places.find(|entry| entry.is_idle() && entry.take(entry.thread.load(Ordering::Relaxed), key) == key);
    taken.unwrap_or_else(|| {
        if !IS_FULL.swap(true, Ordering::Relaxed) {
            crate::current::stop(ENOMEM);
        }
        &NO_ROOM
    })
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
