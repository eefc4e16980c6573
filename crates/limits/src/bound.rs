//! The most memory that a heap can be made to need, by arithmetic alone.
//!
//! ```text
//!   live, largest, least ──Program──┐
//!                                   ├─ Demand: what the pool is asked for, layers included
//!   Spec ───────────────────────────┘     │
//!        ┌────────────┬───────────┬───────┴──┬──────────┬────────┬─────────┐
//!      holes      first_fit    good_fit    buddy     by_size   pages    simple
//!        └────────────┴───────────┴───────┬──┴──────────┴────────┴─────────┘
//!                                       Bound: formula, terms, footprint, what it stands on
//! ```
//!
//! A bound holds for every program that never has more than `live` bytes requested and live at once, in
//! requests of `min_size` to `max_size` bytes, whatever their order and number. It is one of the heap that
//! this workspace runs: headers, rounding, the smallest block, rests too small to be split off, control
//! words and layers are in it. So a region of this many bytes serves every such program; where a reserve keeps a part
//! of the region, one of [`Bound::region`] bytes does.
//!
//! Where a published bound is about whole units without headers, its proof was gone through again with
//! this heap's blocks; each family's module says how.
//!
//! Cost: some thousand steps of arithmetic, and an empty heap is made to see its control words.

mod accesses;
mod buddy;
mod by_size;
mod control;
mod demand;
mod first_fit;
mod good_fit;
mod holes;
mod pages;
mod program;
mod retained;
mod simple;

use heapsmith_spec::{Coalescing, Fit, List, ListOrder, Pool, Spec, Splitting};

pub use accesses::WorstCase;
pub use demand::Demand;
pub use program::{ProgramClass, ProgramError, any_allocator, units_of_any_allocator};

/// A symbol of a formula with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// As it stands in the formula.
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
    /// The most bytes of the region ever used, control words included; none where no bound is known.
    pub footprint: Option<u64>,
    /// Bytes of a region in which no such program is refused: the footprint, and what a reserve keeps free in addition.
    /// The worst operation is that of such a region: where a request is refused, layers give back all that they keep.
    pub region: Option<u64>,
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
    /// Why there is no bound; empty where there is one.
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
    let program = match ProgramClass::new(live, max_size, min_size) {
        Ok(program) => program,
        Err(error) => return Bound::none(error.to_string(), WorstCase::default()),
    };
    let demand = match Demand::new(spec, program) {
        Ok(demand) => demand,
        Err(why) => return Bound::none(why, WorstCase::default()),
    };
    let found =
        family(&demand).and_then(|found| if found.footprint > MAX { Err(Unbounded(TOO_LARGE)) } else { Ok(found) });
    let worst_case = accesses::worst_case(&demand, found.as_ref().ok().map(|found| found.footprint));
    let forced = (!matches!(demand.spec.pool, Pool::Stack(_))).then(|| any_allocator(demand.program));
    match found {
        Ok(found) => Bound {
            footprint: Some(found.footprint),
            region: Some(demand.region_of(found.footprint)),
            formula: found.formula.to_owned(),
            terms: found.terms,
            numbers: found.numbers,
            source: found.source,
            requires: requires(&demand, found.footprint, demand.region_of(found.footprint)),
            why_none: String::new(),
            worst_case,
            any_allocator: forced,
        },
        Err(Unbounded(why)) => Bound { any_allocator: forced, ..Bound::none(why.to_owned(), worst_case) },
    }
}

impl Bound {
    /// No bound, and why.
    pub(crate) fn none(why: String, worst_case: WorstCase) -> Bound {
        Bound {
            footprint: None,
            region: None,
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

/// The family that the pool belongs to, and its bound.
fn family(demand: &Demand) -> Result<Found, Unbounded> {
    if !matches!(demand.spec.pool, Pool::Classes(_) | Pool::Buddy(_)) && demand.traps_blocks() {
        return Err(Unbounded(retained::TRAPS));
    }
    match &demand.spec.pool {
        Pool::List(list) => sequential(demand, list),
        Pool::Bins(bins) => joined(demand, bins.split, bins.coalesce, holes::SOURCE),
        Pool::Tree(tree) => joined(demand, tree.split, tree.coalesce, holes::BEST_FIT),
        Pool::SkipList(list) => joined(demand, list.split, list.coalesce, holes::BEST_FIT),
        Pool::Tlsf(tlsf) => Ok(good_fit::bound(demand, tlsf.second_level.into())),
        Pool::HalfFit(_) => Ok(good_fit::bound(demand, 0)),
        Pool::Classes(_) => Ok(by_size::classes(demand)),
        Pool::Buddy(_) => Ok(buddy::bound(demand)),
        Pool::Pages(pages) => pages::bound(demand, pages),
        Pool::Stack(_) if demand.quarantined() > 0 => Err(Unbounded(simple::OUT_OF_ORDER)),
        Pool::Stack(_) => Ok(simple::stack(demand)),
        Pool::Fixed(_) => Ok(simple::fixed(demand)),
        Pool::Bump(_) => Err(Unbounded(simple::BUMP)),
        _ => Err(Unbounded("no bound is derived for this pool")),
    }
}

fn sequential(demand: &Demand, list: &List) -> Result<Found, Unbounded> {
    let source = if matches!(list.fit, Fit::Best { .. }) { holes::BEST_FIT } else { holes::SOURCE };
    let bound = joined(demand, list.split, list.coalesce, source)?;
    let lowest_first = matches!(list.order, ListOrder::Address | ListOrder::Implicit) && list.fit == Fit::First;
    // Deferred, free neighbours are not yet one when the lowest fitting block is looked for.
    if !lowest_first || list.coalesce == Coalescing::Deferred || !demand.joins(list.split, list.coalesce) {
        return Ok(bound);
    }
    let ordered = first_fit::bound(demand);
    Ok(if ordered.footprint <= bound.footprint { ordered } else { bound })
}

/// Heaps that split every block they can and join every two free neighbours before they take new memory;
/// and those that do neither.
fn joined(demand: &Demand, split: Splitting, coalesce: Coalescing, source: &'static str) -> Result<Found, Unbounded> {
    if demand.joins(split, coalesce) {
        return Ok(holes::bound(demand, source));
    }
    if demand.never_splits(split) && demand.never_coalesces(coalesce) {
        return Ok(by_size::whole_blocks(demand));
    }
    Err(Unbounded(match (demand.always_splits(split), demand.never_coalesces(coalesce)) {
        (true, _) => {
            "freed blocks that are not joined are split further and further: a program that frees large \
            blocks and asks for small ones, over and over, may need new memory every time"
        }
        (false, true) => {
            "some requests split what they are given, and nothing is joined again: blocks only become \
            smaller, and large requests may need new memory every time"
        }
        (false, false) => {
            "a small request may be given a free block of any size whole: freed beside another it joins \
            a larger one, which the next small request takes, and so on without end"
        }
    }))
}

fn requires(demand: &Demand, footprint: u64, region: u64) -> Vec<String> {
    let room = if region == footprint {
        "has room for the bound".to_owned()
    } else {
        format!("has {} bytes: room for the bound beside {}% in reserve", shown(region), demand.reserved())
    };
    let mut requires = vec![
        "allocations and frees alone: a reallocation may hold two blocks at once, or resize one where no allocation \
         would have put it"
            .to_owned(),
        "no request aligned beyond the heap's own alignment".to_owned(),
        format!("a region that begins at a multiple of 4096 bytes and {room}"),
    ];
    match demand.spec.pool {
        Pool::Stack(_) => requires.push("blocks are freed in the reverse order of their allocation".to_owned()),
        Pool::Buddy(_) => requires.push("no block is moved: it was not asked for by a handle".to_owned()),
        _ => {}
    }
    if demand.program.max_size < demand.asked_largest {
        let max = demand.program.max_size;
        requires.push(format!("requests above {max} bytes are refused by this heap and take no memory"));
    }
    let max = demand.spec.word.max_region();
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
