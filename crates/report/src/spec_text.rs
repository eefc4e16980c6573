//! Specs and levels as people read them.

use heapsmith_explore::{Design, Factor, Families};

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

/// The factors of a design in words: `2 free lists, first fit, splitting 100%, coalescing 100%`.
pub fn levels(families: &Families, design: &Design) -> String {
    let family = families.family(design);
    let each = family.factors.iter().zip(&*design.levels);
    let words: Vec<String> =
        each.map(|(factor, &level)| level_in_words(&factor.name, &factor.levels[usize::from(level)])).collect();
    match families.0.len() {
        1 => words.join(", "),
        _ => format!("{}: {}", family.name, words.join(", ")),
    }
}

/// Every level of each factor of each family, in words.
pub fn level_words(families: &Families) -> Vec<Vec<Vec<String>>> {
    let words = |factor: &Factor| factor.levels.iter().map(|level| level_in_words(&factor.name, level)).collect();
    families.0.iter().map(|family| family.factors.iter().map(words).collect()).collect()
}

fn level_in_words(factor: &str, level: &str) -> String {
    let used = |name: &str| match level {
        "0" => format!("no {name}"),
        "100" => format!("full {name}"),
        "popular" => format!("{name} from half of the most popular size on"),
        level if level.parse::<u8>().is_ok() => format!("{name} for the largest {level}% of requests"),
        level => format!("{name} {level}"),
    };
    match (factor, level) {
        ("freelists", "0") => "no free lists".to_owned(),
        ("freelists", "1") => "1 free list".to_owned(),
        ("freelists", lists) => match lists.split_once(' ') {
            _ if lists.contains("..=") => format!("free lists for {lists}"),
            Some(("saved", lists)) => format!("{lists} free lists for the sizes that most bytes go through"),
            Some(("optimal", lists)) => format!("{lists} free lists for all sizes, with optimal classes"),
            _ => format!("{lists} free lists"),
        },
        ("fit", "0") => "first fit".to_owned(),
        ("fit", "100") => "best fit".to_owned(),
        ("fit", depth) if depth.parse::<u8>().is_ok() => format!("best fit over {depth}% of the list"),
        ("fit", policy) => format!("{policy} fit"),
        ("split", _) => used("splitting"),
        ("coalesce", _) => used("coalescing"),
        ("pool", pool) => pool.to_owned(),
        (factor, level) => format!("{factor} {level}"),
    }
}

/// A factor in words.
pub fn factor_name(factor: &str) -> &str {
    match factor {
        "freelists" => "free lists",
        "fit" => "best fit",
        "split" => "splitting",
        "coalesce" => "coalescing",
        "pool" => "structure",
        "align" => "alignment",
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
    fn levels_of_free_lists_are_told_in_words() {
        for (level, words) in [
            ("1", "1 free list"),
            ("8", "8 free lists"),
            ("saved 4", "4 free lists for the sizes that most bytes go through"),
            ("optimal 4", "4 free lists for all sizes, with optimal classes"),
            ("16..=64 step 16", "free lists for 16..=64 step 16"),
        ] {
            assert_eq!(level_in_words("freelists", level), words);
        }
    }

    #[test]
    fn long_lists_are_shortened_and_the_rest_is_kept() {
        let spec = "freelists(1,2,3,4,5,6,7,8,9,10, order=fifo) list(order=address) word=4";
        assert_eq!(shortened(spec), "freelists(1,2,3,4,5,6,… 4 more, order=fifo) list(order=address) word=4");
        assert_eq!(shortened("freelists(66,1514) list"), "freelists(66,1514) list");
        assert_eq!(shortened("list("), "list(");
        assert_eq!(capitalized("best fit"), "Best fit");
    }
}
