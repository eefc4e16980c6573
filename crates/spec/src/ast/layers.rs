//! The layers that can wrap any pool.

/// Detects heap error: `guard(quarantine=16)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// This many freed blocks are kept, filled with a pattern, before the pool gets them back.
    pub quarantine: u32,
}

impl Guard {
    /// The longest quarantine.
    pub const MAX_QUARANTINE: u32 = 4096;
}

impl Default for Guard {
    fn default() -> Self {
        Self { quarantine: 16 }
    }
}

/// Keeps a part of the region for requests of high priority: `reserve(high=10%)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reserve {
    /// Percent of the region, 1 to 99.
    pub high: u8,
}
