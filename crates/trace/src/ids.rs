//! A hash of block ids for tables of live blocks: one multiplication of 64 by 64 bits, its halves folded together.
//!
//! Ids come from files that anybody may have written. Each table has numbers of its own, drawn by the standard library's
//! [`RandomState`], so that nobody can choose ids that collide.
//!
//! Cost: 5 instructions an id; the standard library's hash takes about 90.

use std::hash::{BuildHasher, Hasher, RandomState};

/// The numbers of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByIds {
    mask: u64,
    factor: u64,
}

impl Default for ByIds {
    fn default() -> ByIds {
        let random = RandomState::new();
        ByIds { mask: random.hash_one(0), factor: random.hash_one(1) | 1 }
    }
}

impl BuildHasher for ByIds {
    type Hasher = IdHasher;

    #[inline]
    fn build_hasher(&self) -> IdHasher {
        IdHasher { numbers: *self, hash: 0 }
    }
}

/// Hashes one id.
#[derive(Debug)]
pub(crate) struct IdHasher {
    numbers: ByIds,
    hash: u64,
}

impl Hasher for IdHasher {
    #[inline]
    fn write_u64(&mut self, id: u64) {
        let product = u128::from(id ^ self.numbers.mask ^ self.hash) * u128::from(self.numbers.factor);
        self.hash = (product as u64) ^ (product >> 64) as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids are addresses, counters or slots: in steps of any power of two, they use every bucket and every tag of a table.
    #[test]
    fn ids_in_equal_steps_are_spread() {
        let ids = ByIds::default();
        for shift in 0..48 {
            let hashes: Vec<u64> = (0..4096_u64).map(|number| ids.hash_one(number << shift)).collect();
            for bits in [|hash: u64| hash % 1024, |hash: u64| hash >> 57] {
                let mut counts = std::collections::BTreeMap::<u64, u32>::new();
                hashes.iter().for_each(|&hash| *counts.entry(bits(hash)).or_default() += 1);
                let fullest = counts.values().max().copied().unwrap_or_default();
                let mean = 4096 / counts.len() as u32;
                assert!(
                    counts.len() > 60 && fullest < 8 * mean.max(4),
                    "shift {shift}: {} used, {fullest}",
                    counts.len()
                );
            }
        }
    }

    #[test]
    fn tables_hash_alike_only_to_themselves() {
        let (one, other) = (ByIds::default(), ByIds::default());
        assert_eq!(one.hash_one(7_u64), one.hash_one(7_u64));
        assert!((0..64_u64).any(|id| one.hash_one(id) != other.hash_one(id)));
    }
}
