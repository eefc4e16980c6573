//! What keeps a trait in this crate: a supertrait that no other crate can name.

/// Implemented here alone, for what the sealed traits are implemented for.
pub trait Sealed {}
