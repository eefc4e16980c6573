//! Quantities with their unit in the type, so that bytes are never added to nanoseconds.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A number of bytes. Displays in a form for people (`29.8 KB`, 1 KB = 1024 bytes);
/// the plain number is `.0`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// A time or a duration in nanoseconds. Displays with the unit that suits its size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanoseconds(pub u64);

impl Nanoseconds {
    /// The time in seconds, for rates and plots.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// From `earlier` to this time; zero when the clock went backwards.
    pub fn since(self, earlier: Nanoseconds) -> Nanoseconds {
        Nanoseconds(self.0.saturating_sub(earlier.0))
    }
}

/// Writes `value` in the largest unit that leaves a number of at least one.
///
/// `units` starts with the unit of `value` and grows by `steps`.
fn write_scaled(f: &mut fmt::Formatter<'_>, value: u64, units: &[&str], steps: &[f64]) -> fmt::Result {
    let mut scaled = value as f64;
    let mut unit = 0;
    // A value that would be printed as "1024.0 KB" belongs to the next unit already.
    while unit < steps.len() && scaled + 0.05 >= steps[unit] {
        scaled /= steps[unit];
        unit += 1;
    }
    if unit == 0 { f.pad(&format!("{value} {}", units[0])) } else { f.pad(&format!("{scaled:.1} {}", units[unit])) }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_scaled(f, self.0, &["B", "KB", "MB", "GB", "TB"], &[1024.0; 4])
    }
}

impl fmt::Display for Nanoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["ns", "µs", "ms", "s", "min", "h"];
        write_scaled(f, self.0, &units, &[1000.0, 1000.0, 1000.0, 60.0, 60.0])
    }
}

macro_rules! arithmetic {
    ($quantity:ident) => {
        impl Add for $quantity {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl AddAssign for $quantity {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }
        impl Sub for $quantity {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl SubAssign for $quantity {
            fn sub_assign(&mut self, other: Self) {
                self.0 -= other.0;
            }
        }
        impl Sum for $quantity {
            fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
                Self(items.map(|item| item.0).sum())
            }
        }
    };
}

arithmetic!(Bytes);
arithmetic!(Nanoseconds);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_like_people_write_them() {
        assert_eq!(Bytes(0).to_string(), "0 B");
        assert_eq!(Bytes(1023).to_string(), "1023 B");
        assert_eq!(Bytes(30_515).to_string(), "29.8 KB");
        assert_eq!(Bytes(1024 * 1024 - 1).to_string(), "1.0 MB");
        assert_eq!(format!("{:>8}", Bytes(66)), "    66 B");
        assert_eq!(Bytes(u64::MAX).to_string(), "16777216.0 TB");
    }

    #[test]
    fn times_pick_their_unit() {
        assert_eq!(Nanoseconds(12).to_string(), "12 ns");
        assert_eq!(Nanoseconds(1_500_000).to_string(), "1.5 ms");
        assert_eq!(Nanoseconds(90_000_000_000).to_string(), "1.5 min");
    }

    #[test]
    fn sums_and_backward_clocks() {
        let total: Bytes = [Bytes(1), Bytes(2)].into_iter().sum();
        assert_eq!(total, Bytes(3));
        assert_eq!(Nanoseconds(3).since(Nanoseconds(5)), Nanoseconds(0));
    }
}
