//! What the threads of one process share: the file's header, and the list of their states.

use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::clock;
use crate::format::header;
use crate::reserve::{Reserve, restricted};
use crate::sample::Sample;
use crate::thread::Thread;

/// The states of a process: before its first event, while it makes the file, while it records, and when it does not.
pub(crate) const NEW: u32 = 0;
pub(crate) const BEGINNING: u32 = 1;
pub(crate) const ON: u32 = 2;
pub(crate) const OFF: u32 = 3;

/// Bytes of a path, with its final zero.
pub(crate) const LONGEST_PATH: usize = 4096;

/// The state of a process.
#[repr(C)]
pub struct Process {
    pub(crate) state: AtomicU32,
    /// Whether ticks are of the processor's counter.
    pub counter: AtomicBool,
    /// One block in `every` is recorded, and the seed that decides which.
    pub(crate) every: AtomicU64,
    pub(crate) seed: AtomicU64,
    /// Granules of the file that are taken.
    pub granules: AtomicU64,
    /// How many threads were seen.
    pub threads: AtomicU64,
    /// All states of threads, owned or not.
    pub first: AtomicPtr<Thread>,
    /// The file's header, mapped; null before the file is there.
    pub header: AtomicPtr<u64>,
    /// What there is to write to once the process may not ask the system any more.
    pub reserve: Reserve,
    pub(crate) path: core::cell::UnsafeCell<[u8; LONGEST_PATH]>,
}

impl Process {
    /// The path of the file, with a final zero.
    pub fn path(&self) -> *const c_char {
        self.path.get().cast()
    }

    /// Which blocks are recorded.
    pub(crate) fn sample(&self) -> Sample {
        Sample { seed: self.seed.load(Ordering::Relaxed), every: self.every.load(Ordering::Relaxed) }
    }

    /// Ends the recording: what is there stays valid.
    pub fn stop(&self, error: c_int) {
        self.header_word(header::STOP_TICKS)
            .store(clock::ticks(self.counter.load(Ordering::Relaxed)), Ordering::Release);
        self.header_word(header::STOPPED).store(error as u64, Ordering::Release);
        self.state.store(OFF, Ordering::Release);
    }

    /// Counts a block that no record can hold.
    pub fn count_unrecordable(&self) {
        self.header_word(header::UNRECORDABLE).fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that the process ends in order.
    pub fn end(&self) {
        // Before a command attached itself it worked, too. Of the clocks this one alone asks the kernel.
        if self.header_word(header::ATTACHED).load(Ordering::Relaxed) == 0 && !restricted() {
            self.note(header::PROCESSOR_TIME, clock::processor_time());
        }
        self.header_word(header::END_TIME).store(clock::nanoseconds(), Ordering::Release);
        let ticks = clock::ticks(self.counter.load(Ordering::Relaxed));
        self.header_word(header::END_TICKS).store(ticks, Ordering::Release);
    }

    /// Writes a word of the header.
    pub fn note(&self, word: usize, value: u64) {
        self.header_word(word).store(value, Ordering::Release);
    }

    /// A word of the header.
    pub fn header_word(&self, word: usize) -> &AtomicU64 {
        // SAFETY: a process that records has its header mapped, and `word` is one of it.
        unsafe { &*self.header.load(Ordering::Acquire).add(word).cast::<AtomicU64>() }
    }
}
