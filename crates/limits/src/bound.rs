//! The most memory that a heap can be made to need, by arithmetic alone.
//!
//! ```text
//!   live, max size, min size ──ProgramClass──┐
//!                                            ├─ Demand: what the pool is asked for, layers included
//!   Spec ────────────────────────────────────┘    │
//!                                                 ▼
//!      a family of pools: list, bins, tree, skip_list, tlsf, half_fit, chunks, classes, buddy, pages, bump, stack, fixed
//!                                                 │ chooses
//!                                                 ▼
//!      an argument: first_fit, holes, good_fit, by_size, or the family's own
//!                                                 │
//!                                                 ▼
//!      Bound: formula, terms, footprint, premises
//! ```
//!
//! A bound holds for every program that never has more than `live` bytes requested and live at once, in
//! requests of `min_size` to `max_size` bytes, whatever their order and number. It is one of the heap that
//! this workspace runs: headers, rounding, the smallest block, remainders too small to be split off, control
//! words and layers are in it. So a region of this many bytes serves every such program; where a reserve keeps a part
//! of the region, one of [`Bound::region`] bytes does.
//!
//! Where a published bound is about whole units without headers, its proof was gone through again with
//! this heap's blocks; the argument's module says how.
//!
//! A family of pools has a module of its name here and a line in `family`. It chooses the argument and counts the
//! accesses of an operation. Without a line it has no bound.
//!
//! Cost: some thousand steps of arithmetic, and an empty heap is made to see its control words.

mod accesses;
mod bins;
mod bitmap;
mod buddy;
mod bump;
mod by_size;
mod chunks;
mod classes;
mod control;
mod demand;
mod first_fit;
mod fixed;
mod good_fit;
mod half_fit;
mod holes;
mod joined;
mod list;
mod pages;
mod program;
mod regions;
mod retained;
mod skip_list;
mod spans;
mod stack;
mod tlsf;
mod tree;

use heapsmith::parts::Format;
use heapsmith_spec::build::words_for;
use heapsmith_spec::{BlockFactors, Layer, Pool, Spec, Threads};

pub use accesses::WorstCase;
use demand::SizeClasses;
pub use demand::{Demand, SizeStep};
pub use program::{ProgramClass, ProgramError, any_allocator, units_of_any_allocator};

/// A symbol of a formula with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// As the formula writes it.
    pub symbol: &'static str,
    /// What it means, with its unit.
    pub meaning: &'static str,
    /// Its value here.
    pub value: String,
}

impl Term {
    fn new(symbol: &'static str, meaning: &'static str, value: impl ToString) -> Term {
        Term { symbol, meaning, value: value.to_string() }
    }
}

/// What is known of the most memory that a heap can be made to need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The most bytes of the region ever used, control words included; none if no bound is known.
    pub footprint: Option<u64>,
    /// Bytes of a region in which no such program is refused; none if that is more than the word of the heap names
    /// ([`Spec::max_footprint`]). Before a request is refused, layers give back all that they keep and free blocks that a threshold
    /// left apart are joined: so it may be less than the footprint in a larger region, or known where no footprint is.
    pub region: Option<u64>,
    /// Bytes of a region in which [`worst_case`](Self::worst_case) holds, too: the footprint, and what a reserve keeps free in
    /// addition, so that nothing that a full region costs is a part of it; the same as `region` where no footprint is bounded.
    pub room: Option<u64>,
    /// The formula in symbols; where no bound is known, the trivial one.
    pub formula: String,
    /// The symbols of the formula.
    pub terms: Vec<Term>,
    /// The formula with its numbers; empty where no bound is known.
    pub numbers: String,
    /// Author, year and place of the argument.
    pub source: &'static str,
    /// What the program, the heap or the region must keep to.
    pub requires: Vec<String>,
    /// Why there is no bound, or no region; empty where there are both.
    pub why_none: String,
    /// The worst single operation.
    pub worst_case: WorstCase,
    /// Bytes that some such program makes any heap need that moves nothing ([`any_allocator`]); none for a heap that
    /// refuses such programs: a stack, which wants its blocks back in reverse order.
    pub any_allocator: Option<u64>,
}

/// What a family's module makes of a demand: a bound without what all have in common.
struct Found {
    footprint: u64,
    formula: &'static str,
    terms: Vec<Term>,
    numbers: String,
    source: &'static str,
}

/// Bytes of the largest region of any word.
const MAX: u64 = 1 << 56;
const TOO_LARGE: &str = "the bound exceeds the largest region that any word can name: ask about fewer live bytes or larger \
    smallest requests";

/// Why coarse alignments give no bound of most heaps.
const ALIGNED: &str = "requests aligned beyond the heap's own alignment are bounded in pools that join all free neighbours alone: use \
    a coarser align";

/// Why a family has no bound.
struct Unbounded(&'static str);

/// The bound of the heap of `spec` under programs with at most `live` bytes requested and live at once, in
/// requests of `min_size` to `max_size` bytes.
///
/// Requests that the heap refuses by their size take no memory, so the largest that it serves counts. Numbers
/// that make no program ([`ProgramClass::new`]) give no bound, and say why.
///
/// ```
/// let spec = "list(order=address, fit=first)".parse()?;
/// let bound = heapsmith_limits::bound(&spec, 65_536, 1024, 16);
/// assert!(bound.footprint.is_some_and(|bytes| bytes > 65_536));
/// # Ok::<(), heapsmith_spec::SpecError>(())
/// ```
pub fn bound(spec: &Spec, live: u64, max_size: u64, min_size: u64) -> Bound {
    match ProgramClass::new(live, max_size, min_size) {
        Ok(program) => bound_of(spec, program),
        Err(error) => Bound::none(error.to_string(), WorstCase::default()),
    }
}

/// The same for a class of programs, which may reallocate and ask for coarse alignments.
pub fn bound_of(spec: &Spec, program: ProgramClass) -> Bound {
    if let Some(regions) = spec.regions() {
        return regions::bound(spec, regions, program);
    }
    let mut bound = bound_within(spec, program, None);
    bound.room = bound.room.filter(|&room| room <= spec.max_footprint());
    let Some(region) = bound.region.filter(|&region| region > spec.max_footprint()) else { return bound };
    let why = format!(
        "only a region of {} bytes is known to refuse nothing, and words of {} bytes name {}: ask about the same heap with a larger \
         word",
        shown(region),
        spec.word.bytes(),
        shown(spec.max_footprint())
    );
    match bound.footprint {
        Some(_) => Bound { region: None, why_none: why, ..bound },
        None => Bound { any_allocator: bound.any_allocator, ..Bound::none(why, bound.worst_case) },
    }
}

/// The bound in a region of this many bytes, or in one that has room for the bound and no more: they differ where control
/// words grow with the region.
fn bound_within(spec: &Spec, program: ProgramClass, region: Option<u64>) -> Bound {
    let mut demand = match Demand::new(spec, program) {
        Ok(demand) => demand,
        Err(why) => return Bound::none(why, WorstCase::default()),
    };
    if let Some(bytes) = region {
        demand.lie_in(bytes);
        return bound_on(&demand);
    }
    // A bound grows with the control words, and these with its region: they are a few numbers, and each step leads one way.
    loop {
        let bound = bound_on(&demand);
        if !bound.room.is_some_and(|bytes| demand.lie_in(bytes)) {
            return bound;
        }
    }
}

/// The bound with the control words that the demand has.
fn bound_on(demand: &Demand) -> Bound {
    let found = found(demand);
    let worst_case = worst_case(demand, found.as_ref().ok().map(|found| found.footprint));
    let forced = (!demand.spec.pool.frees_in_order()).then(|| any_allocator(demand.asked()));
    let full = full_region(demand);
    match found {
        Ok(found) => {
            let room = demand.region_of(found.footprint);
            let region = full.map_or(room, |full| room.min(demand.region_of(full.footprint)));
            let footprint = Some(found.footprint);
            let bound = Bound { region: Some(region), ..Bound::of(demand, found, footprint, room, worst_case, forced) };
            match too_large(demand) {
                Some(why_none) => Bound { region: None, why_none, ..bound },
                None => bound,
            }
        }
        Err(Unbounded(why)) => match full {
            Some(found) => {
                let room = demand.region_of(found.footprint);
                Bound { why_none: why.to_owned(), ..Bound::of(demand, found, None, room, worst_case, forced) }
            }
            None => Bound { any_allocator: forced, ..Bound::none(why.to_owned(), worst_case) },
        },
    }
}

/// The region in which no request is refused, whatever is used of a larger one: if layers give back all that they keep before
/// they refuse, and then the pool has an argument.
fn full_region(demand: &Demand) -> Option<Found> {
    let keeps_on = |layer: &Layer| match layer {
        Layer::FreeLists(lists) => lists.flush.max().is_some(),
        Layer::Spans(_) => true,
        Layer::Regions(_) | Layer::Zero | Layer::Guard(_) | Layer::Reserve(_) => false,
    };
    if demand.spec.layers.iter().any(keeps_on) {
        return None;
    }
    family(&demand.spec.pool).full_region(demand).filter(|found| found.footprint <= MAX)
}

/// What the pool's family says, within the largest region.
fn found(demand: &Demand) -> Result<Found, Unbounded> {
    let family = family(&demand.spec.pool);
    if demand.aligning > 0 && !family.aligns() {
        return Err(Unbounded(ALIGNED));
    }
    if let Some(spans) = demand.spec.layers.iter().find_map(|layer| match layer {
        Layer::Spans(spans) => Some(spans),
        _ => None,
    }) {
        return spans::bound(demand, spans);
    }
    if demand.traps_blocks() && (!family.counts_trapped() || demand.program.reallocates) {
        let takes_whole = demand.spec.pool.factors().is_some_and(|factors| !demand.always_splits(factors.split));
        return Err(Unbounded(match demand.program.reallocates {
            _ if takes_whole => joined::TAKES_WHOLE,
            true => retained::TRAPS_RESIZED,
            false => retained::TRAPS,
        }));
    }
    let found = family.bound(demand)?;
    if found.footprint > MAX { Err(Unbounded(TOO_LARGE)) } else { Ok(found) }
}

/// The worst operation of the heap, whose footprint never exceeds `footprint` where that is known.
fn worst_case(demand: &Demand, footprint: Option<u64>) -> WorstCase {
    // The cost of a full region is not counted: with room for the bound the region is never full.
    let enough = footprint.is_some_and(|bytes| demand.region_of(bytes) <= demand.spec.max_footprint());
    let family = family(&demand.spec.pool);
    if demand.aligning > 0 && !family.aligns() {
        return WorstCase::none("no number is derived for requests aligned beyond the heap's own alignment");
    }
    let pool = family.worst_case(demand, Room { footprint, enough });
    let worst_case = accesses::with_layers(demand, pool, enough);
    if demand.program.reallocates { accesses::reallocating(worst_case) } else { worst_case }
}

impl Bound {
    /// What was found, for a footprint in any region or, where there is none, for a region of this many bytes alone.
    fn of(
        demand: &Demand,
        found: Found,
        footprint: Option<u64>,
        room: u64,
        worst_case: WorstCase,
        any_allocator: Option<u64>,
    ) -> Bound {
        Bound {
            footprint,
            region: Some(room),
            room: Some(room),
            formula: found.formula.to_owned(),
            terms: found.terms,
            numbers: found.numbers,
            source: found.source,
            requires: requires(demand, found.footprint, room),
            why_none: String::new(),
            worst_case,
            any_allocator,
        }
    }

    /// No bound, and why.
    pub(crate) fn none(why: String, worst_case: WorstCase) -> Bound {
        Bound {
            footprint: None,
            region: None,
            room: None,
            formula: "C + the blocks of all requests ever made".to_owned(),
            terms: Vec::new(),
            numbers: String::new(),
            source: "no bound in the peak live bytes is known to us; the trivial one grows with the run",
            requires: Vec::new(),
            why_none: why,
            worst_case,
            any_allocator: None,
        }
    }
}

/// What a family of pools says of its bound, in the module of its name.
trait Bounded {
    /// The bound, or why there is none.
    fn bound(&self, _demand: &Demand) -> Result<Found, Unbounded> {
        Err(Unbounded("no bound is derived for this pool"))
    }

    /// The region in which no request is refused, whatever layers keep that give all of it back before one is.
    fn full_region(&self, _demand: &Demand) -> Option<Found> {
        None
    }

    /// Whether the bound also covers requests with alignments coarser than the heap's: by [`with_holes`](holes::with_holes).
    fn aligns(&self) -> bool {
        false
    }

    /// The worst operation of the heap behind no layer.
    fn worst_case(&self, _demand: &Demand, _room: Room) -> WorstCase {
        WorstCase::none("no number is derived for this pool")
    }

    /// Whether the bound also counts what free lists trap: blocks with a remainder too small to split off.
    fn counts_trapped(&self) -> bool {
        false
    }

    /// What only this family requires.
    fn requires(&self) -> Option<&'static str> {
        None
    }

    /// Bytes of the block for `below` bytes, without slack; none if the pool refuses them. Never decreases as `below`
    /// grows.
    fn block(&self, demand: &Demand, below: u64) -> Option<u64> {
        demand.listed_block(self.rounded(demand, words_for(demand.spec, below)?)?)
    }

    /// The block size, in words, that the index rounds up to; none if it refuses.
    fn rounded(&self, _demand: &Demand, words: usize) -> Option<usize> {
        Some(words)
    }

    /// Words that all blocks are a multiple of, and that a used one may have beyond its need.
    fn granule_and_slack(&self, spec: &Spec, format: Format) -> [usize; 2] {
        let slack = |factors: BlockFactors| factors.smallest_remainder(format, spec.word) - format.granule;
        [format.granule, spec.pool.factors().map_or(0, slack)]
    }

    /// Bytes of the region behind the last block.
    fn end(&self, _spec: &Spec) -> u64 {
        0
    }

    /// The classes of the pool, if it has any.
    fn classes(&self, _spec: &Spec) -> SizeClasses {
        SizeClasses::default()
    }
}

/// The families whose bound is derived, a line for each.
fn family(pool: &Pool) -> &dyn Bounded {
    match pool {
        Pool::List(pool) => pool,
        Pool::Bins(pool) => pool,
        Pool::Tree(pool) => pool,
        Pool::SkipList(pool) => pool,
        Pool::Tlsf(pool) => pool,
        Pool::HalfFit(pool) => pool,
        Pool::Classes(pool) => pool,
        Pool::Buddy(pool) => pool,
        Pool::Pages(pool) => pool,
        Pool::Stack(pool) => pool,
        Pool::Fixed(pool) => pool,
        Pool::Bump(pool) => pool,
        Pool::Chunks(pool) => pool,
        Pool::Bitmap(pool) => pool,
        _ => &Underived,
    }
}

/// A family without a line in [`family`].
struct Underived;

impl Bounded for Underived {}

/// The region that a worst operation is counted in.
#[derive(Clone, Copy)]
struct Room {
    /// The bound's footprint, where there is one.
    footprint: Option<u64>,
    /// The region has room for it, so nothing that a full region costs is counted.
    enough: bool,
}

/// Why no region refuses nothing: some requests are larger than whatever the heap serves.
fn too_large(demand: &Demand) -> Option<String> {
    let max = demand.program.max_size;
    (max < demand.asked_largest)
        .then(|| format!("requests above {max} bytes are refused by this heap and take no memory"))
}

fn requires(demand: &Demand, footprint: u64, region: u64) -> Vec<String> {
    let room = if region == footprint {
        "has room for the bound".to_owned()
    } else {
        format!("has {} bytes: room for the bound in addition to the {}% in reserve", shown(region), demand.reserved())
    };
    let mut requires = vec![
        if demand.program.reallocates {
            "reallocations to sizes between the smallest and the largest request; a block that moves is live twice meanwhile"
        } else {
            "allocations and frees alone: `heapsmith bound --reallocations` covers more"
        }
        .to_owned(),
        if demand.aligning > 0 {
            format!("no request aligned beyond {} bytes", demand.program.alignment)
        } else {
            "no request aligned beyond the heap's own alignment".to_owned()
        },
        format!("a region that begins at a multiple of 4096 bytes and {room}"),
    ];
    match demand.spec.threads {
        Threads::One => {}
        Threads::Each => requires.push("one thread: each further one has a heap of its own with this bound".to_owned()),
        Threads::Lists | Threads::ListsWithin(_) | Threads::Owned => requires.push(
            "one thread: each further one has lists of its own, which keep as much again as the lists of one"
                .to_owned(),
        ),
    }
    requires.extend(family(&demand.spec.pool).requires().map(str::to_owned));
    requires.extend(too_large(demand));
    let max = demand.spec.max_footprint();
    if region > max {
        requires.push(format!(
            "this exceeds {max} bytes, the largest region of this word: such a program may be refused; use a larger word"
        ));
    }
    requires
}

/// Bytes with their thousands apart, for formulas.
fn shown(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}
