//! The design space, its sweep, the Pareto front, the pick and the why.
//!
//! ```text
//!   traces ─▶ Space (10,000 designs) ─▶ sweep ─▶ Store (SQLite) ─▶ Exploration
//!                                        ▲          │                 ├ front, pick
//!                                        └─ resume ─┘                 ├ main effects
//!                                                                     └ the paper's finding
//! ```
//!
//! An exploration is a function of its traces and its space: the same answer on
//! every machine, whether it was interrupted or not. Only what is measured differs: times, and
//! memory by pages, of the front and of other people's allocators.

mod effects;
mod exploration;
mod export;
mod finding;
mod front;
mod measured;
mod objective;
mod pick;
mod prune;
mod space;
mod store;
mod sweep;

pub use effects::{Effect, effects};
pub use exploration::{Catalogued, Exploration, Row, measure_catalogue};
pub use export::{write_csv, write_parquet};
pub use finding::{Finding, NEAR, Recommended, finding};
pub use front::{dominates, pareto, pareto_of, shortfall, staircase};
pub use measured::{MeasureError, Paged, Retimed};
pub use objective::{Objective, Objectives};
pub use pick::{Preference, pick};
pub use space::{Design, FACTORS, Factor, Space};
pub use store::{Store, StoreError};
pub use sweep::{Progress, Sweep, SweepError, sweep};
