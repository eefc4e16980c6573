//! Layers: they stand before a pool and keep some of its blocks, or watch over them.
//!
//! | layer | adds to a block | adds to the region |
//! |---|---|---|
//! | [`FreeLists`] | nothing | a word or two a list |
//! | [`Guard`] | 4 words and the rounding | a block of 3 words, with a quarantine |
//! | [`Reserve`] | nothing | a block of a word |
//! | [`Zero`] | nothing | nothing |
//!
//! `FreeLists` stands directly before a pool of blocks. The others stand before
//! any [`crate::Heap`]; what they keep for themselves is a block of that heap,
//! which `walk` reports as kept.

mod freelists;
mod guard;
mod own;
mod reserve;
mod zero;

pub use freelists::{Ends, FreeLists};
pub use guard::Guard;
pub use reserve::{PriorityStatistics, Reserve};
pub use zero::Zero;
