//! The heap's word: the unit of headers, links and control words.
//!
//! | word | largest region | for |
//! |---|---|---|
//! | 2 bytes (`u16`) | 32 KiB − 2 | 8- and 16-bit controllers |
//! | 4 bytes (`u32`) | 4 GiB − 4 | 32-bit targets, and compact heaps elsewhere |
//! | 8 bytes (`u64`) | 2⁵⁶ bytes | 64-bit programs |
//!
//! A header keeps a size in words and two status bits, which leaves 14, 30 or
//! 62 bits for the size: that is where the limits come from.

use crate::sealed::Sealed;

impl Sealed for u16 {}
impl Sealed for u32 {}
impl Sealed for u64 {}

/// A word of the heap: `u16`, `u32` or `u64`.
pub trait Word: Copy + core::fmt::Debug + Sealed + 'static {
    /// Bytes in a word.
    const BYTES: usize;
    /// Bits in a word that hold a value: words are computed with as `usize`, so that a word of
    /// eight bytes carries half of its bits on a 32-bit host.
    const BITS: usize = if Self::BYTES * 8 < usize::BITS as usize { Self::BYTES * 8 } else { usize::BITS as usize };
    /// The largest region, in words: every size and every link below it fits a header.
    const MAX_WORDS: usize;
    /// The word that holds `value`, which is at most four times [`Word::MAX_WORDS`].
    fn from_usize(value: usize) -> Self;
    /// The value that the word holds.
    fn to_usize(self) -> usize;
    /// Reads the word at `place`: at once, where the feature `shared` is on.
    ///
    /// # Safety
    ///
    /// The place holds a word, is aligned to it, and no other thread writes it meanwhile, or with
    /// [`Word::write`] and the feature.
    unsafe fn read(place: *mut Self) -> Self;
    /// Writes the word at `place`: at once, where the feature `shared` is on.
    ///
    /// # Safety
    ///
    /// As for [`Word::read`]; other threads read it only through [`Word::read`].
    unsafe fn write(place: *mut Self, word: Self);
}

macro_rules! word {
    ($type:ty, $atomic:ty, $max:expr) => {
        impl Word for $type {
            const BYTES: usize = size_of::<$type>();
            const MAX_WORDS: usize = $max;
            #[inline(always)]
            fn from_usize(value: usize) -> Self {
                value as $type
            }
            #[inline(always)]
            fn to_usize(self) -> usize {
                self as usize
            }
            #[cfg(not(feature = "shared"))]
            #[inline(always)]
            unsafe fn read(place: *mut Self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { place.read() }
            }
            #[cfg(not(feature = "shared"))]
            #[inline(always)]
            unsafe fn write(place: *mut Self, word: Self) {
                // SAFETY: the caller's promise.
                unsafe { place.write(word) }
            }
            #[cfg(feature = "shared")]
            #[inline(always)]
            unsafe fn read(place: *mut Self) -> Self {
                // SAFETY: the caller's promise.
                unsafe { <$atomic>::from_ptr(place) }.load(core::sync::atomic::Ordering::Relaxed)
            }
            #[cfg(feature = "shared")]
            #[inline(always)]
            unsafe fn write(place: *mut Self, word: Self) {
                // SAFETY: the caller's promise.
                unsafe { <$atomic>::from_ptr(place) }.store(word, core::sync::atomic::Ordering::Relaxed);
            }
        }
    };
}

word!(u16, core::sync::atomic::AtomicU16, (1 << 14) - 1);
// On a 32-bit host a region cannot exceed the address space, and neither limit matters.
word!(u32, core::sync::atomic::AtomicU32, (1 << 30) - 1);
word!(u64, core::sync::atomic::AtomicU64, if usize::BITS == 64 { 1 << (usize::BITS - 11) } else { (1 << 29) - 1 });
