//! Call sites: where a block was asked for, and where it was freed, as return addresses.
//!
//! A stack that was seen has a number; its return addresses are in a table of fixed size, found by their hash. What
//! finds no room any more has the number 0, which is no stack.

use core::sync::atomic::{AtomicU64, Ordering};

use heapsmith_capture::stack::{Caller, hash};
use heapsmith_capture::unwind;

use crate::pages;

/// The most frames of a stack.
pub const MAX_FRAMES: usize = 16;

/// Stacks that the table has room for.
const STACKS: usize = 1 << 18;

/// Places that are tried for a stack.
const TRIES: usize = 64;

/// A stack: its hash, and its return addresses up to a 0.
#[derive(Debug)]
struct Stack {
    hash: AtomicU64,
    frames: [AtomicU64; MAX_FRAMES],
}

/// The stacks that were seen.
#[derive(Debug)]
pub struct Sites {
    table: &'static [Stack],
    frames: usize,
}

impl Sites {
    /// No stacks yet; of this many frames each.
    pub fn new(frames: usize) -> Option<Sites> {
        let room = (STACKS * size_of::<Stack>()).next_multiple_of(pages::SIZE);
        let table = pages::map(room)?.cast::<Stack>();
        unwind::prepare();
        // SAFETY: the pages are zeros, which are stacks without frames, and belong to the table for ever.
        let table = unsafe { core::slice::from_raw_parts(table, STACKS) };
        Some(Sites { table, frames: frames.clamp(1, MAX_FRAMES) })
    }

    /// The number of the caller's stack.
    pub fn number(&self, caller: Caller) -> u32 {
        if caller.is_none() {
            return 0;
        }
        let mut frames = [0; MAX_FRAMES];
        let Some(room) = frames.get_mut(..self.frames) else { return 0 };
        // SAFETY: the caller is that of a hook that has not returned.
        let count = unsafe { unwind::walk(caller, room) };
        let frames = frames.get(..count).unwrap_or_default();
        let hash = hash(frames);
        for step in 0..TRIES {
            let number = 1 + (hash as usize).wrapping_add(step) % (STACKS - 1);
            let Some(stack) = self.table.get(number) else { return 0 };
            match stack.hash.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    for (segment, frame) in stack.frames.iter().zip(frames) {
                        segment.store(*frame, Ordering::Relaxed);
                    }
                    return number as u32;
                }
                Err(there) if there == hash => return number as u32,
                Err(_) => {}
            }
        }
        0
    }

    /// The return addresses of a stack.
    pub fn frames(&self, number: u32) -> impl Iterator<Item = u64> {
        let stack = self.table.get(number as usize).filter(|_| number > 0);
        let frames = stack.map(|stack| &stack.frames[..]).unwrap_or_default();
        frames.iter().map(|frame| frame.load(Ordering::Relaxed)).take_while(|frame| *frame != 0)
    }
}
