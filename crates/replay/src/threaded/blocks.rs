//! The blocks of a threaded replay, by their numbers.
//!
//! Invariant **N1**: a place holds what an arena returned for it and nothing else, with the number of that arena, and is emptied when its
//! block is freed. So no block is freed twice, and none that no arena returned.

use std::ptr::NonNull;

use heapsmith_sharing::{allocate, free};

use super::arena::CountedArena;
use super::process::Process;

/// A block that the program has.
#[derive(Debug, Clone, Copy)]
pub(super) enum Block {
    /// In an arena of this number.
    In { arena: usize, at: NonNull<u8> },
    /// Mapped by itself, with this many bytes asked for.
    Mapped { requested: usize },
}

/// The blocks.
pub(super) struct Blocks {
    all: Vec<Option<Block>>,
}

impl Blocks {
    pub fn new(count: usize) -> Self {
        Blocks { all: vec![None; count] }
    }

    /// The block at a place.
    pub fn get(&self, place: u32) -> Option<Block> {
        self.all[place as usize]
    }

    /// Notes a block that was mapped by itself.
    pub fn map(&mut self, place: u32, requested: usize) {
        self.all[place as usize] = Some(Block::Mapped { requested });
    }

    /// Asks for a block for the thread whose turn it is; whether there was one.
    pub fn allocate(&mut self, process: &Process<'_>, place: u32, size: usize, alignment: usize) -> bool {
        let Some(at) = allocate(process, size.max(1), alignment) else { return false };
        let Some(arena) = process.arena_of(at) else { return false };
        self.put(process, place, arena, at, size);
        true
    }

    /// Notes a block of this many bytes, which the program writes to.
    fn put(&mut self, process: &Process<'_>, place: u32, arena: usize, at: NonNull<u8>, size: usize) {
        self.all[place as usize] = Some(Block::In { arena, at });
        let home = &process.arenas[arena];
        home.written(at, size);
        // SAFETY: N1.
        home.in_blocks.set(home.in_blocks.get() + unsafe { home.block_size(at) });
    }

    /// Takes a block from its place and from what its arena has in blocks; none where there is none in an arena.
    fn take<'p, 'h>(&mut self, process: &'p Process<'h>, place: u32) -> Option<(&'p CountedArena<'h>, NonNull<u8>)> {
        let Some(Block::In { arena, at }) = self.all[place as usize].take() else { return None };
        let home = &process.arenas[arena];
        // SAFETY: N1.
        home.in_blocks.set(home.in_blocks.get() - unsafe { home.block_size(at) });
        Some((home, at))
    }

    /// Frees a block for the thread whose turn it is.
    pub fn free(&mut self, process: &Process<'_>, place: u32) {
        if let Some((home, at)) = self.take(process, place) {
            // SAFETY: N1; it has left its place.
            unsafe { free(process, home, at) };
        }
    }

    /// Makes a block in an arena another size, in place or by moving it; whether it could be.
    pub fn reallocate(&mut self, process: &Process<'_>, place: u32, size: usize) -> bool {
        let Some(Block::In { arena, at }) = self.get(place) else { return false };
        let (home, size) = (&process.arenas[arena], size.max(1));
        // SAFETY: N1. What its arena has in blocks is the old size, until the heap changes it.
        let before = unsafe { home.block_size(at) };
        // SAFETY: N1; the place takes what replaces it.
        if let Some(resized) = unsafe { home.reallocate(at, size) } {
            home.in_blocks.set(home.in_blocks.get() - before);
            self.put(process, place, arena, resized, size);
            return true;
        }
        let Some(moved) = allocate(process, size, 1) else { return false };
        self.free(process, place);
        match process.arena_of(moved) {
            Some(arena) => self.put(process, place, arena, moved, size),
            None => return false,
        }
        true
    }
}

/// The arena of a block, by its address: regions are apart.
impl Process<'_> {
    fn arena_of(&self, at: NonNull<u8>) -> Option<usize> {
        let at = at.as_ptr().addr();
        // The thread's own arena first: it is asked for most.
        let own = self.own_number();
        let holds = |number: usize| self.regions[number].contains(&at);
        if holds(own) { Some(own) } else { (0..self.arenas.len()).find(|number| holds(*number)) }
    }
}
