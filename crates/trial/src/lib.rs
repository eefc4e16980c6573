//! What heaps are tried with.
//!
//! ```text
//!   program ──▶ Vec<Operation> ──▶ Oracle ──▶ Ok | what broke ──▶ shrink ──▶ a short program
//!                  random, by seed      over any heap
//!
//!   states       every state of a small region, by any number of operations
//!   recovery     whether a heap serves what it served at the start, once everything was freed
//!   growth       what an operation costs with 10³ … 10⁶ live blocks, and the slope of it
//! ```
//!
//! The tests of the other crates run short programs; `cargo xtask soak` and
//! `cargo xtask bench growth` run the same code for minutes, optimised.

mod growth;
mod heaps;
mod oracle;
mod program;
mod random;
mod recovery;
mod region;
mod shrink;
mod soak;
mod states;

pub use growth::{Churned, Wanted, churn, churn_within, slope, wanted};
pub use heaps::{heaps, heaps_in_regions};
pub use oracle::Oracle;
pub use program::{Operation, long_program, program};
pub use random::Random;
pub use recovery::{History, largest_request, recovers};
pub use region::{Counted, Memory, on, over};
pub use shrink::shrink;
pub use soak::{Failure, Trial};
pub use states::{Reached, reached};
