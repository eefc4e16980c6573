//! A spec as data.
//!
//! [`Spec`] is the whole: zero or more [`Layer`]s, one [`Pool`](crate::Pool), then options. Layers and options are
//! here; the pools have files of their own in [`pool`](crate::pool).

mod check;
mod factor;
mod freelists;
mod huge;
mod layers;
mod purge;
mod regions;
mod sizes;
mod spans;
mod spec;
mod threads;
mod word;

pub use heapsmith::parts::BinOrder;
pub use heapsmith::parts::Fit;
pub use heapsmith::parts::NextSpan;
pub use heapsmith::parts::Order;

pub use check::Check;
pub use factor::{Coalescing, Splitting};
pub use freelists::{Flush, FreeLists};
pub use huge::HugePages;
pub use layers::{Guard, GuardPages, Reserve};
pub use purge::{Delay, Purge};
pub use regions::{NamedRegion, Regions};
pub use sizes::Sizes;
pub use spans::{EmptySpans, FreeBlocks, Metadata, Spans};
pub use spec::{Layer, Spec};
pub use threads::Threads;
pub use word::WordSize;
