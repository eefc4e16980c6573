//! A trace through a heap, and every measure of it.
//!
//! ```text
//!   PackedTrace ─┐
//!                ├─▶ replay ──▶ Measures   counted: the same on every machine
//!   Spec ────────┘  ├─▶ at_peak ─▶ AtPeak  where the bytes are at the peak
//!                   ├─▶ min_region         the smallest region that serves the trace
//!                   └─▶ time ───▶ Timing   measured: beside the floor
//! ```
//!
//! The heap is the real one over real memory ([`heapsmith`]); the loop is
//! compiled once for every structure of heap and neither allocates, hashes nor
//! dispatches. A region is reserved once and serves one replay after another.

mod curve;
mod live;
mod measures;
mod min_region;
mod peak;
mod region;
mod run;
mod tally;
mod time;

pub use curve::footprint_curve;
pub use heapsmith_spec::build::BuildError;
pub use measures::{Accesses, Measures, PerOperation, Visits};
pub use min_region::min_region;
pub use peak::{AtPeak, at_peak};
pub use region::Region;
pub use run::{Fault, Options, ReplayError, replay};
pub use time::{Timing, time};
