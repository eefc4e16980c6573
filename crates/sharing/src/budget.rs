//! What the lists of all threads may hold, so that memory is bounded by what is live: `threads=lists`.
//!
//! ```text
//!   handed out ──/ 8, at least FLOOR──▶ for all threads ──/ threads, at least FOR_THREAD──▶ a thread's share
//! ```
//!
//! A thread asks for its share when it visits the pool anyway, which is seldom. So the numbers may be a visit old: a thread that
//! sleeps keeps what was its share when it last was there.
//!
//! Invariant **B1**: with shares that are as old as the numbers, all threads together hold at most an eighth of what was
//! handed out, or [`Budget::FLOOR`], and [`Budget::FOR_THREAD`] for each of them. `tests/model.rs` lets a model checker try
//! interleavings of threads that ask and hand out.

use core::sync::atomic::{AtomicUsize, Ordering};

/// A number that threads share: an atomic one, or a model checker's.
pub trait Number: Default {
    /// The number, as it may be by now.
    fn get(&self) -> usize;
    /// Adds to it, or subtracts what wraps.
    fn add(&self, more: usize);
}

impl Number for AtomicUsize {
    #[inline(always)]
    fn get(&self) -> usize {
        self.load(Ordering::SeqCst)
    }

    #[inline(always)]
    fn add(&self, more: usize) {
        self.fetch_add(more, Ordering::SeqCst);
    }
}

/// The budget.
#[derive(Debug, Default)]
pub struct Budget<N: Number = AtomicUsize> {
    /// Bytes of the lists' blocks that the pool does not have: live, or on lists.
    out: N,
    /// Threads that have lists.
    threads: N,
    /// What the lists of one thread may hold, whatever their share: `threads=lists(N)`.
    max: Option<usize>,
}

impl Budget {
    /// What all lists may hold, however little is live.
    pub const FLOOR: usize = 4 << 20;
    /// What the lists of a thread may hold, however many threads there are.
    pub const FOR_THREAD: usize = 32 << 10;
    /// The part of what was handed out that lists may hold.
    pub const PART: usize = 8;
}

impl<N: Number> Budget<N> {
    /// A budget in which the lists of one thread hold at most `max` bytes; none where their share says so alone.
    pub fn within(max: Option<u32>) -> Self {
        Budget { max: max.map(|bytes| bytes as usize), ..Budget::default() }
    }

    /// The pool handed out blocks of this many bytes.
    #[inline(always)]
    pub fn handed_out(&self, bytes: usize) {
        self.out.add(bytes);
    }

    /// The pool took back blocks of this many bytes.
    #[inline(always)]
    pub fn taken_back(&self, bytes: usize) {
        self.out.add(bytes.wrapping_neg());
    }

    /// A thread has lists from now on.
    pub fn thread_begins(&self) {
        self.threads.add(1);
    }

    /// A thread has none any more.
    pub fn thread_ends(&self) {
        self.threads.add(1_usize.wrapping_neg());
    }

    /// Bytes that the lists of one thread may hold.
    pub fn share(&self) -> usize {
        // Blocks that were made another size, or came past the lists, are taken back as what was never handed out.
        let out = (self.out.get() as isize).max(0).unsigned_abs();
        let all = (out / Budget::PART).max(Budget::FLOOR);
        let share = (all / self.threads.get().max(1)).max(Budget::FOR_THREAD);
        self.max.map_or(share, |max| share.min(max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_past_the_lists_and_is_taken_back_raises_no_share() {
        let budget = Budget::<AtomicUsize>::default();
        budget.thread_begins();
        budget.taken_back(1 << 10);
        assert_eq!(budget.share(), Budget::FLOOR);
        budget.handed_out(1 << 30);
        assert_eq!(budget.share(), ((1 << 30) - (1 << 10)) / Budget::PART);
    }
}
