//! The numbers of an index: how the pool finds the free block that serves a request.

mod bins;
mod classes;
mod list;
mod two_level;

use heapsmith_spec::Fit;
use serde::Serialize;

pub use bins::BinsPlan;
pub use classes::ClassesPlan;
pub use two_level::TwoLevelPlan;

pub(super) use bins::{bins, skip_list, tree};
pub(super) use classes::classes;
pub(super) use list::{explicit, implicit};
pub(super) use two_level::{two_level, two_level_of};

/// What the functions of doubly linked lists are needed for.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Chain {
    /// Lists have a tail.
    pub tail: bool,
    /// Blocks are put in front.
    pub front: bool,
    /// Blocks are put behind another.
    pub after: bool,
    /// Blocks are put at the end.
    pub back: bool,
    /// Blocks are taken out.
    pub unlink: bool,
    /// A block takes the place of another.
    pub replace: bool,
}

/// An index.
#[derive(Clone, Debug, Default, Serialize)]
pub struct IndexPlan {
    /// Which one.
    pub kind: &'static str,
    /// Its template.
    pub file: &'static str,
    /// The template of what a bin is, if it has bins.
    pub bin_file: &'static str,
    /// Its control words.
    pub control_words: u64,
    /// It notes what is free: an implicit list mostly does not.
    pub linked: bool,
    /// It keeps blocks by size.
    pub by_size: bool,
    /// It counts the free blocks.
    pub counts: bool,
    /// It is notified of blocks that are gone.
    pub absorbs: bool,
    /// The place of a freed block is looked up before its neighbours.
    pub locates: bool,
    /// It has a check of its own.
    pub checks: bool,
    /// All of its control words begin as 0.
    pub clears_all: bool,
    /// It rounds requests.
    pub rounds: bool,
    /// It holds blocks in reserve.
    pub finds_larger: bool,
    /// It needs logarithms.
    pub logarithm: bool,
    /// It looks for the lowest bit of a word.
    pub bit_map: bool,
    /// The fit of a list.
    pub fit: &'static str,
    /// How much of the list a limited best fit looks at, in percent.
    pub depth: u8,
    /// The order of a list.
    pub order: &'static str,
    /// The order in words.
    pub order_text: &'static str,
    /// The control word of the rover or the count.
    pub extra: u64,
    /// Bins, trees, skip lists.
    #[serde(flatten)]
    pub bins: BinsPlan,
    /// Two levels of lists.
    #[serde(flatten)]
    pub levels: TwoLevelPlan,
    /// Classes.
    #[serde(flatten)]
    pub classes: ClassesPlan,
    /// Bits of a word of a bit map.
    pub bits: u32,
    /// Its invariants, numbered.
    pub invariants: Vec<&'static str>,
    /// Functions of lists that it needs.
    #[serde(skip)]
    pub chain: Option<Chain>,
}

impl IndexPlan {
    /// An index with the fit of a list.
    fn fitted(fit: Fit) -> IndexPlan {
        let (fit, depth) = match fit {
            Fit::First => ("first", 100),
            Fit::Next => ("next", 100),
            Fit::Best { depth } => ("best", depth),
            Fit::Worst => ("worst", 100),
        };
        let counts = depth < 100;
        let mut invariants = Vec::new();
        if counts {
            invariants.push("7   the count of free blocks is right");
        }
        if fit == "next" {
            invariants.push("8   the rover names a block");
        }
        IndexPlan { fit, depth, counts, invariants, ..IndexPlan::default() }
    }
}
