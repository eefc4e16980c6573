//! The words of a region, read and written through a meter.
//!
//! Invariant M1: every index that a pool, an index or a layer passes here lies
//! below the region's length. They take indexes from headers and links, which
//! hold only what they wrote there themselves; a caller that breaks the
//! contract of `Heap::deallocate` breaks M1, which is why that is unsafe.
//! No safe code outside this crate reaches a [`Memory`] or a [`Words`]: the types
//! that hold one keep it private, the traits that pass one on are sealed or unsafe.

use core::ptr::NonNull;

use crate::meter::Meter;
use crate::sealed::Sealed;
use crate::source::Source;
use crate::word::Word;

/// Why a heap cannot be made over a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum RegionError {
    /// The base is not a multiple of the heap's word.
    Unaligned {
        /// The multiple that it must be, in bytes.
        word: usize,
    },
    /// The region does not hold the heap's own words and one smallest block.
    TooSmall {
        /// Bytes that the region must have at least.
        needed: usize,
        /// Bytes that it has.
        given: usize,
    },
    /// The alignment is not a power of two from the heap's word up to [`RegionError::MAX_ALIGNMENT`],
    /// or more than the heap below a layer promises.
    Alignment {
        /// Bytes that were asked for.
        given: usize,
    },
    /// A free list or a size class is of a size that blocks of this heap cannot have.
    BlockSizes,
    /// A layer was put before a heap whose blocks are in use.
    InUse,
    /// A layer with words of its own was put before several regions: it goes into each of them.
    SeveralRegions,
    /// The sizes of pages and objects do not fit together (`PageSizes`).
    PageSizes,
}

impl RegionError {
    /// The largest alignment that a heap can give all its payloads, in bytes.
    pub const MAX_ALIGNMENT: usize = 4096;
}

/// Whether a heap with words of `W` can align its payloads so.
pub(crate) fn check_alignment<W: Word>(given: usize) -> Result<(), RegionError> {
    let fits = given.is_power_of_two() && (W::BYTES..=RegionError::MAX_ALIGNMENT).contains(&given);
    if fits { Ok(()) } else { Err(RegionError::Alignment { given }) }
}

impl core::fmt::Display for RegionError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            RegionError::Unaligned { word } => {
                write!(f, "the region does not begin at a multiple of the heap's word of {word} bytes")
            }
            RegionError::TooSmall { needed, given } => write!(
                f,
                "the region has {given} bytes; this heap needs {needed} for its own words and one smallest block"
            ),
            RegionError::Alignment { given } => write!(
                f,
                "an alignment of {given} bytes is not a power of two from the heap's word to {}",
                RegionError::MAX_ALIGNMENT
            ),
            RegionError::BlockSizes => write!(f, "a list or class is of a size that no block of this heap has"),
            RegionError::InUse => write!(f, "a layer can only wrap an empty heap, and this one has used blocks"),
            RegionError::SeveralRegions => {
                write!(f, "a layer with words of its own goes into each region, not before several")
            }
            RegionError::PageSizes => {
                write!(f, "a page is a power of two, and an object one from the word to half a page")
            }
        }
    }
}

impl core::error::Error for RegionError {}

/// Access to the words of a region by index.
pub trait Words: Sealed {
    /// Bits in a word that hold a value.
    const BITS: usize;
    /// Words of the region now.
    fn count(&self) -> usize;
    /// Reads a word and meters it.
    fn load(&mut self, at: usize) -> usize;
    /// Writes a word and meters it.
    fn store(&mut self, at: usize, value: usize);
    /// Writes a word that is a measure and no metadata, unmetered.
    fn poke(&mut self, at: usize, value: usize);
    /// Reads a word for inspection, unmetered.
    fn peek(&self, at: usize) -> usize;
    /// Counts a visit: a search looks at a block.
    fn visit(&mut self);
    /// Meters an instruction of the search unit.
    fn unit(&mut self);
}

/// A region as words of `W`, with its source and its meter.
#[derive(Debug)]
pub struct Memory<W, S, M> {
    base: NonNull<W>,
    words: usize,
    /// The most words that the region may have.
    max: usize,
    source: S,
    /// The meter that counts accesses.
    pub meter: M,
}

// SAFETY: `base` points into memory that `source` owns exclusively.
unsafe impl<W, S: Send, M: Send> Send for Memory<W, S, M> {}

impl<W: Word, S: Source, M: Meter> Memory<W, S, M> {
    /// The words of the region that `source` supplies.
    pub fn new(source: S, meter: M) -> Result<Self, RegionError> {
        let base = source.base().cast::<W>();
        if !base.as_ptr().addr().is_multiple_of(W::BYTES) {
            return Err(RegionError::Unaligned { word: W::BYTES });
        }
        let words = (source.length() / W::BYTES).min(W::MAX_WORDS);
        Ok(Memory { base, words, max: W::MAX_WORDS, source, meter })
    }

    /// The same region, of which no more than `max` words are used.
    pub fn limited(self, max: usize) -> Self {
        Memory { words: self.words.min(max), max, ..self }
    }

    /// Makes the region at least `wanted` words long, if its source has them.
    #[inline]
    pub fn ensure_len(&mut self, wanted: usize) -> bool {
        wanted <= self.words || self.grow(wanted)
    }

    #[cold]
    fn grow(&mut self, wanted: usize) -> bool {
        if wanted > self.max {
            return false;
        }
        let length = self.source.grow(wanted * W::BYTES);
        self.words = (length / W::BYTES).min(self.max);
        wanted <= self.words
    }

    /// Bytes in the region: whole words.
    pub fn length(&self) -> usize {
        self.words * W::BYTES
    }

    /// Bytes that the source supplies.
    pub fn supplied(&self) -> usize {
        self.source.length()
    }

    /// Words that the region can ever have, for all that the source knows.
    pub fn limit(&self) -> usize {
        (self.source.limit() / W::BYTES).min(self.max)
    }

    /// Address of the region's first byte.
    pub fn base_address(&self) -> usize {
        self.base.as_ptr().addr()
    }

    /// The region's first byte.
    pub fn base(&self) -> NonNull<u8> {
        self.base.cast()
    }

    /// The pointer to word `at`.
    #[inline(always)]
    pub fn pointer(&self, at: usize) -> NonNull<u8> {
        debug_assert!(at < self.words);
        // SAFETY: M1.
        unsafe { self.base.add(at).cast() }
    }

    /// Reads byte `at` of the region, of which M1 holds too, and meters it as a word.
    #[inline(always)]
    pub fn load_byte(&mut self, at: usize) -> u8 {
        self.meter.read();
        self.peek_byte(at)
    }

    /// Writes byte `at` of the region and meters it as a word.
    #[inline(always)]
    pub fn store_byte(&mut self, at: usize, value: u8) {
        self.meter.write();
        debug_assert!(at < self.length());
        // SAFETY: M1. Other threads may read it meanwhile, as a word.
        #[cfg(not(feature = "shared"))]
        unsafe {
            self.base.cast::<u8>().add(at).write(value);
        }
        #[cfg(feature = "shared")]
        self.byte(at).store(value, core::sync::atomic::Ordering::Relaxed);
    }

    /// A byte that other threads read.
    #[cfg(feature = "shared")]
    #[inline(always)]
    fn byte(&self, at: usize) -> &core::sync::atomic::AtomicU8 {
        // SAFETY: M1, and all write it in this way.
        unsafe { core::sync::atomic::AtomicU8::from_ptr(self.base.cast::<u8>().add(at).as_ptr()) }
    }

    /// Reads byte `at` of the region, unmetered.
    #[inline(always)]
    pub fn peek_byte(&self, at: usize) -> u8 {
        debug_assert!(at < self.length());
        // SAFETY: M1, and a byte is written before any heap reads it.
        #[cfg(not(feature = "shared"))]
        unsafe {
            self.base.cast::<u8>().add(at).read()
        }
        #[cfg(feature = "shared")]
        self.byte(at).load(core::sync::atomic::Ordering::Relaxed)
    }

    /// Copies the word at `from` to `to`, and meters both. It may be one that was never written, which nothing may read.
    #[inline(always)]
    pub fn copy(&mut self, from: usize, to: usize) {
        self.meter.read();
        self.meter.write();
        debug_assert!(from < self.words && to < self.words);
        // SAFETY: M1, and the words are two. Bytes are copied, of which nothing need be known.
        #[cfg(not(feature = "shared"))]
        unsafe {
            self.base.add(from).copy_to_nonoverlapping(self.base.add(to), 1);
        }
        // Other threads may read the words meanwhile, whose region is written from the beginning.
        #[cfg(feature = "shared")]
        self.poke(to, self.peek(from));
    }

    /// The index of the word at `pointer`, which lies in the region.
    #[inline(always)]
    pub fn index(&self, pointer: NonNull<u8>) -> usize {
        (pointer.as_ptr().addr() - self.base_address()) / W::BYTES
    }
}

impl<W, S, M> Sealed for Memory<W, S, M> {}

impl<W: Word, S: Source, M: Meter> Words for Memory<W, S, M> {
    const BITS: usize = W::BITS;

    #[inline(always)]
    fn count(&self) -> usize {
        self.words
    }

    #[inline(always)]
    fn load(&mut self, at: usize) -> usize {
        self.meter.read();
        self.peek(at)
    }

    #[inline(always)]
    fn store(&mut self, at: usize, value: usize) {
        self.meter.write();
        self.poke(at, value);
    }

    #[inline(always)]
    fn poke(&mut self, at: usize, value: usize) {
        debug_assert!(at < self.words);
        // SAFETY: M1.
        unsafe { W::write(self.base.add(at).as_ptr(), W::from_usize(value)) }
    }

    #[inline(always)]
    fn peek(&self, at: usize) -> usize {
        debug_assert!(at < self.words);
        // SAFETY: M1, and a word is written before any heap reads it.
        unsafe { W::read(self.base.add(at).as_ptr()).to_usize() }
    }

    #[inline(always)]
    fn visit(&mut self) {
        self.meter.visit();
    }

    #[inline(always)]
    fn unit(&mut self) {
        self.meter.unit();
    }
}
