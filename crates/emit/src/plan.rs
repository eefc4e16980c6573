//! The numbers of a heap: everything that a template writes.
//!
//! ```text
//!   Plan ── name, word, constants (the places of control words)
//!     ├─ pool ── PoolPlan: blocks, linear, fixed, buddy or pages
//!     │    └─ index: list, implicit, bins, tree, skip list, two-level, classes
//!     └─ layers, innermost first
//! ```
//!
//! The C is the same for a host of 32 bits and one of 64: numbers that depend on
//! the host in `heapsmith` (the largest region of words of eight bytes, the bits of a bit map's
//! word) are those of a host of 64 bits here, where heaps are explored.

mod index;
mod layer;
mod pool;
mod sizes;
mod spans;

use heapsmith_spec::{Check, FreeBlocks, Guard, Layer, Promise, Spec, WordSize};
use serde::Serialize;

pub use index::{Chain, IndexPlan};
pub use layer::{FreeListsPlan, LayerPlan, Operations};
pub(crate) use pool::TEMPLATES;
pub use pool::{BlocksPlan, BuddyPlan, ChunksPlan, FixedPlan, LinearPlan, PagesPlan, PoolPlan};
pub use sizes::{Row, SizesPlan};

use pool::Templated;

use crate::composition::Composition;
use crate::literal::{lines, unsigned};
use crate::{EmitError, Extra, Figures, Request};

/// Language of a plan in messages.
const C: &str = "C";

/// A control word or a place among them.
#[derive(Clone, Debug, Serialize)]
pub struct Constant {
    name: &'static str,
    value: u64,
}

/// A field of the heap's struct.
#[derive(Clone, Debug, Serialize)]
pub struct Field {
    r#type: &'static str,
    name: &'static str,
    what: &'static str,
}

/// What a heap promises, for the comment at its head.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Bounds {
    allocate: String,
    free: String,
    footprint: String,
    refusal: Option<&'static str>,
    /// The same as aligned lines.
    lines: Vec<String>,
    legend: bool,
}

/// Everything that the templates of a heap write.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    name: String,
    n: String,
    #[serde(rename = "N")]
    upper: String,
    version: &'static str,
    spec_lines: Vec<String>,
    figures: Option<Figures>,
    promise: Bounds,
    word: u32,
    word_type: &'static str,
    index_type: &'static str,
    index_bits: u32,
    /// What every payload of the pool is a multiple of, in bytes; and of those that the program gets.
    alignment: u32,
    promised: u32,
    /// The heap checks what it is given: `check=header`.
    checked: bool,
    /// Blocks have a guard around them; some wait in its quarantine.
    guards: bool,
    quarantines: bool,
    /// It tells of heap errors: it checks, or a guard does.
    tells: bool,
    /// It has links that it checks.
    checks_links: bool,
    /// Cached blocks are marked in their headers.
    marks: bool,
    /// What looks at a pointer is called: requests step over all blocks, so a call is little.
    checks_by_call: bool,
    /// The pool frees what it splits off a used block as a program frees a block: its code is there once.
    frees_by_pointer: bool,
    /// The function for the words of a block that may be cached.
    size_of: &'static str,
    /// A request may be too large for any block, or too coarse for any address.
    asks_for_large: bool,
    asks_for_coarse: bool,
    /// Somebody asks the pool for the bytes of a payload: a guard has its own.
    asks_for_usable: bool,
    max: String,
    max_bytes: u64,
    max_request: String,
    max_alignment: String,
    control: u64,
    control_bytes: u64,
    reserved: u64,
    layers_at: u64,
    constants: Vec<Constant>,
    fields: Vec<Field>,
    /// The first block's payload: a constant where it does not depend on the region's address.
    first: &'static str,
    uses_leading_zeros: bool,
    uses_trailing_zeros: bool,
    used_means: &'static str,
    invariants: Vec<&'static str>,
    pool: PoolPlan,
    /// The template of a pool that is none of blocks.
    pool_file: Option<&'static str>,
    /// Blocks are freed last in, first out.
    in_order: bool,
    /// Words before the payload of a block.
    header: u64,
    /// Words below the wilderness, as an expression.
    footprint: &'static str,
    /// The most that these ever were.
    footprint_peak: &'static str,
    /// What the interface has besides the usual.
    extras: Vec<Extra>,
    /// There are spans; empty ones are kept.
    spans: bool,
    keeps_spans: bool,
    /// Somebody asks for the bytes of a block.
    measures: bool,
    /// What is handed out is set to 0.
    zeroes: bool,
    /// A part of the region is held back for requests of high priority.
    reserves: bool,
    /// Somebody visits every block.
    walks: bool,
    /// Threads look past the lock at what says the size of their own blocks.
    shared: bool,
    /// Bytes of the largest region, where that is so.
    reserve: String,
    /// Bytes of the largest region of the word, which layers go by: the pool may reach less far.
    max_layered: String,
    /// The bytes of a block come back from the function that looks it up and frees it.
    counts_freed: bool,
    /// A reallocation that finds no new block tries once more in place.
    retries: bool,
    /// Words are filled or copied in a loop; words, or bytes of payload.
    fills: bool,
    loops: bool,
    index: IndexPlan,
    chain: Option<Chain>,
    free_lists: Option<FreeListsPlan>,
    /// The layers before any heap, innermost first.
    layers: Vec<LayerPlan>,
    /// The functions of the pool, or of the free lists directly before it.
    base: Operations,
    /// The functions of the outermost part.
    op: Operations,
}

/// Words of the largest region, as on a host of 64 bits.
fn max_words(word: WordSize) -> u64 {
    match word {
        WordSize::Two => (1 << 14) - 1,
        WordSize::Four => (1 << 30) - 1,
        WordSize::Eight => 1 << 53,
    }
}

impl Plan {
    /// The plan of a heap in C.
    pub fn of(request: &Request) -> Result<Plan, EmitError> {
        let spec = &request.spec;
        EmitError::verify_pages(spec)?;
        EmitError::verify_one_region(spec)?;
        let source = pool::family(&spec.pool);
        let without = || {
            let part = source.and_then(|source| source.without_template());
            EmitError::NotYet { part: part.map_or_else(|| spec.pool.to_string(), str::to_owned), language: C }
        };
        let spans = spec.layers.iter().find_map(|layer| match layer {
            Layer::Spans(spans) => Some(spans),
            _ => None,
        });
        // A guard and a reserve go by the headers of the pool, which blocks of spans do not have.
        let by_header = spec.layers.iter().find(|layer| matches!(layer, Layer::Guard(_) | Layer::Reserve(_)));
        if let Some(layer) = by_header.filter(|_| spans.is_some()) {
            return Err(EmitError::NotYet { part: format!("{layer} with spans"), language: C });
        }
        let (pool, index) = source.and_then(|source| source.plan(spec)).ok_or_else(without)?;
        let layers_at = 2 + index.control_words;
        let free_lists = FreeListsPlan::of(spec, pool.family(), layers_at);
        let reserved = free_lists.as_ref().map_or(0, FreeListsPlan::control_words);
        let base = Operations::of(free_lists.is_some(), pool.family());
        // A block of a class may hold more than its class says: a gap before an aligned payload.
        let retries = free_lists.is_some() || pool.family().leaves_apart() || index.kind == "classes";
        let extras = request.extras.clone();
        let counts = extras.contains(&Extra::Counters);
        let (layers, op) = layer::before_any(spec, base, pool.family().header(), &extras);
        let guard =
            spec.layers.iter().find_map(|layer| if let Layer::Guard(guard) = layer { Some(*guard) } else { None });
        let quarantines = guard.is_some_and(|guard| guard.quarantine > 0);
        let reserves = spec.layers.iter().any(|layer| matches!(layer, Layer::Reserve(_)));
        let zeroes = spec.layers.contains(&Layer::Zero);
        let control = layers_at + reserved;
        let bytes = spec.word.bytes();
        let max = pool.family().max_words().unwrap_or_else(|| max_words(spec.word));
        let checked = spec.check == Check::Header;
        let marks = checked && free_lists.is_some();
        // The highest bit of a header is the mark.
        let region = if marks { max.min((1 << (bytes * 8 - 3)) - 1) } else { max };
        let wide = spec.word == WordSize::Eight;
        let family = pool.family();
        let granule = u64::from(family.granule());
        let fills = guard.is_some() || spans.is_some() || reserved > 0 || index.by_size || family.control_words() > 1;
        let mut constants = vec![Constant { name: "TOP", value: 0 }, Constant { name: "HIGH", value: 1 }];
        if index.control_words > 0 {
            constants.push(Constant { name: "INDEX", value: 2 });
        }
        let by_region = index.levels.by_region;
        if (index.clears_all || reserved > 0) && !by_region {
            constants.push(Constant { name: "LAYERS", value: layers_at });
        }
        if (reserved > 0 || granule > 1) && !by_region {
            constants.push(Constant { name: "CONTROL", value: control });
        }
        let first = if granule > 1 || by_region { "heap->first" } else { "FIRST" };
        if granule == 1 && !by_region {
            constants.push(Constant { name: "FIRST", value: control + family.header() });
        }
        Ok(Plan {
            name: request.name.lower().to_owned(),
            n: request.name.lower().to_owned(),
            upper: request.name.upper(),
            version: env!("CARGO_PKG_VERSION"),
            spec_lines: lines(&spec.to_string(), 88),
            figures: request.figures.clone(),
            promise: Bounds::of(spec),
            word: bytes,
            word_type: match spec.word {
                WordSize::Two => "uint16_t",
                WordSize::Four => "uint32_t",
                WordSize::Eight => "uint64_t",
            },
            index_type: if wide { "uint64_t" } else { "uint32_t" },
            index_bits: if wide { 64 } else { 32 },
            alignment: family.alignment(spec),
            promised: if guard.is_some() || spans.is_some() { spec.alignment } else { family.alignment(spec) },
            checked,
            guards: guard.is_some(),
            quarantines,
            tells: checked || guard.is_some(),
            // The blocks of an implicit list are counted at most.
            checks_links: checked && index.linked && index.kind != "implicit",
            marks,
            checks_by_call: checked && !index.linked && free_lists.is_none() && !matches!(pool, PoolPlan::Buddy(_)),
            frees_by_pointer: checked && free_lists.is_none(),
            size_of: if marks { "size_of" } else { "words_of" },
            asks_for_large: family.asks_for_large(),
            asks_for_usable: guard.is_none() || !family.frees_in_order() || reserves || inside_guard(spec),
            asks_for_coarse: guard.is_some() || family.asks_for_coarse(),
            max: unsigned(region),
            max_bytes: region * u64::from(bytes),
            max_request: unsigned((max - granule) * u64::from(bytes) - u64::from(bytes)),
            max_alignment: unsigned(max * u64::from(bytes) / 2),
            control,
            control_bytes: control * u64::from(bytes),
            reserved,
            layers_at,
            constants,
            fields: fields(family, by_region, wide)
                .into_iter()
                .chain(of_layers(reserves, quarantines, spans.map(|_| spec.threads.owners()), wide))
                .collect(),
            first,
            uses_leading_zeros: index.logarithm,
            uses_trailing_zeros: index.bit_map || spans.is_some_and(|spans| spans.free == FreeBlocks::Bitmap),
            used_means: match (&free_lists, guard) {
                (None, None) if spans.is_some() => "with the program, or spans and their records",
                (Some(_), None) if spans.is_some() => {
                    "with the program, spans and their records, or cached by free lists"
                }
                (None, None) => "with the program",
                (Some(_), None) => "with the program, or cached by free lists",
                (None, Some(_)) => "with the program and the words around it, or kept by the guard",
                (Some(_), Some(_)) => "with the program and the words around it, or kept by the guard or free lists",
            },
            invariants: invariants(family, &index, free_lists.as_ref())
                .into_iter()
                .chain(reserves.then_some("13  the words in used blocks are as many as are counted for the reserve"))
                .chain(of_guard(guard))
                .chain(spans.iter().flat_map(|_| OF_SPANS))
                .collect(),
            chain: index.chain,
            base,
            op,
            free_lists,
            pool_file: family.file(),
            in_order: family.frees_in_order(),
            retries,
            fills,
            header: family.header(),
            footprint: family.footprint(),
            footprint_peak: family.footprint_peak(),
            loops: fills || !family.frees_in_order() || zeroes || extras.contains(&Extra::Calloc),
            spans: spans.is_some(),
            keeps_spans: spans.is_some_and(|spans| spans.empty.kept() > 0),
            measures: counts || reserves,
            reserves,
            shared: false,
            reserve: String::new(),
            walks: guard.is_some() || reserves || extras.contains(&Extra::Walk),
            max_layered: unsigned(max_words(spec.word) * u64::from(bytes)),
            counts_freed: checked && counts && layers.len() == 1,
            zeroes,
            extras,
            pool,
            index,
            layers,
        })
    }
}

impl Plan {
    /// The plan of a heap before which threads have lists, in a region of at most `reserve` bytes.
    pub(crate) fn before_lists(request: &Request, reserve: u64) -> Result<Plan, EmitError> {
        let plan = Plan::of(request)?;
        Ok(Plan { shared: true, reserve: unsigned(reserve.min(plan.max_bytes)), ..plan })
    }

    /// Words below the wilderness, as an expression.
    pub(crate) fn footprint(&self) -> &'static str {
        self.footprint
    }

    /// The most words that were ever below the wilderness, as an expression.
    pub(crate) fn footprint_peak(&self) -> &'static str {
        self.footprint_peak
    }

    /// What every payload that the program gets is a multiple of, in bytes.
    pub(crate) fn promised(&self) -> u32 {
        self.promised
    }

    /// Whether it tells of heap errors.
    pub(crate) fn tells(&self) -> bool {
        self.tells
    }

    /// Whether a part of the region is held back for requests of high priority.
    pub(crate) fn reserves(&self) -> bool {
        self.reserves
    }

    /// Bytes of the largest region.
    pub(crate) fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// What the region's address is a multiple of where a heap is explored, as far as offsets depend on it.
    pub(crate) fn region_alignment(&self) -> u32 {
        let by_address =
            self.spans || matches!(self.pool, PoolPlan::Buddy(_) | PoolPlan::Pages(_) | PoolPlan::Chunks(_));
        if by_address { 4096 } else { self.promised.max(8) }
    }

    /// The same, for requests that are aligned to this many bytes at most; none if the alignment of payloads is enough.
    pub(crate) fn base_for(&self, coarsest: u64) -> Option<u64> {
        let base = u64::from(self.region_alignment()).max(coarsest);
        (base > u64::from(self.promised.max(8))).then_some(base)
    }

    /// The function for the block that waits for a request, if there is one, and blocks may hold any type.
    pub(crate) fn hit_for_any_type(&self) -> Option<&'static str> {
        self.op.hit().filter(|_| self.promised >= 16 && !self.tells)
    }

    /// Bytes before the payload of a block.
    pub(crate) fn header_bytes(&self) -> u64 {
        self.header * u64::from(self.word)
    }
}

impl Bounds {
    /// What the heap of `spec` promises.
    pub(crate) fn of(spec: &Spec) -> Bounds {
        let Promise { allocate, free, footprint, refusal } = spec.promise();
        let mut letters = footprint.split(|c: char| !c.is_ascii_alphanumeric());
        let legend = letters.any(|word| ["M", "B", "n"].contains(&word));
        let told = [("allocate", &*allocate), ("free", &free), ("max memory", &footprint)];
        let refusal_told = refusal.map(|refusal| ("refusal", refusal));
        let folded = told.into_iter().chain(refusal_told).flat_map(|(name, bound)| {
            let names = std::iter::once(name).chain(std::iter::repeat(""));
            names.zip(lines(bound, 75)).map(|(name, line)| format!("{name:<15}{line}")).collect::<Vec<_>>()
        });
        let lines = folded.collect();
        Bounds { allocate, free, footprint, refusal, lines, legend }
    }
}

fn fields(pool: &dyn Templated, by_region: bool, wide: bool) -> Vec<Field> {
    let index = if wide { "uint64_t" } else { "uint32_t" };
    let field = |name, what| Field { r#type: index, name, what };
    let first = field("first", "payload of the first block");
    let lists = [field("last", "the list of the largest blocks"), field("heads", "the head of the first list")];
    let first = (pool.granule() > 1 || by_region).then_some(first).into_iter().chain(pool.fields(index));
    first.chain(lists.into_iter().filter(|_| by_region)).collect()
}

/// Whether a layer between the pool and a guard asks for the bytes of a payload.
fn inside_guard(spec: &Spec) -> bool {
    spec.layers.iter().skip_while(|layer| !matches!(layer, Layer::Guard(_))).any(|layer| *layer == Layer::Zero)
}

/// The invariants of spans.
const OF_SPANS: [&str; 4] = [
    "17  the table of spans names the record of the span that covers a unit, or 0",
    "18  of the blocks of a span those that are not used are free, once each",
    "19  the spans with room are in the ring of their class, linked both ways",
    "20  spans, and empty ones of each class, are as many as are counted",
];

/// The invariants of a guard.
fn of_guard(guard: Option<Guard>) -> impl Iterator<Item = &'static str> {
    let of_all = [
        "14  every used block has a seal, or is kept by a layer",
        "15  the patterns around blocks, and those in quarantine, are whole",
    ];
    let of_quarantine = "16  the quarantine runs from its oldest block to its newest, and has as many as are counted";
    let waits = guard.is_some_and(|guard| guard.quarantine > 0);
    of_all.into_iter().filter(move |_| guard.is_some()).chain(waits.then_some(of_quarantine))
}

/// The fields of a reserve, of a guard with a quarantine, and of spans with this many owners.
fn of_layers(reserves: bool, quarantines: bool, spans: Option<usize>, wide: bool) -> impl Iterator<Item = Field> {
    let index = if wide { "uint64_t" } else { "uint32_t" };
    let fields = [
        Field { r#type: index, name: "reserve", what: "the block that counts the words in use" },
        Field { r#type: "size_t", name: "limit", what: "bytes that requests of low priority may fill" },
        Field { r#type: "bool", name: "is_urgent", what: "the request has high priority" },
    ];
    let of_guard =
        Field { r#type: index, name: "quarantine", what: "the block that names the oldest and the newest freed block" };
    let of_spans = [
        Field {
            r#type: index,
            name: "spans",
            what: "the block with the table of spans and the rings of their classes",
        },
        Field { r#type: index, name: "span_grid", what: "words of the region's base behind where a unit begins" },
    ];
    let of_owners = Field {
        r#type: index,
        name: "span_rings",
        what: "the first ring of who is served: the owner times the classes",
    };
    fields
        .into_iter()
        .filter(move |_| reserves)
        .chain(quarantines.then_some(of_guard))
        .chain(of_spans.into_iter().filter(move |_| spans.is_some()))
        .chain(spans.filter(|owners| *owners > 0).map(|_| of_owners))
}

fn invariants(pool: &dyn Templated, index: &IndexPlan, free_lists: Option<&FreeListsPlan>) -> Vec<&'static str> {
    let mut all = pool.invariants();
    if pool.file().is_some() {
        return all;
    }
    all.extend(&index.invariants);
    all.push("9   the wilderness begins inside the region, below its high-water mark");
    if let Some(lists) = free_lists {
        all.push("11  a block on a free list is used in the pool and of the list's size");
        all.push(match lists.has_magazines() {
            true => "12  no magazine has more blocks than places",
            false => "12  no free list runs in a circle",
        });
    }
    all
}

/// Makes the pool of a heap in Rust.
pub(crate) fn compose(heap: &mut Composition<'_>) -> Result<(), EmitError> {
    let pool = &heap.spec.pool;
    let without = || EmitError::NotYet { part: pool.to_string(), language: "Rust" };
    pool::family(pool).and_then(|family| family.compose(heap)).ok_or_else(without)
}
