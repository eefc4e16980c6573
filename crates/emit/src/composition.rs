//! A heap as Rust types and the expressions that make their values, from the inside out.
//!
//! ```text
//!   source ──▶ pool ──▶ free lists ──▶ zero, guard, reserve      a `let` each
//! ```

use std::collections::BTreeSet;

use heapsmith_spec::build::{lists_in_words, spans_in_words, words_for};
use heapsmith_spec::{
    BlockFactors, Check, Coalescing, Fit, FreeBlocks, Largest, Layer, Metadata, NamedRegion, Order, Regions, Spans,
    Spec, Splitting, WordSize,
};
use serde::Serialize;

/// The levels of a pool of blocks, as expressions.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PolicyText {
    fit: String,
    split_from: String,
    remainder: String,
    coalesce: String,
}

/// A list, in words of block size.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    low: usize,
    high: usize,
}

/// A map from block sizes to lists.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Map {
    /// What its type's name ends with.
    end: &'static str,
    what: &'static str,
    rows: Vec<Row>,
}

impl Map {
    pub fn new(end: &'static str, what: &'static str, rows: Vec<(usize, usize)>) -> Map {
        Map { end, what, rows: rows.into_iter().map(|(low, high)| Row { low, high }).collect() }
    }
}

/// The heap that is in each of several regions.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct InOne {
    r#type: String,
    body: Vec<String>,
    count: usize,
}

/// A heap, put together from the inside out: a pool's file in `plan/pool` makes the pool, then the layers follow.
pub(crate) struct Composition<'s> {
    pub spec: &'s Spec,
    /// The name of the emitted heap in CamelCase.
    pub camel: String,
    /// The paths of its `use` lines.
    pub uses: BTreeSet<&'static str>,
    pub policy: Option<PolicyText>,
    /// The layout of bins, as an expression.
    pub bin_map: Option<String>,
    pub maps: Vec<Map>,
    /// The type of the heap so far.
    pub ty: String,
    /// The heap that is in each of several regions, if it is in several.
    pub in_one: Option<InOne>,
    /// The statements that make it.
    pub body: Vec<String>,
}

impl<'s> Composition<'s> {
    pub fn new(spec: &'s Spec, camel: String) -> Self {
        let uses = BTreeSet::from(["heapsmith::{RegionError, Source, Unmetered}"]);
        let (maps, body) = (Vec::new(), Vec::new());
        let (ty, in_one) = (String::new(), None);
        Composition { spec, camel, uses, policy: None, bin_map: None, maps, ty, in_one, body }
    }

    pub fn word(&self) -> &'static str {
        match self.spec.word {
            WordSize::Two => "u16",
            WordSize::Four => "u32",
            WordSize::Eight => "u64",
        }
    }

    /// Makes the heap by this expression.
    pub fn make(&mut self, heap: String) {
        self.body.push(format!("let heap = {heap};"));
    }

    /// Blocks one behind the other.
    pub fn linear(&mut self, frees: &str) {
        self.uses.insert("heapsmith::{Frees, Linear}");
        self.ty = format!("Linear<{}, S, Unmetered>", self.word());
        self.make(format!("Linear::from_parts(source, {}, Frees::{frees}, Unmetered)?", self.spec.alignment));
    }

    /// The free lists directly before the pool, if there are any: where blocks wait, and the call that
    /// bounds what is flushed. The type becomes that of the layer.
    pub fn free_lists(&mut self) -> Option<(String, String)> {
        let Some(Layer::FreeLists(layer)) = self.spec.layers.last() else { return None };
        self.maps.push(Map::new("Lists", "free lists", lists_in_words(self.spec, layer)));
        self.uses.insert("heapsmith::FreeLists");
        self.uses.insert(if layer.magazine.is_some() {
            "heapsmith::parts::Waiting"
        } else {
            "heapsmith::parts::Order"
        });
        self.uses.insert("heapsmith::parts::{ConstantSizes, SizeRange}");
        self.ty = format!("FreeLists<{}, {}Lists>", self.ty, self.camel);
        let flushing = layer.flush.max().map_or_else(String::new, |blocks| format!(".flushing({blocks})"));
        let waiting = match (layer.magazine, layer.order) {
            (Some(places), _) => format!("Waiting::Magazine({places})"),
            (None, Order::Lifo) => "Order::Lifo".to_owned(),
            (None, Order::Fifo) => "Order::Fifo".to_owned(),
        };
        Some((waiting, flushing))
    }

    /// A pool of blocks with this index, this fit and these factors, and the free lists before it.
    pub fn blocks(&mut self, index_type: &str, index: &str, fit: Fit, factors: &BlockFactors) {
        self.policy(fit, factors);
        self.uses.insert("heapsmith::parts::BlockPool");
        self.uses.insert("heapsmith::parts::{Coalesce, ConstantPolicy, Fit, PolicyValues}");
        let mut policy = format!("{}Policy", self.camel);
        let mut policy_type = policy.clone();
        if self.spec.check == Check::Header {
            self.uses.insert("heapsmith::parts::Checked");
            (policy, policy_type) = (format!("Checked({policy})"), format!("Checked<{policy}>"));
        }
        let (word, tags) = (self.word(), factors.tags);
        self.ty = format!("BlockPool<{word}, {index_type}, {policy_type}, S, Unmetered, {tags}>");
        match self.free_lists() {
            Some((waiting, flushing)) => {
                let map = format!("{}Lists", self.camel);
                self.make(format!(
                    "FreeLists::from_parts(source, {index}, {policy}, Unmetered, {map}, {waiting})?{flushing}"
                ));
            }
            None => self.make(format!("BlockPool::from_parts(source, {index}, {policy}, Unmetered)?")),
        }
    }

    /// Two-level segregated fit, or half-fit where the second level is 0.
    pub fn two_level(&mut self, second: u8, largest: Largest) {
        self.uses.insert("heapsmith::parts::TwoLevel");
        let word = self.word();
        let bytes = if let Largest::Bytes(size) = largest { words_for(self.spec, size) } else { None };
        let words = bytes.map_or_else(|| format!("<{word} as Word>::MAX_WORDS"), |words| words.to_string());
        if bytes.is_none() {
            self.uses.insert("heapsmith::Word");
        }
        let mut lists = format!("TwoLevel::new({second}, {words})");
        if largest == Largest::Region {
            self.knows_region();
            let region = self.region();
            lists += &format!(".within({region} / size_of::<{word}>())");
        }
        self.blocks("TwoLevel", &lists, Fit::BEST, &BlockFactors::DEFAULT);
    }

    /// Asks the source for the length of the region before anything is made.
    fn knows_region(&mut self) {
        if !self.body.iter().any(|line| line.starts_with("let region")) {
            self.body.insert(0, "let region = source.limit();".to_owned());
        }
    }

    fn policy(&mut self, fit: Fit, factors: &BlockFactors) {
        self.policy = Some(PolicyText {
            fit: match fit {
                Fit::First => "Fit::First".to_owned(),
                Fit::Next => "Fit::Next".to_owned(),
                Fit::Best { depth } => format!("Fit::Best {{ depth: {depth} }}"),
                Fit::Worst => "Fit::Worst".to_owned(),
            },
            split_from: match factors.split {
                Splitting::Never => "usize::MAX".to_owned(),
                Splitting::Always => "0".to_owned(),
                Splitting::From(bytes) => bytes.to_string(),
            },
            remainder: factors.remainder.to_string(),
            coalesce: match factors.coalesce {
                Coalescing::Never => "Coalesce::Never".to_owned(),
                Coalescing::Immediate => "Coalesce::From(0)".to_owned(),
                Coalescing::From(bytes) => format!("Coalesce::From({bytes})"),
                Coalescing::Deferred => "Coalesce::Deferred".to_owned(),
                Coalescing::EveryCall => "Coalesce::EveryCall".to_owned(),
            },
        });
    }

    /// Counts what the heap is asked for.
    pub fn count(&mut self) {
        self.uses.insert("heapsmith::Counters");
        self.ty = format!("Counters<{}, {}>", self.word(), self.ty);
        self.knows_region();
        let region = self.region();
        self.make(format!("Counters::new(heap, {region})"));
    }

    /// The bytes of the region, as an expression.
    fn region(&self) -> String {
        let max = self.spec.max_region();
        let is_less = max < self.spec.word.max_region();
        if is_less { format!("region.min({max})") } else { "region".to_owned() }
    }

    /// Puts spans before the heap.
    fn spans(&mut self, spans: &Spans) {
        self.maps.push(Map::new("Spans", "classes", spans_in_words(self.spec, spans)));
        self.uses.insert("heapsmith::parts::{ConstantSizes, SizeRange}");
        self.uses.insert("heapsmith::parts::{NextSpan, SpanValues, Spans}");
        let kind = match (spans.free, spans.metadata) {
            (FreeBlocks::List, _) => "ListInside",
            (FreeBlocks::Bitmap, Metadata::Inside) => "BitmapInside",
            (FreeBlocks::Bitmap, Metadata::Outside) => "BitmapOutside",
        };
        let map = format!("{}Spans", self.camel);
        let (below, word) = (&self.ty, self.word());
        self.ty = format!("Spans<{word}, {below}, {map}, heapsmith::parts::{kind}>");
        let (span, next, keep) = (spans.span, spans.next, spans.empty.kept());
        let values = format!("SpanValues {{ span: {span}, next: NextSpan::{next:?}, keep: {keep} }}");
        self.make(match self.spec.threads.owners() {
            0 => format!("Spans::new(heap, {}, {map}, {values})?", self.spec.alignment),
            owners => format!("Spans::owned(heap, {}, {map}, {values}, {owners})?", self.spec.alignment),
        });
    }

    /// Puts the heap into each of several regions.
    fn regions(&mut self, regions: &Regions) {
        self.uses.insert("heapsmith::{Region, Regions}");
        let (count, one) = (regions.regions.len(), format!("{}InOne<S>", self.camel));
        let ty = std::mem::replace(&mut self.ty, format!("Regions<{one}, [Region<{one}>; {count}]>"));
        self.in_one = Some(InOne { r#type: ty, body: std::mem::take(&mut self.body), count });
        let sources: Vec<&str> = regions.regions.iter().map(|region| region.name.as_str()).collect();
        let made: Vec<String> = regions
            .regions
            .iter()
            .map(|NamedRegion { name, up_to, .. }| {
                let up_to = up_to.map_or_else(|| "usize::MAX".to_owned(), |bytes| bytes.to_string());
                format!("Region::new(in_one_region(of_{name})?, {up_to})")
            })
            .collect();
        self.body.push(format!("let [of_{}] = sources;", sources.join(", of_")));
        self.body.push(format!("let heap = Regions::new([{}])?;", made.join(", ")));
    }

    /// Puts a layer before the heap; free lists came with the pool.
    pub fn layer(&mut self, layer: &Layer) {
        let word = self.word();
        match layer {
            Layer::FreeLists(_) => {}
            Layer::Regions(regions) => self.regions(regions),
            Layer::Zero => {
                self.uses.insert("heapsmith::Zero");
                self.ty = format!("Zero<{}>", self.ty);
                self.make("Zero::new(heap)".to_owned());
            }
            Layer::Spans(spans) => self.spans(spans),
            Layer::Guard(guard) => {
                self.uses.insert("heapsmith::Guard");
                self.ty = format!("Guard<{word}, {}>", self.ty);
                self.make(format!("Guard::new(heap, {}, {})?", self.spec.alignment, guard.quarantine));
            }
            Layer::Reserve(reserve) => {
                self.uses.insert("heapsmith::Reserve");
                self.ty = format!("Reserve<{word}, {}>", self.ty);
                self.knows_region();
                self.make(format!("Reserve::new(heap, region, {})?", reserve.high));
            }
        }
    }
}
