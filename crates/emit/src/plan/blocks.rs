//! The numbers of a pool of blocks: its format and its levels.

use heapsmith_spec::build::format;
use heapsmith_spec::{Coalesce, Pool, Spec, Split};
use serde::Serialize;

use crate::literal::unsigned;

/// A pool of blocks.
#[derive(Clone, Debug, Serialize)]
pub struct Blocks {
    /// It is one: other pools are templates of their own.
    blocks: bool,
    /// Words that every block is a multiple of.
    pub granule: u32,
    /// Words of the smallest block.
    pub least: u32,
    /// Blocks carry boundary tags.
    pub tags: bool,
    /// What is left over is split off, always or from a size on.
    pub splits: bool,
    /// The smallest request that splits, where it is not every one.
    pub split_from: Option<String>,
    /// A freed block is joined to its neighbours, always or from a size on.
    pub merges: bool,
    /// Words of the smallest block that is joined, where it is not every one.
    pub coalesce_from: Option<String>,
    /// The region is swept when no free block fits a request.
    pub deferred: bool,
    /// The region is swept at every call.
    pub every_call: bool,
    /// The region is swept.
    pub sweeps: bool,
    /// A block may grow into a free one that follows.
    pub joins: bool,
    /// A freed block may stay as it is.
    pub links_alone: bool,
    /// I4 holds.
    pub touches_never: bool,
}

impl Blocks {
    /// The numbers of the pool of `spec`; none if it is not one of blocks.
    pub(super) fn of(spec: &Spec) -> Option<Blocks> {
        let (split, coalesce, tags) = match &spec.pool {
            Pool::List(list) => (list.split, list.coalesce, list.tags),
            Pool::Bins(bins) => (bins.split, bins.coalesce, bins.tags),
            Pool::Tree(tree) => (tree.split, tree.coalesce, tree.tags),
            Pool::SkipList(list) => (list.split, list.coalesce, list.tags),
            Pool::Tlsf(_) | Pool::HalfFit => (Split::Always, Coalesce::Immediate, true),
            Pool::Classes(_) => (Split::Never, Coalesce::Never, false),
            Pool::Buddy(_) | Pool::Pages(_) | Pool::Bump(_) | Pool::Stack | Pool::Fixed(_) => return None,
        };
        let format = format(spec);
        let word = u64::from(spec.word.bytes());
        let coalesce_from = match coalesce {
            // In words, header included: the threshold asks the payload.
            Coalesce::From(bytes) if bytes > 0 => Some(unsigned(bytes.div_ceil(word) + 1)),
            _ => None,
        };
        let merges = matches!(coalesce, Coalesce::Immediate | Coalesce::From(_));
        let (deferred, every_call) = (coalesce == Coalesce::Deferred, coalesce == Coalesce::EveryCall);
        Some(Blocks {
            blocks: true,
            granule: format.granule as u32,
            least: format.least as u32,
            tags,
            splits: split != Split::Never,
            split_from: match split {
                Split::From(bytes) if bytes > 0 => Some(unsigned(bytes)),
                _ => None,
            },
            merges,
            links_alone: !merges || coalesce_from.is_some(),
            touches_never: every_call || merges && coalesce_from.is_none(),
            coalesce_from,
            deferred,
            every_call,
            sweeps: deferred || every_call,
            joins: coalesce != Coalesce::Never,
        })
    }
}
