//! A trace through a heap, and every measure of it.
//!
//! ```text
//!   PackedTrace ─┐
//!                ├─▶ replay ──▶ Measures   counted: the same on every machine
//!   Spec ────────┘  ├─▶ at_peak ─▶ AtPeak  where the bytes are at the peak
//!                   ├─▶ over_time ▶ Moments where they are at many moments, and what would still be served
//!                   ├─▶ threaded ▶ ThreadMeasures  threads take turns: locks, remote frees, what is stranded
//!                   ├─▶ passes ──▶ Drift   the trace over and over: whether the footprint settles
//!                   ├─▶ cost ───▶ Cost    model cycles, with the lines of a model cache
//!                   ├─▶ event_costs        each operation by itself
//!                   ├─▶ by_region          what each of several regions served, and a weighted cost
//!                   └─▶ min_region         the smallest region that serves the trace
//!
//!   PackedTrace ─┐  ┌─▶ time, latencies    measured: compared with the null allocator, taking turns
//!   Subjects ────┴──┴─▶ pages              measured: pages touched, in a child process
//!    (a Spec or a Peer)
//!
//!   drive, PeerProcess ──▶ Drive           one operation at a time: a heap here, a reference allocator in a child process
//! ```
//!
//! The heap is the real one over real memory ([`heapsmith`]); the loop is
//! compiled once for every structure of heap and neither allocates, hashes nor
//! dispatches. A region is reserved once and serves one replay after another.

mod arena;
mod by_region;
mod cache;
mod cost;
mod curve;
mod driven;
mod error;
mod event_costs;
mod live;
mod lives;
mod map;
mod measures;
mod min_region;
mod movable;
mod offsets;
mod over_time;
mod pages;
mod passes;
mod peak;
mod peer;
mod peer_process;
mod peer_times;
mod reference;
mod region;
mod rounds;
mod run;
mod slots;
mod subject;
mod tally;
mod threaded;
mod time;
mod timed;
mod unit;

pub use arena::arena;
pub use by_region::{ByRegion, RegionMeasures, by_region};
pub use cache::CacheLevel;
pub use cost::{Cost, cost};
pub use curve::footprint_curve;
pub use driven::{Drive, Driven, PlacedBlock, drive, drive_in};
pub use error::{Fault, ReplayError};
pub use event_costs::{EventCost, event_costs};
pub use heapsmith::{Counting, Priority, ServePath};
pub use heapsmith_spec::build::BuildError;
pub use lives::{BlockLife, BlockLives, block_lives};
pub use map::{HeapMap, heap_map};
pub use measures::{Accesses, Measures, PerOperation, Visits};
pub use min_region::{full_region, in_min_region, min_region};
pub use movable::{MovableMeasures, MovableOptions, MovedFor, Moving, replay_movable};
pub use offsets::offsets;
pub use over_time::{Moment, at_events, over_time};
pub use pages::{PAGES_CHILD, PagesError, TouchedPages, pages, pages_at_once, pages_child};
pub use passes::{Drift, Leaked, MAX_PASSES, Pass, passes};
pub use peak::{AtPeak, at_peak};
pub use peer::{PeerMeasures, replay_peer};
pub use peer_process::{Extent, PEER_CHILD, PeerProcess, PeerProcessError, peer_child};
pub use peer_times::{TIME_CHILD, time_child};
pub use reference::Reference;
pub use region::Region;
pub use rounds::{Spread, Turn};
pub use run::{ReplayOptions, replay, replay_while};
pub use subject::{Loaded, Subject, SubjectError};
pub use threaded::{ThreadCost, ThreadCounts, ThreadMeasures, ThreadedOptions, as_recorded, threaded};
pub use time::{Latencies, Latency, Timing, TimingEffort, Timings, latencies, time, time_watched};
pub use unit::unit_instructions;
