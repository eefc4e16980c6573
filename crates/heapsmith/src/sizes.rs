//! From a block size to the list that serves it, in constant time.
//!
//! ```text
//!   words of the block ──▶ direct[words] ──▶ list      below direct's length
//!                      └─▶ binary search in the lists  above
//! ```
//!
//! A list serves the blocks of `low..=high` words and holds blocks of `high` words.

/// The lists of a layer or of a set of classes, by ascending block size.
pub trait SizeMap {
    /// Number of lists.
    fn lists(&self) -> usize;
    /// The list that serves blocks of `words`, if one does.
    fn list_of(&self, words: usize) -> Option<usize>;
    /// Words of the blocks that `list` holds.
    fn words(&self, list: usize) -> usize;
}

/// The blocks that one list serves, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Least words that the list serves.
    pub low: usize,
    /// Most words that the list serves: the size of the blocks that it holds.
    pub high: usize,
}

/// A [`SizeMap`] over borrowed tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeTable<'a> {
    lists: &'a [Served],
    direct: &'a [u16],
}

/// Entry of a direct table: no list.
pub const NO_LIST: u16 = u16::MAX;

impl<'a> SizeTable<'a> {
    /// Fills `direct` for `lists`, which are ascending, do not overlap, and are
    /// fewer than 65,535. `direct` may have any length: block sizes beyond it
    /// are searched for.
    pub fn new(lists: &'a [Served], direct: &'a mut [u16]) -> Self {
        direct.fill(NO_LIST);
        for (number, list) in lists.iter().enumerate() {
            for words in list.low..=list.high {
                match direct.get_mut(words) {
                    Some(entry) => *entry = number as u16,
                    None => break,
                }
            }
        }
        SizeTable { lists, direct }
    }
}

impl SizeMap for SizeTable<'_> {
    #[inline(always)]
    fn lists(&self) -> usize {
        self.lists.len()
    }

    #[inline(always)]
    fn list_of(&self, words: usize) -> Option<usize> {
        match self.direct.get(words) {
            Some(&NO_LIST) => None,
            Some(&list) => Some(list as usize),
            None => {
                let list = self.lists.partition_point(|list| list.high < words);
                self.lists.get(list).filter(|found| found.low <= words).map(|_| list)
            }
        }
    }

    #[inline(always)]
    fn words(&self, list: usize) -> usize {
        self.lists.get(list).map_or(0, |list| list.high)
    }
}
