//! Which pages of a region have memory.

use std::collections::{HashMap, HashSet};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Range};

use heapsmith_spec::{HugePages, Purge};

/// Bytes of a page.
pub(super) const PAGE: usize = 4096;
/// Bytes of a huge page.
const HUGE: usize = HugePages::BYTES;
/// Pages in a huge page.
const IN_HUGE: usize = HUGE / PAGE;

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

/// Faults that gave pages memory.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Faults {
    /// Of a page each.
    pub pages: usize,
    /// Of a huge page each.
    pub huge: usize,
}

impl Faults {
    fn of_pages(pages: usize) -> Faults {
        Faults { pages, huge: 0 }
    }

    /// Bytes that got memory.
    pub fn bytes(self) -> usize {
        self.pages * PAGE + self.huge * HUGE
    }
}

impl AddAssign for Faults {
    fn add_assign(&mut self, other: Faults) {
        self.pages += other.pages;
        self.huge += other.huge;
    }
}

/// The pages of a region, which begins where a huge page does.
#[derive(Debug)]
pub(super) struct Pages {
    /// Whether what goes back is taken when the system lacks memory, which it never does here.
    lazy: bool,
    /// From this huge page on each gets memory as a whole, if none of its pages has any.
    huge_from: usize,
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
    pub fn new(purge: Purge, huge: HugePages) -> Pages {
        let huge_from = huge.begin().map_or(usize::MAX, |from| from.div_ceil(HUGE));
        Pages { lazy: purge.is_lazy(), huge_from, touched: 0, kept: 0, released: HashSet::new(), holes: HashMap::new() }
    }

    /// The heap has grown to there, if it was smaller; the faults of that.
    pub fn grow(&mut self, footprint: usize) -> Faults {
        self.kept = self.kept.max(footprint);
        if footprint <= self.touched {
            return Faults::default();
        }
        // A huge page of which some pages have memory gets the others one by one.
        let first = self.touched.div_ceil(HUGE).max(self.huge_from);
        let huge = footprint.div_ceil(HUGE).saturating_sub(first);
        let by_pages = if huge > 0 { first * HUGE } else { footprint };
        let pages = by_pages.div_ceil(PAGE) - self.touched.div_ceil(PAGE);
        self.touched = by_pages + huge * HUGE;
        Faults { pages, huge }
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
                *self.holes.entry(page / IN_HUGE).or_default() += 1;
            }
        }
    }

    /// Whether none went back from inside a block.
    pub fn all_have_memory(&self) -> bool {
        self.released.is_empty()
    }

    /// A range is written to; the faults of that.
    pub fn write(&mut self, bytes: Range<usize>) -> Faults {
        let mut faults = Faults::default();
        for page in bytes.start / PAGE..bytes.end.div_ceil(PAGE) {
            let huge = page / IN_HUGE;
            if !self.lazy && huge >= self.huge_from && self.holes.get(&huge) == Some(&IN_HUGE) {
                (huge * IN_HUGE..(huge + 1) * IN_HUGE).for_each(|page| self.fill(page));
                faults.huge += 1;
                continue;
            }
            let before = self.released.len();
            self.fill(page);
            faults += Faults::of_pages(before - self.released.len());
        }
        if self.lazy { Faults::default() } else { faults }
    }

    /// A page is none of those that went back.
    fn fill(&mut self, page: usize) {
        let huge = page / IN_HUGE;
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
    use heapsmith_spec::Delay;

    use super::*;

    #[test]
    fn pages_have_memory_from_when_they_are_written_to_until_they_go_back() {
        let mut pages = Pages::new(Purge::Top, HugePages::Off);
        assert_eq!(pages.grow(3 * HUGE + 1), Faults::of_pages(3 * IN_HUGE + 1));
        let all = Memory { resident: 3 * HUGE + PAGE, huge: 3 * HUGE, lazy: 0 };
        assert_eq!(pages.memory(), all);
        pages.release(HUGE + 1..HUGE + 4 * PAGE - 1);
        let hole = Memory { resident: all.resident - 2 * PAGE, huge: 2 * HUGE, lazy: 0 };
        assert_eq!(pages.memory(), hole, "two whole pages");
        pages.release(HUGE..HUGE + 2 * PAGE);
        assert_eq!(pages.memory().resident, hole.resident - PAGE, "one of them had gone");
        let written = [HUGE + PAGE..HUGE + PAGE + 1, 0..HUGE + 3 * PAGE].map(|bytes| pages.write(bytes).pages);
        assert_eq!(written, [1, 2]);
        assert!(pages.all_have_memory() && pages.memory() == all);
        pages.release(2 * HUGE..2 * HUGE + PAGE);
        pages.release_above(2 * HUGE);
        assert_eq!(pages.memory(), Memory { resident: 2 * HUGE, huge: 2 * HUGE, lazy: 0 });
        assert!(pages.all_have_memory());
        assert_eq!([2 * HUGE, 2 * HUGE + 1].map(|footprint| pages.grow(footprint).pages), [0, 1]);
    }

    #[test]
    fn what_goes_back_lazily_stays_until_it_is_used_again() {
        let mut pages = Pages::new(Purge::Lazy(Delay::Frees(1)), HugePages::Off);
        pages.grow(2 * HUGE);
        pages.release(0..2 * PAGE);
        pages.release_above(HUGE);
        let all = Memory { resident: 2 * HUGE, huge: HUGE, lazy: HUGE + 2 * PAGE };
        assert_eq!(pages.memory(), all, "where a page of it goes a huge one is split");
        assert_eq!([pages.write(0..PAGE), pages.grow(HUGE + PAGE)], [Faults::default(); 2], "no page was ever gone");
        assert_eq!(pages.memory().lazy, HUGE, "one page inside is used again, and one above");
    }

    #[test]
    fn huge_pages_get_memory_as_a_whole_where_the_heap_asks_for_them() {
        let mut pages = Pages::new(Purge::After(Delay::Frees(1)), HugePages::From(HUGE as u64 / 2));
        assert_eq!(pages.grow(PAGE), Faults::of_pages(1), "the first begins below");
        assert_eq!(pages.grow(HUGE + 1), Faults { pages: IN_HUGE - 1, huge: 1 });
        let two = Memory { resident: 2 * HUGE, huge: 2 * HUGE, lazy: 0 };
        assert_eq!((pages.memory(), pages.grow(2 * HUGE)), (two, Faults::default()));
        assert_eq!(pages.grow(4 * HUGE - PAGE), Faults { pages: 0, huge: 2 });
        pages.release(2 * HUGE..3 * HUGE + PAGE);
        assert_eq!(pages.memory().resident, 3 * HUGE - PAGE);
        assert_eq!(pages.write(3 * HUGE..3 * HUGE + PAGE), Faults::of_pages(1), "the others of it have memory");
        assert_eq!(pages.write(2 * HUGE + PAGE..2 * HUGE + 3 * PAGE), Faults { pages: 0, huge: 1 });
        assert_eq!(pages.memory().resident, 4 * HUGE);
        pages.release_above(3 * HUGE + PAGE);
        assert_eq!(pages.grow(5 * HUGE), Faults { pages: IN_HUGE - 1, huge: 1 }, "one is split, the other new");
    }
}
