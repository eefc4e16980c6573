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
    /// The list that holds blocks of `words`, if one does.
    #[inline(always)]
    fn list_holding(&self, words: usize) -> Option<usize> {
        self.list_of(words).filter(|&list| self.words(list) == words)
    }
}

/// The blocks that one list serves, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeRange {
    /// Least words that the list serves.
    pub low: usize,
    /// Most words that the list serves: the size of the blocks that it holds.
    pub high: usize,
}

/// A [`SizeMap`] over borrowed tables.
///
/// An entry of the direct table is the list's number, with a mark where blocks of these words are
/// served from the list but not kept on it: so a free takes one look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeTable<'a> {
    lists: &'a [SizeRange],
    direct: &'a [u16],
}

/// Entry of a direct table: no list.
const NO_LIST: u16 = u16::MAX;

/// Mark of an entry: the list holds larger blocks.
const SERVED_ONLY: u16 = 1 << 15;

impl<'a> SizeTable<'a> {
    /// The most lists that a table can have.
    pub const MAX_LISTS: usize = SERVED_ONLY as usize - 1;

    /// Fills `direct` for `lists`, which are ascending, do not overlap, and are at most
    /// [`SizeTable::MAX_LISTS`]. `direct` may have any length: block sizes beyond it are searched for.
    pub fn new(lists: &'a [SizeRange], direct: &'a mut [u16]) -> Self {
        direct.fill(NO_LIST);
        for (number, list) in lists.iter().enumerate() {
            for words in list.low..=list.high {
                match direct.get_mut(words) {
                    Some(entry) => *entry = number as u16 | if words == list.high { 0 } else { SERVED_ONLY },
                    None => break,
                }
            }
        }
        SizeTable { lists, direct }
    }

    /// The list for blocks above the direct table.
    #[cold]
    fn search(&self, words: usize) -> Option<usize> {
        let list = self.lists.partition_point(|list| list.high < words);
        self.lists.get(list).filter(|found| found.low <= words).map(|_| list)
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
            Some(&entry) => Some((entry & !SERVED_ONLY) as usize),
            None => self.search(words),
        }
    }

    #[inline(always)]
    fn words(&self, list: usize) -> usize {
        self.lists.get(list).map_or(0, |list| list.high)
    }

    #[inline(always)]
    fn list_holding(&self, words: usize) -> Option<usize> {
        match self.direct.get(words) {
            Some(&entry) if entry < SERVED_ONLY => Some(entry as usize),
            Some(_) => None,
            None => self.search(words).filter(|&list| self.words(list) == words),
        }
    }
}
