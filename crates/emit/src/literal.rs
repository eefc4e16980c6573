//! Numbers and long texts as C writes them.

/// A number as a constant that is not negative, of a type that holds it.
pub(crate) fn unsigned(number: u64) -> String {
    if number <= u32::MAX.into() { format!("{number}U") } else { format!("UINT64_C({number})") }
}

/// A text in lines of at most `width` characters, broken at spaces.
pub(crate) fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
