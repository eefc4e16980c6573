//! Numbers as they are typed, each within bounds: a number that no job could mean is refused before anything is done,
//! with the values that are allowed.

use std::time::Duration;

use heapsmith_spec::{NamedRegion, Spec};

/// A whole number from `MIN` to `MAX`.
pub fn within<const MIN: usize, const MAX: usize>(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (MIN..=MAX).contains(&number) => Ok(number),
        _ => Err(format!("write a whole number from {MIN} to {MAX}")),
    }
}

/// Threads of one job.
pub fn jobs(text: &str) -> Result<usize, String> {
    within::<1, 1024>(text)
}

/// Bytes of a recording that become a trace: several windows of threads.
pub fn rotation(text: &str) -> Result<u64, String> {
    bytes(text).and_then(|size| if size < 1 << 20 { Err("write 1M or more".to_owned()) } else { Ok(size) })
}

/// Of how many blocks one is recorded.
pub fn sample(text: &str) -> Result<u32, String> {
    within::<2, 1_000_000>(text).map(|every| every as u32)
}

/// A number of bytes with or without its unit.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: u64 = digits.parse().map_err(|_| "write a number of bytes, as 64000, 64K or 2M".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "that is more than 2^64 bytes".to_owned())
}

/// As [`bytes`], and not 0.
pub fn above_zero(text: &str) -> Result<u64, String> {
    match bytes(text)? {
        0 => Err("write a number above 0".to_owned()),
        number => Ok(number),
    }
}

/// A time with its unit; a bare number is of seconds.
pub fn time(text: &str) -> Result<Duration, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b's') => (&text[..text.len() - 1], 1),
        Some(b'm') => (&text[..text.len() - 1], 60),
        Some(b'h') => (&text[..text.len() - 1], 3600),
        _ => (text, 1),
    };
    match digits.parse::<u64>() {
        Ok(number) if (1..=1_000_000).contains(&number) => Ok(Duration::from_secs(number * unit)),
        _ => Err("write a time, as 90s, 5m or 2h".to_owned()),
    }
}

/// A region of a board: its name, its bytes, and the cycles of an access.
pub fn region(text: &str) -> Result<NamedRegion, String> {
    const FORM: &str = "write a name, bytes, and the cycles of an access where it is not one: sram=16K, psram=128K@8";
    let (name, rest) = text.split_once('=').ok_or(FORM)?;
    let (size, cost) = rest.split_once('@').unwrap_or((rest, "1"));
    let region = NamedRegion { cost: cost.parse().map_err(|_| FORM)?, ..NamedRegion::new(name, bytes(size)?) };
    // What else a region may not be, the spec says where it is placed.
    if name.is_empty() || region.size == 0 { Err(FORM.to_owned()) } else { Ok(region) }
}

/// An alignment that a heap can have.
pub fn alignment(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(number) if number.is_power_of_two() && number <= Spec::MAX_ALIGNMENT => Ok(number),
        _ => Err(format!("write a power of two from 1 to {}", Spec::MAX_ALIGNMENT)),
    }
}

/// A number that is not negative, with or without decimals.
pub fn amount(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("write a number of 0 or more".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit() {
        assert_eq!((time("90"), time("2h")), (Ok(Duration::from_secs(90)), Ok(Duration::from_secs(7200))));
        assert!(["", "m", "0s", "-1m", "1.5h", "9999999h"].iter().all(|bad| time(bad).is_err()));
    }

    #[test]
    fn numbers_are_taken_within_their_bounds_only() {
        assert_eq!(jobs("2"), Ok(2));
        for bad in ["0", "1025", "-1", "9223372036854775807", "99999999999999999999", "1.5", "", "two"] {
            assert_eq!(jobs(bad), Err("write a whole number from 1 to 1024".to_owned()), "{bad}");
        }
        assert_eq!((bytes("64K"), bytes("0"), above_zero("2M")), (Ok(65536), Ok(0), Ok(2 << 20)));
        for bad in ["", "K", "-1", "1T", "18014398509481984K", "1.5M", "é"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
        assert!(["NaN", "inf", "-1", "x"].iter().all(|bad| amount(bad).is_err()));
        assert_eq!(amount("1.5"), Ok(1.5));
        assert_eq!((alignment("1"), alignment("4096")), (Ok(1), Ok(4096)));
        for bad in ["0", "3", "8192", "-8", "8K", "4294967296", ""] {
            assert_eq!(alignment(bad), Err("write a power of two from 1 to 4096".to_owned()), "{bad}");
        }
    }
}
