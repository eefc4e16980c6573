//! Allocation traces: what a program asked of its heap, in order.
//!
//! ```text
//!   workload, recorder ──► Trace ──► Parquet file ──► Trace ──► PackedTrace ──► replay
//!                            │                                  (dense slots)
//!                            └────► Statistics, LiveCurve (what people look at)
//! ```
//!
//! A [`Trace`] holds [`Event`]s with the ids, times, threads and call sites that their
//! maker knew. A [`PackedTrace`] is the same sequence made ready for replay: 16 bytes an
//! event, and block ids replaced by slots that are reused, so that the table of live
//! blocks is as small as the program's live set. Every reader of a trace applies its
//! events through one ledger of live blocks, so a trace that frees what it never
//! allocated is refused everywhere with the same words.
//!
//! ```
//! use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Trace};
//!
//! let mut trace = Trace::new(Origin::new("example", "none"));
//! trace.events.push(Event::at(0, Action::Allocate { id: 7, size: Bytes(66), alignment: 0 }));
//! trace.events.push(Event::at(5, Action::Free { id: 7 }));
//! let packed = PackedTrace::new(&trace)?;
//! assert_eq!((packed.slots, packed.requested_peak), (1, Bytes(66)));
//! # Ok::<(), heapsmith_trace::TraceError>(())
//! ```

#![forbid(unsafe_code)]

mod classes;
mod columns;
mod draws;
mod error;
mod event;
mod file;
mod gap;
mod ids;
mod live;
pub mod memory;
mod packed;
mod perturb;
mod quantity;
mod recorded;
mod sample;
mod shared;
mod sink;
mod slots;
mod statistics;
mod tally;
mod threaded;
mod trace;
mod transform;
mod window;
mod words;

pub use classes::{FixedPool, FixedPools, LiveSize, LiveSizes, Unserved};
pub use columns::ActionColumns;
pub use draws::Draws;
pub use error::TraceError;
pub use event::{Action, Event};
pub use file::{NEWEST_SCHEMA, OLDEST_SCHEMA, TraceWriter, silence_damaged_files};
pub use gap::Gap;
pub use ids::{ByIds, IdHasher};
pub use live::LARGEST_REQUEST;
pub use packed::{Comparison, Operation, PackedEvent, PackedTrace, Packer};
pub use perturb::{Cuts, Jitter, Perturbation, Share, Stretch, perturb, with_another};
pub use quantity::{Bytes, Nanoseconds};
pub use recorded::EndedThreads;
pub use sample::Sampled;
pub use shared::{Keeper, PackedEvents};
pub use sink::Sink;
pub use statistics::{
    Form, HeatMap, Lifetimes, LiveCurve, LivePoint, Profile, Profiler, Quantiles, Shape, SiteShare, SizeShare,
    Statistics, rank_correlation,
};
pub use threaded::{Ending, PART, ThreadLife, ThreadStep, ThreadSteps};
pub use trace::{Module, Origin, Trace};
pub use transform::{Slice, Transforms};
pub use words::{plural, thousands};
