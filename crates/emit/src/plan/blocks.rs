//! The numbers of a pool of blocks: its format and its levels.

use heapsmith_spec::build::format;
use heapsmith_spec::{BuddySystem, Coalescing, Defragment, PageSearch, Pages, Pool, Reclaim, Spec, Splitting};
use serde::Serialize;

use super::max_words;
use crate::literal::unsigned;

/// A pool of blocks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Blocks {
    /// It is one: other pools are templates of their own.
    blocks: bool,
    /// The template of a pool that is none of blocks.
    file: &'static str,
    /// What a free gives back, of a pool of blocks one behind the other.
    frees: &'static str,
    /// Blocks are freed last in, first out.
    pub in_order: bool,
    /// Words of every block, where they are equal.
    fixed_words: u64,
    /// It is a buddy system, of the kind that joins buddies when a request needs it.
    estranged: bool,
    /// The orders of a buddy system; both 0 where it is none.
    min_order: u32,
    max_order: u32,
    /// Bytes of a page; 0 where there are none.
    page: u64,
    /// Bytes of the smallest object in a page.
    min_object: u64,
    /// Classes of objects.
    classes: u32,
    /// Words of an entry of the directory.
    entry: u64,
    /// Bits of a word of a bitmap.
    bits: u32,
    /// How a bitmap is searched.
    search: &'static str,
    /// Words before the first payload of a pool's first block: its header.
    pub header: u64,
    /// Control words of a pool that has no index.
    pub control_words: u64,
    /// Words that every block is a multiple of.
    pub granule: u32,
    /// Words of the smallest block.
    pub min: u32,
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
            Pool::Tlsf(_) | Pool::HalfFit => (Splitting::Always, Coalescing::Immediate, true),
            Pool::Classes(_) => (Splitting::Never, Coalescing::Never, false),
            Pool::Bump(bump) => {
                return Some(match bump.reclaim {
                    Reclaim::Never => Blocks::linear("never", 0, spec),
                    Reclaim::Empty => Blocks::linear("when-empty", 1, spec),
                });
            }
            Pool::Stack => return Some(Blocks::linear("last-first", 0, spec)),
            Pool::Fixed(size) => return Some(Blocks::fixed(*size, spec)),
            Pool::Buddy(buddy) if buddy.defragment == Defragment::Never => {
                return Some(Blocks::buddy(buddy.system, spec));
            }
            Pool::Pages(pages) => return Blocks::pages(pages, spec),
            Pool::Buddy(_) => return None,
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
        Some(Blocks {
            blocks: true,
            header: 1,
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
            ..Blocks::default()
        })
    }

    /// Whether it is a pool of blocks that are split and joined.
    pub(super) fn is_of_blocks(&self) -> bool {
        self.blocks
    }

    /// Whether its blocks are all of one size.
    pub(super) fn is_fixed(&self) -> bool {
        self.fixed_words > 0
    }

    /// The invariants of a pool that is not.
    pub(super) fn invariants(&self) -> Vec<&'static str> {
        if self.fixed_words > 0 {
            return vec![
                "1   the wilderness lies a whole number of blocks behind the first",
                "2   the free list names blocks",
            ];
        }
        if self.is_buddy() {
            let buddies = if self.estranged {
                "4   a free block is marked if and only if its buddy is free"
            } else {
                "3   no two free blocks are buddies, and none is that of the wilderness"
            };
            return vec![
                "1   blocks tile the region, each of 2^k words where such a block may lie",
                "2   every free block is on its list, once, linked both ways",
                buddies,
                "9   the wilderness begins inside the region, below its high-water mark",
            ];
        }
        if self.is_pages() {
            return vec![
                "1   pages of objects, used and free runs tile the pages below the wilderness",
                "2   free runs are listed by address, and touch neither each other nor the wilderness",
                "3   a page has as many free objects as its bitmap has bits, and not all of them",
                "4   a page of objects is on its list if and only if an object is free",
                "5   the directory has room for every page",
            ];
        }
        let mut all = vec!["1   blocks tile the region", "2   a header tells whether a gap is before it"];
        match self.frees {
            "last-first" => all.push("3   every block is used but for gaps"),
            "when-empty" => all.push("4   the count of live blocks is right"),
            _ => {}
        }
        all.push("9   the wilderness begins inside the region, below its high-water mark");
        all
    }

    /// Blocks one behind the other.
    fn linear(frees: &'static str, control_words: u64, spec: &Spec) -> Blocks {
        Blocks {
            file: "simple/linear.c",
            frees,
            in_order: frees == "last-first",
            header: 1,
            control_words,
            granule: spec.alignment / spec.word.bytes(),
            ..Blocks::default()
        }
    }

    /// Whether it is a buddy system.
    pub(super) fn is_buddy(&self) -> bool {
        self.max_order > 0
    }

    /// What every payload is a multiple of, in bytes: in a buddy system that of the smallest block.
    pub(super) fn alignment(&self, spec: &Spec) -> u32 {
        if self.is_buddy() { spec.word.bytes() << self.min_order } else { spec.alignment }
    }

    /// Blocks of powers of two.
    fn buddy(system: BuddySystem, spec: &Spec) -> Blocks {
        // A header and two links, or what the alignment wants.
        let min_order = (spec.alignment / spec.word.bytes()).ilog2().max(2);
        let max_order = max_words(spec.word).ilog2();
        let estranged = system == BuddySystem::Estranged;
        Blocks {
            file: "buddy/buddy.c",
            header: 1,
            estranged,
            min_order,
            max_order,
            control_words: u64::from(max_order + 1 - min_order) * if estranged { 2 } else { 1 },
            granule: 1 << min_order,
            ..Blocks::default()
        }
    }

    /// Whether it is a heap of pages.
    pub(super) fn is_pages(&self) -> bool {
        self.page > 0
    }

    /// Whether zeros are counted in the words of a bitmap.
    pub(super) fn counts_zeros(&self) -> bool {
        self.is_buddy() || self.is_pages() && self.search != "linear"
    }

    /// Pages of objects.
    fn pages(pages: &Pages, spec: &Spec) -> Option<Blocks> {
        let word = u64::from(spec.word.bytes());
        let min_object = pages.min.max(u64::from(spec.alignment).min(pages.page / 2));
        let (objects, bits) = (pages.page / min_object, spec.word.bytes() * 8);
        let classes = objects.ilog2();
        let search = match pages.search {
            PageSearch::Linear => "linear",
            PageSearch::Word => "word",
            PageSearch::Tree => "tree",
            PageSearch::Hardware => return None,
        };
        // A tree has a bit for each word below it, up to one word.
        let (mut words, mut map) = (objects.div_ceil(bits.into()), 0);
        while search == "tree" && words > 1 {
            map += words;
            words = words.div_ceil(bits.into());
        }
        Some(Blocks {
            file: "pages/pages.c",
            page: pages.page,
            min_object,
            classes,
            bits,
            search,
            entry: 4 + map + words,
            control_words: 3 + u64::from(classes),
            granule: (pages.page.min(4096) / word) as u32,
            ..Blocks::default()
        })
    }

    /// Blocks of one size, without headers.
    fn fixed(size: u64, spec: &Spec) -> Blocks {
        let (word, granule) = (u64::from(spec.word.bytes()), spec.alignment / spec.word.bytes());
        let words = size.clamp(1, max_words(spec.word) / 2 * word).div_ceil(word);
        Blocks {
            file: "simple/fixed.c",
            control_words: 1,
            granule,
            fixed_words: words.next_multiple_of(granule.into()),
            ..Blocks::default()
        }
    }
}
