//! When memory that a heap does not use goes back to the system: `purge=top|never|after(N)`.
//!
//! | level | when it is looked | what goes back |
//! |---|---|---|
//! | `top` | after [`FREES`] frees | what lies above the footprint, where that has fallen by [`WORTH`] bytes and by an eighth of what is left |
//! | `after(N)` | after N frees, or a [`VISITED`]th of the blocks, where that is more | the same, and the pages inside free blocks |
//! | `never` | never | nothing |
//!
//! What is given back is often wanted again, so with `top` the bytes are doubled each time, up to [`MAX_WORTH`]. To find free blocks all
//! blocks are visited, [`VISITED`] for each free at most.
//!
//! Emitted libraries look at the same moments (`crates/emit/c/purge.c`).

use heapsmith_spec::Purge;

/// Frees after which the heap is asked.
pub const FREES: u32 = 1024;

/// A request of `LARGE` bytes counts as `AS_FREES` frees.
pub const LARGE: usize = 64 << 10;
/// The frees that it counts as.
pub const AS_FREES: u32 = 64;

/// Bytes that are worth giving back at first, and at most.
pub const WORTH: usize = 256 << 10;
/// Bytes that are worth giving back in any case.
pub const MAX_WORTH: usize = 32 << 20;

/// Blocks that are visited for each that was freed, at most.
pub const VISITED: usize = 4;

/// What is to go back now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Nothing.
    Nothing,
    /// What lies above the footprint.
    Above,
    /// That, and the pages inside free blocks. Who visited them says how many there are ([`Surplus::visited`]).
    Inside,
}

/// What is known of a heap's surplus.
#[derive(Debug)]
pub struct Surplus {
    purge: Purge,
    /// Frees until it is looked.
    left: i64,
    /// The highest footprint seen since memory went back.
    high: usize,
    /// Bytes that are worth giving back.
    worth: usize,
}

impl Surplus {
    /// Of a heap with this level.
    pub fn new(purge: Purge) -> Surplus {
        let left = match purge {
            Purge::Top => i64::from(FREES),
            Purge::Never => i64::MAX,
            Purge::After(frees) => i64::from(frees),
        };
        Surplus { purge, left, high: 0, worth: WORTH }
    }

    /// A block of `size` bytes was asked for; the footprint is that behind it.
    #[inline(always)]
    pub fn allocated(&mut self, size: usize, footprint: impl FnOnce() -> usize) {
        if size >= LARGE && self.purge == Purge::Top {
            self.high = self.high.max(footprint());
            self.left -= i64::from(AS_FREES);
        }
    }

    /// Blocks were freed. What is to go back now.
    #[inline(always)]
    pub fn freed(&mut self, blocks: u32, footprint: impl FnOnce() -> usize) -> Due {
        self.left -= i64::from(blocks);
        if self.left < 0 { self.looked(footprint()) } else { Due::Nothing }
    }

    #[cold]
    fn looked(&mut self, footprint: usize) -> Due {
        match self.purge {
            Purge::Top => self.left = i64::from(FREES),
            Purge::Never => self.left = i64::MAX,
            Purge::After(_) => return Due::Inside,
        }
        self.high = self.high.max(footprint);
        if self.high - footprint <= self.worth.max(footprint / 8) {
            return Due::Nothing;
        }
        self.gone(footprint);
        self.worth = (self.worth * 2).min(MAX_WORTH);
        Due::Above
    }

    /// The pages inside free blocks went back, for which this many blocks were visited.
    pub fn visited(&mut self, blocks: usize) {
        if let Purge::After(frees) = self.purge {
            self.left = i64::from(frees).max((blocks / VISITED) as i64);
        }
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
    fn memory_above_goes_back_where_it_is_worth_it_and_each_time_later() {
        let mut surplus = Surplus::new(Purge::Top);
        let mut falls = |by: usize| {
            surplus.allocated(LARGE, || 64 << 20);
            surplus.freed(FREES, || (64 << 20) - by) == Due::Above
        };
        assert!(!falls(7 << 20), "no more than an eighth of what is left");
        assert!(falls(9 << 20) && falls(9 << 20) && falls(9 << 20) && falls(9 << 20) && falls(9 << 20));
        assert!(falls(9 << 20), "256 KiB, doubled six times, are 16 MiB: not worth it any more from here on");
        assert!(!falls(9 << 20) && falls(20 << 20));
    }

    #[test]
    fn few_frees_ask_nothing() {
        let mut surplus = Surplus::new(Purge::Top);
        surplus.allocated(LARGE, || 64 << 20);
        assert_eq!(surplus.freed(FREES - AS_FREES, || unreachable!("nobody asks")), Due::Nothing);
        assert_eq!(surplus.freed(1, || 0), Due::Above);
    }

    #[test]
    fn nothing_ever_goes_back_with_never() {
        let mut surplus = Surplus::new(Purge::Never);
        surplus.allocated(LARGE, || unreachable!("nobody asks"));
        assert!((0..5).all(|_| surplus.freed(u32::MAX, || unreachable!("nobody asks")) == Due::Nothing));
    }

    #[test]
    fn free_blocks_are_looked_for_after_as_many_frees_and_as_many_as_pay_for_the_visit() {
        let mut surplus = Surplus::new(Purge::After(10));
        let mut dues = |frees: u32| (0..frees).filter(|_| surplus.freed(1, || 0) == Due::Inside).count();
        assert_eq!(dues(10), 0);
        assert_eq!(dues(1), 1);
        surplus.visited(1000 * VISITED);
        let mut dues = |frees: u32| (0..frees).filter(|_| surplus.freed(1, || 0) == Due::Inside).count();
        assert_eq!(dues(1000), 0);
        assert_eq!(dues(1), 1);
        surplus.visited(3);
        assert_eq!(surplus.freed(11, || 0), Due::Inside);
    }
}
