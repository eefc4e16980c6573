//! Pools that share no index with others: each is a heap of its own, but for the arena, which takes no block back.
//!
//! | pool | allocate | deallocate | refuses |
//! |---|---|---|---|
//! | [`Linear`] `bump` | O(1) | O(1), gives nothing back | – |
//! | [`Linear`] `stack` | O(1) | O(1) | frees that are not last in, first out |
//! | [`Arena`] | O(1) | all at once | – |
//! | [`FixedSize`] | O(1) | O(1) | requests above its one size |
//! | [`BitmappedFits`] | O(free blocks) | O(free blocks) | – |

mod arena;
mod bitmap;
mod fixed;
mod linear;

pub use arena::Arena;
pub use bitmap::BitmappedFits;
pub use fixed::FixedSize;
pub use linear::{Frees, Linear};
