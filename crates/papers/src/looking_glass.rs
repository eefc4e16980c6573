//! Diamantstein, Stroud-Taylor, Trostanovsky: "malloc(): Through the Looking Glass", 2018.

mod apart;
mod bins;
mod figure_18;
mod figures_19_24;
mod large;
mod originals;
mod patterns;
pub(crate) mod programs;
mod published;
mod searches;
mod space;

use crate::experiment::Experiment;

pub(crate) const EXPERIMENTS: &[&Experiment] = &[
    &figure_18::EXPERIMENT,
    &originals::EXPERIMENT,
    &figures_19_24::EXPERIMENT,
    &searches::EXPERIMENT,
    &space::EXPERIMENT,
    &large::EXPERIMENT,
    &patterns::EXPERIMENT,
    &bins::EXPERIMENT,
];

/// The implicit list of the paper: every block is stepped over, first fit, boundary tags.
const IMPLICIT: (&str, &str) = ("implicit list", "list(order=implicit, fit=first, split=always, coalesce=immediate)");
/// The explicit list: free blocks alone, in the order of their addresses as in the authors' source, first fit.
const EXPLICIT: (&str, &str) = ("explicit list", "list(order=address, fit=first, split=always, coalesce=immediate)");
/// A variant that the paper leaves open: the freed block in front.
const LIFO: (&str, &str) =
    ("explicit list, last in first out", "list(order=lifo, fit=first, split=always, coalesce=immediate)");
/// The tree of free blocks.
const TREE: (&str, &str) = ("red-black tree", "tree(red-black, fit=best, split=always, coalesce=immediate)");
/// The paper's future work: a bin of its own for popular sizes, trees in the others.
const BINNED_TREE: (&str, &str) = ("bins of trees", "bins(lea, each=tree, split=always, coalesce=immediate)");
/// The paper's future work: bins as malloc has them, with skip lists.
const BINNED_SKIP_LIST: (&str, &str) =
    ("bins of skip lists", "bins(lea, each=skiplist, split=always, coalesce=immediate)");
/// The C library's `malloc`.
const MALLOC: (&str, &str) = ("malloc of libc", "peer:libc");
