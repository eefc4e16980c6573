//! What a spec says, as data.
//!
//! [`Spec`] is the whole: zero or more [`Layer`]s, one [`Pool`], then options. Each kind of
//! pool and of layer has a file of its own here.

mod bins;
mod classes;
mod freelists;
mod layers;
mod list;
mod simple;
mod sizes;
mod spec;
mod technique;
mod word;

pub use bins::{BinLayout, BinOrder, Bins};
pub use classes::Classes;
pub use freelists::{Ends, FreeLists};
pub use layers::{Guard, Reserve};
pub use list::{Fit, List, Order};
pub use simple::{Bump, Reclaim};
pub use sizes::Sizes;
pub use spec::{Layer, Pool, Spec};
pub use technique::{Coalesce, Split};
pub use word::WordSize;
