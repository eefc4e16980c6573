//! The heap's word: the unit of its headers and links.

/// The size of the heap's word.
///
/// A header is one word and a link is one word, counted in words from the region's base. So
/// the word fixes what a block costs and how large a region can grow, whatever machine the
/// heap runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WordSize {
    /// 2 bytes: for microcontrollers with a few kilobytes of RAM.
    Two,
    /// 4 bytes: the word of a 32-bit target, and the default.
    #[default]
    Four,
    /// 8 bytes.
    Eight,
}

impl WordSize {
    /// Every word size, ascending.
    pub const ALL: [Self; 3] = [Self::Two, Self::Four, Self::Eight];

    /// Bytes in a word.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// The word of that many bytes, if there is one.
    pub fn from_bytes(bytes: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|word| u64::from(word.bytes()) == bytes)
    }

    /// The largest region, in bytes, that headers and links of this word can describe:
    /// 32 KiB, 4 GiB and 2⁵⁶.
    pub const fn max_region(self) -> u64 {
        match self {
            Self::Two => 1 << 15,
            Self::Four => 1 << 32,
            Self::Eight => 1 << 56,
        }
    }
}
