//! The classic space: four techniques at ten levels each, 10,000 designs.
//!
//! | technique | level | means |
//! |---|---|---|
//! | free lists | 0, 1, 2, 3, 4, 6, 8, 16, 64, 128 | lists, for the most popular block sizes of the traces |
//! | fit | 0 … 100% | share of the free list that best fit looks at; 0 is first fit |
//! | splitting | 0 … 100% | the largest so many of the requests split |
//! | coalescing | 0 … 100% | the blocks of the largest so many of the requests coalesce |
//!
//! Levels become bytes, so each design is a plain spec. Different levels may
//! become the same heap (a size that 40% of the requests share is on one side
//! of every threshold between): such designs are replayed once, and each keeps
//! its own row.
//!
//! Source: Mamagkakis et al. 2006, §5 ("about 10 levels", about 10,000 designs).

use std::collections::HashMap;

use heapsmith_spec::build::{format, lists_in_words, words_for};
use heapsmith_spec::{Coalesce, Ends, Fit, FreeLists, Layer, List, Order, Pool, Sizes, Spec, Split};
use heapsmith_trace::{Operation, PackedTrace};

/// A technique and its ten levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor {
    /// Its name in tables and files.
    pub name: &'static str,
    /// What a level counts: lists, or percent.
    pub unit: &'static str,
    /// Its levels, from none to full use.
    pub levels: [u8; 10],
}

const PERCENT: [u8; 10] = [0, 10, 20, 30, 40, 50, 60, 70, 80, 100];

/// The four techniques, in the order of a design's levels.
pub const FACTORS: [Factor; 4] = [
    Factor { name: "freelists", unit: "lists", levels: [0, 1, 2, 3, 4, 6, 8, 16, 64, 128] },
    Factor { name: "fit", unit: "% of the list searched", levels: PERCENT },
    Factor { name: "split", unit: "% of requests", levels: PERCENT },
    Factor { name: "coalesce", unit: "% of requests", levels: PERCENT },
];

/// A point of the space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    /// Its number: the levels' indexes as decimal digits.
    pub number: u32,
    /// Indexes into the levels of [`FACTORS`].
    pub levels: [u8; 4],
    /// The heap.
    pub spec: Spec,
    /// The lowest number of a design that is the same heap on these traces.
    pub same_as: u32,
}

impl Design {
    /// The value of a factor's level.
    pub fn level(&self, factor: usize) -> u8 {
        FACTORS[factor].levels[self.levels[factor] as usize]
    }

    /// Whether it is one that the paper recommends: two or three free lists, first fit, full splitting, full
    /// coalescing (Mamagkakis et al. 2006, §5).
    pub fn is_recommended(&self) -> bool {
        matches!([0, 1, 2, 3].map(|factor| self.level(factor)), [2 | 3, 0, 100, 100])
    }
}

/// All designs, for some traces.
#[derive(Debug, Clone)]
pub struct Space {
    /// Its name.
    pub name: &'static str,
    /// The designs by number.
    pub designs: Vec<Design>,
}

impl Space {
    /// The classic space for `traces`: an address-ordered list with boundary
    /// tags and words of four bytes is what the techniques are applied to.
    pub fn classic(traces: &[PackedTrace]) -> Space {
        let requests = Requests::of(traces);
        let base = Spec::new(Pool::List(List { order: Order::Address, ..List::default() }));
        let mut first: HashMap<Key, u32> = HashMap::new();
        let mut designs = Vec::with_capacity(10_000);
        for number in 0..10_000_u32 {
            let levels = [number / 1000, number / 100 % 10, number / 10 % 10, number % 10].map(|level| level as u8);
            let spec = requests.spec(&base, levels);
            let same_as = *first.entry(requests.key(&spec)).or_insert(number);
            designs.push(Design { number, levels, spec, same_as });
        }
        Space { name: "classic", designs }
    }

    /// The designs that have to be replayed: one of each heap.
    pub fn distinct(&self) -> impl Iterator<Item = &Design> {
        self.designs.iter().filter(|design| design.same_as == design.number)
    }
}

/// What decides a heap's addresses on some traces.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    lists: Vec<(usize, usize)>,
    depth: u8,
    /// The least request of the traces that splits.
    split: u64,
    /// Words of the least block that coalesces.
    coalesce: usize,
}

/// The requests of all traces.
struct Requests {
    /// Distinct sizes, ascending, with their number.
    sizes: Vec<(u64, u64)>,
    total: u64,
}

impl Requests {
    fn of(traces: &[PackedTrace]) -> Requests {
        let mut counts: HashMap<u64, u64> = HashMap::new();
        let events = traces.iter().flat_map(|trace| &trace.events);
        for event in events.filter(|event| event.operation != Operation::Free) {
            *counts.entry(event.size.max(1)).or_default() += 1;
        }
        let total = counts.values().sum();
        let mut sizes: Vec<_> = counts.into_iter().collect();
        sizes.sort_unstable();
        Requests { sizes, total }
    }

    /// The least size of all.
    fn least(&self) -> u64 {
        self.sizes.first().map_or(0, |&(size, _)| size)
    }

    /// The smallest size of the largest `percent` of the requests.
    fn threshold(&self, percent: u8) -> u64 {
        let wanted = (u128::from(self.total) * u128::from(percent)).div_ceil(100) as u64;
        let mut seen = 0;
        for &(size, count) in self.sizes.iter().rev() {
            seen += count;
            if seen >= wanted {
                return size;
            }
        }
        0
    }

    /// A size for each of the `most` most popular block sizes, the size itself being its most popular.
    fn popular(&self, base: &Spec, most: usize) -> Vec<u64> {
        let mut blocks: HashMap<usize, (u64, u64, u64)> = HashMap::new();
        for &(size, count) in &self.sizes {
            let Some(words) = words_for(base, size) else { continue };
            let (total, best, chosen) = blocks.entry(words).or_default();
            *total += count;
            if count > *best {
                (*best, *chosen) = (count, size);
            }
        }
        let mut ranked: Vec<(u64, u64)> = blocks.into_values().map(|(total, _, size)| (total, size)).collect();
        ranked.sort_unstable_by_key(|&(total, size)| (std::cmp::Reverse(total), size));
        let mut sizes: Vec<u64> = ranked.into_iter().take(most).map(|(_, size)| size).collect();
        sizes.sort_unstable();
        sizes
    }

    fn spec(&self, base: &Spec, levels: [u8; 4]) -> Spec {
        let [lists, depth, split, coalesce] =
            [0, 1, 2, 3].map(|factor: usize| FACTORS[factor].levels[levels[factor] as usize]);
        let mut spec = base.clone();
        let sizes: Vec<Sizes> = self.popular(base, lists.into()).into_iter().map(Sizes::One).collect();
        if !sizes.is_empty() {
            spec.layers.push(Layer::FreeLists(FreeLists { sizes, order: Ends::Lifo }));
        }
        if let Pool::List(list) = &mut spec.pool {
            list.fit = if depth == 0 { Fit::First } else { Fit::Best { depth } };
            list.split = match split {
                0 => Split::Never,
                percent => match self.threshold(percent) {
                    least if least <= self.least() => Split::Always,
                    least => Split::From(least),
                },
            };
            list.coalesce = match coalesce {
                0 => Coalesce::Never,
                percent => match self.threshold(percent) {
                    least if least <= self.least() => Coalesce::Immediate,
                    least => Coalesce::From(least),
                },
            };
        }
        spec
    }

    fn key(&self, spec: &Spec) -> Key {
        let Pool::List(list) = &spec.pool else { unreachable!("the classic space is made of lists") };
        let lists = match spec.layers.first() {
            Some(Layer::FreeLists(layer)) => lists_in_words(spec, layer),
            _ => Vec::new(),
        };
        let depth = match list.fit {
            Fit::Best { depth } => depth,
            _ => 0,
        };
        let split = match list.split {
            Split::Never => u64::MAX,
            Split::Always => 0,
            Split::From(least) => self.least_from(least),
        };
        // No block of a program is smaller than that of its least request.
        let least_block = words_for(spec, self.least()).unwrap_or_else(|| format(spec).least);
        let coalesce = match list.coalesce {
            Coalesce::From(least) => (least.div_ceil(u64::from(spec.word.bytes())) as usize + 1).max(least_block),
            Coalesce::Immediate => least_block,
            _ => usize::MAX,
        };
        Key { lists, depth, split, coalesce }
    }

    /// The least requested size from `least` on; 0 if that is the least of all.
    fn least_from(&self, least: u64) -> u64 {
        match self.sizes.partition_point(|&(size, _)| size < least) {
            0 => 0,
            index => self.sizes.get(index).map_or(u64::MAX, |&(size, _)| size),
        }
    }
}
