//! Pages of objects: a page stays in use while one object in it is live.
//!
//! ```text
//!   objects of one size ─▶ pages, one live object in each at worst ─┐
//!   larger requests ─────▶ runs of pages ───────────────────────────┴─▶ first fit over runs ─▶ pages in all
//! ```
//!
//! A page of a class is taken only when all objects of the class's pages are live, so a class has no more pages than
//! its most live objects fill, at any time later too. How many pages are in use at once is then a knapsack: pages
//! for bytes, the cheapest first. Runs are placed by first fit in address order, and joined at once: so the pages in
//! all are bounded as in [`first_fit`](super::first_fit) or, where that is less, as in [`holes`](super::holes), in pages.
//!
//! The directory, an entry of e bytes a page, moves to the end of the region when it is full, twice as large as before
//! at least: it and the one that it leaves have 3·ρ·F + 2 pages of F at most, with ρ = e / (page − e).
//!
//! Sources: Li, Mohanty, Kavi, §II (the heap); the bound is counted here.

use heapsmith::parts::pages::{BitmapSearch as _, ByTree, ByWord, Hardware, Linear};
use heapsmith_spec::{PageInfo, PageSearch, Pages};

use super::demand::Demand;
use super::first_fit::factor;
use super::{Bounded, Found, Room, Term, Unbounded, WorstCase, shown};

/// Words of an entry before its bitmap.
const FIELDS: u64 = 4;

impl Bounded for Pages {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        bound(demand, self)
    }

    fn worst_case(&self, _: &Demand, _: Room) -> WorstCase {
        WorstCase::none("a move of the directory reads and writes all of it; no number is derived")
    }
}

fn bound(demand: &Demand, pages: &Pages) -> Result<Found, Unbounded> {
    if pages.info == PageInfo::Page || pages.retain > 0 {
        return Err(Unbounded(
            "no bound is derived for entries in objects or for pages retained at the end: use info=directory, retain=0",
        ));
    }
    if demand.program.reallocates && pages.resize {
        return Err(Unbounded(
            "a run that shrinks in place leaves pages between others: no bound is derived for it; use resize=off",
        ));
    }
    if u64::from(demand.spec.alignment) > pages.page {
        return Err(Unbounded(
            "runs that are aligned beyond a page leave gaps before them, for which no bound is derived: \
            use pages as large as the alignment",
        ));
    }
    let used = pages_in_use(demand, pages);
    let run = demand.largest_block().div_ceil(pages.page).max(1);
    let entry = entry(demand, pages);
    let share = entry as f64 / (pages.page - entry) as f64;
    let ordered = factor(1, run);
    let by_order = over(ordered * (used + 3 * run + 2) as f64, 3.0 * share * ordered);
    let by_holes = over(((used + 4) * run + 2) as f64, 3.0 * share);
    let Some(max) = [by_order, by_holes].into_iter().flatten().min() else {
        return Err(Unbounded("the page directory would be as large as the pages: use larger pages"));
    };
    Ok(Found {
        footprint: demand.control.saturating_add(max.saturating_mul(pages.page)),
        formula: "C + page · min(Y·(P + 3k + 2) / (1 − 3ρY), ((P + 4)k + 2) / (1 − 3ρ))",
        terms: vec![
            Term::new("C", "bytes before the first page", shown(demand.control)),
            Term::new("P", "most pages in use at once, one live object in each at worst", shown(used)),
            Term::new("k", "pages of the longest run", shown(run)),
            Term::new("Y", "factor of first fit for runs of 1 to k pages", format!("{ordered:.3}")),
            Term::new("ρ", "bytes of the directory for a byte of pages", format!("{share:.4}")),
        ],
        numbers: format!("{} + {} · {}", shown(demand.control), shown(pages.page), shown(max)),
        source: "one live object keeps its page: counted here; runs by Robson 1977 as for first fit",
    })
}

/// `pages / (1 − share)`, rounded up; none if the share leaves nothing.
fn over(pages: f64, share: f64) -> Option<u64> {
    let max = (pages * (1.0 + 1e-9) / (1.0 - share)).ceil();
    (share < 1.0 && max < 1e15).then_some(max as u64)
}

/// The most pages in use at once: of objects, and in runs.
fn pages_in_use(demand: &Demand, pages: &Pages) -> u64 {
    let quarantined = demand.quarantined();
    let mut left = demand.program.live;
    let mut used = quarantined.saturating_mul(demand.largest_block().div_ceil(pages.page));
    let mut object = demand.min_block();
    while object <= pages.page / 2 && object <= demand.largest_block() {
        let request = demand.first_request(object);
        let objects = demand.count_from(demand.program.live, request) + quarantined;
        let taken = objects.div_ceil(pages.page / object).min(left.div_ceil(request));
        used += taken;
        left = left.saturating_sub(taken * request);
        object *= 2;
    }
    // In runs: the most pages for a byte.
    let runs = demand.steps().iter().filter(|step| step.need > pages.page / 2);
    let max = runs.map(|step| (u128::from(left) * u128::from(step.need / pages.page)).div_ceil(step.from.into())).max();
    let longest = u128::from(demand.program.max_blocks) * u128::from(demand.largest_block().div_ceil(pages.page));
    used + max.map_or(0, |max| super::demand::saturated(max.min(longest)))
}

/// Bytes of a directory's entry.
fn entry(demand: &Demand, pages: &Pages) -> u64 {
    let objects = (pages.page / pages.min.max(u64::from(demand.spec.alignment).min(pages.page / 2))) as usize;
    let bits = (demand.word * 8) as usize;
    let words = match pages.search {
        PageSearch::Linear => Linear::words(objects, bits),
        PageSearch::Word => ByWord::words(objects, bits),
        PageSearch::Tree => ByTree::words(objects, bits),
        PageSearch::Hardware(_) => <Hardware>::words(objects, bits),
    };
    (FIELDS + words as u64) * demand.word
}
