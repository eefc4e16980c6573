//! Text into tokens.
//!
//! A character that belongs nowhere becomes a token too: the parser reports it when it gets
//! there, so the leftmost fault is the one that is named.

use crate::problem::Problem;

/// A token and its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct Token<'text> {
    /// Its kind.
    pub kind: Kind<'text>,
    /// Its column, in characters from 1.
    pub column: usize,
}

/// The kinds of tokens.
#[derive(Clone, Debug)]
pub(crate) enum Kind<'text> {
    /// `list`, `every-call`.
    Word(&'text str),
    /// `512`, `4K`.
    Number(u64),
    /// `0x40000000`, for an address alone.
    Address(u64),
    /// `100ms`, for a time alone.
    Milliseconds(u64),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `,`
    Comma,
    /// `=`
    Equals,
    /// `>=`
    AtLeast,
    /// `..=`
    Through,
    /// `%`
    Percent,
    /// Characters that are no token.
    Stray(Problem),
    /// The end of the text, or the comment that ends it.
    End,
}

impl Kind<'_> {
    /// The token as an error message names it.
    pub fn name(&self) -> String {
        let text = match self {
            Self::Word(word) => word,
            Self::Number(number) => return format!("`{number}`"),
            Self::Address(address) => return format!("`{address:#x}`"),
            Self::Milliseconds(time) => return format!("`{time}ms`"),
            Self::Open => "(",
            Self::Close => ")",
            Self::Comma => ",",
            Self::Equals => "=",
            Self::AtLeast => ">=",
            Self::Through => "..=",
            Self::Percent => "%",
            Self::Stray(problem) => return problem.to_string(),
            Self::End => return "the end".to_owned(),
        };
        format!("`{text}`")
    }
}

/// The tokens of a text; the last is always [`Kind::End`].
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { remainder: text.trim_end(), column: 1 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_spaces();
        let column = lexer.column;
        let kind = lexer.token();
        let ended = matches!(kind, Kind::End);
        tokens.push(Token { kind, column });
        if ended {
            return tokens;
        }
    }
}

/// The unread text, and where it begins.
struct Lexer<'text> {
    remainder: &'text str,
    column: usize,
}

impl<'text> Lexer<'text> {
    /// Takes the longest run of characters that pass.
    fn run(&mut self, passes: impl Fn(char) -> bool) -> &'text str {
        let length = self.remainder.find(|c| !passes(c)).unwrap_or(self.remainder.len());
        let (run, remainder) = self.remainder.split_at(length);
        self.remainder = remainder;
        self.column += run.chars().count();
        run
    }

    /// Takes `sign`, if it comes next.
    fn sign(&mut self, sign: &str) -> bool {
        let Some(remainder) = self.remainder.strip_prefix(sign) else {
            return false;
        };
        self.remainder = remainder;
        self.column += sign.chars().count();
        true
    }

    fn skip_spaces(&mut self) {
        self.run(|c| c == ' ' || c == '\t');
    }

    fn token(&mut self) -> Kind<'text> {
        match self.remainder.chars().next() {
            None | Some('#') => Kind::End,
            Some(c) if c.is_ascii_alphabetic() => Kind::Word(self.run(in_word)),
            Some(c) if c.is_ascii_digit() => number(self.run(|c| c.is_ascii_alphanumeric())),
            Some(c) => self.punctuation(c),
        }
    }

    fn punctuation(&mut self, first: char) -> Kind<'text> {
        const SIGNS: [(&str, Kind<'static>); 7] = [
            ("(", Kind::Open),
            (")", Kind::Close),
            (",", Kind::Comma),
            ("=", Kind::Equals),
            (">=", Kind::AtLeast),
            ("..=", Kind::Through),
            ("%", Kind::Percent),
        ];
        for (sign, kind) in SIGNS {
            if self.sign(sign) {
                return kind;
            }
        }
        self.sign(first.encode_utf8(&mut [0; 4]));
        Kind::Stray(match first {
            '.' => Problem::OpenRange,
            '>' => Problem::LevelSign,
            '\n' | '\r' => Problem::SecondLine,
            other => Problem::Character(other),
        })
    }
}

/// Dots occur in the names of the catalogue. None of them may make a word of `best..=`.
fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// The number that the digits and perhaps a suffix say.
fn number(text: &str) -> Kind<'static> {
    if let Some(digits) = text.strip_prefix("0x").filter(|digits| digits.bytes().all(|c| c.is_ascii_hexdigit())) {
        return match u64::from_str_radix(digits, 16) {
            Ok(address) => Kind::Address(address),
            Err(_) if digits.is_empty() => Kind::Stray(Problem::Suffix(text.to_owned())),
            Err(_) => Kind::Stray(Problem::HugeNumber(text.to_owned())),
        };
    }
    if let Some(digits) = text.strip_suffix("ms") {
        return match digits.parse() {
            Ok(milliseconds) => Kind::Milliseconds(milliseconds),
            Err(_) if digits.bytes().all(|c| c.is_ascii_digit()) => Kind::Stray(Problem::HugeNumber(text.to_owned())),
            Err(_) => Kind::Stray(Problem::Suffix(text.to_owned())),
        };
    }
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => return Kind::Stray(Problem::Suffix(text.to_owned())),
    };
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Kind::Stray(Problem::Suffix(text.to_owned()));
    }
    // Digits alone fail to parse only where they are too many.
    match digits.parse::<u64>().ok().and_then(|n| n.checked_mul(unit)) {
        Some(number) => Kind::Number(number),
        None => Kind::Stray(Problem::HugeNumber(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, tokens};

    fn names(text: &str) -> Vec<(usize, String)> {
        tokens(text).into_iter().map(|token| (token.column, token.kind.name())).collect()
    }

    fn last_number(text: &str) -> Option<u64> {
        match tokens(text)[0].kind {
            Kind::Number(number) => Some(number),
            _ => None,
        }
    }

    #[test]
    fn columns_count_characters_from_one() {
        assert_eq!(
            names("a  (8..=16)"),
            [
                (1, "`a`".to_owned()),
                (4, "`(`".to_owned()),
                (5, "`8`".to_owned()),
                (6, "`..=`".to_owned()),
                (9, "`16`".to_owned()),
                (11, "`)`".to_owned()),
                (12, "the end".to_owned()),
            ]
        );
        assert_eq!(names("µ b")[1].0, 3);
    }

    #[test]
    fn suffixes_are_binary() {
        assert_eq!(last_number("4K"), Some(4096));
        assert_eq!(last_number("2M"), Some(2 << 20));
        assert_eq!(last_number("18446744073709551615"), Some(u64::MAX));
    }

    #[test]
    fn numbers_that_do_not_fit_are_stray() {
        for text in ["18446744073709551616", "18446744073709551615K", "4k", "4KB", "0x", "0x1g"] {
            assert!(matches!(tokens(text)[0].kind, Kind::Stray(_)), "{text}");
        }
    }

    #[test]
    fn a_comment_is_the_end() {
        assert_eq!(names("list # (").len(), 2);
    }
}
