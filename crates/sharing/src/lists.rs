//! Free lists of each thread, before one pool for all: `threads=lists`.
//!
//! ```text
//!   thread ──▶ its lists ──none there──▶ lock ──▶ pool: a few blocks at once, where others may wait
//!                  ▲  └──too many──▶ lock ──▶ pool: half of them
//!               free, by any thread: a block goes to the lists of who freed it
//! ```
//!
//! The lists are those of the heap's layer `freelists`, the same block sizes, last in first out, in place of that layer; or one for
//! each class of its spans, before it. What a thread may keep
//! from the others is its share of a budget ([`crate::budget`]): all lists of all threads hold at most an eighth of what was
//! handed out, or 4 MiB where that is more, and 32 KiB for each thread. A thread divides
//! its share among its lists as they need it: a list that overflows is granted more, of what is left or of what the next
//! list in turn has. A thread that ends gives everything back.
//!
//! Invariants:
//!
//! - **T1** Lists are used by one thread; idle ones by none, and are empty.
//! - **T2** A block on a list is used in the pool, and of the list's size. Its size is read without the lock: from its header,
//!   an atomic word (feature `shared` of `heapsmith`) of which only flags change while a block is used; or from what the pool tells
//!   of its span, whose class does not change while one of its blocks is used.
//! - **T3** `granted` is the sum over lists of what each is granted; a list holds no more than that. After each visit to
//!   the pool it is at most the thread's share, as it was then.
//!
//! Where spans have owners ([`crate::owners`]), a thread takes what others freed of its own before it fetches, which is from its own.

use core::ptr::{NonNull, null_mut};

use crate::owners::Owners;
use crate::route::{Arena, Shared};
use crate::sizes::Sizes;

/// The first word of a block on a list.
struct Link {
    next: *mut Link,
}

/// A list.
#[derive(Clone, Copy)]
struct List {
    first: *mut Link,
    count: usize,
    /// The blocks that it may hold.
    granted: usize,
}

/// The lists of one thread.
pub struct Lists {
    each: Vec<List>,
    /// Bytes that the lists may hold.
    granted: usize,
    /// The list whose grant is taken next.
    next: usize,
    /// The owner whose spans are the thread's; 0 where spans have none, and for lists of no thread.
    owner: usize,
}

impl Lists {
    /// Empty lists of these sizes.
    pub fn new(sizes: &Sizes) -> Lists {
        let each = vec![List { first: null_mut(), count: 0, granted: 0 }; sizes.count()];
        Lists { each, granted: 0, next: 0, owner: 0 }
    }

    /// A thread has these lists from now on.
    pub fn begin<S: Shared>(&mut self, shared: &S) {
        shared.budget().thread_begins();
        self.owner = shared.owners().map_or(0, Owners::thread_begins);
    }

    /// The thread ends: everything goes to the pool, and they are as new.
    pub fn end<S: Shared>(&mut self, shared: &S) {
        if let Some(owners) = shared.owners() {
            owners.thread_ends(self.owner);
            if owners.is_nobody(self.owner) {
                self.receive(shared, self.owner);
            }
            self.owner = 0;
        }
        self.empty(shared);
        shared.budget().thread_ends();
    }

    /// The owner whose spans are the thread's, or 0.
    pub fn owner(&self) -> usize {
        self.owner
    }

    /// Bytes of the blocks on the lists.
    pub fn bytes(&self, sizes: &Sizes) -> usize {
        self.each.iter().enumerate().map(|(number, list)| list.count * sizes.bytes(number)).sum()
    }

    /// Blocks on the lists.
    pub fn blocks(&self) -> usize {
        self.each.iter().map(|list| list.count).sum()
    }

    /// Takes a block off a list.
    #[inline(always)]
    pub fn pop<S: Shared>(&mut self, shared: &S, list: usize) -> Option<NonNull<u8>> {
        shared.accesses(1);
        let list = self.each.get_mut(list)?;
        let block = NonNull::new(list.first)?;
        shared.accesses(2);
        // SAFETY: a block on a list of this thread (T1), with its link.
        list.first = unsafe { block.as_ref().next };
        list.count -= 1;
        Some(block.cast())
    }

    /// Fetches blocks of a list from the pool: one, or a few where other threads may wait; returns one of them.
    #[cold]
    pub fn fetch<S: Shared>(&mut self, shared: &S, number: usize) -> Option<NonNull<u8>> {
        if self.receive(shared, self.owner)
            && let Some(block) = self.pop(shared, number)
        {
            return Some(block);
        }
        let held = shared.sizes()?.held(number)?;
        let count = if shared.is_alone() { 1 } else { held.fetched };
        if count > 1 {
            self.grant(shared, number, count);
        }
        let count = count.min(1 + self.each.get(number)?.granted);
        shared.first().work(|heap| {
            heap.serve(self.owner);
            let block = heap.allocate(held.request, 1);
            let mut fetched = usize::from(block.is_some());
            while (1..count).contains(&fetched)
                && let Some(further) = heap.allocate(held.request, 1)
            {
                self.link(shared, number, further);
                fetched += 1;
            }
            heap.serve(0);
            shared.budget().handed_out(fetched * held.bytes);
            block
        })
    }

    /// Takes what was freed of an owner by others. Whether there was something.
    fn receive<S: Shared>(&mut self, shared: &S, owner: usize) -> bool {
        let (Some(owners), Some(sizes)) = (shared.owners(), shared.sizes()) else { return false };
        shared.accesses(1);
        if owners.is_empty(owner) {
            return false;
        }
        let (mut bytes, mut blocks) = (0, 0);
        for block in owners.take(owner).into_iter().flatten() {
            shared.accesses(2);
            // SAFETY: W1: the block is this thread's now, and of the pool.
            let Some(list) = (unsafe { sizes.of_block(block) }) else { continue };
            bytes += sizes.bytes(list);
            blocks += 1;
            // SAFETY: the same, and T2.
            unsafe { self.keep(shared, list, block) };
        }
        owners.took(owner, bytes);
        shared.received(blocks);
        true
    }

    /// Sends a block to the thread whose span it is in; false where that is this one, or takes no more.
    ///
    /// # Safety
    ///
    /// As for [`Lists::push`], if it is sent.
    #[inline(always)]
    unsafe fn send<S: Shared>(&mut self, shared: &S, number: usize, block: NonNull<u8>) -> bool {
        let (Some(owners), Some(sizes)) = (shared.owners(), shared.sizes()) else { return false };
        // SAFETY: the caller's promise.
        let owner = unsafe { sizes.owner_of(block) };
        if owner == 0 || owner == self.owner {
            return false;
        }
        // SAFETY: the caller's promise; a block of a class has 16 bytes at a multiple of 16.
        let is_sent = unsafe { owners.send(owner, block, sizes.bytes(number), shared.budget().share()) };
        if is_sent {
            shared.sent();
            if owners.is_nobody(owner) {
                self.receive(shared, owner);
            }
        }
        is_sent
    }

    /// Puts a block on a list: the thread's own, or that of another whose span it is in.
    ///
    /// # Safety
    ///
    /// The block is used in the pool, of the list's size ([`Sizes::of_block`]), and the caller's own, who gives it away.
    #[inline(always)]
    pub unsafe fn push<S: Shared>(&mut self, shared: &S, number: usize, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe {
            if !self.send(shared, number, block) {
                self.keep(shared, number, block);
            }
        }
    }

    /// Puts a block on a list of the thread's own.
    ///
    /// # Safety
    ///
    /// As for [`Lists::push`].
    #[inline(always)]
    unsafe fn keep<S: Shared>(&mut self, shared: &S, number: usize, block: NonNull<u8>) {
        self.link(shared, number, block);
        if self.each.get(number).is_some_and(|list| list.count > list.granted) {
            self.overflow(shared, number);
        }
    }

    #[inline(always)]
    fn link<S: Shared>(&mut self, shared: &S, number: usize, block: NonNull<u8>) {
        shared.accesses(3);
        let Some(list) = self.each.get_mut(number) else { return };
        let link = block.cast::<Link>();
        // SAFETY: the block belongs to this thread, and has 8 bytes at a multiple of 16.
        unsafe { link.write(Link { next: list.first }) };
        list.first = link.as_ptr();
        list.count += 1;
    }

    /// Has a list that holds more than it may hold more, or gives half of it to the pool.
    #[cold]
    fn overflow<S: Shared>(&mut self, shared: &S, number: usize) {
        let Some(list) = self.each.get(number) else { return };
        let (count, granted) = (list.count, list.granted);
        self.grant(shared, number, count.max(2 * granted));
        if self.each.get(number).is_some_and(|list| list.granted < count) {
            self.give(shared, number, granted / 2);
        }
    }

    /// Lets a list hold `wanted` blocks, as far as the thread's share goes. What the share has not, the next list in turn gives.
    fn grant<S: Shared>(&mut self, shared: &S, number: usize, wanted: usize) {
        let Some(sizes) = shared.sizes() else { return };
        let share = shared.budget().share();
        if self.granted > share || wanted * sizes.bytes(number) > share - self.granted {
            self.reclaim(shared, number, share);
        }
        let (Some(held), Some(list)) = (sizes.held(number), self.each.get_mut(number)) else { return };
        let left = share.saturating_sub(self.granted) / held.bytes;
        let more = wanted.min(held.max).saturating_sub(list.granted).min(left);
        list.granted += more;
        self.granted += more * held.bytes;
    }

    /// Takes half of what the next list in turn may hold, and of further ones while more is granted than the share.
    fn reclaim<S: Shared>(&mut self, shared: &S, but: usize, share: usize) {
        let Some(sizes) = shared.sizes() else { return };
        let mut taken = false;
        for _ in 0..2 * self.each.len() {
            if taken && self.granted <= share {
                return;
            }
            self.next = (self.next + 1) % self.each.len();
            shared.accesses(2);
            let number = self.next;
            let over = self.granted > share;
            let Some(list) = self.each.get_mut(number).filter(|list| list.granted > 0) else { continue };
            if number == but && !over {
                continue;
            }
            let left = list.granted / 2;
            self.granted -= (list.granted - left) * sizes.bytes(number);
            list.granted = left;
            taken = true;
            if list.count > left {
                self.give(shared, number, left);
            }
        }
    }

    /// Gives blocks of a list to the pool until this many are left.
    #[cold]
    fn give<S: Shared>(&mut self, shared: &S, number: usize, left: usize) {
        let next = || {
            let more = self.each.get(number).is_some_and(|list| list.count > left);
            if more { self.pop(shared, number) } else { None }
        };
        // SAFETY: T2, and no list has them any more. No guard is behind lists.
        let count = unsafe { shared.first().take_back(next) };
        shared.budget().taken_back(count * shared.sizes().map_or(0, |sizes| sizes.bytes(number)));
    }

    /// Gives every block to the pool: they are as new.
    fn empty<S: Shared>(&mut self, shared: &S) {
        (0..self.each.len()).for_each(|number| self.give(shared, number, 0));
        self.each.iter_mut().for_each(|list| list.granted = 0);
        (self.granted, self.next) = (0, 0);
    }
}
