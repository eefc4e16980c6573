//! When memory that a heap does not use goes back to the system: `purge=top|never|after(N)|lazy(N)`.
//!
//! | level | when it is looked | what goes back |
//! |---|---|---|
//! | `top` | after [`FREES`] frees | what lies above the footprint, where that has fallen by [`WORTH`] bytes and by an eighth of what is left |
//! | `after(N)` | after N frees, or a [`VISITED`]th of the blocks, where that is more | the same, and the pages inside free blocks |
//! | `after(Nms)` | after [`LOOKS`] frees, or a [`VISITED`]th of the blocks | the same, where N milliseconds have passed since the last time |
//! | `lazy(…)` | as with `after(…)` | the same, but for now the system leaves the memory there |
//! | `never` | never | nothing |
//!
//! What is given back is often wanted again, so with `top` the bytes are doubled each time, up to [`MAX_WORTH`]. To find free blocks all
//! blocks are visited, [`VISITED`] for each free at most.
//!
//! Emitted libraries look at the same moments (`crates/emit/c/purge.c`).

use heapsmith_spec::{Delay, Purge};

/// Frees after which the heap is asked.
pub const FREES: u32 = 1024;

/// Frees after which the clock is read.
pub const LOOKS: u32 = 64;

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
    /// When it was looked inside free blocks last, or at the clock first, in milliseconds.
    last: Option<u64>,
}

impl Surplus {
    /// Of a heap with this level.
    pub fn new(purge: Purge) -> Surplus {
        let left = match purge {
            Purge::Top => i64::from(FREES),
            Purge::Never => i64::MAX,
            Purge::After(delay) | Purge::Lazy(delay) => min_frees(delay),
        };
        Surplus { purge, left, high: 0, worth: WORTH, last: None }
    }

    /// A block of `size` bytes was asked for; the footprint is that behind it.
    #[inline(always)]
    pub fn allocated(&mut self, size: usize, footprint: impl FnOnce() -> usize) {
        if size >= LARGE && self.purge == Purge::Top {
            self.high = self.high.max(footprint());
            self.left -= i64::from(AS_FREES);
        }
    }

    /// Blocks were freed. What is to go back now; the clock says milliseconds, from when on does not matter.
    #[inline(always)]
    pub fn freed(&mut self, blocks: u32, footprint: impl FnOnce() -> usize, clock: impl FnOnce() -> u64) -> Due {
        self.left -= i64::from(blocks);
        if self.left < 0 { self.looked(footprint(), clock) } else { Due::Nothing }
    }

    #[cold]
    fn looked(&mut self, footprint: usize, clock: impl FnOnce() -> u64) -> Due {
        match self.purge {
            Purge::Top => self.left = i64::from(FREES),
            Purge::Never => self.left = i64::MAX,
            Purge::After(Delay::Frees(_)) | Purge::Lazy(Delay::Frees(_)) => return Due::Inside,
            Purge::After(Delay::Milliseconds(delay)) | Purge::Lazy(Delay::Milliseconds(delay)) => {
                let now = clock();
                if now.saturating_sub(*self.last.get_or_insert(now)) < u64::from(delay) {
                    self.left = i64::from(LOOKS);
                    return Due::Nothing;
                }
                self.last = Some(now);
                return Due::Inside;
            }
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
        if let Some(delay) = self.purge.delay() {
            self.left = min_frees(delay).max((blocks / VISITED) as i64);
        }
    }

    /// The memory above the footprint is gone.
    pub fn gone(&mut self, footprint: usize) {
        self.high = footprint;
    }
}

/// Frees before it is looked, at least.
fn min_frees(delay: Delay) -> i64 {
    match delay {
        Delay::Frees(frees) => frees.into(),
        Delay::Milliseconds(_) => LOOKS.into(),
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
            surplus.freed(FREES, || (64 << 20) - by, || 0) == Due::Above
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
        assert_eq!(surplus.freed(FREES - AS_FREES, || unreachable!("nobody asks"), || 0), Due::Nothing);
        assert_eq!(surplus.freed(1, || 0, || 0), Due::Above);
    }

    #[test]
    fn nothing_ever_goes_back_with_never() {
        let mut surplus = Surplus::new(Purge::Never);
        surplus.allocated(LARGE, || unreachable!("nobody asks"));
        assert!((0..5).all(|_| surplus.freed(u32::MAX, || unreachable!("nobody asks"), || 0) == Due::Nothing));
    }

    #[test]
    fn free_blocks_are_looked_for_after_as_many_frees_and_as_many_as_pay_for_the_visit() {
        let mut surplus = Surplus::new(Purge::After(Delay::Frees(10)));
        let mut dues = |frees: u32| (0..frees).filter(|_| surplus.freed(1, || 0, || 0) == Due::Inside).count();
        assert_eq!(dues(10), 0);
        assert_eq!(dues(1), 1);
        surplus.visited(1000 * VISITED);
        let mut dues = |frees: u32| (0..frees).filter(|_| surplus.freed(1, || 0, || 0) == Due::Inside).count();
        assert_eq!(dues(1000), 0);
        assert_eq!(dues(1), 1);
        surplus.visited(3);
        assert_eq!(surplus.freed(11, || 0, || 0), Due::Inside);
    }

    #[test]
    fn a_delay_in_time_passes_by_the_clock_which_is_read_now_and_then() {
        for purge in [Purge::After(Delay::Milliseconds(10)), Purge::Lazy(Delay::Milliseconds(10))] {
            let mut surplus = Surplus::new(purge);
            let mut due = |frees: u32, now: u64| surplus.freed(frees, || 0, || now);
            assert_eq!(due(LOOKS, 1000), Due::Nothing, "nobody looked");
            assert_eq!(due(1, 1000), Due::Nothing, "time passes from here on");
            assert_eq!(due(LOOKS + 1, 1010), Due::Inside);
            surplus.visited(3);
            let mut due = |frees: u32, now: u64| surplus.freed(frees, || 0, || now);
            assert_eq!((due(LOOKS + 1, 1019), due(LOOKS, 1020)), (Due::Nothing, Due::Nothing));
            assert_eq!(due(1, 1020), Due::Inside);
            surplus.visited(1000 * VISITED);
            assert_eq!(surplus.freed(1000, || 0, || 2000), Due::Nothing, "the visit is not paid for");
            assert_eq!(surplus.freed(1, || 0, || 2000), Due::Inside);
        }
    }
}
