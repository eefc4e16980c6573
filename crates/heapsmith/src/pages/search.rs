//! Bitmaps of pages, and ways to find a free object in one.
//!
//! A bit is 1 while its object is free; object 0 is the lowest bit of the first word.
//!
//! | search | looks at | extra words |
//! |---|---|---|
//! | [`Linear`] | words up to the first with a bit, then its bits one by one | – |
//! | [`ByWord`] | words up to the first with a bit; zeros are counted | – |
//! | [`ByTree`] | one word a level; zeros are counted | one for every word's bits of words |
//! | [`Hardware`](super::Hardware) | nothing: the unit does; the bitmap goes in and out when the page changes | a word a class in the control words |
//!
//! A look at a bit counts as a visit, words read and written as accesses.
//! All find the lowest free object.
//!
//! Sources: Kamp 1995 (phkmalloc), as described by Li, Mohanty, Kavi, §II, for
//! the linear search; the others replace its loops by an instruction and a tree.

use core::fmt::Debug;

use crate::memory::Words;
use crate::sealed::Sealed;

/// Where a bitmap lies and which page it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bitmap {
    /// Index of its first word.
    pub at: usize,
    /// Objects in the page.
    pub objects: usize,
    /// The page's class.
    pub class: usize,
    /// What names the bitmap: the page's number, from 1, or its place where entries lie in pages.
    pub page: usize,
    /// Words from the bitmap of a page to that of the next number.
    pub stride: usize,
    /// Index of the control word that names the page whose bitmap a unit holds for this class,
    /// where a search has such words.
    pub held: usize,
}

impl Bitmap {
    /// Words of its bits.
    pub(super) fn words(&self, bits: usize) -> usize {
        self.objects.div_ceil(bits)
    }

    /// Whether `object` is free, unmetered.
    pub(super) fn is_free<W: Words>(&self, memory: &W, object: usize) -> bool {
        memory.peek(self.at + object / W::BITS) >> (object % W::BITS) & 1 != 0
    }

    /// Sets the bits of all objects.
    fn fill<W: Words>(&self, memory: &mut W) {
        fill(memory, self.at, self.objects);
    }

    /// The first word with a bit, and its number.
    #[inline(always)]
    fn first_word<W: Words>(&self, memory: &mut W) -> Option<(usize, usize)> {
        for number in 0..self.words(W::BITS) {
            memory.visit();
            let word = memory.load(self.at + number);
            if word != 0 {
                return Some((number, word));
            }
        }
        None
    }
}

/// Sets the first `count` bits from word `at` on, and clears the rest of the last word.
fn fill<W: Words>(memory: &mut W, at: usize, count: usize) {
    for number in 0..count.div_ceil(W::BITS) {
        let bits = (count - number * W::BITS).min(W::BITS);
        memory.store(at + number, usize::MAX >> (usize::BITS as usize - bits));
    }
}

/// A way to search bitmaps.
pub trait BitmapSearch: Debug + Sealed {
    /// Words of a bitmap for this many objects, in words of `bits` bits.
    fn words(objects: usize, bits: usize) -> usize {
        objects.div_ceil(bits)
    }

    /// Makes all objects free.
    fn fill<W: Words>(memory: &mut W, map: Bitmap) {
        map.fill(memory);
    }

    /// Control words that it needs besides those of every page heap.
    fn control_words(_classes: usize) -> usize {
        0
    }

    /// Takes the lowest free object.
    fn take<W: Words>(&mut self, memory: &mut W, map: Bitmap) -> Option<usize>;

    /// Makes an object free.
    #[inline(always)]
    fn put<W: Words>(&mut self, memory: &mut W, map: Bitmap, object: usize) {
        put(memory, map, object);
    }

    /// A page's objects are all free, and it becomes a page of no class.
    #[inline(always)]
    fn forget<W: Words>(&mut self, _memory: &mut W, _map: Bitmap) {}

    /// Whether the words beyond the bits agree with the bits, unmetered.
    fn agrees<W: Words>(_memory: &W, _map: Bitmap) -> bool {
        true
    }
}

/// Sets the bit of an object.
#[inline(always)]
pub(super) fn put<W: Words>(memory: &mut W, map: Bitmap, object: usize) {
    let at = map.at + object / W::BITS;
    let word = memory.load(at);
    memory.store(at, word | 1 << (object % W::BITS));
}

/// Bit by bit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linear;

impl Sealed for Linear {}

impl BitmapSearch for Linear {
    fn take<W: Words>(&mut self, memory: &mut W, map: Bitmap) -> Option<usize> {
        let (number, word) = map.first_word(memory)?;
        let mut bit = 0;
        loop {
            memory.visit();
            if word >> bit & 1 != 0 {
                memory.store(map.at + number, word & !(1 << bit));
                return Some(number * W::BITS + bit);
            }
            bit += 1;
        }
    }
}

/// Word by word, with a count of zeros in the word that has a bit.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByWord;

impl Sealed for ByWord {}

impl BitmapSearch for ByWord {
    #[inline(always)]
    fn take<W: Words>(&mut self, memory: &mut W, map: Bitmap) -> Option<usize> {
        let (number, word) = map.first_word(memory)?;
        memory.store(map.at + number, word & (word - 1));
        Some(number * W::BITS + word.trailing_zeros() as usize)
    }
}

/// A tree whose leaves are the bitmap: a bit of a node says whether the word below it has one.
///
/// ```text
///   root   1 1 0 0 0 0 0 1
///          │ │           └─▶ 0 0 1 …
///          │ └─▶ 0 1 1 …               leaves first in memory, root last
///          └─▶ 0 0 0 1 …
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ByTree;

/// More levels than any page has: 8192 objects in words of 16 bits have four.
const LEVELS: usize = 6;

/// The first word of every level, from the leaves up, and how many there are.
#[inline(always)]
fn levels(map: Bitmap, bits: usize) -> ([usize; LEVELS], usize) {
    let mut starts = [map.at; LEVELS];
    let (mut words, mut count) = (map.objects.div_ceil(bits), 1);
    while words > 1 && count < LEVELS {
        starts[count] = starts[count - 1] + words;
        words = words.div_ceil(bits);
        count += 1;
    }
    (starts, count)
}

impl Sealed for ByTree {}

impl BitmapSearch for ByTree {
    fn words(objects: usize, bits: usize) -> usize {
        let (mut words, mut all) = (objects.div_ceil(bits), 0);
        while words > 1 {
            all += words;
            words = words.div_ceil(bits);
        }
        all + 1
    }

    fn fill<W: Words>(memory: &mut W, map: Bitmap) {
        let (starts, count) = levels(map, W::BITS);
        let mut bits = map.objects;
        for &start in &starts[..count] {
            fill(memory, start, bits);
            bits = bits.div_ceil(W::BITS);
        }
    }

    fn take<W: Words>(&mut self, memory: &mut W, map: Bitmap) -> Option<usize> {
        let (starts, count) = levels(map, W::BITS);
        let mut place = 0;
        for &start in starts[..count].iter().rev() {
            memory.visit();
            let word = memory.load(start + place);
            if word == 0 {
                return None;
            }
            place = place * W::BITS + word.trailing_zeros() as usize;
        }
        let mut bit = place;
        for &start in &starts[..count] {
            let at = start + bit / W::BITS;
            let word = memory.load(at);
            let remainder = word & !(1 << (bit % W::BITS));
            memory.store(at, remainder);
            if remainder != 0 {
                break;
            }
            bit /= W::BITS;
        }
        Some(place)
    }

    fn put<W: Words>(&mut self, memory: &mut W, map: Bitmap, object: usize) {
        let (starts, count) = levels(map, W::BITS);
        let mut bit = object;
        for &start in &starts[..count] {
            let at = start + bit / W::BITS;
            let word = memory.load(at);
            memory.store(at, word | 1 << (bit % W::BITS));
            if word != 0 {
                break;
            }
            bit /= W::BITS;
        }
    }

    fn agrees<W: Words>(memory: &W, map: Bitmap) -> bool {
        let (starts, count) = levels(map, W::BITS);
        let mut words = map.objects.div_ceil(W::BITS);
        (1..count).all(|level| {
            let below = Bitmap { at: starts[level], objects: words, ..map };
            let agrees =
                (0..words).all(|word| below.is_free(memory, word) == (memory.peek(starts[level - 1] + word) != 0));
            words = words.div_ceil(W::BITS);
            agrees
        })
    }
}
