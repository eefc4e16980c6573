//! A program that computes what it allocates, with the clock that its events are stamped by.
//!
//! ```text
//!   allocate, free ──► an event at `now`, and `now` grows by `step`
//!   work(n)        ──► `now` grows by n: n words of its own data read or written
//! ```
//!
//! Programs without work of their own do something every microsecond. Programs with work
//! count it: one nanosecond for each word that they read from or write to their data, and
//! none for allocating, so that the time of the last event is the program's own work.

use heapsmith_trace::Nanoseconds;

use crate::tape::{Block, Site, Tape};

/// A program on its way.
pub(crate) struct Recorder<'s> {
    tape: Tape<'s>,
    now: u64,
    step: u64,
}

impl<'s> Recorder<'s> {
    /// A program that only allocates and frees, something every microsecond.
    pub fn without_work(tape: Tape<'s>) -> Recorder<'s> {
        Recorder { tape, now: 0, step: 1000 }
    }

    /// A program whose clock is its [`work`](Recorder::work).
    pub fn with_work(tape: Tape<'s>) -> Recorder<'s> {
        Recorder { tape, now: 0, step: 0 }
    }

    /// A program that nobody listens to.
    #[cfg(test)]
    pub fn unheard() -> Recorder<'static> {
        Recorder::with_work(Tape::new(Box::leak(Box::<heapsmith_trace::Trace>::default())))
    }

    /// Makes a name for the blocks of one kind.
    pub fn site(&mut self, name: &str) -> Site {
        self.tape.site(name)
    }

    /// Allocates.
    pub fn allocate(&mut self, site: Site, size: u64) -> Block {
        let block = self.tape.allocate(Nanoseconds(self.now), site, size);
        self.now += self.step;
        block
    }

    /// Frees.
    pub fn free(&mut self, block: Block) {
        self.tape.free(Nanoseconds(self.now), block);
        self.now += self.step;
    }

    /// Marks a place.
    pub fn mark(&mut self, label: &str) {
        self.tape.mark(Nanoseconds(self.now), label);
    }

    /// Reads and writes this many words of the program's own data.
    pub fn work(&mut self, words: u64) {
        self.now += words;
    }

    /// Whether nothing that it does from here on is in its trace.
    pub fn is_full(&self) -> bool {
        self.tape.is_full()
    }

    /// Marks the end, which records how much work there was.
    pub fn end(mut self) -> Tape<'s> {
        self.mark("end");
        self.tape
    }
}
