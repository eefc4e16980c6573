//! The layers that can wrap any pool.

/// Detects heap error: `guard(quarantine=16, pages=sampled)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// This many freed blocks are kept, filled with a pattern, before the pool gets them back.
    pub quarantine: u32,
    /// Which blocks lie between pages that nobody can access, where an operating system has such pages.
    pub pages: GuardPages,
}

/// Which blocks of a guard lie between inaccessible pages. The library of `heapsmith run` has them; a heap in a region
/// of memory has none, at any level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GuardPages {
    /// None.
    Off,
    /// Large blocks, those of 0 bytes, the first of a process, and a random sample of the others.
    #[default]
    Sampled,
    /// All, as far as the system has mappings.
    All,
}

impl Guard {
    /// The longest quarantine.
    pub const MAX_QUARANTINE: u32 = 4096;

    /// The guard of `check=full`: that of any region.
    pub(crate) fn of_full() -> Self {
        Self { pages: GuardPages::Off, ..Self::default() }
    }
}

impl Default for Guard {
    fn default() -> Self {
        Self { quarantine: 16, pages: GuardPages::default() }
    }
}

/// Keeps a part of the region for requests of high priority: `reserve(high=10%)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reserve {
    /// Percent of the region, 1 to 99.
    pub high: u8,
}
