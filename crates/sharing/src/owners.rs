//! Threads that own spans, and the blocks of them that others freed: `threads=owned`.
//!
//! ```text
//!   a thread fetches blocks ──▶ from spans of its owner
//!   another frees one ──▶ the owner's queue ──taken as a whole, when a list of the owner's is empty──▶ its lists
//!                   └──no thread has that owner, or its queue is full──▶ as if the block were the freeing thread's own
//! ```
//!
//! A thread has one of [`Threads::OWNERS`] owners while it has lists, the one with the fewest threads. So a block that goes from
//! one thread to another comes back to where it is allocated next, without the lock of the pool.
//!
//! Which owner a block's span has decides where the block goes, and nothing else: any thread may have any block on its lists.
//!
//! Invariants:
//!
//! - **W1** A block is in one queue once, and of the lists' size that its span has (T2 of [`lists`](crate::lists)).
//! - **W2** `bytes` is never less than what is in the queue: it is added before a block is pushed, and subtracted after it was taken.
//! - **W3** A queue holds at most a thread's share ([`budget`](crate::budget)), as it was when the last block came, and one block for
//!   each thread that frees.
//! - **W4** No block waits for an owner without threads once nobody is about to push: who ends takes what is there, and who pushed and
//!   then sees that no thread is left does so too. Both see each other's step, or one of them does: the accesses have one order.
//!
//! Sources: Leijen, Zorn and de Moura 2019 (mimalloc: pages of threads, with a list of what others freed); Liétar and others 2019
//! (snmalloc: messages to the thread that allocated).

use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, AtomicUsize};

use heapsmith_spec::Threads;

use crate::budget::Number;
use crate::remote_free::{Head, Link, RemoteFree, Taken};

/// An owner, in a cache line of its own: those who free look at the number of threads, and push.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Owner<H: Head, N: Number> {
    threads: N,
    bytes: N,
    freed: RemoteFree<H>,
}

/// All owners.
#[derive(Debug)]
pub struct Owners<H: Head = AtomicPtr<Link>, N: Number = AtomicUsize> {
    each: [Owner<H, N>; Threads::OWNERS],
}

impl<H: Head, N: Number> Default for Owners<H, N> {
    fn default() -> Self {
        Owners { each: core::array::from_fn(|_| Owner::default()) }
    }
}

impl<H: Head, N: Number> Owners<H, N> {
    fn of(&self, owner: usize) -> Option<&Owner<H, N>> {
        self.each.get(owner.checked_sub(1)?)
    }

    /// A thread has lists from now on: its owner, from 1.
    pub fn thread_begins(&self) -> usize {
        let fewest = self.each.iter().enumerate().min_by_key(|(_, owner)| owner.threads.get());
        let owner = fewest.map_or(0, |(number, _)| number + 1);
        self.of(owner).into_iter().for_each(|owner| owner.threads.add(1));
        owner
    }

    /// A thread of this owner has none any more.
    pub fn thread_ends(&self, owner: usize) {
        self.of(owner).into_iter().for_each(|owner| owner.threads.add(1_usize.wrapping_neg()));
    }

    /// Whether no thread has this owner: then who asks takes what waits for it (W4).
    pub fn is_nobody(&self, owner: usize) -> bool {
        self.of(owner).is_some_and(|owner| owner.threads.get() == 0)
    }

    /// In a child of a fork: no thread is left but one with this owner, or with none.
    pub fn alone_with(&self, own: usize) {
        for (number, owner) in self.each.iter().enumerate() {
            owner.threads.add(usize::from(number + 1 == own).wrapping_sub(owner.threads.get()));
        }
    }

    /// Sends a block of `bytes` bytes to its owner, whose queue may hold `share`; false if it does not take it.
    ///
    /// # Safety
    ///
    /// As for [`RemoteFree::push`], if it is taken.
    pub unsafe fn send(&self, owner: usize, block: NonNull<u8>, bytes: usize, share: usize) -> bool {
        let Some(owner) = self.of(owner).filter(|owner| owner.threads.get() > 0 && owner.bytes.get() < share) else {
            return false;
        };
        owner.bytes.add(bytes);
        // SAFETY: the caller's promise.
        unsafe { owner.freed.push(block) };
        true
    }

    /// Whether nothing waits for this owner, as far as the calling thread can see.
    #[inline(always)]
    pub fn is_empty(&self, owner: usize) -> bool {
        self.of(owner).is_none_or(|owner| owner.freed.is_empty())
    }

    /// Takes what waits for this owner. Who takes it tells how many bytes it was ([`Owners::took`]).
    pub fn take(&self, owner: usize) -> Option<Taken> {
        Some(self.of(owner)?.freed.take())
    }

    /// Blocks of this many bytes were taken from an owner's queue.
    pub fn took(&self, owner: usize, bytes: usize) {
        self.of(owner).into_iter().for_each(|owner| owner.bytes.add(bytes.wrapping_neg()));
    }

    /// Bytes that wait for all owners but this one.
    pub fn waiting(&self, but: usize) -> usize {
        let others = self.each.iter().enumerate().filter(|(number, _)| number + 1 != but);
        others.map(|(_, owner)| owner.bytes.get()).sum()
    }
}
