//! Groups of blocks that were searched in vain.
//!
//! Whether a group can be placed follows from its blocks, where each is supported and its lowest offset, and the capacity,
//! whatever the order in which they came to that. So what failed once fails again, also in another order of equal offsets.
//!
//! A group is known by the sum of 128-bit numbers of its blocks: that two of the at most 2²⁰ groups have the same has a
//! probability below 2⁻⁸⁰.

use std::collections::HashSet;

/// Groups that are remembered at most: some 40 MB.
const GROUPS: usize = 1 << 20;

#[derive(Default)]
pub(super) struct Failed(HashSet<u128>);

impl Failed {
    pub fn contains(&self, group: u128) -> bool {
        self.0.contains(&group)
    }

    /// Remembers a group; forgets all where there are too many.
    pub fn insert(&mut self, group: u128) {
        if self.0.len() >= GROUPS {
            self.0.clear();
        }
        self.0.insert(group);
    }
}

/// The number of a block in its state.
pub(super) fn number(block: u32, supported: u64, lowest: u64) -> u128 {
    let low = mixed(mixed(mixed(u64::from(block)) ^ supported) ^ lowest);
    let high = mixed(mixed(mixed(!u64::from(block)) ^ lowest.rotate_left(32)) ^ supported.rotate_left(17));
    u128::from(high) << 64 | u128::from(low)
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
fn mixed(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
