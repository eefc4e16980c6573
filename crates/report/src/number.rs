//! Numbers as people read them.

pub use heapsmith_trace::{plural, thousands};

/// The minus sign of typography, as wide as a plus.
const MINUS: char = '\u{2212}';

/// A share as percent with one decimal: `0.123` is `12.3%`.
pub fn percent(share: f64) -> String {
    let tenths = (share.abs() * 1000.0).round();
    let sign = if share < 0.0 && tenths > 0.0 { MINUS.to_string() } else { String::new() };
    format!("{sign}{}.{}%", thousands((tenths / 10.0) as u64), tenths as u64 % 10)
}

/// A count that may be a mean: two decimals below 10, one below 1,000, none above.
pub fn count(value: f64) -> String {
    let size = value.abs();
    let sign = if value < 0.0 { MINUS.to_string() } else { String::new() };
    match size {
        _ if size < 10.0 && size.fract() != 0.0 => format!("{sign}{size:.2}"),
        _ if size < 999.95 && size.fract() != 0.0 => format!("{sign}{size:.1}"),
        _ => format!("{sign}{}", thousands(size.round() as u64)),
    }
}

/// A change of a share in percentage points: `+1.2 points`.
pub fn points(change: f64) -> String {
    format!("{} points", signed(change * 100.0, 1))
}

/// A relative change: `−30.0%`; what has no base has none.
pub fn relative(from: f64, to: f64) -> String {
    if from == 0.0 { "–".to_owned() } else { format!("{}%", signed((to / from - 1.0) * 100.0, 1)) }
}

fn signed(value: f64, decimals: usize) -> String {
    let text = match value.abs() {
        size if size >= 1000.0 => thousands(size.round() as u64),
        size => format!("{size:.decimals$}"),
    };
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
    match value {
        _ if is_zero => format!("±{text}"),
        _ if value < 0.0 => format!("{MINUS}{text}"),
        _ => format!("+{text}"),
    }
}

/// A number with six significant digits: what a plot can show, in fewer bytes.
pub fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10_f64.powi(5 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed<S: AsRef<str>>(items: &[S]) -> String {
    let items: Vec<&str> = items.iter().map(S::as_ref).collect();
    match items[..] {
        [] => String::new(),
        [one] => one.to_owned(),
        [ref first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_rounded() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(percent(0.0996), "10.0%");
        assert_eq!(percent(-0.0301), "−3.0%");
        assert_eq!(percent(12.0), "1,200.0%");
        assert_eq!(count(3.0), "3");
        assert_eq!(count(3.333), "3.33");
        assert_eq!(count(123.45), "123.5");
        assert_eq!(count(12345.6), "12,346");
    }

    #[test]
    fn changes_carry_their_sign() {
        assert_eq!(points(-0.1234), "−12.3 points");
        assert_eq!(points(0.0), "±0.0 points");
        assert_eq!(points(-1055.304), "−105,530 points");
        assert_eq!(relative(10.0, 7.0), "−30.0%");
        assert_eq!(relative(0.0, 7.0), "–");
    }

    #[test]
    fn plot_values_keep_six_digits() {
        assert_eq!(rounded(1.0 / 3.0), 0.333333);
        assert_eq!(rounded(123456.789), 123457.0);
        assert_eq!(rounded(f64::NAN), 0.0);
    }

    #[test]
    fn lists_read_as_sentences() {
        let items = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(listed(&items), "a, b and c");
        assert_eq!(listed(&items[..1]), "a");
    }
}
