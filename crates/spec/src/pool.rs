//! The pools: a file for each family, and the one list of them.
//!
//! ```text
//!   families! { List, Bins, … } ──▶ enum Pool
//!        │                            ├─ the words that the parser knows
//!   pool/list.rs: impl Family         ├─ Display, check, promise, blocks, layers
//!                                     └─ build: the heap
//! ```
//!
//! A family's file holds what its text says, how that is read and printed, which values make a heap, what the heap
//! promises, how it is built and what property tests try. A new pool is a file here and a line in `families!`; its bound
//! and its source are in files of the same name in the crates `limits` and `emit`.

use std::fmt::{Display, Formatter};

use heapsmith::{Meter, Source, Word};

use crate::ast::{Coalescing, Layer, Purge, Spec};
use crate::build::{self, BuildError, Job, Parts};
use crate::catalogue::{NEVER_JOINED, PoolPromise};
use crate::parse::cursor::{Cursor, Result};
use crate::problem::Problem;
use crate::validate::{Bounds, Check};

/// The interface of a family of pools.
pub(crate) trait Family: Display + Sized {
    /// The word that its text begins with.
    const WORD: &'static str;

    /// Whether it serves whole programs: it takes blocks of any size back, in any order.
    const GENERAL: bool = true;

    /// Whether a table of its blocks is at the end of the region.
    const TABLE: bool = false;

    /// Whether every block has a header that `check=header` checks.
    const CHECKED: bool = false;

    /// Whether `check=header` checks the headers of the heap of `spec`, whose pool it is.
    fn can_be_checked(&self, _spec: &Spec) -> bool {
        Self::CHECKED
    }

    /// Reads what follows the word.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self>;

    /// Whether its values make a heap; by default its factors alone decide.
    fn check(&self, bounds: &mut Bounds) -> Check {
        self.factors().map_or(Ok(()), |factors| factors.check(bounds))
    }

    /// Why this layer cannot wrap it.
    fn refuses(&self, _layer: &Layer) -> Option<&'static str> {
        None
    }

    /// Why free lists cannot wrap it, whatever sizes they cache.
    fn refuses_free_lists(&self) -> Option<Problem> {
        None
    }

    /// The largest request that it serves, in bytes; none if the region is the limit.
    fn max_request(&self) -> Option<u64> {
        None
    }

    /// Bytes of the largest region that it manages in the heap of `spec`, whose pool it is; none if the word alone decides.
    fn max_region(&self, _spec: &Spec) -> Option<u64> {
        None
    }

    /// Whether its control words grow with the region.
    fn grows_with_region(&self) -> bool {
        false
    }

    /// When memory goes back that it does not use, where the spec says `purge`.
    fn purged(&self, purge: Purge) -> Purge {
        purge
    }

    /// How its operations grow, and what bounds its footprint.
    fn promise(&self) -> PoolPromise;

    /// What it may never serve again, though everything is free; none if it joins free blocks, all blocks are of one size,
    /// or an empty heap starts over.
    fn never_again(&self) -> Option<&'static str> {
        self.factors().filter(|factors| factors.coalesce == Coalescing::Never).map(|_| NEVER_JOINED)
    }

    /// When it splits and joins blocks; none if it does neither.
    fn factors(&self) -> Option<BlockFactors> {
        None
    }

    /// The factors, where a spec can set them.
    fn factors_mut(&mut self) -> Option<&mut BlockFactors> {
        None
    }

    /// Whether it refuses frees that are not last in, first out.
    fn frees_in_order(&self) -> bool {
        false
    }

    /// The links in a free block and whether blocks have boundary tags; none if blocks are powers of two.
    fn links_and_tags(&self) -> Option<(usize, bool)> {
        self.factors().map(|factors| (2, factors.tags))
    }

    /// Words of the block that serves a request of `size` bytes in the heap of `spec`, which has this pool; none if no
    /// block can.
    fn words_for(&self, spec: &Spec, size: u64) -> Option<usize> {
        build::words_in(&build::format(spec), spec.word, size)
    }

    /// The size of the block for a request, in a unit of its own: whether layers leave room in the largest block.
    fn room_for(&self, spec: &Spec, size: u64) -> Option<usize> {
        self.words_for(spec, size)
    }

    /// Makes the heap, and passes it to the job.
    fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
        &self,
        parts: Parts<'_, 'a, S, M, J>,
    ) -> std::result::Result<J::Output, BuildError>;
}

/// A pool's word and how to read what follows it.
pub(crate) type Read = fn(&mut Cursor<'_>) -> Result<Pool>;

/// The families, in the order in which messages list their words. Each is a type in a file of its own.
macro_rules! families {
    ($($(#[$about:meta])* $family:ident,)*) => {
        /// The structure that owns the region.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Pool {
            $($(#[$about])* $family($family),)*
        }

        /// What the parser knows of pools.
        pub(crate) const POOLS: &[(&str, Read)] =
            &[$(($family::WORD, |cursor| $family::read(cursor).map(Pool::$family)),)*];

        impl Display for Pool {
            fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
                match self { $(Pool::$family(pool) => pool.fmt(f),)* }
            }
        }

        impl Pool {
            pub(crate) fn check(&self, bounds: &mut Bounds) -> Check {
                match self { $(Pool::$family(pool) => pool.check(bounds),)* }
            }

            pub(crate) fn refuses(&self, layer: &Layer) -> Option<&'static str> {
                match self { $(Pool::$family(pool) => pool.refuses(layer),)* }
            }

            pub(crate) fn refuses_free_lists(&self) -> Option<Problem> {
                match self { $(Pool::$family(pool) => pool.refuses_free_lists(),)* }
            }

            pub(crate) fn max_request(&self) -> Option<u64> {
                match self { $(Pool::$family(pool) => pool.max_request(),)* }
            }

            pub(crate) fn max_region(&self, spec: &Spec) -> Option<u64> {
                match self { $(Pool::$family(pool) => pool.max_region(spec),)* }
            }

            /// Whether its control words grow with the region, so that payloads lie elsewhere in another one.
            pub fn grows_with_region(&self) -> bool {
                match self { $(Pool::$family(pool) => pool.grows_with_region(),)* }
            }

            pub(crate) fn purged(&self, purge: Purge) -> Purge {
                match self { $(Pool::$family(pool) => pool.purged(purge),)* }
            }

            pub(crate) fn promise(&self) -> PoolPromise {
                match self { $(Pool::$family(pool) => pool.promise(),)* }
            }

            /// What it may never serve again, though everything is free; none if an empty heap serves whatever a new one
            /// does.
            pub fn never_again(&self) -> Option<&'static str> {
                match self { $(Pool::$family(pool) => pool.never_again(),)* }
            }

            /// Whether it serves whole programs: it takes blocks of any size back, in any order.
            pub fn is_general(&self) -> bool {
                match self { $(Pool::$family(_) => $family::GENERAL,)* }
            }

            /// Whether a table of its blocks is at the end of the region.
            pub fn has_table(&self) -> bool {
                match self { $(Pool::$family(_) => $family::TABLE,)* }
            }

            /// When it splits and joins blocks; none if it does neither.
            pub fn factors(&self) -> Option<BlockFactors> {
                match self { $(Pool::$family(pool) => pool.factors(),)* }
            }

            /// The factors, where a spec can set them.
            pub fn factors_mut(&mut self) -> Option<&mut BlockFactors> {
                match self { $(Pool::$family(pool) => pool.factors_mut(),)* }
            }

            /// Whether it refuses frees that are not last in, first out.
            pub fn frees_in_order(&self) -> bool {
                match self { $(Pool::$family(pool) => pool.frees_in_order(),)* }
            }

            pub(crate) fn links_and_tags(&self) -> Option<(usize, bool)> {
                match self { $(Pool::$family(pool) => pool.links_and_tags(),)* }
            }

            /// Whether `check=header` checks the headers of the heap of `spec`, whose pool it is.
            pub fn can_be_checked(&self, spec: &Spec) -> bool {
                match self { $(Pool::$family(pool) => pool.can_be_checked(spec),)* }
            }

            pub(crate) fn words_for(&self, spec: &Spec, size: u64) -> Option<usize> {
                match self { $(Pool::$family(pool) => pool.words_for(spec, size),)* }
            }

            pub(crate) fn room_for(&self, spec: &Spec, size: u64) -> Option<usize> {
                match self { $(Pool::$family(pool) => pool.room_for(spec, size),)* }
            }

            pub(crate) fn build<'a, W: Word, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>>(
                &self,
                parts: Parts<'_, 'a, S, M, J>,
            ) -> std::result::Result<J::Output, BuildError> {
                match self {
                    $(Pool::$family(_) if J::CHECKED && !$family::CHECKED => Err(BuildError::CheckLeftOut),
                    Pool::$family(pool) => pool.build::<W, S, M, J>(parts),)*
                }
            }
        }

        // Pools for whole programs three times as often as others.
        #[cfg(any(test, feature = "arbitrary"))]
        crate::arbitrary::generated!(Pool, {
            use proptest::strategy::{Strategy, Union};
            Union::new_weighted(vec![$((
                if $family::GENERAL { 3 } else { 1 },
                proptest::prelude::any::<$family>().prop_map(Pool::$family).boxed(),
            ),)*])
        });
    };
}

mod bins;
mod bitmap;
mod buddy;
mod bump;
mod chunks;
mod classes;
mod factors;
mod fixed;
mod half_fit;
mod list;
mod pages;
mod skip_list;
mod stack;
mod tlsf;
mod tree;

pub use bins::{BinLayout, Bins, Each, Tries};
pub use bitmap::Bitmap;
pub use buddy::{Buddy, BuddySystem, Defragment, Glue, Grow, Start};
pub use bump::{Bump, Reclaim};
pub use chunks::{ChunkFit, ChunkHead, ChunkSizes, Chunks, Joining};
pub use classes::Classes;
pub use factors::BlockFactors;
pub use fixed::Fixed;
pub use half_fit::HalfFit;
pub use list::{List, ListOrder};
pub use pages::{PageInfo, PageOrder, PageSearch, Pages, UnitAccess};
pub use skip_list::SkipList;
pub use stack::Stack;
pub use tlsf::{Largest, Tlsf};
pub use tree::{Balance, Tree, TreeFit};

families! {
    /// One list of free blocks.
    List,
    /// Many lists of free blocks, each for a range of sizes.
    Bins,
    /// A fixed set of block sizes, nothing split and nothing coalesced.
    Classes,
    /// All free blocks in a tree by size.
    Tree,
    /// All free blocks in a skip list by size.
    SkipList,
    /// Two-level segregated fit.
    Tlsf,
    /// Lists of powers of two, with requests rounded up to the next: half-fit.
    HalfFit,
    /// Blocks of powers of two, joined with their buddies only.
    Buddy,
    /// Pages of objects of one size, and runs of pages.
    Pages,
    /// One free chunk at the start, and headers that say how long the chunk before is.
    Chunks,
    /// Blocks without headers, and a table outside of where they begin.
    Bitmap,
    /// Blocks one behind the other, never freed.
    Bump,
    /// Blocks one behind the other, freed last in, first out.
    Stack,
    /// Blocks of one size, in bytes, without headers.
    Fixed,
}
