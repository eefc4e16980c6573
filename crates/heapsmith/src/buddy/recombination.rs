//! Recombination: when free buddies become one block. Buddy systems differ in this.

use core::fmt::Debug;

use crate::buddy::blocks::Blocks;
use crate::buddy::start::Start;
use crate::heap::Violation;
use crate::meter::{Meter, ServePath};
use crate::sealed::Sealed;
use crate::source::Source;
use crate::word::Word;

/// When free buddies become one block, and on which lists they wait until then.
pub trait Recombination: Copy + Debug + Default + Sealed + 'static {
    /// Lists for each order.
    const LISTS: usize;
    /// Whether a free block joins its buddy, or the wilderness, at once.
    const EAGER: bool;

    /// Takes a block of `order` from among the free blocks, joining at most two; its header is left to the caller.
    fn take<W: Word, S: Source, M: Meter, F: Start>(
        blocks: &mut Blocks<W, S, M, F>,
        order: u32,
    ) -> Option<(usize, ServePath)>;

    /// Takes a block of `order` made of free buddies that have not become one.
    fn glue<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, order: u32) -> Option<usize>;

    /// Takes a block of `order` in either way.
    fn find<W: Word, S: Source, M: Meter, F: Start>(
        blocks: &mut Blocks<W, S, M, F>,
        order: u32,
    ) -> Option<(usize, ServePath)> {
        Self::take(blocks, order).or_else(|| Self::glue(blocks, order).map(|at| (at, ServePath::AfterCoalescing)))
    }

    /// Frees the block `at`.
    fn release<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, at: usize, order: u32);

    /// Makes the block `at` free next to a buddy that is not.
    fn insert<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, at: usize, order: u32);

    /// Takes the free block `at` off its list; its header, as read, stays as it is.
    fn remove<W: Word, S: Source, M: Meter, F: Start>(
        blocks: &mut Blocks<W, S, M, F>,
        at: usize,
        order: u32,
        header: usize,
    );

    /// Takes two free buddies of `order` that have not become one, and returns the lower.
    fn pair<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, order: u32) -> Option<usize>;

    /// The list that the free block `at` must be on; none if it must be on no list.
    /// An error if its status contradicts its buddy's.
    fn expected<W: Word, S: Source, M: Meter, F: Start>(
        blocks: &Blocks<W, S, M, F>,
        at: usize,
        header: usize,
    ) -> Result<Option<usize>, Violation>;
}

/// Cuts the block `at` of order `from` down to `order`; the upper halves become free.
#[inline(always)]
pub(super) fn split<R: Recombination, W: Word, S: Source, M: Meter, F: Start>(
    blocks: &mut Blocks<W, S, M, F>,
    at: usize,
    from: u32,
    order: u32,
) {
    let mut half = from;
    while half > order {
        half -= 1;
        R::insert(blocks, at + (1 << half), half);
    }
}
