//! Races: one program, unmodified, on several allocators in turns, until the differences are known.
//!
//! ```text
//!   entrants: as it is, heaps, reference allocators ─┐
//!   task: program [, load of a server] ──────────────┴─▶ trial: one run of each, untimed: same output? in effect?
//!                                                            ▼
//!        ┌──────── rounds: every entrant once, in an order drawn by the seed ────────┐
//!        │  launch ─▶ program ─▶ processor time, clock (wait4), memory (/proc) ─▶ Run ├─▶ kept after every run
//!        └──────── until all intervals are tight, the rounds or the budget are over ─┘
//!                                                            ▼
//!                                          ratios to the baseline with 95% intervals, outliers
//! ```
//!
//! | measured | how |
//! |---|---|
//! | processor time | user and system, of the program and of what it waited for (`wait4`) |
//! | clock | from the start to the end; of a server, the time of the load command |
//! | peak memory | most bytes resident in all processes of the program at once, what they share after a fork once, as sampled; at least the system's own record of one |
//! | mean memory | bytes resident in all processes, averaged over the run; of a server, over the load |
//! | load | requests per second and percentiles of latency, where the load command prints them |
//!
//! An exploration proposes by replays, the race decides on the program itself. It measures what the machine does, so no figure of
//! it repeats to the digit; what is drawn (orders, resamples) follows from the seed.

#![forbid(unsafe_code)]

mod course;
mod effect;
mod entrant;
mod kept;
mod launch;
mod load;
mod measure;
mod outlier;
mod printed;
mod result;
mod server;
mod statistics;
mod watch;

pub use course::{Kept, Plan, RaceError, Rounds, Turn, race};
pub use entrant::{Entrant, Kind, Proof};
pub use kept::{FILE, KeptError, read, text};
pub use launch::{Served, Task};
pub use load::LoadFigures;
pub use measure::Measure;
pub use outlier::{Outliers, outliers};
pub use result::{Left, MIN_ROUNDS, Race, Raced, Run};
pub use statistics::{Change, median};
