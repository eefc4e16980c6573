//! The reference lines of a result: what lies below it and above it whatever the program does.
//!
//! ```text
//!   floor      most bytes live at once, and what a clairvoyant placement needs
//!   ─────
//!   achieved   what a heap needed for this trace
//!   ─────
//!   attack     what a program was found to make it need
//!   bound      what no program can make it exceed
//! ```
//!
//! [`bound()`] is arithmetic: it replays nothing. [`attack()`] drives the real heap. [`floor()`] places blocks whose
//! lifetimes it knows.

#![forbid(unsafe_code)]

pub mod attack;
pub mod bound;
mod floor;
mod lines;
pub mod placement;

pub use attack::{Attack, AttackError, Goal, attack};
pub use bound::{Bound, Program, ProgramError, Term, bound};
pub use floor::{Floor, floor};
pub use lines::Lines;
pub use placement::Effort;
