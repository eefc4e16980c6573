//! The whole of a heap: layers, a pool, options.

use super::{Check, EmptySpans, FreeLists, Guard, HugePages, Purge, Regions, Reserve, Spans, Threads, WordSize};
use crate::pool::Pool;

/// A heap as data: everything that its one line of text says.
///
/// Fields are public, so a design space can be generated; [`Spec::validate`] checks whether
/// the outcome is a heap that can be built.
///
/// ```
/// use heapsmith_spec::{List, ListOrder, Pool, Spec};
///
/// let spec = Spec::new(Pool::List(List { order: ListOrder::Fifo, ..List::default() }));
/// assert_eq!(
///     spec.to_string(),
///     "list(order=fifo, fit=first, split=always, coalesce=immediate)"
/// );
/// assert_eq!(spec.to_string().parse(), Ok(spec));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// The layers in front of the pool, outermost first.
    pub layers: Vec<Layer>,
    /// The pool that owns the region.
    pub pool: Pool,
    /// The unit of headers and links.
    pub word: WordSize,
    /// Every payload's address is a multiple of this many bytes: a power of two from the
    /// word up to [`Spec::MAX_ALIGNMENT`].
    pub alignment: u32,
    /// How the threads of a program share the heap.
    pub threads: Threads,
    /// When memory that it does not use goes back to the system.
    pub purge: Purge,
    /// Which of its memory it asks the system to keep in huge pages.
    pub huge: HugePages,
    /// What the heap checks before it trusts a pointer, a header or a link.
    pub check: Check,
}

impl Spec {
    /// The coarsest alignment that a heap gives to all of its payloads, in bytes.
    pub const MAX_ALIGNMENT: u32 = 4096;

    /// The most lists, bins or size classes of one heap.
    pub const MAX_LISTS: u64 = 1024;

    /// Bytes of the largest region. Of a heap that marks cached blocks in their headers (`check=header` behind free lists), one
    /// bit of a header fewer is left for sizes; words of eight bytes have bits to spare. Packed headers have half a word.
    pub fn max_region(&self) -> u64 {
        let max = self.pool.max_region(self).unwrap_or_else(|| self.word.max_region());
        let word = u64::from(self.word.bytes());
        let marks = self.check == Check::Header && self.layers.iter().any(|layer| matches!(layer, Layer::FreeLists(_)));
        if marks && self.word != WordSize::Eight { (max / word - 1) / 2 * word } else { max }
    }

    /// Bytes of the largest region that the heap uses: words of two and four bytes name one word fewer than that has.
    pub fn max_footprint(&self) -> u64 {
        let unnamed = if self.word == WordSize::Eight { 0 } else { u64::from(self.word.bytes()) };
        self.max_region().min(self.word.max_region() - unnamed)
    }

    /// When memory goes back that the heap does not use. One whose region is used at both ends has no top to give back, and keeps all.
    pub fn purged(&self) -> Purge {
        self.pool.purged(self.purge)
    }

    /// The regions that the heap is in, each with a heap of its own; none where it is in one that nothing is said of.
    pub fn regions(&self) -> Option<&Regions> {
        match self.layers.first() {
            Some(Layer::Regions(regions)) => Some(regions),
            _ => None,
        }
    }

    /// The heap that is in each of its regions; itself where it has none.
    #[must_use]
    pub fn in_one_region(&self) -> Spec {
        let layers = self.layers.iter().filter(|layer| !matches!(layer, Layer::Regions(_)));
        Spec { layers: layers.cloned().collect(), ..self.clone() }
    }

    /// A heap of this pool alone, with the default word and payloads aligned to it.
    pub fn new(pool: Pool) -> Self {
        let word = WordSize::default();
        let (threads, purge, huge, check) = Default::default();
        Self { layers: Vec::new(), pool, word, alignment: word.bytes(), threads, purge, huge, check }
    }
}

/// What wraps the pool and caches some of the blocks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// Several regions, each with a heap of all that follows.
    Regions(Regions),
    /// Freed blocks of listed sizes wait for the next request of their size.
    FreeLists(FreeLists),
    /// Blocks of one size in runs, without headers.
    Spans(Spans),
    /// Heap error is detected and named.
    Guard(Guard),
    /// A part of the region is kept for requests of high priority.
    Reserve(Reserve),
    /// Zeroed storage.
    Zero,
}

impl Layer {
    /// Whether freed blocks wait in it before the pool gets them back.
    pub(crate) fn keeps_blocks(&self) -> bool {
        match self {
            Layer::FreeLists(_) => true,
            Layer::Spans(spans) => spans.empty != EmptySpans::Return,
            Layer::Guard(guard) => guard.quarantine > 0,
            Layer::Regions(_) | Layer::Reserve(_) | Layer::Zero => false,
        }
    }
}
