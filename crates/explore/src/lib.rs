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
//! memory by pages, of the front and of the reference allocators.

mod agreement;
mod effects;
mod exploration;
mod export;
mod finalists;
mod finding;
mod folder;
mod front;
mod goal;
mod measured;
mod objective;
mod pick;
mod prune;
mod regret;
mod search;
mod space;
mod store;
mod sweep;

pub use agreement::{Agreement, CLOSE};
pub use effects::{Effect, Interaction, between_families, effects, interactions};
pub use exploration::{Catalogued, Exploration, Row, measure_catalogue};
pub use export::{write_csv, write_parquet};
pub use finalists::FINALISTS;
pub use finding::{Finding, NEAR, Recommended, finding};
pub use folder::trace_file;
pub use front::{distance, dominates, front_2d, hypervolume, pareto, pareto_of};
pub use goal::{Constraint, Goal};
pub use measured::{MeasureError, Paged, Retimed};
pub use objective::{Objective, Objectives};
pub use pick::{Preference, pick};
pub use regret::{Evaluated, evaluate};
pub use search::Strategy;
pub use space::{Design, Factor, Families, Family, Space, SpaceError};
pub use store::{Store, StoreError};
pub use sweep::{Progress, Sweep, SweepError, sweep};
