//! When memory above a heap's footprint goes back to the system.
//!
//! Now and then a heap is asked what it takes. Where that has fallen by [`WORTH`] bytes and by an eighth of what is left, the memory
//! above goes back. What is given back is often wanted again, so the bytes are doubled each time, up to [`MAX_WORTH`].

/// Frees after which the heap is asked.
const FREES: u32 = 1024;

/// A request of `LARGE` bytes counts as `AS_FREES` frees.
const LARGE: usize = 64 << 10;
const AS_FREES: u32 = 64;

/// Bytes that are worth giving back at first, and at most.
const WORTH: usize = 256 << 10;
const MAX_WORTH: usize = 32 << 20;

/// What is known of a heap's surplus.
#[derive(Debug)]
pub struct Surplus {
    /// Frees since it was last asked.
    frees: u32,
    /// The highest footprint seen since memory went back.
    high: usize,
    /// Bytes that are worth giving back.
    worth: usize,
}

impl Default for Surplus {
    fn default() -> Self {
        Surplus { frees: 0, high: 0, worth: WORTH }
    }
}

impl Surplus {
    /// A block of `size` bytes was asked for; the footprint is that behind it.
    #[inline(always)]
    pub fn allocated(&mut self, size: usize, footprint: impl FnOnce() -> usize) {
        if size >= LARGE {
            self.high = self.high.max(footprint());
            self.frees += AS_FREES;
        }
    }

    /// Blocks were freed. Whether the memory above the footprint is to go back now.
    #[inline(always)]
    pub fn freed(&mut self, blocks: u32, footprint: impl FnOnce() -> usize) -> bool {
        self.frees += blocks;
        self.frees > FREES && self.is_worth_it(footprint())
    }

    #[cold]
    fn is_worth_it(&mut self, footprint: usize) -> bool {
        self.frees = 0;
        self.high = self.high.max(footprint);
        let is_worth_it = self.high - footprint > self.worth.max(footprint / 8);
        if is_worth_it {
            self.gone(footprint);
            self.worth = (self.worth * 2).min(MAX_WORTH);
        }
        is_worth_it
    }

    /// The memory above the footprint is gone.
    pub fn gone(&mut self, footprint: usize) {
        self.high = footprint;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_goes_back_where_it_is_worth_it_and_each_time_later() {
        let mut surplus = Surplus::default();
        let mut falls = |by: usize| {
            surplus.allocated(LARGE, || 64 << 20);
            surplus.freed(FREES, || (64 << 20) - by)
        };
        assert!(!falls(7 << 20), "no more than an eighth of what is left");
        assert!(falls(9 << 20) && falls(9 << 20) && falls(9 << 20) && falls(9 << 20) && falls(9 << 20));
        assert!(falls(9 << 20), "256 KiB, doubled six times, are 16 MiB: not worth it any more from here on");
        assert!(!falls(9 << 20) && falls(20 << 20));
    }

    #[test]
    fn few_frees_ask_nothing() {
        let mut surplus = Surplus::default();
        surplus.allocated(LARGE, || 64 << 20);
        assert!(!surplus.freed(FREES - AS_FREES, || unreachable!("nobody asks")));
        assert!(surplus.freed(1, || 0));
    }
}
