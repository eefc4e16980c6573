//! What a heap checks before it trusts a pointer, a header or a link.

/// What a heap checks before it trusts a pointer, a header or a link: `check=header`.
///
/// What a heap of each family detects is in the table of [`heapsmith::heap_error`]. Addresses are the same at every level.
/// Behind free lists `header` needs a bit of every header, so the region has at most half as many words.
///
/// A third level is written `check=full`: `header` and the patterns, the poison and the quarantine of a guard. It is short for
/// a `guard(pages=off)` before all layers, if there is no guard, and `check=header`, and it is printed so: a guard has words of
/// its own before and behind each block, so it is no level of the same heap but a layer.
///
/// ```
/// use heapsmith_spec::Spec;
///
/// let spec: Spec = "tlsf check=full".parse()?;
/// assert_eq!(spec.to_string(), "guard(quarantine=16, pages=off) tlsf(second-level=5) check=header");
/// # Ok::<(), heapsmith_spec::SpecError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// Nothing: a heap error is undefined behaviour, and nothing is paid for it.
    #[default]
    Off,
    /// Pointers, headers and links that an operation uses, in constant time: double frees, foreign and interior pointers,
    /// overwritten headers and links.
    Header,
}

impl Check {
    /// The word of the level that is a guard and [`Check::Header`].
    pub(crate) const FULL: &str = "full";
}
