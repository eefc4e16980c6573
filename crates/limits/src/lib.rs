//! The reference lines of a result: what lies below it and above it whatever the program does.
//!
//! ```text
//!   lower bound   peak live bytes, and the offline placement
//!   ─────
//!   achieved   what a heap needed for this trace
//!   ─────
//!   attack     what a program was found to make it need
//!   bound      what no program can make it exceed
//! ```
//!
//! [`bound()`] is arithmetic: it replays nothing. [`attack()`] drives the real heap. [`lower_bound()`] places blocks whose
//! lifetimes it knows.

#![forbid(unsafe_code)]

pub mod attack;
pub mod bound;
mod lines;
mod lower_bound;
pub mod placement;
mod published;

pub use attack::{Attack, AttackError, AttackGoal, attack};
pub use bound::{Bound, ProgramClass, ProgramError, Term, any_allocator, bound, bound_of};
pub use lines::Lines;
pub use lower_bound::{LowerBound, lower_bound};
pub use placement::PlacementEffort;
pub use published::{Published, published, published_of};
