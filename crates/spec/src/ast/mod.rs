//! What a spec says, as data.
//!
//! [`Spec`] is the whole: zero or more [`Layer`]s, one [`Pool`], then options. Each kind of
//! pool and of layer has a file of its own here.

mod bins;
mod buddy;
mod classes;
mod factor;
mod freelists;
mod layers;
mod list;
mod pages;
mod simple;
mod sizes;
mod spec;
mod threads;
mod tree;
mod two_level;
mod word;

pub use bins::{BinLayout, BinOrder, Bins, Each, Tries};
pub use buddy::{Buddy, BuddySystem, Defragment};
pub use classes::Classes;
pub use factor::{Coalesce, Split};
pub use freelists::{FreeLists, Order};
pub use layers::{Guard, Reserve};
pub use list::{Fit, List, ListOrder};
pub use pages::{Pages, Search};
pub use simple::{Bump, Reclaim};
pub use sizes::Sizes;
pub use spec::{Layer, Pool, Spec};
pub use threads::Threads;
pub use tree::{Balance, SkipList, Tree, TreeFit};
pub use two_level::Tlsf;
pub use word::WordSize;
