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
        let taken = KEYWORDS.contains(&text) || LIBRARY.contains(&text);
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

/// Headers of the C library, which a file of that name would hide, and functions that a heap may be called after.
const LIBRARY: &[&str] = &[
    "abort",
    "alloca",
    "alloc",
    "assert",
    "calloc",
    "complex",
    "core",
    "ctype",
    "errno",
    "exit",
    "fenv",
    "float",
    "free",
    "index",
    "inttypes",
    "limits",
    "locale",
    "main",
    "malloc",
    "math",
    "memcpy",
    "memmove",
    "memory",
    "memset",
    "realloc",
    "sbrk",
    "setjmp",
    "signal",
    "std",
    "stdarg",
    "stdatomic",
    "stdbool",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "string",
    "strings",
    "tgmath",
    "threads",
    "time",
    "uchar",
    "unistd",
    "wchar",
    "wctype",
];

/// Words that C, C++ or Rust keep for themselves.
const KEYWORDS: &[&str] = &[
    "abstract",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "as",
    "asm",
    "async",
    "auto",
    "await",
    "become",
    "bitand",
    "bitor",
    "bool",
    "box",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "crate",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dyn",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "final",
    "float",
    "fn",
    "for",
    "friend",
    "gen",
    "goto",
    "if",
    "impl",
    "in",
    "inline",
    "int",
    "let",
    "long",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "override",
    "priv",
    "private",
    "protected",
    "pub",
    "public",
    "ref",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "self",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "super",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "union",
    "unsafe",
    "unsigned",
    "unsized",
    "use",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "where",
    "while",
    "xor",
    "xor_eq",
    "yield",
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
        for text in [
            "", "2heap", "my-heap", "Heap", "static", "trait", "class", "new", "delete", "_heap", "heap!", "malloc",
            "stdlib",
        ] {
            assert!(Name::new(text).is_err(), "{text}");
        }
    }
}
