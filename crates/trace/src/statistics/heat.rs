//! How many blocks of which size lived how long.

use crate::Bytes;

/// Powers of two that a size or a lifetime may have.
const POWERS: usize = 65;

/// Blocks counted by the power of two of their size and of their lifetime in events.
///
/// A block of `size` bytes is in row [`HeatMap::power`]`(size)`, so row 0 is size 0, row 1 is size
/// 1, row 2 is 2 and 3, row 3 is 4 to 7; columns count events in the same way. The size is
/// the last that the block had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeatMap {
    counts: Vec<u64>,
    never: Vec<u64>,
}

impl Default for HeatMap {
    fn default() -> HeatMap {
        HeatMap { counts: vec![0; POWERS * POWERS], never: vec![0; POWERS] }
    }
}

impl HeatMap {
    /// The row or column of a number: how many binary digits it has.
    pub fn power(number: u64) -> usize {
        (u64::BITS - number.leading_zeros()) as usize
    }

    /// The least number of a row or column.
    pub fn min(power: usize) -> u64 {
        match power {
            0 => 0,
            power => 1 << (power.min(POWERS - 1) - 1),
        }
    }

    /// Blocks of a row that lived for the events of a column.
    pub fn blocks(&self, size: usize, lifetime: usize) -> u64 {
        self.counts.get(size * POWERS + lifetime).copied().unwrap_or(0)
    }

    /// Blocks of a row that were never freed.
    pub fn never_freed(&self, size: usize) -> u64 {
        self.never.get(size).copied().unwrap_or(0)
    }

    /// The rows from the first to the last that has a block.
    pub fn rows(&self) -> std::ops::Range<usize> {
        let has = |&size: &usize| self.never[size] > 0 || (0..POWERS).any(|lifetime| self.blocks(size, lifetime) > 0);
        span((0..POWERS).filter(has))
    }

    /// The columns from the first to the last that has a block.
    pub fn columns(&self) -> std::ops::Range<usize> {
        span((0..POWERS).filter(|&lifetime| (0..POWERS).any(|size| self.blocks(size, lifetime) > 0)))
    }

    /// The same of a program of which one block in `every` was counted: as many times the blocks, and the events in their lives.
    pub(crate) fn estimated(counted: &HeatMap, every: u64) -> HeatMap {
        let never = counted.never.iter().map(|blocks| blocks.saturating_mul(every)).collect();
        let mut estimated = HeatMap { never, ..HeatMap::default() };
        for (at, &blocks) in counted.counts.iter().enumerate() {
            let lifetime = HeatMap::power(HeatMap::min(at % POWERS).saturating_mul(every));
            estimated.counts[at / POWERS * POWERS + lifetime] += blocks.saturating_mul(every);
        }
        estimated
    }

    pub(super) fn lived(&mut self, size: Bytes, events: u64) {
        self.counts[HeatMap::power(size.0) * POWERS + HeatMap::power(events)] += 1;
    }

    pub(super) fn immortal(&mut self, sizes: impl Iterator<Item = Bytes>) {
        sizes.for_each(|size| self.never[HeatMap::power(size.0)] += 1);
    }
}

fn span(mut numbers: impl Iterator<Item = usize>) -> std::ops::Range<usize> {
    match numbers.next() {
        Some(first) => first..numbers.last().unwrap_or(first) + 1,
        None => 0..0,
    }
}
