//! Bitmaps searched by a unit in hardware.
//!
//! ```text
//!            region                                unit (hardware/rtl/page_unit.sv)
//!   page 7, class 0   ██░█░░██…  ──── load ────▶   class 0   the bitmap of one page
//!   page 3, class 0   ░░██░░░░…  ◀─── store ───    class 1   the bitmap of one page
//!   held: 7, 4, …                                  …         allocate, free: one cycle
//! ```
//!
//! The unit holds the bitmap of one page of each class; a control word a class names it. An allocation
//! from another page stores the words of the old bitmap and loads those of the new one; then one
//! instruction finds the first free object and takes it. A free of an object in a held page is one
//! instruction without an answer; in any other page it is the same two accesses as without a unit.
//!
//! # Cost
//!
//! | | unit | accesses |
//! |---|---|---|
//! | allocate, page held | 1 cycle | 1: which page is held |
//! | allocate, page changes | 1 + a cycle a word out and in | 2 + a word out and in |
//! | free, page held | 1 cycle | 1 |
//! | free, other page | – | 3 |
//!
//! While a page is held a real unit ([`Custom0`](super::Custom0), [`Mmio`](super::Mmio)) alone has its bits, and the region's words are older. [`Emulated`] keeps
//! them as they will be when the unit has stored them (unmetered), so that every heap can be checked and
//! walked, and answers from them; a unit that is simulated is driven next to it.
//!
//! Source: Li, Mohanty, Kavi, "A page-based hybrid (software-hardware) dynamic memory allocator", §III.
//! When a bitmap is loaded and stored is not said there.

use core::fmt::Debug;

use crate::memory::Words;
use crate::pages::search::{self, Bitmap, BitmapSearch};
use crate::sealed::Sealed;

/// The instructions of a search unit. It holds a bitmap a class.
///
/// # Safety
///
/// [`Unit::allocate`] returns an object of the page whose bit is set, and clears it; the words that an
/// implementation reads or writes are those of the bitmap in its argument. No method unwinds while the heap is
/// used further.
pub unsafe trait Unit: Debug {
    /// Takes the lowest free object of the page held for `map`'s class.
    fn allocate<W: Words>(&mut self, memory: &mut W, map: Bitmap) -> Option<usize>;

    /// Makes an object of the page held for `map`'s class free.
    fn free<W: Words>(&mut self, memory: &mut W, map: Bitmap, object: usize);

    /// Writes word `number` of the bitmap held for `map`'s class.
    fn load(&mut self, map: Bitmap, number: usize, word: usize);

    /// Reads word `number` of the bitmap held for `map`'s class.
    fn store<W: Words>(&mut self, memory: &W, map: Bitmap, number: usize) -> usize;
}

/// The unit as the heap alone has it: it answers from the words in the region.
#[derive(Clone, Copy, Debug, Default)]
pub struct Emulated;

// SAFETY: it finds a set bit in the bitmap, and changes that bit.
unsafe impl Unit for Emulated {
    #[inline]
    fn allocate<W: Words>(&mut self, memory: &mut W, map: Bitmap) -> Option<usize> {
        let object = (0..map.words(W::BITS)).find_map(|number| {
            let word = memory.peek(map.at + number);
            (word != 0).then(|| number * W::BITS + word.trailing_zeros() as usize)
        })?;
        change(memory, map, object, false);
        Some(object)
    }

    #[inline]
    fn free<W: Words>(&mut self, memory: &mut W, map: Bitmap, object: usize) {
        change(memory, map, object, true);
    }

    #[inline]
    fn load(&mut self, _map: Bitmap, _number: usize, _word: usize) {}

    #[inline]
    fn store<W: Words>(&mut self, memory: &W, map: Bitmap, number: usize) -> usize {
        memory.peek(map.at + number)
    }
}

/// Changes the bit of an object, unmetered.
fn change<W: Words>(memory: &mut W, map: Bitmap, object: usize, free: bool) {
    let (at, bit) = (map.at + object / W::BITS, 1 << (object % W::BITS));
    let word = memory.peek(at);
    memory.poke(at, if free { word | bit } else { word & !bit });
}

/// By a unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hardware<U = Emulated> {
    /// The unit.
    pub unit: U,
}

impl<U: Unit> Hardware<U> {
    /// Makes the unit hold the bitmap `map`.
    #[inline(always)]
    fn hold<W: Words>(&mut self, memory: &mut W, map: Bitmap) {
        let held = memory.load(map.held);
        if held != map.page {
            self.exchange(memory, map, held);
        }
    }

    /// Stores the bitmap that the unit holds where it belongs.
    pub(super) fn release<W: Words>(&mut self, memory: &mut W, map: Bitmap) {
        for number in 0..map.words(W::BITS) {
            memory.unit();
            let word = self.unit.store(memory, map, number);
            memory.store(map.at + number, word);
        }
    }

    /// Stores the bitmap of page `held`, if it is one, and loads `map`.
    fn exchange<W: Words>(&mut self, memory: &mut W, map: Bitmap, held: usize) {
        if held != 0 {
            let old = Bitmap { at: map.at + held * map.stride - map.page * map.stride, page: held, ..map };
            self.release(memory, old);
        }
        for number in 0..map.words(W::BITS) {
            memory.unit();
            let word = memory.load(map.at + number);
            self.unit.load(map, number, word);
        }
        memory.store(map.held, map.page);
    }
}

impl<U> Sealed for Hardware<U> {}

impl<U: Unit> BitmapSearch for Hardware<U> {
    fn control_words(classes: usize) -> usize {
        classes
    }

    #[inline(always)]
    fn take<W: Words>(&mut self, memory: &mut W, map: Bitmap) -> Option<usize> {
        self.hold(memory, map);
        memory.unit();
        self.unit.allocate(memory, map)
    }

    #[inline(always)]
    fn put<W: Words>(&mut self, memory: &mut W, map: Bitmap, object: usize) {
        if memory.load(map.held) == map.page {
            memory.unit();
            self.unit.free(memory, map, object);
        } else {
            search::put(memory, map, object);
        }
    }

    #[inline(always)]
    fn forget<W: Words>(&mut self, memory: &mut W, map: Bitmap) {
        if memory.load(map.held) == map.page {
            memory.store(map.held, 0);
        }
    }
}
