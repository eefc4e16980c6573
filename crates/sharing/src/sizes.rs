//! Which list serves a request, and which holds a block.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicU16, Ordering};
use std::sync::Arc;

use heapsmith::parts::{SpanValues, words_of};
use heapsmith::{Heap, Word};
use heapsmith_spec::build::{lists_in_words, spans_in_words, words_for};
use heapsmith_spec::{Layer, Spans, Spec, WordSize};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
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
    held: Vec<Held>,
    by_request: Vec<u16>,
    found: Found,
}

/// How the list of a block is found, without the lock of its heap.
#[derive(Debug)]
enum Found {
    /// By the words in its header.
    Header { word: WordSize, by_words: Vec<u16> },
    /// By what the heap tells of the span that it is in.
    Unit(Units),
}

/// The class, from 1, and the owner of the span over each unit from `base` on ([`Heap::publish_classes`]).
#[derive(Debug)]
struct Units {
    base: usize,
    unit: usize,
    classes: Arc<Box<[AtomicU16]>>,
}

impl Units {
    /// Those of the span that a block is in; zeros for a block of no span.
    #[inline(always)]
    fn of(&self, block: NonNull<u8>) -> (usize, usize) {
        let at = block.as_ptr().addr().wrapping_sub(self.base) >> self.unit.ilog2();
        let [class, owner] = self.classes.get(at).map_or(0, |told| told.load(Ordering::Relaxed)).to_le_bytes();
        (class.into(), owner.into())
    }
}

/// What a heap tells of its blocks.
#[derive(Debug)]
pub struct Told(#[expect(dead_code, reason = "it keeps what the heap writes to")] Arc<Box<[AtomicU16]>>);

impl Sizes {
    /// The heap that is behind the lists, and the lists: those of the one layer, which is then not in the heap, or one for each class
    /// of its spans.
    pub fn split(spec: &Spec) -> (Spec, Option<Sizes>) {
        let mut pool = spec.clone();
        let sizes = match pool.layers.as_slice() {
            [Layer::FreeLists(layer)] => {
                let ranges = lists_in_words(spec, layer);
                pool.layers.clear();
                Sizes::of_lists(&pool, &ranges)
            }
            [Layer::Spans(layer)] => Sizes::of_classes(spec, layer),
            _ => return (pool, None),
        };
        (pool, Some(sizes))
    }

    /// The lists of free lists: blocks of these words, headers included, of `pool`.
    fn of_lists(pool: &Spec, ranges: &[(usize, usize)]) -> Sizes {
        let word = pool.word.bytes() as usize;
        let words = |request: usize| words_for(pool, request as u64);
        let held = ranges.iter().map_while(|(_, high)| {
            let serves = |request: &usize| words(*request).is_some_and(|words| words <= *high);
            let request = (1..=high * word).rev().find(serves).filter(|request| *request <= LARGEST)?;
            Some(Held::new(request, high * word))
        });
        let held: Vec<Held> = held.collect();
        let ranges = ranges.get(..held.len()).unwrap_or_default();
        let max = ranges.last().map_or(0, |(_, high)| *high);
        let by_words = (0..=max).map(|words| entry(ranges.iter().position(|(_, high)| *high == words))).collect();
        Sizes { by_request: by_request(&held, ranges, words), found: Found::Header { word: pool.word, by_words }, held }
    }

    /// A list for each class of spans, as far as an entry of [`Heap::publish_classes`] names them.
    fn of_classes(spec: &Spec, layer: &Spans) -> Sizes {
        let word = spec.word.bytes() as usize;
        let alignment = spec.alignment as usize;
        let ranges = spans_in_words(spec, layer);
        let blocks = ranges.iter().map(|(_, high)| high * word).take(usize::from(u8::MAX));
        let held: Vec<Held> =
            blocks.take_while(|bytes| *bytes <= LARGEST).map(|bytes| Held::new(bytes, bytes)).collect();
        let ranges = ranges.get(..held.len()).unwrap_or_default();
        let words = |request: usize| Some(request.next_multiple_of(alignment) / word);
        let unit = SpanValues::UNIT.min(layer.span as usize);
        Sizes {
            by_request: by_request(&held, ranges, words),
            found: Found::Unit(Units { base: 0, unit, classes: Arc::default() }),
            held,
        }
    }

    /// Has the heap behind the lists tell what they want to know of its blocks; what it tells, which has to live as long as it does.
    /// It was made of the spec of [`Sizes::split`] in a region of `length` bytes, and had no request yet.
    ///
    /// # Safety
    ///
    /// The heap is not used any more once what is returned is dropped.
    pub unsafe fn ask<H: Heap + ?Sized>(&mut self, heap: &mut H, length: usize) -> Option<Told> {
        let Found::Unit(Units { base, unit, classes }) = &mut self.found else { return None };
        let zeros = vec![0_u16; (length + SpanValues::UNIT) / *unit + 1].into_boxed_slice();
        // SAFETY: an atomic number is as the number, and nobody else has these.
        *classes = Arc::new(unsafe { Box::from_raw(Box::into_raw(zeros) as *mut [AtomicU16]) });
        *base = heap.base().as_ptr().addr() & !(SpanValues::UNIT - 1);
        // SAFETY: zeros, which stay where they are as long as the caller keeps them.
        let told = unsafe { heap.publish_classes(NonNull::from(&***classes)) };
        debug_assert!(told, "a heap of spans tells their classes");
        Some(Told(Arc::clone(classes)))
    }

    /// How many lists there are.
    pub fn count(&self) -> usize {
        self.held.len()
    }

    /// What each list holds, by its number.
    pub fn lists(&self) -> &[Held] {
        &self.held
    }

    /// The list for requests of 0, 4, 8 bytes and so on, up to the largest that a list serves; requests between two of them have
    /// that of the larger.
    pub fn by_request(&self) -> impl ExactSizeIterator<Item = Option<usize>> {
        self.by_request.iter().map(|list| number(*list))
    }

    /// The list of blocks of 0, 1, 2 words and so on, headers included; none where headers do not say.
    pub fn by_words(&self) -> Option<impl ExactSizeIterator<Item = Option<usize>>> {
        match &self.found {
            Found::Header { by_words, .. } => Some(by_words.iter().map(|list| number(*list))),
            Found::Unit(_) => None,
        }
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
        self.by_request.get(size.div_ceil(4)).and_then(|list| number(*list))
    }

    /// The list that holds this block.
    ///
    /// # Safety
    ///
    /// The block is the caller's own, and one of the heap that was asked ([`Sizes::ask`]).
    #[inline(always)]
    pub unsafe fn of_block(&self, block: NonNull<u8>) -> Option<usize> {
        match &self.found {
            Found::Header { word, by_words } => {
                // SAFETY: a header precedes every payload of a heap behind lists, and T2.
                let header = unsafe {
                    match word {
                        WordSize::Four => u32::read(block.as_ptr().cast::<u32>().sub(1)).to_usize(),
                        WordSize::Two | WordSize::Eight => u64::read(block.as_ptr().cast::<u64>().sub(1)).to_usize(),
                    }
                };
                by_words.get(words_of(header)).and_then(|list| number(*list))
            }
            Found::Unit(told) => {
                let (class, _) = told.of(block);
                class.checked_sub(1).filter(|list| *list < self.held.len())
            }
        }
    }

    /// The owner of the span that this block is in; 0 for nobody, and for a block of no span.
    ///
    /// # Safety
    ///
    /// As for [`Sizes::of_block`].
    #[inline(always)]
    pub unsafe fn owner_of(&self, block: NonNull<u8>) -> usize {
        match &self.found {
            Found::Header { .. } => 0,
            Found::Unit(told) => told.of(block).1,
        }
    }
}

impl Held {
    fn new(request: usize, bytes: usize) -> Held {
        let fetched = (FETCHED_BYTES / bytes).clamp(1, FETCHED);
        Held { request, bytes, max: (MAX_BYTES / bytes).clamp(2, MAX_BLOCKS), fetched }
    }
}

/// The list of each request, where a request of that many bytes takes these words.
fn by_request(held: &[Held], ranges: &[(usize, usize)], words: impl Fn(usize) -> Option<usize>) -> Vec<u16> {
    let list_of = |words: usize| ranges.iter().position(|(low, high)| (*low..=*high).contains(&words));
    let max = held.last().map_or(0, |held| held.request);
    (0..=max).step_by(4).map(|size| entry(words(size.max(1)).and_then(list_of))).collect()
}

/// The entry of a look-up for a list.
fn entry(list: Option<usize>) -> u16 {
    list.and_then(|list| u16::try_from(list).ok()).unwrap_or(NONE)
}

/// The number of a list from an entry of a look-up.
#[inline(always)]
fn number(entry: u16) -> Option<usize> {
    (entry != NONE).then_some(usize::from(entry))
}
