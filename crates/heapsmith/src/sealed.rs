//! A supertrait that no other crate can name: it seals a trait.

/// Implemented here alone, for what the sealed traits are implemented for.
pub trait Sealed {}
