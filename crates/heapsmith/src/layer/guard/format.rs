//! Where a guard's words are, and what they hold.

use core::marker::PhantomData;

use crate::word::Word;

/// The seal is this many words before the payload.
pub(super) const SEAL: usize = 1;
/// The size in bytes is this many words before the payload.
pub(super) const SIZE: usize = 2;
/// The distance to the payload below is this many words before the payload.
pub(super) const FRONT: usize = 3;
/// Least words before the payload.
pub(super) const MIN_FRONT: usize = 3;

/// The pattern around a live payload.
pub(super) const CANARY: usize = 0xC5A5_96E1_B4D2_C5A5_u64 as usize;
/// The pattern between payload and canary.
pub(super) const PAD: u8 = 0xA5;
/// The pattern of a payload in quarantine.
pub(super) const POISON: u8 = 0xDF;

/// State of a block as its seal says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seal {
    /// With the program.
    Live = 0x5EA1,
    /// Freed, in quarantine.
    Detained = 0x33C6,
    /// Returned to the heap below.
    Released = 0xD07B,
}

/// The value as a word of `W` holds it.
pub(super) fn in_word<W: Word>(value: usize) -> usize {
    W::from_usize(value).to_usize()
}

/// A block of a guard: index of its payload, requested bytes, words before the payload.
#[derive(Debug)]
pub(super) struct Guarded<W> {
    pub at: usize,
    pub size: usize,
    pub front: usize,
    word: PhantomData<W>,
}

impl<W> Clone for Guarded<W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for Guarded<W> {}

impl<W: Word> Guarded<W> {
    pub fn new(at: usize, size: usize, front: usize) -> Self {
        Guarded { at, size, front, word: PhantomData }
    }

    /// The seal of this block in a state.
    pub fn seal(self, state: Seal) -> usize {
        let place = self.at.wrapping_mul(0x9E37_79B1).wrapping_add(self.at >> 3);
        in_word::<W>(place ^ self.size.wrapping_mul(31) ^ self.front.wrapping_mul(0x101) ^ state as usize)
    }

    /// Index of the canary behind the payload; in quarantine, of the link.
    pub fn rear(self) -> usize {
        self.at + self.size.div_ceil(W::BYTES)
    }

    /// Bytes between payload and canary.
    pub fn padding(self) -> usize {
        (self.rear() - self.at) * W::BYTES - self.size
    }

    /// Words of the guard that surround the payload.
    pub fn guard_words(self) -> usize {
        self.front + 1 + usize::from(self.padding() > 0)
    }

    /// Bytes from the base to the payload.
    pub fn offset(self) -> usize {
        self.at * W::BYTES
    }
}
