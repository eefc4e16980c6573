//! Specs and levels as people read them.

use heapsmith_explore::{Design, FACTORS};

/// Sizes that a list is shortened to.
const SHOWN: usize = 6;

/// A spec whose long lists of sizes are shortened: `freelists(8, 11, … 126 more) list(…)`.
pub fn shortened(spec: &str) -> String {
    let mut text = String::with_capacity(spec.len().min(200));
    let mut rest = spec;
    while let Some(open) = rest.find('(') {
        let (head, tail) = rest.split_at(open + 1);
        let close = tail.find(')').unwrap_or(tail.len());
        let (inside, after) = tail.split_at(close);
        text.push_str(head);
        let items: Vec<&str> = inside.split(',').map(str::trim).collect();
        let sizes = items.iter().take_while(|item| item.starts_with(|c: char| c.is_ascii_digit())).count();
        if sizes > SHOWN + 2 {
            text.push_str(&items[..SHOWN].join(","));
            text.push_str(&format!(",… {} more", sizes - SHOWN));
            items[sizes..].iter().for_each(|item| text.push_str(&format!(", {item}")));
        } else {
            text.push_str(inside);
        }
        rest = after;
    }
    text.push_str(rest);
    text
}

/// The techniques of a design in words: `2 free lists, first fit, splitting 100%, coalescing 100%`.
pub fn levels(design: &Design) -> String {
    let lists = match design.level(0) {
        0 => "no free lists".to_owned(),
        1 => "1 free list".to_owned(),
        lists => format!("{lists} free lists"),
    };
    let fit = match design.level(1) {
        0 => "first fit".to_owned(),
        100 => "best fit".to_owned(),
        depth => format!("best fit over {depth}% of the list"),
    };
    let used = |level: u8, name: &str| match level {
        0 => format!("no {name}"),
        100 => format!("full {name}"),
        level => format!("{name} for the largest {level}% of requests"),
    };
    format!("{lists}, {fit}, {}, {}", used(design.level(2), "splitting"), used(design.level(3), "coalescing"))
}

/// The technique that a factor of the classic space stands for, in words.
pub fn technique(factor: usize) -> &'static str {
    match FACTORS[factor].name {
        "freelists" => "free lists",
        "fit" => "best fit",
        "split" => "splitting",
        "coalesce" => "coalescing",
        other => other,
    }
}

/// A word with a capital.
pub fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_shortened_and_the_rest_is_kept() {
        let spec = "freelists(1,2,3,4,5,6,7,8,9,10, order=fifo) list(order=address) word=4";
        assert_eq!(shortened(spec), "freelists(1,2,3,4,5,6,… 4 more, order=fifo) list(order=address) word=4");
        assert_eq!(shortened("freelists(66,1514) list"), "freelists(66,1514) list");
        assert_eq!(shortened("list("), "list(");
        assert_eq!(capitalized("best fit"), "Best fit");
    }
}
