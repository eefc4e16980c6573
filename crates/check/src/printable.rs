//! Text that any reader of a report can read.

/// A text without what XML 1.0 cannot hold and terminals obey: such characters are shown as `\x1b` or `\u{202e}`.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let is_bidirectional =
            matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let is_no_character = matches!(character, '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}');
        match u32::from(character) {
            code @ ..=0xff if character.is_control() => shown.push_str(&format!("\\x{code:02x}")),
            code if is_bidirectional || is_no_character => shown.push_str(&format!("\\u{{{code:x}}}")),
            _ => shown.push(character),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn what_xml_cannot_hold_is_shown_instead() {
        assert_eq!(printable("a\0\n\u{1b}[31m\u{fffe}\u{202e}"), "a\\x00\\x0a\\x1b[31m\\u{fffe}\\u{202e}");
        assert_eq!(printable("größer <&\"'> 😀"), "größer <&\"'> 😀");
    }
}
