//! The design space, its sweep, the Pareto front, the pick and the main effects.
//!
//! ```text
//!   traces ─▶ Space (10,000 designs) ─▶ sweep ─▶ Store (SQLite) ─▶ Exploration
//!                                        ▲          │                 ├ front, pick
//!                                        └─ resume ─┘                 ├ main effects
//!                                                                     └ the paper's finding
//! ```
//!
//! [`run()`] is the course of an exploration from its plan to its tables. An exploration is a function of its traces, its
//! space and its goal: the same answer on every machine, on any number of threads, whether it was interrupted or not,
//! whatever was explored in its folder before. Only what is measured differs: times, and memory by pages, of the front and
//! of the reference allocators.

mod agreement;
mod baseline;
mod candidates;
mod catalogue;
mod choice;
mod compare;
mod confined;
mod coverage;
mod effects;
mod error;
mod evaluated;
mod exploration;
mod export;
mod finalists;
mod finding;
mod folder;
mod front;
mod goal;
mod holdout;
mod holds;
mod load;
mod measure;
mod measured;
mod miss;
mod objective;
mod pick;
mod placement;
mod plainness;
mod preferred;
mod progress;
mod proven;
mod prune;
mod question;
mod regions;
mod regret;
mod robust;
mod rows;
mod run;
mod schedule;
mod search;
mod space;
mod specs;
mod store;
mod sweep;
mod traces;
mod verdict;
mod workers;

pub use agreement::{Agreement, CLOSE};
pub use baseline::Baseline;
pub use catalogue::measure_catalogue;
pub use compare::{Choice, Comparison, FrontChange, Load, PickChange, Standing, TOLERANCE, TraceChange, compare};
pub use confined::reserve_on;
pub use coverage::Coverage;
pub use effects::{Effect, Interaction, between_families, effects, interactions};
pub use error::SweepError;
pub use evaluated::Evaluated;
pub use exploration::Exploration;
pub use export::{write_csv, write_tables};
pub use finalists::FINALISTS;
pub use finding::{Finding, NEAR, Recommended, finding};
pub use folder::{Folder, trace_file};
pub use front::{distance, dominates, front_2d, hypervolume, pareto, pareto_of};
pub use goal::{Constraint, Goal};
pub use holdout::HoldOut;
pub use holds::Holds;
pub use measure::{MeasureError, Named};
pub use measured::{Paged, Retimed};
pub use miss::{Miss, Nearest, NoPick, Unproven};
pub use objective::{Objective, Objectives};
pub use pick::{Preference, pick};
pub use placement::{MAX_PLACED, Placed, Placement, PlacementError, THRESHOLDS, place, verify_regions};
pub use progress::{Progress, Work};
pub use proven::{Form, Guaranteed, Near, Price, Programs, Proven, proven, proven_region, worst_programs};
pub use question::Question;
pub use regions::replay_within;
pub use regret::evaluate;
pub use robust::{Held, OVERFITTED, Robust, changed_copies};
pub use rows::{Catalogued, Row};
pub use run::{Ask, Found, Observer, Plan, RunError, Stage, Swept, TimingPlan, WriteTrace, ask, asked, run, run_on};
pub use search::Strategy;
pub use space::{Design, Factor, Families, Family, Space, SpaceError};
pub use store::{Lock, Store, StoreError};
pub use sweep::{Sweep, sweep};
pub use verdict::{Advice, Verdict, WORTH};
pub use workers::{Measured, Take, Workers};
