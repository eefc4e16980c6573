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

pub use heapsmith::parts::BinOrder;
pub use heapsmith::parts::Fit;
pub use heapsmith::parts::Order;

pub use bins::{BinLayout, Bins, Each, Tries};
pub use buddy::{Buddy, BuddySystem, Defragment};
pub use classes::Classes;
pub use factor::{Coalescing, Splitting};
pub use freelists::FreeLists;
pub use layers::{Guard, Reserve};
pub use list::{List, ListOrder};
pub use pages::{PageSearch, Pages};
pub use simple::{Bump, Reclaim};
pub use sizes::Sizes;
pub use spec::{Layer, Pool, Spec};
pub use threads::Threads;
pub use tree::{Balance, SkipList, Tree, TreeFit};
pub use two_level::Tlsf;
pub use word::WordSize;
