//! Spans before a pool that joins what is free: as many spans as the classes fill, and the pool's argument over them.
//!
//! - **Lemma 1.** A span of a class is opened only when every block in the spans of the class is with the program. So of a class
//!   whose smallest request is r there are never more than ⌈⌊L/r⌋ / b⌉ spans, b blocks in each: in use, or empty and kept.
//! - **Lemma 2.** A span that is not empty holds a live block. So there are as many spans in use as live blocks that hold
//!   them one each, the cheapest first, up to the number of Lemma 1 for each class. Those that are kept empty come on top.
//! - **Lemma 3.** The heap below is asked for spans, for their records where these are outside, for a table with a word for
//!   each unit of the region, and for requests beyond the classes, which may shrink to the smallest request in place. A span is aligned to a unit: it is found in every
//!   hole of a span, a unit and a smallest block.
//! - **Lemma 4.** So the argument of [`holes`](super::holes) holds of the heap below with these as its used blocks, and that of a
//!   buddy system, of which every cell of the largest block without a used block is one free block.
//! - **Lemma 5.** The table is twice as large as needed at most, and the one that it replaces is half of it at most: three
//!   words for each unit of the footprint, and a few.
//!
//! Sources: Bonwick 1994 for the layout; the bound is counted here.

use heapsmith_spec::build::{format, spans_in_words};
use heapsmith_spec::{
    Buddy, BuddySystem, Check, Coalescing, EmptySpans, Grow, Layer, Metadata, Pool, Spans, Splitting, Start,
};

use super::demand::{Demand, saturated};
use super::{Bounded, Found, Term, Unbounded, good_fit, shown};

/// Spans of the layer that are there at once, at most.
fn max_spans(demand: &Demand, spans: &Spans) -> u64 {
    let classes = spans_in_words(demand.spec, spans);
    let live = demand.program.live;
    let (mut left, mut blocks) = (live, demand.program.max_blocks);
    let (mut each, mut held, mut count, mut first) = (0_u64, 0_u64, 0_u64, demand.program.min_size);
    for (_, words) in classes {
        let bytes = words as u64 * demand.word;
        if bytes < first {
            continue;
        }
        if first > demand.program.max_size {
            break;
        }
        let filled = demand.count_from(live, first).div_ceil(blocks_in(demand, spans, bytes));
        let taken = filled.min(left.div_ceil(first)).min(blocks);
        (left, blocks) = (left.saturating_sub(taken * first), blocks - taken);
        (each, held, count, first) = (each + filled, held + taken, count + 1, bytes + 1);
    }
    let kept = match spans.empty {
        EmptySpans::Return => 0,
        EmptySpans::Keep(kept) => u64::from(kept),
    };
    each.min(held + kept.saturating_mul(count))
}

/// Blocks of a class in a span, at least.
fn blocks_in(demand: &Demand, spans: &Spans, bytes: u64) -> u64 {
    let words = spans.span / demand.word;
    let smallest = spans_in_words(demand.spec, spans).first().map_or(1, |&(_, words)| words as u64);
    let record = match spans.metadata {
        Metadata::Outside => 0,
        Metadata::Inside => record_words(demand, words, smallest) + u64::from(demand.spec.alignment) / demand.word,
    };
    (words.saturating_sub(1 + record) * demand.word / bytes).max(1)
}

/// Words of a record with its bitmap, at most.
fn record_words(demand: &Demand, words: u64, smallest: u64) -> u64 {
    8 + (words / smallest.max(1)).div_ceil(demand.word * 8)
}

/// The bound of spans before a pool.
pub(super) fn bound(demand: &Demand, spans: &Spans) -> Result<Found, Unbounded> {
    if demand.spec.check != Check::Off
        || demand.spec.layers.iter().any(|layer| !matches!(layer, Layer::Spans(_) | Layer::Zero))
    {
        return Err(Unbounded(
            "no bound is derived for spans before or behind another layer, or with checks: leave them out",
        ));
    }
    if demand.aligning > 0 {
        return Err(Unbounded(
            "no bound is derived for spans and requests aligned beyond the heap: use a coarser align",
        ));
    }
    let format = format(demand.spec);
    let unit = spans.span.min(4096);
    let count = max_spans(demand, spans);
    let outside = if spans.metadata == Metadata::Outside { 1 } else { 0 };
    let smallest = spans_in_words(demand.spec, spans).first().map_or(1, |&(_, words)| words as u64);
    let record =
        outside * (record_words(demand, spans.span / demand.word, smallest) + format.min as u64 * 2) * demand.word;
    let classes = spans_in_words(demand.spec, spans).last().map_or(0, |&(_, words)| words as u64 * demand.word);
    let (large, larger) = if demand.program.max_size > classes {
        // A block that was larger than the classes and shrinks stays where it is.
        let from = if demand.program.reallocates { 0 } else { classes + 1 };
        let live = demand.program.live;
        (demand.count_from(live, demand.program.min_size.max(from)), demand.blocks_of(live))
    } else {
        (0, 0)
    };
    let used = count * (1 + outside) + large + 3;
    let largest = demand.largest_block().max(spans.span) + unit + 2 * format.min as u64 * demand.word;
    let hole = hole(demand, largest)?;
    let bytes = u128::from(count) * u128::from(spans.span + record) + u128::from(larger);
    let all = u128::from(demand.control + 2 * largest + 4096) + bytes + u128::from(used) * u128::from(hole);
    // Lemma 5: the table takes a share of all.
    let share = (3 * demand.word) as f64 / unit as f64;
    let footprint = saturated((all as f64 * (1.0 + 1e-9) / (1.0 - share)).ceil() as u128);
    Ok(Found {
        footprint,
        formula: "(C + 2n + 4096 + M + B·h) / (1 − 3w/u)",
        terms: vec![
            Term::new("C", "bytes before the first block", shown(demand.control)),
            Term::new("n", "bytes in which a span or the largest request is found, wherever it lies", shown(largest)),
            Term::new("spans", "most spans at once", shown(count)),
            Term::new(
                "M",
                "bytes of the spans, of their records outside, and of blocks beyond the classes",
                shown(saturated(bytes)),
            ),
            Term::new("B", "most used blocks of the heap below", shown(used)),
            Term::new("h", "largest hole that is too small for such a block", shown(hole)),
            Term::new(
                "w/u",
                "bytes of the table for a byte of the region",
                format!("{:.5}", demand.word as f64 / unit as f64),
            ),
        ],
        numbers: format!(
            "({} + {} + {} · {}) / {:.4}",
            shown(demand.control + 2 * largest + 4096),
            shown(saturated(bytes)),
            shown(used),
            shown(hole),
            1.0 - share
        ),
        source: "a class has the spans that its live blocks fill at most, and each in use holds a live block: counted here",
    })
}

/// The largest hole of the heap below that does not serve a block of `largest` bytes.
fn hole(demand: &Demand, largest: u64) -> Result<u64, Unbounded> {
    if let Some(factors) = demand.spec.pool.factors()
        && factors.split == Splitting::Always
        && factors.remainder == 0
        && !matches!(factors.coalesce, Coalescing::From(_))
        && demand.joins_neighbours(factors.coalesce)
    {
        return Ok(match &demand.spec.pool {
            // A span is looked for with its alignment; what is larger than the lists is cut from new memory.
            Pool::Tlsf(tlsf) if tlsf.rounded(demand, (largest / demand.word) as usize).is_none() => {
                return Err(Unbounded(
                    "a span with its alignment is larger than the lists of the pool, so each takes new memory: use a larger largest",
                ));
            }
            Pool::Tlsf(tlsf) => good_fit::passed_over(demand, tlsf.second_level.into(), largest),
            Pool::HalfFit(_) => good_fit::passed_over(demand, 0, largest),
            _ => largest,
        });
    }
    match &demand.spec.pool {
        Pool::Buddy(Buddy { system: BuddySystem::Knuth, start: Start::Wilderness, .. })
        | Pool::Buddy(Buddy {
            system: BuddySystem::Estranged,
            start: Start::Wilderness,
            grow: Grow::AfterGluing,
            ..
        }) => {
            // A cell, of which all but a smallest block may be free.
            Ok((2 * largest).next_power_of_two())
        }
        _ => Err(Unbounded(
            "no bound is derived for spans before this pool: use one that splits off every remainder and joins all free neighbours",
        )),
    }
}
