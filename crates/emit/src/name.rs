//! The name that emitted source carries: of its files, and before each of its symbols.

use crate::EmitError;

/// A name: letters, digits and underscores, in lower case, beginning with a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// The name that `text` is.
    pub fn new(text: &str) -> Result<Name, EmitError> {
        let begins = text.starts_with(|first: char| first.is_ascii_lowercase());
        let goes_on = text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let taken = KEYWORDS.contains(&text);
        if begins && goes_on && !taken { Ok(Name(text.to_owned())) } else { Err(EmitError::Name(text.to_owned())) }
    }

    /// As it is written before a function.
    pub fn lower(&self) -> &str {
        &self.0
    }

    /// As it is written before a macro.
    pub fn upper(&self) -> String {
        self.0.to_uppercase()
    }

    /// As it is written in a Rust type.
    pub fn camel(&self) -> String {
        let capital = |part: &str| {
            let (first, remainder) = part.split_at(part.len().min(1));
            first.to_uppercase() + remainder
        };
        self.0.split('_').map(capital).collect()
    }
}

/// Words that C or Rust keep for themselves.
const KEYWORDS: &[&str] = &[
    "as", "auto", "bool", "break", "case", "char", "const", "continue", "crate", "default", "do", "double", "else",
    "enum", "extern", "false", "float", "fn", "for", "goto", "if", "impl", "in", "inline", "int", "let", "long",
    "loop", "match", "mod", "move", "mut", "pub", "ref", "register", "restrict", "return", "self", "short", "signed",
    "sizeof", "static", "struct", "super", "switch", "trait", "true", "type", "typedef", "union", "unsafe", "unsigned",
    "use", "void", "volatile", "where", "while",
];

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn a_name_has_three_forms() {
        let name = Name::new("drr_heap2").expect("a name");
        assert_eq!((name.lower(), &*name.upper(), &*name.camel()), ("drr_heap2", "DRR_HEAP2", "DrrHeap2"));
    }

    #[test]
    fn what_no_compiler_takes_is_no_name() {
        for text in ["", "2heap", "my-heap", "Heap", "static", "trait", "_heap", "heap!"] {
            assert!(Name::new(text).is_err(), "{text}");
        }
    }
}
