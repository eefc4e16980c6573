//! Whether a placement is one: no two blocks that live at once overlap. It shares nothing with what places.
//!
//! Time O(n log n): blocks begin and end in the order of time, among those that live by offset.

use std::collections::BTreeMap;

use super::lifetimes::Lifetimes;

/// What is wrong with a placement; blocks are numbered as lifetimes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Misplaced {
    /// There is not one offset for each block.
    #[error("{blocks} blocks have {offsets} offsets")]
    Count {
        /// Lifetimes.
        blocks: usize,
        /// Number of offsets passed.
        offsets: usize,
    },
    /// Two blocks that live at once share a byte.
    #[error("blocks {lower} and {upper} overlap")]
    Overlap {
        /// The block at the lower offset.
        lower: usize,
        /// The block at the higher.
        upper: usize,
    },
    /// An offset is not a multiple of its alignment.
    #[error("block {block} is not aligned")]
    Misaligned {
        /// The block.
        block: usize,
    },
    /// A block ends above the footprint that is claimed.
    #[error("block {block} ends above the footprint")]
    Outside {
        /// The block.
        block: usize,
    },
}

/// Verifies the offsets of all lifetimes in a region of `footprint` bytes.
///
/// # Errors
///
/// What is wrong with the first block in time that is wrong.
pub fn verify(lifetimes: &Lifetimes, offsets: &[u64], footprint: u64) -> Result<(), Misplaced> {
    let all = lifetimes.all();
    if all.len() != offsets.len() {
        return Err(Misplaced::Count { blocks: all.len(), offsets: offsets.len() });
    }
    let mut ends: Vec<usize> = (0..all.len()).collect();
    ends.sort_by_key(|&block| all[block].end);
    let mut ended = ends.into_iter().peekable();
    // By offset: the block, and where it ends.
    let mut live: BTreeMap<u64, (usize, u64)> = BTreeMap::new();
    for (block, lifetime) in all.iter().enumerate() {
        while let Some(gone) = ended.next_if(|&gone| all[gone].end <= lifetime.start) {
            live.remove(&offsets[gone]);
        }
        let offset = offsets[block];
        let end = offset.checked_add(lifetime.size).filter(|&end| end <= footprint);
        let end = end.ok_or(Misplaced::Outside { block })?;
        if !offset.is_multiple_of(lifetime.alignment) {
            return Err(Misplaced::Misaligned { block });
        }
        if let Some((_, &(lower, _))) = live.range(..=offset).next_back().filter(|(_, (_, end))| *end > offset) {
            return Err(Misplaced::Overlap { lower, upper: block });
        }
        if let Some((_, &(upper, _))) = live.range(offset..end).next() {
            return Err(Misplaced::Overlap { lower: block, upper });
        }
        live.insert(offset, (block, end));
    }
    Ok(())
}
