//! Counts as people read them.

/// A whole number with separators: `10,000`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 list`, `2 lists`.
pub fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_thousands_are_apart() {
        assert_eq!(plural(0, "list", "lists"), "0 lists");
        assert_eq!(plural(1, "list", "lists"), "1 list");
        assert_eq!(plural(1000, "list", "lists"), "1,000 lists");
        assert_eq!((thousands(999), thousands(1_234_567)), ("999".to_owned(), "1,234,567".to_owned()));
    }
}
