//! Sections 2 to 4: rules, headers, lists, tags and coalescing, each put to a small program.

use heapsmith_replay::{Drive, Driven, PlacedBlock, Region, drive};
use heapsmith_report::chart::{Bars, Measured};
use heapsmith_spec::resolve;
use heapsmith_trace::{Bytes, Statistics, Trace};
use serde::Serialize;

use super::ALLOCATORS;
use super::runs::{Model, PAPER};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, MODEMS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, listed, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "004-mechanisms",
    paper: &MODEMS,
    place: "Sections 2 to 4",
    title: "rules of sessions, headers, lists, boundary tags, coalescing",
    claim: "A header of one word before each block links all blocks by their sizes; first fit takes the first block that is \
            large enough and best fit the one with the smallest remainder; a freed block is merged with free neighbours, found \
            by boundary tags or by a search (Peintner et al. in sections 2, 4.3 and 4.4, Figures 3 and 4).",
    differs: "Small programs of this project, which look at the offsets that the four allocators return.",
    samples: &[],
    run,
};

/// Bytes of a word.
const WORD: u64 = 4;
/// The sizes of the blocks of Figure 3, in words with their header.
const FIGURE_3: [u64; 8] = [4, 3, 3, 2, 5, 4, 2, 3];
/// The paper's physical size with best fit, in bytes.
const PHYSICAL: u64 = 30_464;
/// The paper's headers at the peak, in bytes.
const HEADERS: u64 = 532;
/// The bits that the paper gives the size of a block.
const SIZE_BITS: u32 = 17;

/// What a program found of an allocator.
#[derive(Debug, Serialize)]
struct Row {
    allocator: &'static str,
    header_bytes: u64,
    chain_of_figure_3: bool,
    takes: &'static str,
    splits: bool,
    refuses: bool,
    merges_of_figure_4: bool,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let mut rows = Vec::new();
    for (number, allocator) in ALLOCATORS.iter().enumerate() {
        setting.step(number, ALLOCATORS.len(), allocator.name)?;
        let try_out = |program: fn(&mut Driven<'_>) -> Option<Found>| -> Result<Found, ExperimentError> {
            let mut region = Region::new(Bytes(1 << 12))?;
            let found = drive(&resolve(allocator.spec)?, &mut region, 64, program)?;
            Ok(found.unwrap_or_default())
        };
        rows.push(Row {
            allocator: allocator.name,
            header_bytes: try_out(header)?.bytes,
            chain_of_figure_3: try_out(chain)?.holds,
            takes: try_out(choice)?.words,
            splits: try_out(split)?.holds,
            refuses: try_out(refusal)?.holds,
            merges_of_figure_4: try_out(merge)?.holds,
        });
    }
    let five = PAPER.trace(setting, setting.seed)?;
    let four = Model { instances: 4, ..PAPER }.trace(setting, setting.seed)?;
    outcome(&rows, &five, &four)
}

/// What one program found.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    bytes: u64,
    holds: bool,
    words: &'static str,
}

/// Bytes before a payload of whole words.
fn header(heap: &mut Driven<'_>) -> Option<Found> {
    let block = heap.allocate(100)?;
    Some(Found { bytes: block.block - 100, ..Found::default() })
}

fn placed(heap: &mut Driven<'_>, words: &[u64]) -> Option<Vec<PlacedBlock>> {
    words.iter().map(|words| heap.allocate((words - 1) * WORD)).collect()
}

/// Figure 3: each block begins where the one before it ends, also where some are free.
fn chain(heap: &mut Driven<'_>) -> Option<Found> {
    let blocks = placed(heap, &FIGURE_3)?;
    let linked = blocks.windows(2).all(|pair| pair[1].offset == pair[0].offset + pair[0].block);
    let sized = blocks.iter().zip(FIGURE_3).all(|(block, words)| block.block == words * WORD);
    for unused in [0, 2, 4, 6] {
        heap.free(blocks[unused].slot);
    }
    // The free block of 5 words is the only one that holds 4 words and their header.
    let again = heap.allocate(4 * WORD)?;
    Some(Found { holds: linked && sized && again.offset == blocks[4].offset, ..Found::default() })
}

/// Two holes, the first of which is the larger one.
fn holes(heap: &mut Driven<'_>) -> Option<(PlacedBlock, PlacedBlock)> {
    let blocks = placed(heap, &[12, 4, 8, 4])?;
    heap.free(blocks[0].slot);
    heap.free(blocks[2].slot);
    Some((blocks[0], blocks[2]))
}

/// Which hole serves a request that fits both.
fn choice(heap: &mut Driven<'_>) -> Option<Found> {
    let (large, small) = holes(heap)?;
    let block = heap.allocate(6 * WORD)?;
    let words = match block.offset {
        offset if offset == large.offset => "the first that is large enough",
        offset if offset == small.offset => "the smallest remainder",
        _ => "another block",
    };
    Some(Found { words, ..Found::default() })
}

/// The remainder of a block that was split serves the next request.
fn split(heap: &mut Driven<'_>) -> Option<Found> {
    let (large, small) = holes(heap)?;
    let first = heap.allocate(4 * WORD)?;
    let hole = if first.offset == large.offset { large } else { small };
    let next = heap.allocate((hole.block - first.block) - WORD)?;
    Some(Found { holds: next.offset == first.offset + first.block, ..Found::default() })
}

/// A request that no block holds is refused, and a smaller one is served after it.
fn refusal(heap: &mut Driven<'_>) -> Option<Found> {
    let refused = heap.allocate(1 << 20).is_none();
    Some(Found { holds: refused && heap.allocate(64).is_some(), ..Found::default() })
}

/// Figure 4: a block between two free ones becomes one block with them.
fn merge(heap: &mut Driven<'_>) -> Option<Found> {
    let blocks = placed(heap, &[5, 5, 6, 4])?;
    for block in [0, 2, 1] {
        heap.free(blocks[block].slot);
    }
    let whole = heap.allocate((5 + 5 + 6 - 1) * WORD)?;
    Some(Found { holds: whole.offset == blocks[0].offset, ..Found::default() })
}

fn outcome(rows: &[Row], five: &Trace, four: &Trace) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    sessions(&mut outcome, five, four)?;
    programs(&mut outcome, rows);
    numbers(&mut outcome);
    outcome.found = format!(
        "The four allocators keep {} bytes before a block, take {}, split, merge and refuse as described.",
        listed(&rows.iter().map(|row| row.header_bytes.to_string()).collect::<Vec<_>>()),
        listed(&rows.iter().map(|row| row.takes).collect::<Vec<_>>())
    );
    outcome.tables.push(shown(rows));
    let bars = Bars {
        title: "Bytes before a block".into(),
        y: "bytes".into(),
        names: rows.iter().map(|row| row.allocator.to_owned()).collect(),
        series: vec![Measured::new("header", rows.iter().map(|row| row.header_bytes as f64))],
        ..Bars::default()
    };
    outcome.draw("", "The header of each allocator", bars.svg());
    Ok(outcome)
}

/// What calls agree on, and how many instances the peak takes.
fn sessions(outcome: &mut Outcome, five: &Trace, four: &Trace) -> Result<(), ExperimentError> {
    let calls: Vec<Vec<&str>> = five
        .labels
        .iter()
        .filter_map(|label| label.strip_prefix("call with "))
        .map(|protocols| protocols.split(", ").collect())
        .collect();
    let has = |call: &[&str], protocol: &str| call.contains(&protocol);
    let digital = calls.iter().filter(|call| has(call, "HDLC") && has(call, "V.110")).count();
    let fast = ["V.32bis", "V.34", "V.90"];
    let slow = calls.iter().filter(|call| has(call, "MNP5") && !fast.iter().any(|fast| has(call, fast))).count();
    outcome.state(
        "004:session-rules",
        format!(
            "of {} kinds of calls {digital} have HDLC with V.110, {slow} MNP5 without a fast modulation",
            calls.len()
        ),
        !calls.is_empty() && digital + slow == 0,
    );
    let blocks = |trace: &Trace| Statistics::of(trace).map(|statistics| statistics.blocks_peak);
    let (five, four) = (blocks(five)?, blocks(four)?);
    outcome
        .state(
            "004:five-instances",
            format!("five instances have {five} blocks at the peak, four have {four}"),
            five == HEADERS / WORD && four < five,
        )
        .with("blocks", five as f64);
    Ok(())
}

fn programs(outcome: &mut Outcome, rows: &[Row]) {
    let all = |of: fn(&Row) -> bool| {
        format!("with {} of {} allocators", rows.iter().filter(|row| of(row)).count(), rows.len())
    };
    let holds = |of: fn(&Row) -> bool| rows.iter().all(of);
    outcome.state(
        "004:header-is-one-word",
        format!("{} bytes", listed(&rows.iter().map(|row| row.header_bytes.to_string()).collect::<Vec<_>>())),
        rows.iter().all(|row| row.header_bytes == WORD),
    );
    outcome.state("004:figure-3", all(|row| row.chain_of_figure_3), holds(|row| row.chain_of_figure_3));
    outcome.state("004:figure-4", all(|row| row.merges_of_figure_4), holds(|row| row.merges_of_figure_4));
    let takes = |first: usize, words: &str| rows[first..first + 2].iter().all(|row| row.takes == words);
    outcome.state("004:first-fit-takes-the-first", rows[0].takes, takes(0, "the first that is large enough"));
    outcome.state("004:best-fit-takes-the-smallest", rows[2].takes, takes(2, "the smallest remainder"));
    outcome.state("004:remainders-are-free", all(|row| row.splits), holds(|row| row.splits));
    outcome.state("004:refuses-what-nothing-holds", all(|row| row.refuses), holds(|row| row.refuses));
    let alike = rows.chunks(2).all(|pair| pair.iter().all(|row| row.header_bytes == pair[0].header_bytes));
    outcome.state(
        "004:tags-take-no-space",
        format!("{} and {} bytes before a block without and with tags", rows[0].header_bytes, rows[1].header_bytes),
        alike,
    );
}

/// What follows from the paper's own numbers.
fn numbers(outcome: &mut Outcome) {
    let largest = (128 << 10) - WORD;
    let bits = u64::BITS - largest.leading_zeros();
    outcome
        .state(
            "004:size-takes-17-bits",
            format!(
                "the largest block of 128 KB has {} bytes: {bits} bits, and {} left for flags",
                thousands(largest),
                32 - bits
            ),
            bits == SIZE_BITS,
        )
        .with("bits", f64::from(bits));
    outcome.state(
        "004:larger-headers-cost-more",
        format!(
            "two words for each of its blocks are {:.1}% of its memory instead of {:.1}%",
            share(2 * HEADERS),
            share(HEADERS)
        ),
        share(2 * HEADERS) > 1.5 * share(HEADERS),
    );
    let bitmap = |words: u64| PHYSICAL.div_ceil(words * WORD).div_ceil(8);
    let [each, pairs] = [1, 2].map(bitmap);
    outcome.state(
        "004:headers-cost-more-than-bitmaps",
        format!(
            "its headers take {HEADERS} bytes; a map with a bit for each word takes {each}, for each two words {pairs}"
        ),
        Answer::of_readings([HEADERS > each, HEADERS > pairs]),
    );
}

/// A part of the paper's memory, in percent.
fn share(bytes: u64) -> f64 {
    100.0 * bytes as f64 / PHYSICAL as f64
}

fn shown(rows: &[Row]) -> Shown {
    let columns = ["allocator", "header, bytes", "Figure 3", "takes", "splits", "refuses", "Figure 4"];
    let mut shown = Shown::new("What small programs find", columns);
    let word = |holds: bool| if holds { "yes" } else { "no" };
    for row in rows {
        shown.row([
            row.allocator.into(),
            row.header_bytes.into(),
            word(row.chain_of_figure_3).into(),
            row.takes.into(),
            word(row.splits).into(),
            word(row.refuses).into(),
            word(row.merges_of_figure_4).into(),
        ]);
    }
    shown
}
