//! From a block size to the list that serves it, in constant time.
//!
//! ```text
//!   words of the block ──▶ direct[words] ──▶ list      below direct's length
//!                      └─▶ binary search in the lists  above
//! ```
//!
//! A list serves the blocks of `low..=high` words and holds blocks of `high` words.

/// The lists of a layer or of a set of classes, by ascending block size.
///
/// # Safety
///
/// The answers never change. A list that [`SizeMap::list_of`] or [`SizeMap::list_holding`] returns is below
/// [`SizeMap::lists`]; the first returns one whose blocks have at least the words asked for, the second one
/// whose blocks have exactly these words.
pub unsafe trait SizeMap {
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

impl SizeRange {
    /// Whether the lists ascend and do not overlap.
    const fn ascend(lists: &[SizeRange]) -> bool {
        let (mut next, mut above) = (0, 0);
        while next < lists.len() {
            let SizeRange { low, high } = lists[next];
            if low < above || high < low || high == usize::MAX {
                return false;
            }
            (next, above) = (next + 1, high + 1);
        }
        true
    }
}

/// Lists that are known when the program is compiled, which fails where they do not ascend or do overlap.
///
/// ```
/// use heapsmith::parts::{ConstantSizes, SizeRange};
///
/// #[derive(Debug)]
/// struct Packets;
///
/// impl ConstantSizes for Packets {
///     const LISTS: &'static [SizeRange] = &[SizeRange { low: 18, high: 18 }, SizeRange { low: 376, high: 376 }];
/// }
/// ```
pub trait ConstantSizes {
    /// The lists, ascending.
    const LISTS: &'static [SizeRange];
}

// SAFETY: constants never change; the lists ascend, so a list's blocks have its highest words, no less than asked for.
unsafe impl<C: ConstantSizes> SizeMap for C {
    #[inline(always)]
    fn lists(&self) -> usize {
        C::LISTS.len()
    }

    #[inline]
    fn list_of(&self, words: usize) -> Option<usize> {
        const { assert!(SizeRange::ascend(C::LISTS), "the lists must ascend and not overlap") }
        // Few comparisons one after another are unrolled; many are halved.
        let list = match C::LISTS.len() {
            0..=8 => C::LISTS.iter().position(|list| words <= list.high)?,
            _ => C::LISTS.partition_point(|list| list.high < words),
        };
        C::LISTS.get(list).is_some_and(|list| list.low <= words).then_some(list)
    }

    #[inline(always)]
    fn words(&self, list: usize) -> usize {
        C::LISTS.get(list).map_or(0, |list| list.high)
    }
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

    /// Fills `direct` for `lists`. `direct` may have any length: block sizes beyond it are searched for.
    ///
    /// # Panics
    ///
    /// If the lists do not ascend, overlap, or are more than [`SizeTable::MAX_LISTS`].
    pub fn new(lists: &'a [SizeRange], direct: &'a mut [u16]) -> Self {
        assert!(lists.len() <= Self::MAX_LISTS && SizeRange::ascend(lists), "the lists must ascend and not overlap");
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

// SAFETY: the tables are borrowed, so they do not change; `new` saw that the lists ascend, and made `direct` from them.
unsafe impl SizeMap for SizeTable<'_> {
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
