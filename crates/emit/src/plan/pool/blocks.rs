//! The numbers of a pool of blocks: its format and its levels.

use heapsmith_spec::build::format;
use heapsmith_spec::{Coalescing, Pool, Spec, Splitting};
use serde::Serialize;

use super::Family;
use crate::literal::unsigned;
use crate::plan::Field;

/// A pool of blocks.
#[derive(Clone, Debug, Serialize)]
pub struct BlocksPlan {
    granule: u32,
    /// Words of the smallest block.
    min: u32,
    /// Blocks carry boundary tags.
    pub tags: bool,
    /// What is left over is split off, always or from a size on.
    pub splits: bool,
    /// The smallest request that splits, where it is not every one.
    split_from: Option<String>,
    /// A freed block is joined to its neighbours, always or from a size on.
    pub merges: bool,
    /// Words of the smallest block that is joined, where it is not every one.
    coalesce_from: Option<String>,
    /// The region is swept when no free block fits a request.
    deferred: bool,
    /// The region is swept at every call.
    every_call: bool,
    /// The region is swept.
    sweeps: bool,
    /// A block may grow into a free one that follows.
    joins: bool,
    /// A freed block may stay as it is.
    links_alone: bool,
    /// I4 holds.
    touches_never: bool,
}

impl BlocksPlan {
    /// The numbers of the pool of `spec`; none if it is not one of blocks.
    pub(super) fn of(spec: &Spec) -> Option<BlocksPlan> {
        let (split, coalesce, tags) = match &spec.pool {
            Pool::List(list) => (list.split, list.coalesce, list.tags),
            Pool::Bins(bins) => (bins.split, bins.coalesce, bins.tags),
            Pool::Tree(tree) => (tree.split, tree.coalesce, tree.tags),
            Pool::SkipList(list) => (list.split, list.coalesce, list.tags),
            Pool::Tlsf(_) | Pool::HalfFit(_) => (Splitting::Always, Coalescing::Immediate, true),
            Pool::Classes(_) => (Splitting::Never, Coalescing::Never, false),
            _ => return None,
        };
        let format = format(spec);
        let word = u64::from(spec.word.bytes());
        let coalesce_from = match coalesce {
            // In words, header included: the threshold asks the payload.
            Coalescing::From(bytes) if bytes > 0 => Some(unsigned(bytes.div_ceil(word) + 1)),
            _ => None,
        };
        let merges = matches!(coalesce, Coalescing::Immediate | Coalescing::From(_));
        let (deferred, every_call) = (coalesce == Coalescing::Deferred, coalesce == Coalescing::EveryCall);
        Some(BlocksPlan {
            granule: format.granule as u32,
            min: format.min as u32,
            tags,
            splits: split != Splitting::Never,
            split_from: match split {
                Splitting::From(bytes) if bytes > 0 => Some(unsigned(bytes)),
                _ => None,
            },
            merges,
            links_alone: !merges || coalesce_from.is_some(),
            touches_never: every_call || merges && coalesce_from.is_none(),
            coalesce_from,
            deferred,
            every_call,
            sweeps: deferred || every_call,
            joins: coalesce != Coalescing::Never,
        })
    }
}

impl Family for BlocksPlan {
    fn granule(&self) -> u32 {
        self.granule
    }

    fn file(&self) -> Option<&'static str> {
        None
    }

    fn invariants(&self) -> Vec<&'static str> {
        let mut all = vec!["1   blocks tile the region in multiples of the granule"];
        if self.tags {
            all.push("2   a header tells the status of the block before");
            all.push("3   the last word of a free block is its size");
        }
        if self.touches_never {
            all.push("4   no two free blocks touch");
        }
        all
    }

    fn field(&self, _: &'static str) -> Option<Field> {
        let field = Field { r#type: "bool", name: "touching", what: "a free block may touch another" };
        self.deferred.then_some(field)
    }
}
