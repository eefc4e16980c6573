//! Free lists of each thread, before one pool for all: `threads=lists`.
//!
//! ```text
//!   thread ──▶ its lists ──none there──▶ lock ──▶ pool: a few blocks at once, where others may wait
//!                  ▲  └──too many──▶ lock ──▶ pool: half of them
//!               free, by any thread: a block goes to the lists of who freed it
//! ```
//!
//! The lists are those of the heap's layer `freelists`: the same block sizes, last in first out. What a thread may keep
//! from the others is its share of a budget ([`crate::budget`]): all lists of all threads hold at most an eighth of what was
//! handed out, or 4 MiB where that is more, and 32 KiB for each thread. A thread divides
//! its share among its lists as they need it: a list that overflows is granted more, of what is left or of what the next
//! list in turn has. A thread that ends gives everything back.
//!
//! Invariants:
//!
//! - **T1** Lists are used by one thread; idle ones by none, and are empty.
//! - **T2** A block on a list is used in the pool, and of the list's size. Its size is read without the lock:
//!   the word is atomic (feature `shared` of `heapsmith`), and only its flags change while a block is used.
//! - **T3** `granted` is the sum over lists of what each is granted; a list holds no more than that. After each visit to
//!   the pool it is at most the thread's share, as it was then.

use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

use heapsmith::Word;
use heapsmith::parts::words_of;
use heapsmith_spec::build::{lists_in_words, words_for};
use heapsmith_spec::{Layer, Spec, WordSize};

use crate::futex;
use crate::process::Process;

/// The most bytes on a list of one thread, and the most blocks, whatever the share.
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
    /// Bytes of a block.
    bytes: usize,
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
                bytes,
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

    /// Bytes of a block of a list.
    fn bytes(&self, list: usize) -> usize {
        self.held.get(list).map_or(0, |held| held.bytes)
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
        // SAFETY: a header precedes every payload of a pool behind lists, and T2.
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
    /// The next of the idle.
    idle: *mut Lists,
}

/// Lists whose thread has ended.
static IDLE: AtomicPtr<Lists> = AtomicPtr::new(null_mut());

impl Lists {
    /// Empty lists.
    pub fn new(process: &Process) -> Option<&'static mut Lists> {
        let count = process.lists.as_ref()?.held.len();
        process.budget.thread_begins();
        let idle = process.registry.with(|| {
            // SAFETY: null, or idle lists, which the registry's holder alone takes (T1).
            let idle = unsafe { IDLE.load(Ordering::Relaxed).as_mut() }?;
            IDLE.store(idle.idle, Ordering::Relaxed);
            Some(idle)
        });
        Some(idle.unwrap_or_else(|| {
            let each = vec![List { first: null_mut(), count: 0, granted: 0 }; count];
            Box::leak(Box::new(Lists { each, granted: 0, next: 0, idle: null_mut() }))
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
        if count > 1 {
            self.grant(process, number, count);
        }
        let count = count.min(1 + self.each.get(number)?.granted);
        process.first().work(|heap| {
            let block = heap.allocate(held.request, 1)?;
            let mut fetched = 1;
            while fetched < count
                && let Some(further) = heap.allocate(held.request, 1)
            {
                self.link(number, further);
                fetched += 1;
            }
            process.budget.handed_out(fetched * held.bytes);
            Some(block)
        })
    }

    /// Puts a block on a list.
    ///
    /// # Safety
    ///
    /// The block is used in the pool, of the list's size ([`Sizes::of_block`]), and the caller's own, who gives it away.
    #[inline(always)]
    pub unsafe fn push(&mut self, process: &Process, number: usize, block: NonNull<u8>) {
        self.link(number, block);
        if self.each.get(number).is_some_and(|list| list.count > list.granted) {
            self.overflow(process, number);
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

    /// Has a list that holds more than it may hold more, or gives half of it to the pool.
    #[cold]
    fn overflow(&mut self, process: &Process, number: usize) {
        let Some(list) = self.each.get(number) else { return };
        let (count, granted) = (list.count, list.granted);
        self.grant(process, number, count.max(2 * granted));
        if self.each.get(number).is_some_and(|list| list.granted < count) {
            self.give(process, number, granted / 2);
        }
    }

    /// Lets a list hold `wanted` blocks, as far as the thread's share goes. What the share has not, the next list in turn gives.
    fn grant(&mut self, process: &Process, number: usize, wanted: usize) {
        let Some(sizes) = &process.lists else { return };
        let share = process.budget.share();
        if self.granted > share || wanted * sizes.bytes(number) > share - self.granted {
            self.reclaim(process, number, share);
        }
        let (Some(held), Some(list)) = (sizes.held.get(number), self.each.get_mut(number)) else { return };
        let left = share.saturating_sub(self.granted) / held.bytes;
        let more = wanted.min(held.max).saturating_sub(list.granted).min(left);
        list.granted += more;
        self.granted += more * held.bytes;
    }

    /// Takes half of what the next list in turn may hold, and of further ones while more is granted than the share.
    fn reclaim(&mut self, process: &Process, but: usize, share: usize) {
        let Some(sizes) = &process.lists else { return };
        let mut taken = false;
        for _ in 0..2 * self.each.len() {
            if taken && self.granted <= share {
                return;
            }
            self.next = (self.next + 1) % self.each.len();
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
                self.give(process, number, left);
            }
        }
    }

    /// Gives blocks of a list to the pool until this many are left.
    #[cold]
    fn give(&mut self, process: &Process, number: usize, left: usize) {
        let next = || {
            let more = self.each.get(number).is_some_and(|list| list.count > left);
            if more { self.pop(number) } else { None }
        };
        // SAFETY: T2, and no list has them any more. No guard is behind lists.
        let count = unsafe { process.first().take_back(next) };
        process.budget.taken_back(count * process.lists.as_ref().map_or(0, |sizes| sizes.bytes(number)));
    }

    /// Gives everything to the pool: the thread ends.
    pub fn give_up(&mut self, process: &Process) {
        self.empty(process);
        process.budget.thread_ends();
        process.registry.with(|| {
            self.idle = IDLE.load(Ordering::Relaxed);
            IDLE.store(self, Ordering::Relaxed);
        });
    }

    /// Gives every block to the pool.
    pub fn empty(&mut self, process: &Process) {
        (0..self.each.len()).for_each(|number| self.give(process, number, 0));
        self.each.iter_mut().for_each(|list| list.granted = 0);
        self.granted = 0;
    }
}
