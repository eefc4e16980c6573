//! Handles of a buddy heap: master words and owner words.
//!
//! Master words lie in used blocks of the heap itself, which never move. An
//! unused master word links to the next unused one; a used one holds the payload
//! of its block. A block of master words links to the next such block with its
//! first word and is kept for good. Each is twice as large as the one before, if
//! that can be had without moving, since what never moves should lie together; only
//! for a block of the first size other blocks are moved.

use core::ptr::NonNull;

use crate::block::words_of;
use crate::buddy::blocks::{max_order, order_of};
use crate::buddy::{Buddies, Recombination, Start};
use crate::handles::{Handle, Handles, Moved};
use crate::heap::{Heap, Violation};
use crate::index::{broken, control};
use crate::memory::Words;
use crate::meter::Meter;
use crate::source::Source;
use crate::word::Word;

/// The order of the first block of master words: 29 of them.
const MASTERS: u32 = 5;

impl<W: Word, R: Recombination, S: Source, M: Meter, const HANDLES: bool, F: Start> Buddies<W, R, S, M, HANDLES, F> {
    /// The word that begins the list of unused master words.
    fn masters(&self) -> usize {
        let orders = max_order::<W>() + 1 - self.blocks.min;
        control::INDEX + R::LISTS * orders as usize
    }

    /// An unused master word, from a new block of them if need be.
    fn take_master(&mut self) -> Option<usize> {
        let list = self.masters();
        if self.blocks.memory.load(list) == 0 {
            self.make_masters()?;
        }
        let master = self.blocks.memory.load(list);
        let next = self.blocks.memory.load(master);
        self.blocks.memory.store(list, next);
        Some(master)
    }

    #[cold]
    fn make_masters(&mut self) -> Option<()> {
        let list = self.masters();
        let last = self.blocks.memory.load(list + 1);
        let min = MASTERS.max(self.blocks.min);
        let mut order = min;
        if last != 0 {
            order = order_of(self.blocks.load_header(last)) + 1;
        }
        let at = loop {
            let found = R::find(&mut self.blocks, order).map(|(at, _)| at);
            if let Some(at) = found.or_else(|| self.grow(order)) {
                break at;
            }
            if order == min {
                break self.defragment(order)?;
            }
            order -= 1;
        };
        self.blocks.write_used(at, order);
        let memory = &mut self.blocks.memory;
        let before = memory.load(list + 1);
        memory.store(at, before);
        memory.store(list + 1, at);
        let mut next = memory.load(list);
        for master in (at + 1..at + (1 << order) - Self::HEAD).rev() {
            memory.store(master, next);
            next = master;
        }
        memory.store(list, next);
        Some(())
    }

    /// Calls `visit` with every block of master words.
    pub(super) fn each_master_block(&self, mut visit: impl FnMut(usize)) {
        let mut at = if HANDLES { self.blocks.memory.peek(self.masters() + 1) } else { 0 };
        while at != 0 {
            visit(at);
            at = self.blocks.memory.peek(at);
        }
    }

    /// B6 for the used block `at`: 1 if it belongs to a handle by its owner word, else 0.
    pub(super) fn check_owner(&self, at: usize) -> Result<usize, Violation> {
        let owner = if HANDLES { self.blocks.memory.peek(at - Self::HEAD) } else { 0 };
        if owner == 0 {
            return Ok(0);
        }
        if owner >= self.blocks.memory.peek(control::TOP) || self.blocks.memory.peek(owner) != at {
            return Err(broken("B6: the owner of a block does not name it", at));
        }
        Ok(1)
    }

    /// B6 for the master words: `owners` used blocks name one, so as many at least are used.
    pub(super) fn check_masters(&self, owners: usize) -> Result<(), Violation> {
        if !HANDLES {
            return Ok(());
        }
        let mut all = 0;
        self.each_master_block(|at| all += words_of(self.blocks.peek_header(at)) - Self::HEAD - 1);
        let (mut unused, mut master) = (0, self.blocks.memory.peek(self.masters()));
        while master != 0 && unused <= all {
            unused += 1;
            master = self.blocks.memory.peek(master);
        }
        if unused + owners > all {
            return Err(broken("B6: more master words are in use than there are", self.masters()));
        }
        Ok(())
    }
}

// SAFETY: B6: a master word names the block that names it, and a pinned block names none, so that it is not moved.
unsafe impl<W: Word, R: Recombination, S: Source, M: Meter, F: Start> Handles for Buddies<W, R, S, M, true, F> {
    fn allocate_movable(&mut self, size: usize) -> Option<Handle> {
        let order = self.order(size, 1)?;
        let master = self.take_master()?;
        let Some(at) = self.allocate_order(order) else {
            let list = self.masters();
            let next = self.blocks.memory.load(list);
            self.blocks.memory.store(master, next);
            self.blocks.memory.store(list, master);
            return None;
        };
        self.blocks.memory.store(at - Self::HEAD, master);
        self.blocks.memory.store(master, at);
        Some(Handle(master))
    }

    fn reserve_handles(&mut self, handles: usize) -> bool {
        let (mut unused, mut master) = (0, self.blocks.memory.load(self.masters()));
        while master != 0 && unused < handles {
            unused += 1;
            master = self.blocks.memory.load(master);
        }
        while unused < handles {
            if self.make_masters().is_none() {
                return false;
            }
            let last = self.blocks.memory.load(self.masters() + 1);
            unused += words_of(self.blocks.memory.load(last - 1)) - Self::HEAD - 1;
        }
        true
    }

    unsafe fn free_movable(&mut self, handle: Handle) {
        let at = self.blocks.memory.load(handle.0);
        let list = self.masters();
        let next = self.blocks.memory.load(list);
        self.blocks.memory.store(handle.0, next);
        self.blocks.memory.store(list, handle.0);
        let pointer = self.blocks.memory.pointer(at);
        // SAFETY: by the caller's promise the handle is live, so its block is (B6).
        unsafe { self.deallocate(pointer) };
    }

    unsafe fn get(&self, handle: Handle) -> NonNull<u8> {
        self.blocks.memory.pointer(self.blocks.memory.peek(handle.0))
    }

    unsafe fn pin(&mut self, handle: Handle) -> NonNull<u8> {
        let at = self.blocks.memory.load(handle.0);
        self.blocks.memory.store(at - Self::HEAD, 0);
        self.blocks.memory.pointer(at)
    }

    unsafe fn unpin(&mut self, handle: Handle) {
        let at = self.blocks.memory.load(handle.0);
        self.blocks.memory.store(at - Self::HEAD, handle.0);
    }

    fn moved(&self) -> Moved {
        self.moved
    }

    fn max_moved(&self, size: usize) -> Option<usize> {
        self.order(size, 1).map(|order| self.max_words_moved(order) * W::BYTES)
    }
}
