//! The share of the search in PHK's pages, over the size of the objects (compared with Figure 3).
//!
//! Three heaps that find the same objects in three ways differ by their search alone. With the tree, a search looks
//! at one word a level, so what else is looked at (runs of pages) is known; the search by word looks at as many words
//! as the one bit by bit loads.

use heapsmith_replay::{Measures, Region, ReplayOptions, replay};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::resolve;
use heapsmith_trace::PackedTrace;
use serde::Serialize;

use super::{BY_TREE, BY_WORD, PHK};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, HYBRID};
use crate::looking_glass::programs::churn;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "003-search-by-size",
    paper: &HYBRID,
    place: "Section IV.B",
    title: "the share of the search, by object size",
    claim: "What the hardware saves of memory management is about what the software's linear search takes, and it is the \
            more the smaller the objects: 76.2% in cfrac (8 bytes, up to 256 objects a page), 48.0% in espresso (250 \
            bytes, fewer than 20), 58.9% on average (Li et al. 2006, Figure 3 and section IV.B).",
    differs: "The paper compares cycles of whole programs. Here every size is alone: 32 pages of live objects, one after \
              another replaced at random, and what is counted are words read and written and bits and words looked at. \
              The share of a search by word with an instruction that counts zeros is shown for comparison, which the paper does \
              not consider.",
    samples: &[],
    run,
};

const PAGE: u64 = 4096;
/// Pages that the live objects fill.
const PAGES: u64 = 32;
/// Objects that have one word of bits: the tree has one level up to here, and two above.
const ONE_LEVEL: u64 = 32;
/// What the paper says: bytes, improvement.
const PAPER: [(&str, f64, f64); 2] = [("cfrac", 8.0, 0.762), ("espresso", 250.0, 0.480)];

#[derive(Debug, Serialize)]
struct Row {
    size: u64,
    objects_a_page: u64,
    allocations: u64,
    cost: u64,
    search: u64,
    share: f64,
    /// The share where a look costs twice a word that is read or written.
    share_twice: f64,
    looked_at: f64,
    search_by_word: u64,
    share_by_word: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let rounds = setting.of(40_000, 2000);
    let (mut rows, sizes) = (Vec::new(), (4..=11).map(|power| 1_u64 << power));
    for (number, size) in sizes.enumerate() {
        setting.step(number, 8, &format!("objects of {size} bytes"))?;
        let live = PAGES * PAGE / size;
        let trace = churn("one size", live, rounds, (size, size), setting.seed).packed()?;
        rows.push(measure(size, &trace)?);
    }
    outcome(&rows)
}

fn measure(size: u64, trace: &PackedTrace) -> Result<Row, ExperimentError> {
    let mut region = Region::for_trace(trace)?;
    let mut counted = |spec: &str| -> Result<Measures, ExperimentError> {
        Ok(replay(&resolve(spec)?, trace, &mut region, ReplayOptions::MEASURE)?)
    };
    let [bits, words, tree] = [counted(PHK)?, counted(BY_WORD)?, counted(BY_TREE)?];
    let objects_a_page = PAGE / size;
    let levels = if objects_a_page <= ONE_LEVEL { 1 } else { 2 };
    let elsewhere = tree.visits.total.saturating_sub(levels * trace.allocations);
    let words_looked_at = words.visits.total - elsewhere;
    let looked_at = bits.visits.total - elsewhere;
    // Each word that is looked at is read once.
    let cost = |measures: &Measures| measures.accesses.total + measures.visits.total;
    let (search, search_by_word) = (looked_at + words_looked_at, 2 * words_looked_at);
    Ok(Row {
        size,
        objects_a_page,
        allocations: trace.allocations,
        cost: cost(&bits),
        search,
        share: search as f64 / cost(&bits) as f64,
        share_twice: 2.0 * search as f64 / (cost(&bits) + search) as f64,
        looked_at: looked_at as f64 / trace.allocations.max(1) as f64,
        search_by_word,
        share_by_word: search_by_word as f64 / cost(&words) as f64,
    })
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let at = |size: u64| rows.iter().find(|row| row.size == size).map_or(f64::NAN, |row| row.share);
    let twice = |size: u64| rows.iter().find(|row| row.size == size).map_or(f64::NAN, |row| row.share_twice);
    let falling = rows.windows(2).all(|pair| pair[0].share >= pair[1].share);
    outcome.state(
        "003:smaller-objects-search-more",
        format!("from {} for objects of 16 bytes to {} for those of 2048", percent(at(16)), percent(at(2048))),
        falling,
    );
    outcome.state(
        "003:search-dominates-smallest",
        format!(
            "{} for objects of 16 bytes, 256 a page; {} where a look costs twice a word",
            percent(at(16)),
            percent(twice(16))
        ),
        at(16) > 0.5,
    );
    outcome.state(
        "003:search-is-half-at-250",
        format!(
            "{} for objects of 256 bytes; {} where a look costs twice a word",
            percent(at(256)),
            percent(twice(256))
        ),
        (0.38..0.58).contains(&at(256)),
    );
    let by_word: Vec<f64> = rows.iter().map(|row| row.share_by_word).collect();
    let (min, max) =
        by_word.iter().fold((f64::INFINITY, 0.0_f64), |(min, max), &share| (min.min(share), max.max(share)));
    let looked: Vec<String> = rows.iter().take(1).map(|row| digits(row.looked_at)).collect();
    outcome.found = format!(
        "Bit by bit, the search is {} of the cost for objects of 16 bytes ({} words and bits looked at for each), {} at 256 \
         and {} at 2048. By word, with an instruction that counts zeros, it is {} to {}: little is left for hardware \
         where a page has few words of bits.",
        percent(at(16)),
        listed(&looked),
        percent(at(256)),
        percent(at(2048)),
        percent(min),
        percent(max)
    );
    let mut shown = Shown::new(
        "The share of the search",
        [
            "bytes",
            "objects a page",
            "allocations",
            "cost, bit by bit",
            "of it the search",
            "share",
            "share, a look at twice",
            "looked at, each",
            "share by word",
        ],
    );
    for row in rows {
        shown.row([
            row.size.into(),
            row.objects_a_page.into(),
            row.allocations.into(),
            row.cost.into(),
            row.search.into(),
            Value::Share(row.share),
            Value::Share(row.share_twice),
            row.looked_at.into(),
            Value::Share(row.share_by_word),
        ]);
    }
    outcome.tables.push(shown);
    draw(&mut outcome, rows);
    Ok(outcome)
}

fn draw(outcome: &mut Outcome, rows: &[Row]) {
    let line =
        |share: fn(&Row) -> f64| rows.iter().map(|row| (row.size as f64, 100.0 * share(row))).collect::<Vec<_>>();
    let mut series = vec![
        Series::new("bit by bit", Mark::LineAndDots, line(|row| row.share)),
        Series::new("by word", Mark::LineAndDots, line(|row| row.share_by_word)),
    ];
    for (name, bytes, share) in PAPER {
        series.push(Series::new(format!("the paper, {name}"), Mark::Rings, [(bytes, 100.0 * share)]));
    }
    let chart = Chart {
        title: "Share of the search in allocating and freeing".into(),
        x: Axis::logarithmic("bytes of an object"),
        y: Axis::linear("percent"),
        series,
    };
    outcome.draw(
        "",
        "How much of memory management the search of a page's bitmap is, over the size of objects",
        chart.svg(),
    );
}
