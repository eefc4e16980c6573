//! Lists of frames: a line for each, with its time in seconds and its size in bytes, as the
//! Bellcore traces of 1989 have them.

use heapsmith_trace::Nanoseconds;

/// Reads one line.
pub(super) fn parse(line: &str) -> Result<(Nanoseconds, u32), &'static str> {
    let mut fields = line.split_ascii_whitespace();
    let (Some(time), Some(size), None) = (fields.next(), fields.next(), fields.next()) else {
        return Err("not a time and a size");
    };
    let time = seconds(time).ok_or("the time is not a number of seconds")?;
    let size = size.parse().map_err(|_| "the size is not a number of bytes")?;
    Ok((time, size))
}

/// Whether a line is one of a list of frames.
pub(super) fn is_line(line: &str) -> bool {
    parse(line).is_ok()
}

/// Decimal seconds as nanoseconds, digit by digit: a binary fraction would round.
fn seconds(text: &str) -> Option<Nanoseconds> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || whole.is_empty() {
        return None;
    }
    let nanoseconds: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    let whole: u64 = whole.parse().ok()?;
    let nanoseconds: u64 = nanoseconds.parse().ok()?;
    let total = whole.checked_mul(1_000_000_000)?;
    total.checked_add(nanoseconds).map(Nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padded_lines_read_to_the_nanosecond() {
        assert_eq!(parse("   0.001340    174 ").unwrap(), (Nanoseconds(1_340_000), 174));
        assert_eq!(parse("12 66").unwrap(), (Nanoseconds(12_000_000_000), 66));
        for bad in ["", "1", "1 2 3", "-1 2", "1 x", "1e3 2", "99999999999999999999 1"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
