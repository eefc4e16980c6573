//! Amounts as a check file writes them: `65536`, `"64K"`, `3.5`, `"5%"`.

use std::fmt;

use serde::Deserialize;

/// A number, or a share of something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// A number in the unit of the measure.
    Number(f64),
    /// A share: 0.05 is 5%.
    Share(f64),
}

/// As it is in the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected a number, or a text as \"64K\" or \"5%\"")]
pub(crate) enum RawAmount {
    Whole(i64),
    Decimal(f64),
    Text(String),
}

/// Numbers above this are not exact any more.
const EXACT: f64 = (1_u64 << 53) as f64;

impl Amount {
    /// The amount that a text says: digits, with or without decimals, and then nothing, K, M, G or %.
    ///
    /// # Errors
    ///
    /// What may be written.
    pub fn parse(text: &str) -> Result<Amount, String> {
        let wrong =
            || format!("{text:?} is no amount: write a number as 65536 or \"64K\" (K, M, G), or a share as \"5%\"");
        let text = text.trim();
        let (digits, factor) = match text.as_bytes().last() {
            Some(b'%') => (&text[..text.len() - 1], None),
            Some(b'K') => (&text[..text.len() - 1], Some(1024.0)),
            Some(b'M') => (&text[..text.len() - 1], Some(1024.0 * 1024.0)),
            Some(b'G') => (&text[..text.len() - 1], Some(1024.0 * 1024.0 * 1024.0)),
            _ => (text, Some(1.0)),
        };
        let is_number = digits.bytes().any(|byte| byte.is_ascii_digit())
            && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let number: f64 = digits.parse().ok().filter(|_| is_number).ok_or_else(wrong)?;
        match factor {
            Some(factor) if number * factor <= EXACT => Ok(Amount::Number(number * factor)),
            None if number <= EXACT => Ok(Amount::Share(number / 100.0)),
            _ => Err(format!("{text} is too large: write at most 2^53")),
        }
    }

    pub(crate) fn of(raw: &RawAmount) -> Result<Amount, String> {
        match raw {
            RawAmount::Whole(number) if (0..=EXACT as i64).contains(number) => Ok(Amount::Number(*number as f64)),
            RawAmount::Decimal(number) if (0.0..=EXACT).contains(number) => Ok(Amount::Number(*number)),
            RawAmount::Whole(number) => Err(format!("{number} is out of range: write a number from 0 to 2^53")),
            RawAmount::Decimal(number) => Err(format!("{number} is out of range: write a number from 0 to 2^53")),
            RawAmount::Text(text) => Amount::parse(text),
        }
    }
}

/// Without a unit: `65536`, `5%`.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Number(number) => write!(f, "{number}"),
            // 7.000000000000001% is nobody's share.
            Amount::Share(share) => write!(f, "{}%", (share * 1e8).round() / 1e6),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_with_their_units() {
        assert_eq!(Amount::parse("64K"), Ok(Amount::Number(65_536.0)));
        assert_eq!(Amount::parse("1.5M"), Ok(Amount::Number(1_572_864.0)));
        assert_eq!(Amount::parse(" 7% ").map(|amount| amount.to_string()), Ok("7%".to_owned()));
        for bad in ["", "K", "%", "-1", "+1", "1e3", "nan", "inf", "5 %", "0x10", "1_000", "99999999999999999999G"] {
            assert!(Amount::parse(bad).is_err(), "{bad}");
        }
        assert!(Amount::of(&RawAmount::Whole(-1)).is_err());
        assert!(Amount::of(&RawAmount::Decimal(f64::NAN)).is_err() && Amount::of(&RawAmount::Decimal(-0.5)).is_err());
    }
}
