//! A spec as types and as the expressions that make their values.
//!
//! ```text
//!   source ──▶ pool ──▶ free lists ──▶ zero, guard, reserve      a `let` each
//! ```

use std::collections::BTreeSet;

use heapsmith::parts;
use heapsmith_spec::build::{classes_in_words, lists_in_words, spacing, step_in_words, words_for};
use heapsmith_spec::{
    BinOrder, Bins, BuddySystem, Classes, Coalescing, Defragment, Each, Fit, Fixed, Layer, List, ListOrder, Order,
    PageSearch, Pages, Pool, Reclaim, SkipList, Spec, Splitting, Tries, WordSize,
};
use serde::Serialize;

use crate::literal::lines;
use crate::plan::Bounds;
use crate::{EmitError, Figures, Request};

/// The levels of a pool of blocks, as expressions.
#[derive(Clone, Debug, Serialize)]
struct Policy {
    fit: String,
    split_from: String,
    coalesce: String,
}

/// A list, in words of block size.
#[derive(Clone, Debug, Serialize)]
struct Row {
    low: usize,
    high: usize,
}

/// A map from block sizes to lists.
#[derive(Clone, Debug, Serialize)]
struct Map {
    /// What its type's name ends with.
    end: &'static str,
    what: &'static str,
    rows: Vec<Row>,
}

impl Map {
    fn new(end: &'static str, what: &'static str, rows: Vec<(usize, usize)>) -> Map {
        Map { end, what, rows: rows.into_iter().map(|(low, high)| Row { low, high }).collect() }
    }
}

/// All that the template writes.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Parts {
    name: String,
    camel: String,
    version: &'static str,
    spec_lines: Vec<String>,
    figures: Option<Figures>,
    promise: Bounds,
    word: u32,
    alignment: u32,
    uses: Vec<String>,
    policy: Option<Policy>,
    bin_map: Option<String>,
    maps: Vec<Map>,
    r#type: String,
    body: Vec<String>,
}

impl Parts {
    pub(super) fn of(request: &Request) -> Result<Parts, EmitError> {
        let spec = &request.spec;
        let mut made = Made::new(spec, request.name.camel());
        made.pool(&spec.pool)?;
        for layer in spec.layers.iter().rev() {
            made.layer(layer);
        }
        made.body.push("Ok(heap)".to_owned());
        Ok(Parts {
            name: request.name.lower().to_owned(),
            camel: made.camel,
            version: env!("CARGO_PKG_VERSION"),
            spec_lines: lines(&spec.to_string(), 100),
            figures: request.figures.clone(),
            promise: Bounds::of(spec),
            word: spec.word.bytes(),
            alignment: spec.alignment,
            uses: made.uses.into_iter().map(str::to_owned).collect(),
            policy: made.policy,
            bin_map: made.bin_map,
            maps: made.maps,
            r#type: made.ty,
            body: made.body,
        })
    }
}

/// A heap, put together from the inside out.
struct Made<'s> {
    spec: &'s Spec,
    camel: String,
    uses: BTreeSet<&'static str>,
    policy: Option<Policy>,
    bin_map: Option<String>,
    maps: Vec<Map>,
    ty: String,
    body: Vec<String>,
}

impl<'s> Made<'s> {
    fn new(spec: &'s Spec, camel: String) -> Self {
        let uses = BTreeSet::from(["heapsmith::{RegionError, Source, Unmetered}"]);
        let (maps, body) = (Vec::new(), Vec::new());
        Made { spec, camel, uses, policy: None, bin_map: None, maps, ty: String::new(), body }
    }

    fn word(&self) -> &'static str {
        match self.spec.word {
            WordSize::Two => "u16",
            WordSize::Four => "u32",
            WordSize::Eight => "u64",
        }
    }

    fn pool(&mut self, pool: &Pool) -> Result<(), EmitError> {
        match pool {
            Pool::List(list) => self.list(list),
            Pool::Bins(bins) => self.bins(bins),
            Pool::Classes(classes) => self.classes(classes),
            Pool::Tree(tree) => {
                self.uses.insert("heapsmith::parts::{BySize, RedBlack}");
                self.policy(Fit::BEST, tree.split, tree.coalesce);
                self.blocks("BySize<RedBlack>", "BySize::new(RedBlack)", tree.tags);
            }
            Pool::SkipList(list) => {
                self.uses.insert("heapsmith::parts::{BySize, SkipList}");
                self.policy(Fit::BEST, list.split, list.coalesce);
                let index = format!("BySize::new(SkipList::new({}, SkipList::MAX_LEVELS))", list.seed);
                self.blocks("BySize<SkipList>", &index, list.tags);
            }
            Pool::Tlsf(tlsf) => self.two_level(tlsf.second_level, tlsf.largest),
            Pool::HalfFit(_) => self.two_level(0, None),
            Pool::Buddy(buddy) => {
                let system = match buddy.system {
                    BuddySystem::Knuth => "Knuth",
                    BuddySystem::Estranged => "Estranged",
                };
                self.uses.insert("heapsmith::parts::{Buddies, Knuth}");
                if buddy.system == BuddySystem::Estranged {
                    self.uses.remove("heapsmith::parts::{Buddies, Knuth}");
                    self.uses.insert("heapsmith::parts::{Buddies, Estranged}");
                }
                self.buddies(system, buddy.defragment == Defragment::OnDemand);
            }
            Pool::Pages(pages) => self.pages(pages),
            Pool::Bump(bump) => self.linear(match bump.reclaim {
                Reclaim::Never => "Never",
                Reclaim::Empty => "WhenEmpty",
            }),
            Pool::Stack(_) => self.linear("LastFirst"),
            Pool::Fixed(Fixed { size }) => {
                self.uses.insert("heapsmith::FixedSize");
                self.ty = format!("FixedSize<{}, S, Unmetered>", self.word());
                self.make(format!("FixedSize::from_parts(source, {size}, {}, Unmetered)?", self.spec.alignment));
            }
            other => return Err(EmitError::NotYet { part: other.to_string(), language: "Rust" }),
        }
        Ok(())
    }

    fn make(&mut self, heap: String) {
        self.body.push(format!("let heap = {heap};"));
    }

    fn linear(&mut self, frees: &str) {
        self.uses.insert("heapsmith::{Frees, Linear}");
        self.ty = format!("Linear<{}, S, Unmetered>", self.word());
        self.make(format!("Linear::from_parts(source, {}, Frees::{frees}, Unmetered)?", self.spec.alignment));
    }

    fn pages(&mut self, pages: &Pages) {
        let search = match pages.search {
            PageSearch::Linear => "Linear",
            PageSearch::Word => "ByWord",
            PageSearch::Tree => "ByTree",
            PageSearch::Hardware => "Hardware",
        };
        self.uses.insert("heapsmith::parts::{PageHeap, pages}");
        self.ty = format!("PageHeap<{}, pages::{search}, S, Unmetered>", self.word());
        let sizes = format!(
            "pages::PageSizes {{ page: {}, min: {}, alignment: {} }}",
            pages.page, pages.min, self.spec.alignment
        );
        self.make(format!("PageHeap::from_parts(source, {sizes}, Unmetered)?"));
    }

    fn buddies(&mut self, system: &str, handles: bool) {
        let (word, alignment) = (self.word(), self.spec.alignment);
        self.ty = format!("Buddies<{word}, {system}, S, Unmetered, {handles}>");
        match self.free_lists() {
            Some(order) => {
                let map = format!("{}Lists", self.camel);
                self.make(format!("FreeLists::before_buddies(source, {alignment}, Unmetered, {map}, Order::{order})?"));
            }
            None => self.make(format!("Buddies::from_parts(source, {alignment}, Unmetered)?")),
        }
    }

    /// The free lists directly before the pool, if there are any: at which end blocks go on.
    /// The type becomes that of the layer.
    fn free_lists(&mut self) -> Option<&'static str> {
        let Some(Layer::FreeLists(layer)) = self.spec.layers.last() else { return None };
        self.maps.push(Map::new("Lists", "free lists", lists_in_words(self.spec, layer)));
        self.uses.insert("heapsmith::FreeLists");
        self.uses.insert("heapsmith::parts::Order");
        self.uses.insert("heapsmith::parts::{ConstantSizes, SizeRange}");
        self.ty = format!("FreeLists<{}, {}Lists>", self.ty, self.camel);
        Some(if layer.order == Order::Fifo { "Fifo" } else { "Lifo" })
    }

    /// A pool of blocks with this index, and the free lists before it.
    fn blocks(&mut self, index_type: &str, index: &str, tags: bool) {
        self.uses.insert("heapsmith::parts::BlockPool");
        self.uses.insert("heapsmith::parts::{Coalesce, ConstantPolicy, Fit, PolicyValues}");
        let policy = format!("{}Policy", self.camel);
        self.ty = format!("BlockPool<{}, {index_type}, {policy}, S, Unmetered, {tags}>", self.word());
        match self.free_lists() {
            Some(order) => {
                let map = format!("{}Lists", self.camel);
                self.make(format!(
                    "FreeLists::from_parts(source, {index}, {policy}, Unmetered, {map}, Order::{order})?"
                ));
            }
            None => self.make(format!("BlockPool::from_parts(source, {index}, {policy}, Unmetered)?")),
        }
    }

    fn list(&mut self, list: &List) {
        let index = match list.order {
            ListOrder::Lifo => "Lifo",
            ListOrder::Fifo => "Fifo",
            ListOrder::Address => "AddressOrder",
            ListOrder::Implicit => "Implicit",
        };
        self.uses.insert(match list.order {
            ListOrder::Lifo => "heapsmith::parts::Lifo",
            ListOrder::Fifo => "heapsmith::parts::Fifo",
            ListOrder::Address => "heapsmith::parts::AddressOrder",
            ListOrder::Implicit => "heapsmith::parts::Implicit",
        });
        self.policy(list.fit, list.split, list.coalesce);
        self.blocks(index, &format!("{index}::default()"), list.tags);
    }

    fn bins(&mut self, bins: &Bins) {
        let (each, value) = match bins.each {
            Each::List => {
                self.uses.insert("heapsmith::parts::{BinList, BinOrder}");
                let order = match bins.order {
                    BinOrder::Lifo => "Lifo",
                    BinOrder::Fifo => "Fifo",
                    BinOrder::Size => "Size",
                };
                let tries = match bins.tries {
                    Tries::Max(max) if bins.order != BinOrder::Size => max.to_string(),
                    _ => "usize::MAX".to_owned(),
                };
                ("BinList", format!("BinList {{ order: BinOrder::{order}, tries: {tries} }}"))
            }
            Each::Tree => {
                self.uses.insert("heapsmith::parts::RedBlack");
                ("RedBlack", "RedBlack".to_owned())
            }
            Each::SkipList => {
                self.uses.insert("heapsmith::parts::SkipList");
                ("SkipList", format!("SkipList::new({}, SkipList::BIN_LEVELS)", SkipList::SEED))
            }
        };
        self.uses.insert("heapsmith::parts::{Bins, ConstantBins, SpacedBins, Spacing}");
        self.bin_map = Some(match spacing(bins.layout, self.spec.word.bytes() as usize) {
            parts::Spacing::Lea => "Spacing::Lea".to_owned(),
            parts::Spacing::Exact { from, step, count, per_doubling } => {
                format!("Spacing::Exact {{ from: {from}, step: {step}, count: {count}, per_doubling: {per_doubling} }}")
            }
        });
        self.policy(Fit::First, bins.split, bins.coalesce);
        let map = format!("{}Bins", self.camel);
        self.blocks(&format!("Bins<{map}, {each}>"), &format!("Bins::new({map}, {value})"), bins.tags);
    }

    fn two_level(&mut self, second: u8, largest: Option<u64>) {
        self.uses.insert("heapsmith::parts::TwoLevel");
        self.policy(Fit::BEST, Splitting::Always, Coalescing::Immediate);
        let words = match largest.and_then(|size| words_for(self.spec, size)) {
            Some(words) => words.to_string(),
            None => {
                self.uses.insert("heapsmith::Word");
                format!("<{} as Word>::MAX_WORDS", self.word())
            }
        };
        self.blocks("TwoLevel", &format!("TwoLevel::new({second}, {words})"), true);
    }

    fn classes(&mut self, classes: &Classes) {
        self.uses.insert("heapsmith::parts::Classes");
        self.uses.insert("heapsmith::parts::{ConstantSizes, SizeRange}");
        self.policy(Fit::First, Splitting::Never, Coalescing::Never);
        self.maps.push(Map::new("Classes", "classes", classes_in_words(self.spec, classes)));
        let beyond = step_in_words(self.spec, classes);
        let map = format!("{}Classes", self.camel);
        self.blocks(&format!("Classes<{map}>"), &format!("Classes::new({map}, {beyond:?})"), false);
    }

    fn policy(&mut self, fit: Fit, split: Splitting, coalesce: Coalescing) {
        self.policy = Some(Policy {
            fit: match fit {
                Fit::First => "Fit::First".to_owned(),
                Fit::Next => "Fit::Next".to_owned(),
                Fit::Best { depth } => format!("Fit::Best {{ depth: {depth} }}"),
                Fit::Worst => "Fit::Worst".to_owned(),
            },
            split_from: match split {
                Splitting::Never => "usize::MAX".to_owned(),
                Splitting::Always => "0".to_owned(),
                Splitting::From(bytes) => bytes.to_string(),
            },
            coalesce: match coalesce {
                Coalescing::Never => "Coalesce::Never".to_owned(),
                Coalescing::Immediate => "Coalesce::From(0)".to_owned(),
                Coalescing::From(bytes) => format!("Coalesce::From({bytes})"),
                Coalescing::Deferred => "Coalesce::Deferred".to_owned(),
                Coalescing::EveryCall => "Coalesce::EveryCall".to_owned(),
            },
        });
    }

    /// A layer that stands before any heap; free lists came with the pool.
    fn layer(&mut self, layer: &Layer) {
        let word = self.word();
        match layer {
            Layer::FreeLists(_) => {}
            Layer::Zero => {
                self.uses.insert("heapsmith::Zero");
                self.ty = format!("Zero<{}>", self.ty);
                self.make("Zero::new(heap)".to_owned());
            }
            Layer::Guard(guard) => {
                self.uses.insert("heapsmith::Guard");
                self.ty = format!("Guard<{word}, {}>", self.ty);
                self.make(format!("Guard::new(heap, {}, {})?", self.spec.alignment, guard.quarantine));
            }
            Layer::Reserve(reserve) => {
                self.uses.insert("heapsmith::Reserve");
                self.ty = format!("Reserve<{word}, {}>", self.ty);
                if !self.body.iter().any(|line| line.starts_with("let region")) {
                    self.body.insert(0, "let region = source.limit();".to_owned());
                }
                self.make(format!("Reserve::new(heap, region, {})?", reserve.high));
            }
        }
    }
}
