//! Numbers as programs print them.

/// A hexadecimal number with or without `0x`; glibc prints a null pointer as `(nil)`.
pub(crate) fn hexadecimal(text: &str) -> Option<u64> {
    if text == "(nil)" || text == "NULL" || text == "nil" {
        return Some(0);
    }
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    // `from_str_radix` takes a sign too.
    digits.starts_with(|c: char| c.is_ascii_hexdigit()).then(|| u64::from_str_radix(digits, 16).ok())?
}

/// A decimal number, or a hexadecimal one with `0x`.
pub(crate) fn whole(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(_) => hexadecimal(text),
        None => text.starts_with(|c: char| c.is_ascii_digit()).then(|| text.parse().ok())?,
    }
}

/// Decimal seconds as nanoseconds, digit by digit: a binary fraction would round.
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let nanoseconds: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(nanoseconds.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_in_their_notation() {
        assert_eq!(hexadecimal("0x10"), Some(16));
        assert_eq!(hexadecimal("ff"), Some(255));
        assert_eq!(hexadecimal("(nil)"), Some(0));
        assert_eq!(whole("10"), Some(10));
        assert_eq!(whole("0x10"), Some(16));
        assert_eq!(seconds("12.5"), Some(12_500_000_000));
        for bad in ["", "-1", "+1", "0x", "1 ", "99999999999999999999999999"] {
            assert_eq!((hexadecimal(bad), whole(bad)), (None, None), "{bad}");
        }
    }
}
