//! Blocks that other threads freed, on their way back to the heap that they came from.
//!
//! ```text
//!   any thread ──push──▶ head ─▶ block ─▶ block ─▶ block      take ──▶ all of them, to who works on the heap
//! ```
//!
//! A list whose links are in the first word of each freed block. Blocks are pushed one by one and taken
//! all at once, so no block that was seen at the head can have left and come again in between: the list needs no
//! counters against that (the *ABA* problem of Treiber's stack, IBM RJ 5118, 1986).
//!
//! Invariants:
//!
//! - **R1** A block is on the list once: it was pushed by who freed it, and left with a take.
//! - **R2** What a thread wrote to a block before it pushed it is seen by who takes it.
//!
//! `tests/model.rs` lets a model checker try interleavings of both.

use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

/// The first word of a block that was freed.
#[derive(Debug)]
pub struct Link {
    next: *mut Link,
}

/// Where the list begins: an atomic pointer, or a model checker's.
pub trait Head: Default {
    /// The first block, as it may be by now.
    fn load(&self) -> *mut Link;
    /// Puts `new` before `expected`, if that is still the first; else what is. What was written before is published. All of these, the
    /// takes and the accesses of a [`Number`](crate::budget::Number) have one order ([`crate::owners`], W4).
    fn put(&self, expected: *mut Link, new: *mut Link) -> Result<(), *mut Link>;
    /// Takes the first, and all behind it, with what was published.
    fn take(&self) -> *mut Link;
}

impl Head for AtomicPtr<Link> {
    #[inline(always)]
    fn load(&self) -> *mut Link {
        self.load(Ordering::Relaxed)
    }

    fn put(&self, expected: *mut Link, new: *mut Link) -> Result<(), *mut Link> {
        self.compare_exchange_weak(expected, new, Ordering::SeqCst, Ordering::Relaxed).map(|_| ())
    }

    fn take(&self) -> *mut Link {
        self.swap(null_mut(), Ordering::SeqCst)
    }
}

/// The list.
#[derive(Debug, Default)]
pub struct RemoteFree<H: Head = AtomicPtr<Link>> {
    head: H,
}

impl<H: Head> RemoteFree<H> {
    /// Puts a block on the list.
    ///
    /// # Safety
    ///
    /// The block has room for a pointer at its start, aligned to it, and belongs to the caller, who gives it away.
    pub unsafe fn push(&self, block: NonNull<u8>) {
        let link = block.as_ptr().cast::<Link>();
        let mut head = self.head.load();
        loop {
            // SAFETY: the caller's promise; nobody else sees the block before the exchange.
            unsafe { link.write(Link { next: head }) };
            match self.head.put(head, link) {
                Ok(()) => return,
                Err(now) => head = now,
            }
        }
    }

    /// Whether there is nothing, as far as this thread can see.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.head.load().is_null()
    }

    /// Takes all blocks, the last pushed first.
    pub fn take(&self) -> Taken {
        Taken(self.head.take())
    }
}

/// The blocks of one take.
#[derive(Debug)]
pub struct Taken(*mut Link);

impl Iterator for Taken {
    type Item = NonNull<u8>;

    fn next(&mut self) -> Option<NonNull<u8>> {
        let block = NonNull::new(self.0)?;
        // SAFETY: the block is on the list that was taken, and nobody else's (R1, R2).
        self.0 = unsafe { block.as_ref().next };
        Some(block.cast())
    }
}
