//! The pools: the numbers that the templates of C write, and the types in Rust. A file for each family of pools, and one
//! for each plan that several families share.
//!
//! ```text
//!   Pool ──family──▶ Emit::plan ─────▶ PoolPlan, IndexPlan ──▶ templates of C
//!                    Emit::compose ──▶ Composition ──────────▶ types of Rust
//! ```
//!
//! | plan | pools | templates |
//! |---|---|---|
//! | `blocks` | lists, bins, classes, trees, skip lists, two levels | `c/block.c`, `c/index`, `c/pool` |
//! | `linear` | bump, stack | `c/simple/linear.c` |
//! | `fixed` | fixed | `c/simple/fixed.c` |
//! | `bitmap` | bitmap | `c/simple/bitmap.c` |
//! | `buddy` | buddies | `c/buddy` |
//! | `pages` | pages | `c/pages` |
//! | `chunks` | chunks | `c/chunks`, `c/index/two_level.c` |

mod bins;
mod bitmap;
mod blocks;
mod buddy;
mod bump;
mod chunks;
mod classes;
mod fixed;
mod half_fit;
mod linear;
mod list;
mod pages;
mod skip_list;
mod stack;
mod tlsf;
mod tree;

use heapsmith_spec::{Pool, Spec};
use serde::Serialize;

pub use bitmap::BitmapPlan;
pub use blocks::BlocksPlan;
pub use buddy::BuddyPlan;
pub use chunks::ChunksPlan;
pub use fixed::FixedPlan;
pub use linear::LinearPlan;
pub use pages::PagesPlan;

use super::{Field, IndexPlan};
use crate::Template;
use crate::composition::Composition;

/// The templates that only one family of pools needs.
pub(super) trait Templates {
    /// Their names and texts.
    const TEMPLATES: &'static [Template] = &[];
}

/// What a family of pools says of its source, in the module of its name.
pub(super) trait Emit {
    /// The numbers that the templates of C write: the pool's and its index's. None if it has no template.
    fn plan(&self, _spec: &Spec) -> Option<(PoolPlan, IndexPlan)> {
        None
    }

    /// Makes the pool in Rust. None if it cannot be made.
    fn compose(&self, _heap: &mut Composition<'_>) -> Option<()> {
        None
    }

    /// The part that has no template, and what to use instead; none: the pool as a whole.
    fn without_template(&self) -> Option<&'static str> {
        None
    }
}

/// The families that can be emitted, a word for each; the templates that they bring.
macro_rules! families {
    ($($family:ident,)*) => {
        /// The templates of all families, by the names that others include them by.
        pub(crate) const TEMPLATES: &[&[Template]] = &[$(<heapsmith_spec::$family as Templates>::TEMPLATES),*];

        /// The family of a pool, if it has a word here.
        pub(super) fn family(pool: &Pool) -> Option<&dyn Emit> {
            match pool {
                $(Pool::$family(pool) => Some(pool),)*
                _ => None,
            }
        }
    };
}

families! { List, Bins, Classes, Tree, SkipList, Tlsf, HalfFit, Buddy, Pages, Chunks, Bitmap, Bump, Stack, Fixed, }

/// Pools with a frame of their own in C, a line for each: its name in templates, and its plan.
macro_rules! templates {
    ($($(#[$about:meta])* $family:ident($plan:ident),)*) => {
        /// A pool, with what the templates of its family write. Templates ask for `pool.family`.
        #[derive(Clone, Debug, Serialize)]
        #[serde(tag = "family", rename_all = "snake_case")]
        pub enum PoolPlan {
            $($(#[$about])* $family($plan),)*
        }

        impl PoolPlan {
            /// What the rest of a plan asks.
            pub(super) fn family(&self) -> &dyn Templated {
                match self { $(PoolPlan::$family(plan) => plan,)* }
            }
        }
    };
}

templates! {
    /// Blocks that are split and joined, with an index of the free ones.
    Blocks(BlocksPlan),
    /// Blocks one behind the other.
    Linear(LinearPlan),
    /// Blocks of one size, without headers.
    Fixed(FixedPlan),
    /// Blocks without headers, with a table outside.
    Bitmap(BitmapPlan),
    /// Blocks of powers of two.
    Buddy(BuddyPlan),
    /// Pages of objects.
    Pages(PagesPlan),
    /// Chunks that know the size of the one before.
    Chunks(ChunksPlan),
}

impl PoolPlan {
    /// The plan of a pool without an index: its control words are its own.
    fn alone(self) -> (PoolPlan, IndexPlan) {
        let family = self.family();
        let index = IndexPlan {
            kind: "none",
            control_words: family.control_words(),
            clears_all: family.has_orders(),
            logarithm: family.has_orders(),
            bit_map: family.has_bit_map(),
            ..IndexPlan::default()
        };
        (self, index)
    }
}

/// What the rest of a plan asks of a pool.
pub(super) trait Templated {
    /// Words that every block is a multiple of.
    fn granule(&self) -> u32;

    /// Words of the smallest block.
    fn smallest(&self) -> u32 {
        self.granule()
    }

    /// The template; none for blocks, whose templates are many.
    fn file(&self) -> Option<&'static str>;

    /// Words before the first payload of the first block: its header.
    fn header(&self) -> u64 {
        1
    }

    /// Control words of a pool that has no index.
    fn control_words(&self) -> u64 {
        0
    }

    /// Words of the largest region; none if the word alone decides.
    fn max_words(&self) -> Option<u64> {
        None
    }

    /// Words below the wilderness, as an expression.
    fn footprint(&self) -> &'static str {
        "load(heap, TOP)"
    }

    /// The most words that were ever below the wilderness, as an expression.
    fn footprint_peak(&self) -> &'static str {
        "load(heap, HIGH)"
    }

    /// What every payload is a multiple of, in bytes.
    fn alignment(&self, spec: &Spec) -> u32 {
        spec.alignment
    }

    /// Its invariants, numbered; those of blocks are without those of the index.
    fn invariants(&self) -> Vec<&'static str>;

    /// Fields of the heap's struct, whose type is that of an index, or `bool`.
    fn fields(&self, _index: &'static str) -> Vec<Field> {
        Vec::new()
    }

    /// A request may be too large for any block.
    fn asks_for_large(&self) -> bool {
        true
    }

    /// An alignment may be too coarse for any address.
    fn asks_for_coarse(&self) -> bool {
        true
    }

    /// Blocks are freed last in, first out.
    fn frees_in_order(&self) -> bool {
        false
    }

    /// Its free blocks may be joined for a request that is then refused.
    fn leaves_apart(&self) -> bool {
        false
    }

    /// The function that resizes a block in place once they were.
    fn resize_joined(&self) -> &'static str {
        "pool_resize"
    }

    /// It counts leading zeros, and clears its control words: both without an index.
    fn has_orders(&self) -> bool {
        false
    }

    /// It counts trailing zeros without an index.
    fn has_bit_map(&self) -> bool {
        false
    }
}
