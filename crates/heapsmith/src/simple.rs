//! Pools without an index of free blocks: each is a heap of its own, but for the arena, which has no headers.
//!
//! | pool | allocate | deallocate | refuses |
//! |---|---|---|---|
//! | [`Linear`] `bump` | O(1) | O(1), gives nothing back | – |
//! | [`Linear`] `stack` | O(1) | O(1) | frees that are not last in, first out |
//! | [`Arena`] | O(1) | all at once | – |
//! | [`FixedSize`] | O(1) | O(1) | requests above its one size |
//! | [`BitmappedFits`] | O(free blocks) | O(free blocks) | – |

mod arena;
mod bitmapped;
mod fixed;
mod linear;

pub use arena::Arena;
pub use bitmapped::BitmappedFits;
pub use fixed::FixedSize;
pub use linear::{Frees, Linear};
