//! Which list serves a request, and which holds a block.

use core::ptr::NonNull;

use heapsmith::Word;
use heapsmith::parts::words_of;
use heapsmith_spec::build::{lists_in_words, words_for};
use heapsmith_spec::{Layer, Spec, WordSize};

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
pub(crate) struct Held {
    /// The largest request that its blocks serve, in bytes.
    pub request: usize,
    /// Bytes of a block.
    pub bytes: usize,
    /// The most blocks.
    pub max: usize,
    /// Blocks that are fetched at once.
    pub fetched: usize,
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

    /// How many lists there are.
    pub fn count(&self) -> usize {
        self.held.len()
    }

    /// What a list holds.
    pub(crate) fn held(&self, list: usize) -> Option<Held> {
        self.held.get(list).copied()
    }

    /// Bytes of a block of a list.
    pub fn bytes(&self, list: usize) -> usize {
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
