//! Random numbers that are the same on every machine.
//!
//! Draws come from SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
//! Generators, OOPSLA 2014), exponential ones by von Neumann's comparison of uniform ones
//! (1951), which needs no logarithm.

/// A sequence of random numbers.
#[derive(Debug, Clone)]
pub struct Draws(u64);

impl Draws {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Draws {
        Draws(seed)
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Exponential with the mean 1: a falling run of uniform draws gives its first, if its
    /// length is odd; every run of even length adds 1.
    pub fn exponential(&mut self) -> f64 {
        let mut whole = 0.0;
        loop {
            let first = self.uniform();
            let (mut last, mut length) = (first, 1);
            loop {
                let next = self.uniform();
                if next >= last {
                    break;
                }
                (last, length) = (next, length + 1);
            }
            if length % 2 == 1 {
                return whole + first;
            }
            whole += 1.0;
        }
    }

    /// A whole number below `bound`, which is above 0 and far below 2^64.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// A whole number from `min` to `max`.
    pub fn between(&mut self, min: u64, max: u64) -> u64 {
        min + self.below(max - min + 1)
    }

    /// Whether what happens `share` of the times happens this time.
    pub fn happens(&mut self, share: f64) -> bool {
        self.uniform() < share
    }

    /// Puts a slice into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, slice: &mut [T]) {
        for end in (1..slice.len()).rev() {
            let other = self.below(end as u64 + 1) as usize;
            slice.swap(end, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_draws_have_mean_and_spread_one() {
        let mut draws = Draws(7);
        let sample: Vec<f64> = (0..100_000).map(|_| draws.exponential()).collect();
        let mean = sample.iter().sum::<f64>() / sample.len() as f64;
        let variance = sample.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / sample.len() as f64;
        assert!((mean - 1.0).abs() < 0.02 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }

    #[test]
    fn the_draws_are_splitmix64() {
        // The first output for the seed 1234567 of the authors' reference.
        assert_eq!(Draws(1_234_567).bits(), 6_457_827_717_110_365_317);
    }

    #[test]
    fn whole_numbers_and_orders_are_even() {
        let mut draws = Draws(3);
        let (mut counts, mut firsts) = ([0; 6], [0; 4]);
        for _ in 0..60_000 {
            counts[draws.between(10, 15) as usize - 10] += 1;
            let mut order = [0, 1, 2, 3];
            draws.shuffle(&mut order);
            firsts[order[0]] += 1;
        }
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
        assert!(firsts.iter().all(|count| (14_500..15_500).contains(count)), "{firsts:?}");
    }
}
