//! The pools that find a block in constant time.

/// Two-level segregated fit: `tlsf(second-level=5)`, always split, coalesced at once, with boundary tags.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tlsf {
    /// Each power of two is divided into two to that many lists.
    pub second_level: u8,
    /// The largest request that is served, in bytes; without it all that the word can name.
    /// A smaller one saves control words.
    pub largest: Option<u64>,
}

impl Tlsf {
    /// The division where the text names none.
    pub const SECOND_LEVEL: u8 = 5;
    /// The finest division.
    pub const MAX_SECOND_LEVEL: u8 = 6;
}

impl Default for Tlsf {
    fn default() -> Self {
        Self { second_level: Self::SECOND_LEVEL, largest: None }
    }
}
