//! Which of its memory a heap asks the system to keep in huge pages.

/// Which of its memory a heap asks the system to keep in huge pages: `huge=from(16M)`.
///
/// A huge page has 2 MB on most systems: one translation of addresses serves it, and one fault gives all of it memory. So the last of
/// them may have up to 2 MB that the heap does not use. It says how the heap serves a running program, as [`Purge`](super::Purge)
/// does, and changes no address; the system may have no huge page to give, or may be told to give none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HugePages {
    /// None: what the system does by itself.
    #[default]
    Off,
    /// What lies at least this many bytes above the begin of its region: a program that stays below has none.
    From(u64),
}

impl HugePages {
    /// Bytes of a huge page.
    pub const BYTES: usize = 2 << 20;

    /// The first byte of the region for which it asks, a multiple of the pages of most systems; none where it asks for none.
    pub fn begin(self) -> Option<usize> {
        match self {
            Self::Off => None,
            Self::From(bytes) => usize::try_from(bytes).ok()?.checked_next_multiple_of(Self::PAGE),
        }
    }

    /// Bytes of the largest page of systems that have pages of less than a huge page.
    const PAGE: usize = 64 << 10;
}
