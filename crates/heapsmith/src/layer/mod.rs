//! Layers: they stand before a pool and keep some of its blocks.

mod freelists;

pub use freelists::{Ends, FreeLists};
