//! A hash of block ids and addresses for tables of live blocks: one multiplication of 64 by 64 bits, its halves folded together.
//!
//! They come from files that anybody may have written. Each table has numbers of its own, drawn by the standard library's
//! [`RandomState`], so that nobody can choose some that collide.
//!
//! Cost: 5 instructions an id; the standard library's hash takes about 90.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A table's hash of one id or address, with numbers of its own; cost: 5 instructions.
#[derive(Debug, Clone, Copy)]
pub struct ByIds {
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
pub struct IdHasher {
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
    use crate::Draws;

    /// Ids are addresses, counters or slots: in steps of any power of two, they use the buckets and the tags of a table.
    ///
    /// Each factor has a few steps that it spreads worse (their product with it is close to a simple fraction of 2^64), so a
    /// table of one random factor cannot be judged alone. These 32 factors are the same in every run.
    #[test]
    fn ids_in_equal_steps_are_spread() {
        let mut draws = Draws::new(1);
        let tables: Vec<ByIds> = (0..32).map(|_| ByIds { mask: draws.bits(), factor: draws.bits() | 1 }).collect();
        let mut uneven = 0;
        for (table, shift) in tables.iter().flat_map(|table| (0..48).map(move |shift| (table, shift))) {
            let (mut in_bucket, mut with_tag) = ([0_u32; 1024], [0_u32; 128]);
            for hash in (0..4096_u64).map(|number| table.hash_one(number << shift)) {
                in_bucket[(hash % 1024) as usize] += 1;
                with_tag[(hash >> 57) as usize] += 1;
            }
            let (bucket, tag) = (in_bucket.into_iter().max(), with_tag.into_iter().max());
            assert!(bucket < Some(16 * 4) && tag < Some(8 * 32), "{table:?}, shift {shift}: {bucket:?}, {tag:?}");
            uneven += u32::from(bucket > Some(4 * 4) || tag > Some(4 * 32));
        }
        assert!(uneven <= 32, "{uneven} of 1,536 steps have four times the mean in a bucket or a tag");
    }

    #[test]
    fn tables_hash_alike_only_to_themselves() {
        let (one, other) = (ByIds::default(), ByIds::default());
        assert_eq!(one.hash_one(7_u64), one.hash_one(7_u64));
        assert!((0..64_u64).any(|id| one.hash_one(id) != other.hash_one(id)));
    }
}
