//! What a heap checks before it trusts a pointer, a header or a link.

/// What a heap checks before it trusts a pointer, a header or a link: `check=header`.
///
/// What a heap of each family detects is in the table of [`heapsmith::heap_error`]. Addresses are the same at every level.
/// Behind free lists `header` needs a bit of every header, so the region has at most half as many words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Check {
    /// Nothing: a heap error is undefined behaviour, and nothing is paid for it.
    #[default]
    Off,
    /// Pointers, headers and links that an operation uses, in constant time: double frees, foreign and interior pointers,
    /// overwritten headers and links.
    Header,
}
