//! Layers: they wrap a pool, and cache some of its blocks or check them.
//!
//! | layer | adds to a block | adds to the region |
//! |---|---|---|
//! | [`Counters`] | nothing | nothing |
//! | [`FreeLists`] | nothing | a word or two a list |
//! | [`Guard`] | 4 words and the rounding | a block of 3 words, with a quarantine |
//! | [`Regions`] | nothing | nothing |
//! | [`Reserve`] | nothing | a block of a word |
//! | [`Spans`] | nothing, without headers | a block of 4 words and one or two a class, a table, a record for each span |
//! | [`Zero`] | nothing | nothing |
//!
//! `FreeLists` wraps a pool of blocks directly. The others wrap
//! any [`crate::Heap`]; what they keep for themselves is a block of that heap,
//! which `walk` reports as kept. `Regions` is before several heaps, each in memory of its own.

/// The methods that a layer forwards to the heap below it, its field `$below`: what every layer leaves to it; what one does
/// that leaves the blocks as they are; what one does that keeps none for itself either.
macro_rules! as_below {
    (walk of $below:ident) => {
        fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
            self.$below.walk(visit);
        }
        fn check(&self) -> Result<(), Violation> {
            self.$below.check()
        }
        crate::layer::as_below!(blocks of $below);
    };
    (blocks of $below:ident) => {
        unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize {
            // SAFETY: the caller's promise is the same.
            unsafe { self.$below.usable_size(pointer) }
        }
        unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize {
            // SAFETY: the caller's promise is the same.
            unsafe { self.$below.block_size(pointer) }
        }
        crate::layer::as_below!(errors of $below);
        crate::layer::as_below!($below);
    };
    (errors of $below:ident) => {
        fn heap_errors(&self) -> HeapErrors {
            self.$below.heap_errors()
        }
        fn audit(&self, found: &mut dyn FnMut(HeapError)) {
            self.$below.audit(found);
        }
        fn set_secret(&mut self, secret: usize) {
            self.$below.set_secret(secret);
        }
    };
    ($below:ident) => {
        fn alignment(&self) -> usize {
            self.$below.alignment()
        }
        crate::layer::as_below!(counts of $below);
    };
    (counts of $below:ident) => {
        fn control_size(&self) -> usize {
            self.$below.control_size()
        }
        fn footprint(&self) -> usize {
            self.$below.footprint()
        }
        fn hole(&self) -> Option<(usize, usize)> {
            self.$below.hole()
        }
        fn table_size(&self) -> usize {
            self.$below.table_size()
        }
        fn regions(&self, visit: &mut dyn FnMut(crate::heap::RegionView<'_, Self::Meter>)) {
            self.$below.regions(visit);
        }
        #[inline]
        fn footprint_peak(&self) -> usize {
            self.$below.footprint_peak()
        }
        fn sufficient_region(&self) -> usize {
            self.$below.sufficient_region()
        }
        fn base(&self) -> NonNull<u8> {
            self.$below.base()
        }
        #[inline(always)]
        fn meter(&self) -> &Self::Meter {
            self.$below.meter()
        }
        #[inline(always)]
        fn meter_mut(&mut self) -> &mut Self::Meter {
            self.$below.meter_mut()
        }
    };
}

use as_below;

mod counters;
mod freelists;
mod guard;
mod own;
mod regions;
mod reserve;
mod spans;
mod zero;

pub use counters::{Counters, Counts};
pub use freelists::{FreeLists, Order, Waiting};
pub use guard::Guard;
pub use regions::{Region, RegionSet, Regions};
pub use reserve::{PriorityStatistics, Reserve};
pub use spans::{BitmapInside, BitmapOutside, ListInside, NextSpan, SpanType, SpanValues, Spans, largest_in_span};
pub use zero::Zero;
