//! Random numbers that are the same everywhere.

/// The state of a random number generator (xorshift64*, Vigna 2016, An experimental
/// exploration of Marsaglia's xorshift generators, scrambled).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of `seed`; neighbouring seeds have nothing in common (splitmix64).
    pub fn new(seed: u64) -> Self {
        let mut state = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Random((state ^ (state >> 31)).max(1))
    }

    /// A number below `bound`, which is at most 2³¹.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    /// One of `choices`.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A size of `min` bytes up to below `min << doublings`; every magnitude is as frequent.
    pub fn magnitude(&mut self, min: usize, doublings: usize) -> usize {
        let power = min << self.below(doublings);
        power + self.below(power)
    }
}
