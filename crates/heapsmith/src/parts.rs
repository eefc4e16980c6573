//! What heaps are made of, for code that `heapsmith emit` writes and for the other crates of heapsmith.
//!
//! Not an interface to write by hand: names and arguments may change in every minor version. It is sound all the
//! same: constructors refuse numbers that a heap could not keep its promises with.

pub use crate::block::{Format, words_of};
pub use crate::buddy::{Buddies, Estranged, Growth, Knuth, OneBlock, Recombination, Start, Wilderness};
pub use crate::chunks::{ChunkHeader, ChunkIndex, ChunkValues, Chunks};
pub use crate::index::{
    AddressOrder, Bin, BinList, BinMap, BinOrder, Bins, BySize, Classes, ConstantBins, Fifo, Implicit, Index, Lifo,
    RedBlack, SkipList, SpacedBins, Spacing, TwoLevel,
};
pub use crate::layer::{
    BitmapInside, BitmapOutside, ListInside, NextSpan, Order, RegionSet, SpanType, SpanValues, Spans, Waiting,
    largest_in_span,
};
pub use crate::memory::Words;
pub use crate::nothing::Nothing;
pub use crate::pages::PageHeap;
pub use crate::policy::{Checked, Coalesce, ConstantPolicy, Fit, Policy, PolicyValues};
pub use crate::pool::BlockPool;
pub use crate::simple::{BitmappedFits, FixedSize, Frees, Linear};
pub use crate::sizes::{ConstantSizes, SizeMap, SizeRange, SizeTable};

/// Searches of a page's bitmap.
pub mod pages {
    pub use crate::pages::{
        Bitmap, BitmapSearch, ByTree, ByWord, Custom0, Emulated, Hardware, InDirectory, InPages, Linear, Mmio,
        PageOrder, PagePolicy, PageSizes, Placement, Unit, Usual,
    };
}
