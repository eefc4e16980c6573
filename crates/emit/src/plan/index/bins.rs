//! The numbers of bins, and of a tree or a skip list of all free blocks.

use heapsmith::parts::{Bin, BinMap, RedBlack, SkipList, SpacedBins};
use heapsmith_spec::build::spacing;
use heapsmith_spec::{BinLayout, BinOrder, Bins, Each, Tries, WordSize};
use serde::Serialize;

use super::{Chain, IndexPlan};

/// First control word of an index.
const INDEX: u64 = 2;

/// Bins, or one bin of all.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BinsPlan {
    /// Number of bins.
    bins: u64,
    /// Words of the bit map.
    map_words: u64,
    /// The root of the first bin.
    roots: u64,
    /// Words of a root.
    root_words: u64,
    /// What a bin is: list, tree, skiplist.
    each: &'static str,
    /// The same in words.
    each_text: &'static str,
    /// The template of its check.
    check_file: &'static str,
    /// The bins of Lea's allocator.
    lea: bool,
    /// Upper end of the first exact bin, header included, less its span; bytes of its span; how many.
    from: u64,
    step: u64,
    count: u64,
    /// Bins a doubling beyond, its logarithm, and the number of the first.
    per_doubling: u64,
    per_doubling_log: u32,
    first_log: u64,
    /// Max blocks of a bin that a search visits; 0: all.
    tries: u32,
    /// The block that is found is the smallest that serves.
    best: bool,
    /// First head of the lists of small blocks; 0: there are none.
    small_heads: u64,
    /// Levels of a skip list, and what is added to a size before its bits are mixed.
    levels: u64,
    seed: u64,
}

/// What a node costs: plus lists for 3, 4 and 5 words.
const SMALL_LISTS: u64 = 3;

/// The constant that a seed is multiplied with (SplitMix64).
fn mixed(seed: u64) -> u64 {
    seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl BinsPlan {
    /// A tree in each bin.
    fn tree() -> BinsPlan {
        BinsPlan {
            each: "tree",
            each_text: "red-black tree",
            check_file: "index/red_black_check.c",
            root_words: RedBlack.words() as u64,
            best: true,
            ..BinsPlan::default()
        }
    }

    /// A skip list in each bin.
    fn skip_list(seed: u64, levels: usize) -> BinsPlan {
        BinsPlan {
            each: "skiplist",
            each_text: "skip list",
            check_file: "index/skip_list_check.c",
            root_words: levels as u64,
            levels: levels as u64,
            seed: mixed(seed),
            best: true,
            ..BinsPlan::default()
        }
    }

    fn list(bins: &Bins) -> BinsPlan {
        BinsPlan {
            each: "list",
            each_text: "list",
            check_file: "index/bin_list_check.c",
            root_words: if bins.order == BinOrder::Fifo { 2 } else { 1 },
            best: bins.order == BinOrder::Size,
            tries: match bins.tries {
                Tries::Max(max) if bins.order != BinOrder::Size => max,
                _ => 0,
            },
            ..BinsPlan::default()
        }
    }
}

/// What nodes need of lists: those of small blocks.
const NODES: Chain = Chain { tail: false, front: true, after: false, back: false, unlink: true, replace: false };

/// One bin of all free blocks.
fn by_size(file: &'static str, bin: BinsPlan) -> IndexPlan {
    let control_words = SMALL_LISTS + bin.root_words;
    IndexPlan {
        kind: "by_size",
        file: "index/by_size.c",
        bin_file: file,
        control_words,
        linked: true,
        by_size: true,
        checks: true,
        clears_all: true,
        bins: BinsPlan { roots: INDEX + SMALL_LISTS, small_heads: INDEX, ..bin },
        invariants: node_invariants(bin.each),
        chain: Some(NODES),
        ..IndexPlan::default()
    }
}

fn node_invariants(each: &str) -> Vec<&'static str> {
    let mut all = vec!["5   every free block is kept once, by its size"];
    if each == "tree" {
        all.push("6   smaller blocks are to the left of a node, larger ones to the right");
        all.push("7   paths down have as many black nodes, and a red node has no red child");
    } else {
        all.push("6   a skip list ascends");
        all.push("7   a level holds the nodes of the level below that are so high");
    }
    all.push("8   links back are right");
    all
}

/// The tree.
pub(in crate::plan) fn tree() -> IndexPlan {
    by_size("index/red_black.c", BinsPlan::tree())
}

/// The skip list.
pub(in crate::plan) fn skip_list(list: &heapsmith_spec::SkipList) -> IndexPlan {
    by_size("index/skip_list.c", BinsPlan::skip_list(list.seed, SkipList::MAX_LEVELS))
}

/// Bins.
pub(in crate::plan) fn bins(bins: &Bins, word: WordSize) -> IndexPlan {
    let (bin_file, bin) = match bins.each {
        Each::List => ("index/bin_list.c", BinsPlan::list(bins)),
        Each::Tree => ("index/red_black.c", BinsPlan::tree()),
        Each::SkipList => {
            let list = BinsPlan::skip_list(heapsmith_spec::SkipList::SEED, SkipList::BIN_LEVELS);
            ("index/skip_list.c", list)
        }
    };
    let bytes = word.bytes() as usize;
    let map = SpacedBins::new(spacing(bins.layout, bytes), bytes);
    let bits = word.bytes() * 8;
    let number = map.bins() as u64;
    let map_words = number.div_ceil(bits.into());
    let roots = INDEX + map_words;
    let small_heads = if bins.each == Each::List { 0 } else { roots + number * bin.root_words };
    let small_words = if small_heads == 0 { 0 } else { SMALL_LISTS };
    let control_words = map_words + number * bin.root_words + small_words;
    let (order, order_text) = match bins.order {
        BinOrder::Lifo => ("lifo", "last in, first out"),
        BinOrder::Fifo => ("fifo", "first in, first out"),
        BinOrder::Size => ("size", "ascending by size"),
    };
    let chain = match bins.each {
        Each::List => Chain {
            tail: order == "fifo",
            front: order == "lifo",
            after: order == "size",
            back: order == "fifo",
            unlink: true,
            replace: false,
        },
        Each::Tree | Each::SkipList => NODES,
    };
    let invariants = match (bins.each, bins.order) {
        (Each::List, BinOrder::Size) => {
            vec!["5   every free block is in the bin of its size, and bits tell which have one", "6   a bin ascends"]
        }
        (Each::List, _) => vec!["5   every free block is in the bin of its size, and bits tell which have one"],
        _ => node_invariants(bin.each),
    };
    let plan = BinsPlan { bins: number, map_words, roots, small_heads, ..bin };
    IndexPlan {
        kind: "bins",
        file: "index/bins.c",
        bin_file,
        control_words,
        linked: true,
        by_size: true,
        checks: true,
        clears_all: true,
        logarithm: plan_has_logarithm(bins.layout),
        bit_map: true,
        order,
        order_text,
        bins: spaced(plan, bins.layout, word),
        bits,
        invariants,
        chain: Some(chain),
        ..IndexPlan::default()
    }
}

fn plan_has_logarithm(layout: BinLayout) -> bool {
    match layout {
        BinLayout::Lea => false,
        BinLayout::Log { .. } => true,
        BinLayout::Exact { then_log, .. } => then_log.is_some(),
    }
}

/// The bins with the numbers of their layout.
fn spaced(plan: BinsPlan, layout: BinLayout, word: WordSize) -> BinsPlan {
    let bytes = u64::from(word.bytes());
    let (from, step, count, per_doubling) = match layout {
        BinLayout::Lea => return BinsPlan { lea: true, ..plan },
        BinLayout::Log { per_doubling } => (bytes, 1, 0, per_doubling.into()),
        BinLayout::Exact { from, to, step, then_log } => {
            (from + bytes, step, (to - from) / step + 1, then_log.map_or(0, u64::from))
        }
    };
    // There are as many bins as doublings up to 2^32 have, less those below the first: so that is known.
    let first_log = if per_doubling == 0 { 0 } else { count + 32 * per_doubling - plan.bins };
    let per_doubling_log = per_doubling.max(1).ilog2();
    BinsPlan { from, step, count, per_doubling, per_doubling_log, first_log, ..plan }
}
