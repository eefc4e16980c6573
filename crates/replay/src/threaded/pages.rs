//! Which pages of a region have memory.

use std::collections::{HashMap, HashSet};
use std::iter::Sum;
use std::ops::{Add, Range};

/// Bytes of a page.
pub(super) const PAGE: usize = 4096;
/// Bytes of a huge page.
const HUGE: usize = 2 << 20;

/// Bytes of memory, by whole pages.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Memory {
    /// In pages that have memory.
    pub resident: usize,
    /// Of these: those of huge pages all of whose pages have memory, so that the system can serve them with one.
    pub huge: usize,
    /// Of these: those that the system may take when it lacks memory.
    pub lazy: usize,
}

impl Add for Memory {
    type Output = Memory;

    fn add(self, other: Memory) -> Memory {
        Memory { resident: self.resident + other.resident, huge: self.huge + other.huge, lazy: self.lazy + other.lazy }
    }
}

impl Sum for Memory {
    fn sum<I: Iterator<Item = Memory>>(all: I) -> Memory {
        all.fold(Memory::default(), Add::add)
    }
}

/// The pages of a region, which begins where a huge page does.
#[derive(Debug)]
pub(super) struct Pages {
    /// Whether what goes back is taken when the system lacks memory, which it never does here.
    lazy: bool,
    /// Up to where pages got memory.
    touched: usize,
    /// From where on the system may take them.
    kept: usize,
    /// Pages below which went back, as they were inside free blocks.
    released: HashSet<usize>,
    /// How many of them are in each huge page, where there are any.
    holes: HashMap<usize, usize>,
}

impl Pages {
    pub fn new(lazy: bool) -> Pages {
        Pages { lazy, touched: 0, kept: 0, released: HashSet::new(), holes: HashMap::new() }
    }

    /// The heap has grown to there, if it was smaller; how many pages got memory for that.
    pub fn grow(&mut self, footprint: usize) -> usize {
        let before = self.touched.div_ceil(PAGE);
        self.kept = self.kept.max(footprint);
        self.touched = self.touched.max(footprint);
        self.touched.div_ceil(PAGE) - before
    }

    /// What lies above the footprint goes back.
    pub fn release_above(&mut self, footprint: usize) {
        self.kept = footprint;
        if !self.lazy {
            self.touched = footprint;
        }
        let gone: Vec<usize> = self.released.iter().copied().filter(|page| page * PAGE >= footprint).collect();
        gone.into_iter().for_each(|page| self.fill(page));
    }

    /// The whole pages of a range go back.
    pub fn release(&mut self, bytes: Range<usize>) {
        for page in bytes.start.div_ceil(PAGE)..bytes.end / PAGE {
            if self.released.insert(page) {
                *self.holes.entry(page / (HUGE / PAGE)).or_default() += 1;
            }
        }
    }

    /// Whether none went back from inside a block.
    pub fn all_have_memory(&self) -> bool {
        self.released.is_empty()
    }

    /// A range is written to; how many of its pages get memory for that.
    pub fn write(&mut self, bytes: Range<usize>) -> usize {
        let before = self.released.len();
        (bytes.start / PAGE..bytes.end.div_ceil(PAGE)).for_each(|page| self.fill(page));
        if self.lazy { 0 } else { before - self.released.len() }
    }

    /// A page is none of those that went back.
    fn fill(&mut self, page: usize) {
        let huge = page / (HUGE / PAGE);
        if self.released.remove(&page)
            && let Some(holes) = self.holes.get_mut(&huge)
        {
            *holes -= 1;
            if *holes == 0 {
                self.holes.remove(&huge);
            }
        }
    }

    pub fn memory(&self) -> Memory {
        let pages = self.touched.div_ceil(PAGE);
        // All holes are below what was touched.
        let whole = self.touched / HUGE;
        let huge = (whole + usize::from(self.holes.contains_key(&whole)) - self.holes.len()) * HUGE;
        let gone = self.released.len() * PAGE;
        let above = (pages - self.kept.div_ceil(PAGE)) * PAGE;
        match self.lazy {
            true => Memory { resident: pages * PAGE, huge, lazy: gone + above },
            false => Memory { resident: pages * PAGE - gone, huge, lazy: 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_memory_from_when_they_are_written_to_until_they_go_back() {
        let mut pages = Pages::new(false);
        assert_eq!(pages.grow(3 * HUGE + 1), 3 * HUGE / PAGE + 1);
        let all = Memory { resident: 3 * HUGE + PAGE, huge: 3 * HUGE, lazy: 0 };
        assert_eq!(pages.memory(), all);
        pages.release(HUGE + 1..HUGE + 4 * PAGE - 1);
        let hole = Memory { resident: all.resident - 2 * PAGE, huge: 2 * HUGE, lazy: 0 };
        assert_eq!(pages.memory(), hole, "two whole pages");
        pages.release(HUGE..HUGE + 2 * PAGE);
        assert_eq!(pages.memory().resident, hole.resident - PAGE, "one of them had gone");
        assert_eq!((pages.write(HUGE + PAGE..HUGE + PAGE + 1), pages.write(0..HUGE + 3 * PAGE)), (1, 2));
        assert!(pages.all_have_memory() && pages.memory() == all);
        pages.release(2 * HUGE..2 * HUGE + PAGE);
        pages.release_above(2 * HUGE);
        assert_eq!(pages.memory(), Memory { resident: 2 * HUGE, huge: 2 * HUGE, lazy: 0 });
        assert!(pages.all_have_memory() && pages.grow(2 * HUGE) == 0 && pages.grow(2 * HUGE + 1) == 1);
    }

    #[test]
    fn what_goes_back_lazily_stays_until_it_is_used_again() {
        let mut pages = Pages::new(true);
        pages.grow(2 * HUGE);
        pages.release(0..2 * PAGE);
        pages.release_above(HUGE);
        let all = Memory { resident: 2 * HUGE, huge: HUGE, lazy: HUGE + 2 * PAGE };
        assert_eq!(pages.memory(), all, "where a page of it goes a huge one is split");
        assert_eq!((pages.write(0..PAGE), pages.grow(HUGE + PAGE)), (0, 0), "no page was ever gone");
        assert_eq!(pages.memory().lazy, HUGE, "one page inside is used again, and one above");
    }
}
