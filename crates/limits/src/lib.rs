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

#![forbid(unsafe_code)]

mod floor;
pub mod placement;

pub use floor::{Floor, floor};
pub use placement::Effort;
