//! The primes that a Q may be made of.

use super::number::{Memory, Number, Owned};

/// The factor base: the first primes modulo which the multiplied number is a square.
pub(super) struct Base<'s> {
    primes: Vec<u64>,
    _blocks: Vec<Owned<'s>>,
}

impl<'s> Base<'s> {
    /// No other prime can divide a Q.
    pub fn new(memory: &Memory<'s>, multiplied: &Number, count: usize) -> Base<'s> {
        let fits = |&prime: &u64| {
            let rest = multiplied.modulo_small(prime);
            prime == 2 || rest == 0 || power(rest, (prime - 1) / 2, prime) == 1
        };
        let primes: Vec<u64> = (2..).filter(|&number| is_prime(number)).filter(fits).take(count).collect();
        let blocks = primes.iter().map(|_| memory.own_prime()).collect();
        Base { primes, _blocks: blocks }
    }

    /// How many primes.
    pub fn len(&self) -> usize {
        self.primes.len()
    }

    /// The primes, smallest first.
    pub fn primes(&self) -> &[u64] {
        &self.primes
    }

    /// The exponents of Q over the base, that of -1 first; none if another prime divides it.
    pub fn exponents(&self, square: &Number, negative: bool) -> Option<Vec<u16>> {
        let mut rest = square.clone();
        let mut exponents = vec![u16::from(negative)];
        for &prime in &self.primes {
            let mut exponent = 0;
            while rest.modulo_small(prime) == 0 {
                rest = rest.over_small(prime);
                exponent += 1;
            }
            exponents.push(exponent);
        }
        rest.is(1).then_some(exponents)
    }
}

fn is_prime(number: u64) -> bool {
    (2..).take_while(|divisor| divisor * divisor <= number).all(|divisor| !number.is_multiple_of(divisor))
}

/// A power modulo a number below 2^32.
fn power(base: u64, exponent: u64, modulus: u64) -> u64 {
    let (mut result, mut square, mut exponent) = (1, base % modulus, exponent);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * square % modulus;
        }
        square = square * square % modulus;
        exponent >>= 1;
    }
    result
}
