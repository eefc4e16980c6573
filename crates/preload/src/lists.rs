//! Free lists of each thread, before one pool for all: `threads=lists`.
//!
//! ```text
//!   thread ──▶ its lists ──none there──▶ lock ──▶ pool: a few blocks at once, where others may wait
//!                  ▲  └──too many──▶ lock ──▶ pool: half of them
//!               free, by any thread: a block goes to the lists of who freed it
//! ```
//!
//! The lists are those of the heap's layer `freelists`: the same block sizes, last in first out. A list of each thread
//! holds at most [`MAX_BYTES`], so what threads keep from each other is at most that for each thread and list; a thread
//! that ends gives all of it back.
//!
//! Invariants:
//!
//! - **T1** Lists are used by one thread; idle ones by none, and are empty.
//! - **T2** A block on a list is used in the pool, and of the list's size. Its size is read without the lock:
//!   the word is atomic (feature `shared` of `heapsmith`), and only its flags change while a block is used.

use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

use heapsmith::Word;
use heapsmith::block::words_of;
use heapsmith_spec::build::{lists_in_words, words_for};
use heapsmith_spec::{Layer, Spec, WordSize};

use crate::futex;
use crate::process::Process;

/// The most bytes on a list of one thread, and the most blocks.
const MAX_BYTES: usize = 32 << 10;
const MAX_BLOCKS: usize = 128;

/// Blocks that are fetched at once where threads may wait for each other, and their bytes at most.
const FETCHED: usize = 16;
const FETCHED_BYTES: usize = 4 << 10;

/// Requests above are served by the pool: the look-up has an entry for each four bytes.
const LARGEST: usize = 64 << 10;

const NONE: u16 = u16::MAX;

/// What a list holds.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// The largest request that its blocks serve, in bytes.
    request: usize,
    /// The most blocks.
    max: usize,
    /// Blocks that are fetched at once.
    fetched: usize,
}

/// From requests and blocks to lists.
#[derive(Debug)]
pub struct Sizes {
    word: WordSize,
    held: Vec<Held>,
    by_request: Vec<u16>,
    by_words: Vec<u16>,
}

impl Sizes {
    /// The heap without its lists, and the lists.
    pub fn split(spec: &Spec) -> (Spec, Option<Sizes>) {
        let mut pool = spec.clone();
        let Some(Layer::FreeLists(layer)) = pool.layers.pop() else { return (spec.clone(), None) };
        let ranges = lists_in_words(spec, &layer);
        let word = spec.word.bytes() as usize;
        let words = |request: usize| words_for(&pool, request as u64);
        let mut sizes = Sizes { word: spec.word, held: Vec::new(), by_request: Vec::new(), by_words: Vec::new() };
        for (_, high) in &ranges {
            let serves = |request: &usize| words(*request).is_some_and(|words| words <= *high);
            let Some(request) = (1..=high * word).rev().find(serves).filter(|request| *request <= LARGEST) else {
                break;
            };
            let bytes = high * word;
            sizes.held.push(Held {
                request,
                max: (MAX_BYTES / bytes).clamp(2, MAX_BLOCKS),
                fetched: (FETCHED_BYTES / bytes).clamp(1, FETCHED),
            });
        }
        let ranges = ranges.get(..sizes.held.len()).unwrap_or_default();
        let list_of = |words: usize| ranges.iter().position(|(low, high)| (*low..=*high).contains(&words));
        let entry = |list: Option<usize>| list.and_then(|list| u16::try_from(list).ok()).unwrap_or(NONE);
        let max = sizes.held.last().map_or(0, |held| held.request);
        sizes.by_request = (0..=max).step_by(4).map(|size| entry(words(size.max(1)).and_then(list_of))).collect();
        let max = ranges.last().map_or(0, |(_, high)| *high);
        sizes.by_words = (0..=max).map(|words| entry(ranges.iter().position(|(_, high)| *high == words))).collect();
        (pool, Some(sizes))
    }

    /// The list that serves a request.
    #[inline(always)]
    pub fn of_request(&self, size: usize) -> Option<usize> {
        self.by_request.get(size.div_ceil(4)).filter(|list| **list != NONE).map(|list| usize::from(*list))
    }

    /// The list that holds this block, of the pool; by its header.
    ///
    /// # Safety
    ///
    /// The block is the caller's own, and one of the pool.
    #[inline(always)]
    pub unsafe fn of_block(&self, block: NonNull<u8>) -> Option<usize> {
        // SAFETY: a header stands before every payload of a pool that lists stand before, and T2.
        let header = unsafe {
            match self.word {
                WordSize::Four => u32::read(block.as_ptr().cast::<u32>().sub(1)).to_usize(),
                WordSize::Two | WordSize::Eight => u64::read(block.as_ptr().cast::<u64>().sub(1)).to_usize(),
            }
        };
        self.by_words.get(words_of(header)).filter(|list| **list != NONE).map(|list| usize::from(*list))
    }
}

/// The first word of a block on a list.
struct Link {
    next: *mut Link,
}

/// A list.
#[derive(Clone, Copy)]
struct List {
    first: *mut Link,
    count: usize,
}

/// The lists of one thread.
pub struct Lists {
    each: Vec<List>,
    /// The next of the idle.
    idle: *mut Lists,
}

/// Lists whose thread has ended.
static IDLE: AtomicPtr<Lists> = AtomicPtr::new(null_mut());

impl Lists {
    /// Empty lists.
    pub fn new(process: &Process) -> Option<&'static mut Lists> {
        let count = process.lists.as_ref()?.held.len();
        let idle = process.registry.with(|| {
            // SAFETY: null, or idle lists, which the registry's holder alone takes (T1).
            let idle = unsafe { IDLE.load(Ordering::Relaxed).as_mut() }?;
            IDLE.store(idle.idle, Ordering::Relaxed);
            Some(idle)
        });
        Some(idle.unwrap_or_else(|| {
            let each = vec![List { first: null_mut(), count: 0 }; count];
            Box::leak(Box::new(Lists { each, idle: null_mut() }))
        }))
    }

    /// Takes a block off a list.
    #[inline(always)]
    pub fn pop(&mut self, list: usize) -> Option<NonNull<u8>> {
        let list = self.each.get_mut(list)?;
        let block = NonNull::new(list.first)?;
        // SAFETY: a block on a list of this thread (T1), with its link.
        list.first = unsafe { block.as_ref().next };
        list.count -= 1;
        Some(block.cast())
    }

    /// Fetches blocks of a list from the pool: one, or a few where other threads may wait; returns one of them.
    #[cold]
    pub fn fetch(&mut self, process: &Process, number: usize) -> Option<NonNull<u8>> {
        let held = *process.lists.as_ref()?.held.get(number)?;
        let count = if futex::alone() { 1 } else { held.fetched };
        process.first().work(|heap| {
            let block = heap.allocate(held.request, 1)?;
            for _ in 1..count {
                let Some(further) = heap.allocate(held.request, 1) else { break };
                self.link(number, further);
            }
            Some(block)
        })
    }

    /// Puts a block on a list, half of which goes to the pool when it is full.
    ///
    /// # Safety
    ///
    /// The block is used in the pool, of the list's size ([`Sizes::of_block`]), and the caller's own, who gives it away.
    #[inline(always)]
    pub unsafe fn push(&mut self, process: &Process, number: usize, block: NonNull<u8>) {
        self.link(number, block);
        let max = process.lists.as_ref().and_then(|sizes| sizes.held.get(number)).map_or(0, |held| held.max);
        if self.each.get(number).is_some_and(|list| list.count > max) {
            self.give(process, number, max / 2);
        }
    }

    #[inline(always)]
    fn link(&mut self, number: usize, block: NonNull<u8>) {
        let Some(list) = self.each.get_mut(number) else { return };
        let link = block.cast::<Link>();
        // SAFETY: the block belongs to this thread, and has 8 bytes at a multiple of 16.
        unsafe { link.write(Link { next: list.first }) };
        list.first = link.as_ptr();
        list.count += 1;
    }

    /// Gives blocks of a list to the pool until so many are left.
    #[cold]
    fn give(&mut self, process: &Process, number: usize, left: usize) {
        process.first().work(|heap| {
            while self.each.get(number).is_some_and(|list| list.count > left) {
                let Some(block) = self.pop(number) else { return };
                // SAFETY: T2, and no list has it any more.
                unsafe { heap.deallocate(block) };
            }
        });
    }

    /// Gives everything to the pool: the thread ends.
    pub fn give_up(&mut self, process: &Process) {
        self.empty(process);
        process.registry.with(|| {
            self.idle = IDLE.load(Ordering::Relaxed);
            IDLE.store(self, Ordering::Relaxed);
        });
    }

    /// Gives every block to the pool.
    pub fn empty(&mut self, process: &Process) {
        (0..self.each.len()).for_each(|number| self.give(process, number, 0));
    }
}
