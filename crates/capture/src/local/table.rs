//! The words of a thread in a table, by the address of the thread: the base of its segment register, which every thread of a
//! program has another one of.
//!
//! ```text
//!   place of an address ─▶ │ another's │ ended │ another's │ its own │   or a free one: then it is not there, and takes the ended one
//! ```
//!
//! A forked child sees an empty table: its parent's threads are not there, and their addresses may be those of its own.
//!
//! Invariants:
//!
//! - **L1**: a thread alone puts its address into the table, and alone takes it out, at its end; so it is there once.
//! - **L2**: an entry that was taken is never free again, only `ENDED`; so what lies behind it is found.
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

/// The table, which lies in pages that a forked child sees as zeros.
struct Table {
    /// Whether there were more threads at once than places: the recording has ended then.
    is_full: AtomicBool,
    entries: [Entry; PLACES],
}

/// The words of a thread.
struct Entry {
    /// [`FREE`], [`ENDED`], or the thread's address and 1, as the first thread's may be 0 before the program has set it.
    thread: AtomicU64,
    words: [AtomicPtr<Thread>; 3],
}

const FREE: u64 = 0;
const ENDED: u64 = 2;

/// Null before [`begin`].
static TABLE: AtomicPtr<Table> = AtomicPtr::new(null_mut());
/// The entry of all threads where there is no room: none records anything.
static NO_ROOM: Entry = Entry {
    thread: AtomicU64::new(FREE),
    words: [
        AtomicPtr::new(null_mut()),
        AtomicPtr::new(without_provenance_mut(BUSY as usize)),
        AtomicPtr::new(null_mut()),
    ],
};

/// Makes the table; false where there is no memory for it.
pub fn begin() -> bool {
    let table: *mut Table = wiped_pages(size_of::<Table>()).cast();
    TABLE.store(table, Ordering::Relaxed);
    !table.is_null()
}

/// The calling thread has ended; it has its words no more.
pub fn end() {
    let entry = entry();
    if !core::ptr::eq(entry, &NO_ROOM) {
        entry.words.iter().for_each(|word| word.store(null_mut(), Ordering::Relaxed));
        entry.thread.store(ENDED, Ordering::Release);
    }
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
    let Some(table) = table.filter(|table| !table.is_full.load(Ordering::Relaxed)) else { return &NO_ROOM };
    for entry in table.from(base) {
        match entry.thread.load(Ordering::Relaxed) {
            found if found == key => return entry,
            FREE => break,
            _ => {}
        }
    }
    table.take(base, key)
}

impl Table {
    /// All entries from that on which a thread's base comes to.
    #[inline(always)]
    fn from(&self, base: u64) -> impl Iterator<Item = &Entry> {
        // Addresses of threads are multiples of 64.
        let first = ((base >> 6).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % PLACES;
        self.entries[first..].iter().chain(&self.entries[..first])
    }

    /// Takes an entry for a thread that has none. Where there is no room, the recording ends.
    #[cold]
    fn take(&self, base: u64, key: u64) -> &Entry {
        loop {
            let mut best: Option<(&Entry, u64)> = None;
            for entry in self.from(base) {
                let found = entry.thread.load(Ordering::Relaxed);
                if found == ENDED || found == FREE {
                    best = best.or(Some((entry, found)));
                }
                if found == FREE {
                    break;
                }
            }
            let Some((entry, found)) = best else { break };
            if entry.thread.compare_exchange(found, key, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return entry;
            }
        }
        if !self.is_full.swap(true, Ordering::Relaxed) {
            crate::current::stop(ENOMEM);
        }
        &NO_ROOM
    }
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
