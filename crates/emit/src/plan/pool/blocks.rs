//! The numbers of a pool of blocks: its format and its levels.

use heapsmith_spec::build::format;
use heapsmith_spec::{BlockFactors, Coalescing, Spec, Splitting};
use serde::Serialize;

use super::{PoolPlan, Templated};
use crate::literal::unsigned;
use crate::plan::{Field, IndexPlan};

/// A pool of blocks.
#[derive(Clone, Debug, Serialize)]
pub struct BlocksPlan {
    granule: u32,
    /// Words of the smallest block.
    min: u32,
    /// Blocks carry boundary tags.
    tags: bool,
    /// What is left over is split off, always or from a size on.
    splits: bool,
    /// The smallest request that splits, where it is not every one.
    split_from: Option<String>,
    /// Words of the smallest remainder that is split off, where it is not the smallest block.
    remainder: Option<String>,
    /// A freed block is joined to its neighbours, always or from a size on.
    merges: bool,
    /// Words of the smallest block that is joined, where it is not every one.
    coalesce_from: Option<String>,
    /// The region is swept when no free block fits a request.
    deferred: bool,
    /// Free blocks may touch until the region is swept, at the latest before a request is refused.
    apart: bool,
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
    /// The plan of a pool of blocks with this index.
    pub(super) fn with(spec: &Spec, factors: &BlockFactors, index: IndexPlan) -> (PoolPlan, IndexPlan) {
        (PoolPlan::Blocks(BlocksPlan::of(spec, factors)), index)
    }

    fn of(spec: &Spec, factors: &BlockFactors) -> BlocksPlan {
        let BlockFactors { split, coalesce, tags, .. } = *factors;
        let format = format(spec);
        let word = u64::from(spec.word.bytes());
        let coalesce_from = match coalesce {
            // In words, header included: the threshold asks the payload.
            Coalescing::From(bytes) if bytes > 0 => Some(unsigned(bytes.div_ceil(word) + 1)),
            _ => None,
        };
        let smallest = factors.smallest_remainder(format, spec.word);
        let merges = matches!(coalesce, Coalescing::Immediate | Coalescing::From(_));
        let (deferred, every_call) = (coalesce == Coalescing::Deferred, coalesce == Coalescing::EveryCall);
        let apart = deferred || coalesce_from.is_some();
        BlocksPlan {
            granule: format.granule as u32,
            min: format.min as u32,
            tags,
            splits: split != Splitting::Never,
            split_from: match split {
                Splitting::From(bytes) if bytes > 0 => Some(unsigned(bytes)),
                _ => None,
            },
            remainder: (smallest > format.min).then(|| unsigned(smallest as u64)),
            merges,
            links_alone: !merges || coalesce_from.is_some(),
            touches_never: every_call || merges && coalesce_from.is_none(),
            coalesce_from,
            deferred,
            apart,
            every_call,
            sweeps: apart || every_call,
            joins: coalesce != Coalescing::Never,
        }
    }
}

impl Templated for BlocksPlan {
    fn granule(&self) -> u32 {
        self.granule
    }

    fn smallest(&self) -> u32 {
        self.min
    }

    fn file(&self) -> Option<&'static str> {
        None
    }

    fn invariants(&self) -> Vec<&'static str> {
        let mut all = vec!["1   blocks tile the region in multiples of the granule"];
        if self.tags {
            all.push("2   a header holds the status of the block before");
            all.push("3   the last word of a free block is its size");
        }
        if self.touches_never {
            all.push("4   no two free blocks touch");
        }
        if self.apart {
            all.push("4   no two free blocks touch, from a sweep until a block is freed and left apart");
        }
        all
    }

    fn fields(&self, _: &'static str) -> Vec<Field> {
        let field = Field { r#type: "bool", name: "touching", what: "a free block may touch another" };
        Vec::from_iter(self.apart.then_some(field))
    }

    fn leaves_apart(&self) -> bool {
        self.apart
    }

    fn resize_joined(&self) -> &'static str {
        "pool_resize_joined"
    }
}
