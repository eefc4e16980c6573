//! Which blocks are recorded where only one in N is.
//!
//! A hash of the block's address and of a seed decides, so its allocation and its end agree, and nothing has to be remembered
//! of the blocks that are left out. The seed is drawn by each process, so every block is as likely as any other. Blocks that
//! have one address after another are all recorded or none of them: what is live at one moment is a sample of single blocks,
//! and what was ever allocated is one of addresses.
//!
//! A reallocation may begin at an address that is recorded and end at one that is not: it is a free then, and the other way
//! round an allocation.
//!
//! Cost of a block that is left out: three multiplications, and no call.

/// One block in `every`; zeros take all.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Sample {
    /// What the hash begins with.
    pub seed: u64,
    /// How many blocks there are for one that is recorded.
    pub every: u64,
}

impl Sample {
    /// Whether all blocks are recorded.
    #[inline(always)]
    pub fn is_whole(&self) -> bool {
        self.every <= 1
    }

    /// Whether a block at this address is recorded.
    #[inline(always)]
    pub(crate) fn takes(&self, address: usize) -> bool {
        let mixed = (address as u64 ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (u128::from(hash) * u128::from(self.every)) >> 64 == 0
    }
}
