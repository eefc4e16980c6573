//! Size classes chosen for traces: those with the smallest internal fragmentation, and pools of fixed blocks.
//!
//! ```text
//!   requests      16  24  40  64        1000
//!                  │   │   └─┐ │          │        a request is served by the smallest
//!   classes       16  24     64         1000       class that holds it
//! ```
//!
//! What is minimised is the *excess*: the bytes that blocks have beyond the requests in them, summed over the blocks that are
//! live after each operation. Divided by the operations it is the mean of what internal fragmentation takes. So a size counts
//! as much as its blocks are live: one large block that stays weighs more than a thousand requests that are freed at once.
//!
//! The model, exactly:
//!
//! - Classes are sizes that the traces have, rounded as the caller asks. No other size can be better: a class between two sizes
//!   wastes what it has above the lower one.
//! - Every request is served by a class, so the largest class is the largest size. Without that, classes that serve
//!   nothing would be the best.
//! - Of several traces the excess is the sum, so a trace of twice as many operations counts twice.
//! - Time is operations: times of a trace are not looked at, as a trace need not have them.
//! - A block has the size that was requested last; one of 0 bytes has 1. Alignments that requests ask for are not looked at.
//!
//! | | time | memory |
//! |---|---|---|
//! | [`LiveSizes::of`] | a hash look-up a request | the live blocks and the distinct sizes |
//! | [`LiveSizes::optimal`], s sizes and n classes | O(n s log s) | O(s) |
//! | [`FixedPools::of`] | O(log n) an operation | the live blocks |
//! | [`FixedPools::serves`] | O(n) an operation | the blocks of all pools |

mod live;
mod optimum;
mod pools;
mod served;

pub use live::{LiveSize, LiveSizes};
pub use pools::{FixedPool, FixedPools};
pub use served::Unserved;

#[cfg(test)]
mod tests;
