//! The numbers of a pool: a variant for each family of templates, a file for each variant.
//!
//! | family | pools | templates |
//! |---|---|---|
//! | `blocks` | lists, bins, classes, trees, skip lists, two levels | `c/block.c`, `c/index`, `c/pool` |
//! | `linear` | bump, stack | `c/simple/linear.c` |
//! | `fixed` | fixed | `c/simple/fixed.c` |
//! | `buddy` | buddies | `c/buddy` |
//! | `pages` | pages | `c/pages` |

mod blocks;
mod buddy;
mod fixed;
mod linear;
mod pages;

use heapsmith_spec::{Defragment, Pool, Spec};
use serde::Serialize;

pub use blocks::BlocksPlan;
pub use buddy::BuddyPlan;
pub use fixed::FixedPlan;
pub use linear::LinearPlan;
pub use pages::PagesPlan;

use super::Field;

/// A pool, with what the templates of its family write. Templates ask for `pool.family`.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "family", rename_all = "snake_case")]
pub enum PoolPlan {
    /// Blocks that are split and joined, with an index of the free ones.
    Blocks(BlocksPlan),
    /// Blocks one behind the other.
    Linear(LinearPlan),
    /// Blocks of one size, without headers.
    Fixed(FixedPlan),
    /// Blocks of powers of two.
    Buddy(BuddyPlan),
    /// Pages of objects.
    Pages(PagesPlan),
}

/// What the rest of a plan asks of a pool.
pub(super) trait Family {
    /// Words that every block is a multiple of.
    fn granule(&self) -> u32;

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

    /// What every payload is a multiple of, in bytes.
    fn alignment(&self, spec: &Spec) -> u32 {
        spec.alignment
    }

    /// Its invariants, numbered; those of blocks are without those of the index.
    fn invariants(&self) -> Vec<&'static str>;

    /// A field of the heap's struct, whose type is that of an index, or `bool`.
    fn field(&self, _index: &'static str) -> Option<Field> {
        None
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

    /// It counts leading zeros, and clears its control words: both without an index.
    fn has_orders(&self) -> bool {
        false
    }

    /// It counts trailing zeros without an index.
    fn has_bit_map(&self) -> bool {
        false
    }
}

impl PoolPlan {
    /// The numbers of the pool of `spec`; none if it has no templates.
    pub(super) fn of(spec: &Spec) -> Option<PoolPlan> {
        Some(match &spec.pool {
            Pool::Bump(bump) => PoolPlan::Linear(LinearPlan::bump(bump, spec)),
            Pool::Stack(_) => PoolPlan::Linear(LinearPlan::stack(spec)),
            Pool::Fixed(fixed) => PoolPlan::Fixed(FixedPlan::of(fixed, spec)),
            Pool::Buddy(buddy) if buddy.defragment == Defragment::Never => {
                PoolPlan::Buddy(BuddyPlan::of(buddy.system, spec))
            }
            Pool::Buddy(_) => return None,
            Pool::Pages(pages) => PoolPlan::Pages(PagesPlan::of(pages, spec)?),
            _ => PoolPlan::Blocks(BlocksPlan::of(spec)?),
        })
    }

    /// What the rest of a plan asks.
    pub(super) fn family(&self) -> &dyn Family {
        match self {
            PoolPlan::Blocks(plan) => plan,
            PoolPlan::Linear(plan) => plan,
            PoolPlan::Fixed(plan) => plan,
            PoolPlan::Buddy(plan) => plan,
            PoolPlan::Pages(plan) => plan,
        }
    }
}
