//! The time between two events, in two bytes.
//!
//! ```text
//!   bit  15          10 9            0
//!        ├─ exponent ──┼─ mantissa ──┤      mantissa × 2^exponent nanoseconds
//! ```

use crate::Nanoseconds;

const MANTISSA_BITS: u32 = 10;
const MANTISSA: u16 = (1 << MANTISSA_BITS) - 1;

/// Time between two events, to three digits: exact below 1,024 ns, else within a thousandth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Gap(u16);

impl Gap {
    /// No time at all.
    pub const NONE: Gap = Gap(0);
    /// The longest: 208 days.
    pub const LONGEST: Gap = Gap(44 << MANTISSA_BITS | MANTISSA);

    /// The gap nearest to a time; [`LONGEST`](Gap::LONGEST) for what is longer.
    pub fn of(time: Nanoseconds) -> Gap {
        let exponent = (u64::BITS - MANTISSA_BITS).saturating_sub(time.0.leading_zeros());
        let half = (1 << exponent) >> 1;
        let mantissa = time.0.saturating_add(half) >> exponent;
        // Rounding up may take a bit more.
        let carry = (mantissa >> MANTISSA_BITS) as u32;
        let (exponent, mantissa) = (exponent + carry, (mantissa >> carry) as u16);
        let gap = Gap((exponent as u16) << MANTISSA_BITS | mantissa);
        if gap.0 > Gap::LONGEST.0 { Gap::LONGEST } else { gap }
    }

    /// The time in nanoseconds.
    #[inline(always)]
    pub fn nanoseconds(self) -> u64 {
        u64::from(self.0 & MANTISSA) << (self.0 >> MANTISSA_BITS)
    }

    /// The exponent and the mantissa, as they lie in memory.
    pub fn bits(self) -> u16 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packed(time: u64) -> u64 {
        Gap::of(Nanoseconds(time)).nanoseconds()
    }

    #[test]
    fn short_gaps_are_exact_and_the_longest_is_a_limit() {
        assert!((0..1024).all(|time| packed(time) == time));
        assert_eq!(Gap::of(Nanoseconds(0)), Gap::NONE);
        assert_eq!((packed(1024), packed(2047), packed(2049)), (1024, 2048, 2048));
        let days = Gap::LONGEST.nanoseconds() / 86_400_000_000_000;
        assert_eq!((Gap::of(Nanoseconds(u64::MAX)), days), (Gap::LONGEST, 208));
    }

    proptest! {
        #[test]
        fn a_gap_is_within_a_thousandth(time in 0..Gap::LONGEST.nanoseconds()) {
            prop_assert!(packed(time).abs_diff(time) <= time / 1000, "{} for {time}", packed(time));
        }

        #[test]
        fn longer_times_have_no_shorter_gaps(time in any::<u64>(), more in any::<u64>()) {
            prop_assert!(packed(time) <= packed(time.saturating_add(more)));
        }
    }
}
