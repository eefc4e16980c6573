//! Sections 2.2 to 2.7: rounding, splitting, joining and the five steps, each put to a small program.

use heapsmith_replay::{Drive, Driven, PlacedBlock, ServePath, drive};
use heapsmith_report::chart::{Bars, Measured};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::{ESTRANGED, KNUTH, full_heap};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-mechanisms",
    paper: &REAL_TIME,
    place: "Sections 2.2 to 2.7",
    title: "rounding, bisection, buddies, delayed recombination",
    claim: "A request is rounded up to a power of two and served by bisecting a larger block; buddies differ in one bit of \
            their address and join eagerly in Knuth's system, and only when a request needs it in the estranged one \
            (Donahue et al. 2001, sections 2.2 to 2.7, Figures 3 to 5).",
    differs: "Small programs of this project, which look at the offsets and at how requests are served. The heap has 4,096 \
              bytes, the paper's 256; the smallest block has 16.",
    samples: &[],
    run,
};

/// Bytes of the heap.
const BLOCK: u64 = 4096;
/// Bytes of the smallest block.
const SMALLEST: u64 = 16;
/// How often a block is requested and freed at once.
const AGAIN: u64 = 1000;

/// What the programs found of a system.
#[derive(Debug, Serialize)]
struct Row {
    heap: &'static str,
    rounds_up: bool,
    max_wasted_share: f64,
    bisects: bool,
    differs_in_one_bit: bool,
    whole_again: bool,
    splits_of_oscillation: u64,
    accesses_of_oscillation: u64,
    steps: &'static str,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let mut rows = Vec::new();
    for (number, (heap, text)) in [KNUTH, ESTRANGED].into_iter().enumerate() {
        setting.step(number, 2, heap)?;
        let (splits, accesses) = tried(text, oscillation)?;
        rows.push(Row {
            heap,
            rounds_up: tried(text, rounding)?,
            max_wasted_share: tried(text, waste)?,
            bisects: tried(text, bisection)?,
            differs_in_one_bit: tried(text, one_bit)?,
            whole_again: tried(text, whole_again)?,
            splits_of_oscillation: splits,
            accesses_of_oscillation: accesses,
            steps: tried(text, steps)?,
        });
    }
    outcome(&rows)
}

/// What a program finds of a new heap.
fn tried<T>(text: &str, program: fn(&mut Driven<'_>) -> T) -> Result<T, ExperimentError> {
    let mut region = full_heap::one_block(BLOCK)?;
    let blocks = u32::try_from(BLOCK / SMALLEST).unwrap_or(u32::MAX) + 1;
    Ok(drive(&resolve(text)?, &mut region, blocks, program)?)
}

/// The block of each size that is a request's alone.
fn each_block(heap: &mut Driven<'_>) -> Vec<(u64, u64)> {
    let mut blocks = Vec::new();
    for size in 1..=BLOCK {
        if let Some(block) = heap.allocate(size) {
            blocks.push((size, block.block));
            heap.free(block.slot);
        }
    }
    blocks
}

/// Section 2.2: a request gets the next power of two, 16 bytes at least.
fn rounding(heap: &mut Driven<'_>) -> bool {
    let blocks = each_block(heap);
    blocks.len() as u64 == BLOCK && blocks.iter().all(|&(size, block)| block == size.next_power_of_two().max(SMALLEST))
}

/// Section 2.4: the largest share of a block above the smallest that its request does not use.
fn waste(heap: &mut Driven<'_>) -> f64 {
    let blocks = each_block(heap).into_iter().filter(|&(_, block)| block > SMALLEST);
    blocks.map(|(size, block)| (block - size) as f64 / block as f64).fold(0.0, f64::max)
}

fn served(heap: &Driven<'_>, way: ServePath) -> u64 {
    heap.meter().served[way as usize]
}

/// Figures 3 and 4: one small request leaves one block of each larger size, and each of them is there at once.
fn bisection(heap: &mut Driven<'_>) -> bool {
    let Some(_) = heap.allocate(SMALLEST) else { return false };
    let sizes = (SMALLEST.ilog2()..BLOCK.ilog2()).map(|order| 1 << order);
    let all = sizes.rev().all(|size| heap.allocate(size).is_some());
    let at_once = u64::from(BLOCK.ilog2() - SMALLEST.ilog2());
    all && served(heap, ServePath::AtOnce) == at_once && heap.allocate(1).is_none()
}

/// Section 2.3: two buddies have addresses that differ in the bit of their size, counted from the origin.
fn one_bit(heap: &mut Driven<'_>) -> bool {
    let Some(blocks) = fill(heap) else { return false };
    let origin = blocks[0].offset;
    let buddies = blocks.chunks_exact(2).map(|pair| (pair[0].offset - origin) ^ (pair[1].offset - origin));
    buddies.into_iter().all(|bits| bits == SMALLEST)
}

/// The heap's smallest blocks by their addresses, all of them.
fn fill(heap: &mut Driven<'_>) -> Option<Vec<PlacedBlock>> {
    let mut blocks: Vec<PlacedBlock> = std::iter::from_fn(|| heap.allocate(SMALLEST)).collect();
    blocks.sort_unstable_by_key(|block| block.offset);
    (blocks.len() as u64 == BLOCK / SMALLEST).then_some(blocks)
}

/// Section 2.3: when all is freed, the heap is what it was, and a request for all of it is served at once.
fn whole_again(heap: &mut Driven<'_>) -> bool {
    let Some(blocks) = fill(heap) else { return false };
    blocks.into_iter().for_each(|block| heap.free(block.slot));
    let before = served(heap, ServePath::AtOnce);
    heap.allocate(BLOCK).is_some() && served(heap, ServePath::AtOnce) == before + 1
}

/// Section 2.4: a block that is requested and freed over and over: how often a block is split for it, and the accesses.
fn oscillation(heap: &mut Driven<'_>) -> (u64, u64) {
    let before = heap.meter().accesses;
    for _ in 0..AGAIN {
        if let Some(block) = heap.allocate(SMALLEST) {
            heap.free(block.slot);
        }
    }
    (served(heap, ServePath::AfterSplit), heap.meter().accesses - before)
}

/// Section 2.7: the steps that five requests take, by where their blocks lie and how they were served.
fn steps(heap: &mut Driven<'_>) -> &'static str {
    use ServePath::{AfterCoalescing, AfterSplit, AtOnce};
    let Some(blocks) = fill(heap) else { return "not filled" };
    for block in [32, 33, 34, 35, 16, 17, 4, 5, 0].map(|at| blocks[at]) {
        heap.free(block.slot);
    }
    // A block whose buddy is used; the lower of a pair; its buddy, which is alone now; a pair of the size below; and two
    // pairs, each glued, that become a pair. In Knuth's system all of these are one block by now.
    let mut ways = Vec::new();
    for (units, at) in [(1, 0), (1, 4), (1, 5), (2, 16), (4, 32)] {
        let before = heap.meter().served;
        let block = heap.allocate(units * SMALLEST);
        if block.map(|block| block.offset) != Some(blocks[at].offset) {
            return "other blocks";
        }
        let way =
            [AtOnce, AfterSplit, AfterCoalescing].into_iter().find(|&way| served(heap, way) > before[way as usize]);
        ways.extend(way);
    }
    match ways[..] {
        [AtOnce, AtOnce, AtOnce, AfterCoalescing, AfterCoalescing] => "1, 2, 1, 3, 5",
        [AtOnce, AfterSplit, AtOnce, AtOnce, AtOnce] => "1, 4, 1, 1, 1",
        _ => "others",
    }
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let [knuth, estranged] = rows else { return Ok(outcome) };
    let both = |of: fn(&Row) -> bool| {
        (format!("{} of 2 systems", rows.iter().filter(|row| of(row)).count()), rows.iter().all(of))
    };
    for (claim, (found, holds)) in [
        ("002:rounds-to-a-power-of-two", both(|row| row.rounds_up)),
        ("002:larger-blocks-are-bisected", both(|row| row.bisects)),
        ("002:buddies-differ-in-one-bit", both(|row| row.differs_in_one_bit)),
    ] {
        outcome.state(claim, found, holds);
    }
    outcome.state(
        "002:joins-eagerly",
        "the request for the whole heap is served at once in Knuth's system",
        knuth.whole_again,
    );
    outcome.state(
        "002:is-estranged",
        "the request for the whole heap is not served at once in the estranged system: nothing was joined",
        !estranged.whole_again,
    );
    let words = |row: &Row| {
        format!(
            "{} splits and {} accesses in {AGAIN} turns",
            thousands(row.splits_of_oscillation),
            thousands(row.accesses_of_oscillation)
        )
    };
    outcome.state("002:oscillates", words(knuth), knuth.splits_of_oscillation == AGAIN);
    outcome.state(
        "002:delay-ends-oscillation",
        format!("{}; Knuth's: {}", words(estranged), words(knuth)),
        estranged.splits_of_oscillation == 1 && estranged.accesses_of_oscillation < knuth.accesses_of_oscillation / 4,
    );
    outcome.state("002:five-steps", format!("steps {}", estranged.steps), estranged.steps == "1, 2, 1, 3, 5");
    outcome.found = format!(
        "Blocks are rounded, bisected and joined as described. A block that is requested and freed {AGAIN} times takes Knuth's \
         system {} splits and {} accesses, the estranged one {} and {}.",
        thousands(knuth.splits_of_oscillation),
        thousands(knuth.accesses_of_oscillation),
        estranged.splits_of_oscillation,
        thousands(estranged.accesses_of_oscillation)
    );
    let mut shown = Shown::new(
        "Each system",
        [
            "heap",
            "rounds up",
            "bisects",
            "one bit",
            "whole again at once",
            "splits in 1,000 turns",
            "accesses",
            "steps",
        ],
    );
    let told = |holds: bool| if holds { "yes" } else { "no" };
    for row in rows {
        shown.row([
            row.heap.into(),
            told(row.rounds_up).into(),
            told(row.bisects).into(),
            told(row.differs_in_one_bit).into(),
            told(row.whole_again).into(),
            row.splits_of_oscillation.into(),
            row.accesses_of_oscillation.into(),
            row.steps.into(),
        ]);
    }
    outcome.tables.push(shown);
    let bars = Bars {
        title: "A block of 16 bytes, requested and freed 1,000 times".into(),
        y: "accesses".into(),
        names: rows.iter().map(|row| row.heap.to_owned()).collect(),
        series: vec![Measured::new("accesses", rows.iter().map(|row| row.accesses_of_oscillation as f64))],
        ..Bars::default()
    };
    outcome.draw("", "Accesses of a block that is requested and freed over and over", bars.svg());
    Ok(outcome)
}
