//! Pools without an index of free blocks: each is a heap of its own.
//!
//! | pool | allocate | deallocate | refuses |
//! |---|---|---|---|
//! | [`Linear`] `bump` | O(1) | O(1), gives nothing back | – |
//! | [`Linear`] `stack` | O(1) | O(1) | frees that are not last in, first out |
//! | [`FixedSize`] | O(1) | O(1) | requests above its one size |

mod fixed;
mod linear;

pub use fixed::FixedSize;
pub use linear::{Frees, Linear};
