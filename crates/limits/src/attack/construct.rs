//! The constructions of the literature, with this heap's sizes.
//!
//! | plan | from | against |
//! |---|---|---|
//! | offsets, doubling | Robson 1971, 1974 | every heap that moves nothing |
//! | gaps, doubling or in finer steps | Robson 1977, first fit | lists in address order |
//! | cells, doubling | Knuth 1997, §2.5, exercise 41 | buddy systems, pages |
//! | one size after another | Wilson et al. 1995, §3.6 | classes, pages, heaps that join nothing |
//! | carve | Robson 1977; Knuth 1997, §2.5, exercise 42 | best fit, worst fit, good fit, lists by time |
//! | shrink in place | – | every heap that splits where a block shrinks |
//! | the same sizes over and over | – | heaps that give nothing back, or join nothing |
//! | every other, then the largest | Donahue et al. 2001, §3.1 | searches: they visit every hole in vain |

use super::chain::Chain;
use super::comb::{Comb, Tooth};
use super::model::BlockModel;
use super::plan::{Carve, Plan, Round, Shrink};
use super::sieve::Keep;

/// Rounds that one plan has at most.
const MAX_ROUNDS: usize = 512;
/// Rounds of the same again: for heaps that need more the longer it runs.
const MAX_TURNS: usize = 2048;

/// Every construction, with its name.
pub fn constructions(blocks: &BlockModel<'_, '_>) -> Vec<(&'static str, Plan)> {
    let mut all = vec![
        ("Robson's offsets, sizes doubling", robson(blocks)),
        ("fewest bytes without holes, sizes doubling", gaps(blocks)),
        ("fewest bytes without holes, sizes half as large again", growing(blocks, Keep::Gaps, 1.5)),
        ("fewest bytes without holes, sizes a fifth larger", growing(blocks, Keep::Gaps, 1.2)),
        ("fewest bytes without holes, sizes a tenth larger", growing(blocks, Keep::Gaps, 1.1)),
        ("fewest bytes without holes, sizes a twentieth larger", growing(blocks, Keep::Gaps, 1.05)),
        ("one block a cell, sizes doubling", growing(blocks, Keep::Cells, 2.0)),
        ("Robson's offsets, in requests that just need the block", just_needed(blocks, robson(blocks))),
        ("one block a cell, in requests that just need it", just_needed(blocks, growing(blocks, Keep::Cells, 2.0))),
        ("one size after another, from the smallest", one_by_one(blocks)),
        ("every other block, then the largest", every_other(blocks)),
        ("the largest, over and over", over_and_over(blocks, &[blocks.largest_block()])),
        ("the largest and the smallest in turns", over_and_over(blocks, &[blocks.largest_block(), blocks.min_block()])),
        ("one object a page, one size after another", one_a_page(blocks)),
    ];
    all.extend(carvings(blocks).into_iter().map(|carve| ("a hole behind each smallest block", Plan::Carve(carve))));
    all.extend(combs(blocks).into_iter().map(|comb| ("holes between smallest blocks, many at once", Plan::Comb(comb))));
    all.extend(
        chains(blocks)
            .into_iter()
            .map(|chain| ("holes in a row, as large as what passes them over", Plan::Chain(chain))),
    );
    if blocks.program().reallocates {
        let size = blocks.last_request(blocks.largest_block());
        let small = blocks.program().min_size;
        all.push(("shrinking in place, batch after batch", Plan::Shrink(Shrink { size, small })));
    }
    all.retain(|(_, plan)| *plan != Plan::Rounds(Vec::new()));
    if blocks.program().alignment > 1 {
        let aligned: Vec<_> = all.iter().map(|(by, plan)| (*by, Plan::Aligned(Box::new(plan.clone())))).collect();
        all.extend(aligned);
    }
    all
}

/// A round that asks for blocks of up to `block` bytes.
fn round(blocks: &BlockModel<'_, '_>, keep: Keep, block: u64) -> Round {
    Round { keep, upwards: frees_upwards(blocks), size: blocks.last_request(block), block, percent: 100 }
}

/// Whether blocks are freed from the first to the last: a stack wants the last first.
fn frees_upwards(blocks: &BlockModel<'_, '_>) -> bool {
    !blocks.frees_in_order()
}

/// Robson's adversary of first fit (1977): sizes double.
pub fn gaps(blocks: &BlockModel<'_, '_>) -> Plan {
    growing(blocks, Keep::Gaps, 2.0)
}

/// Robson's adversary (1971, 1974): sizes double, and of two places modulo the next size those blocks stay that cover
/// the one where they block the most.
pub fn robson(blocks: &BlockModel<'_, '_>) -> Plan {
    growing(blocks, Keep::Offsets, 2.0)
}

/// Rounds with block sizes that grow by `factor`.
fn growing(blocks: &BlockModel<'_, '_>, keep: Keep, factor: f64) -> Plan {
    let (min_size, max_size) = (blocks.min_block(), blocks.largest_block());
    let mut rounds = vec![round(blocks, Keep::All, min_size)];
    let mut block = min_size as f64 * factor;
    while block <= max_size as f64 && rounds.len() < MAX_ROUNDS {
        let whole = (block as u64).next_multiple_of(blocks.granule()).min(max_size);
        rounds.push(round(blocks, keep, whole));
        block *= factor;
    }
    if rounds.last().is_some_and(|last| last.block < max_size) {
        rounds.push(round(blocks, keep, max_size));
    }
    Plan::Rounds(rounds)
}

/// The same blocks for fewer bytes: the smallest requests that need them.
fn just_needed(blocks: &BlockModel<'_, '_>, plan: Plan) -> Plan {
    let Plan::Rounds(rounds) = plan else { return plan };
    let min_size = |round: Round| Round { size: blocks.first_request(round.block), ..round };
    Plan::Rounds(rounds.into_iter().map(min_size).collect())
}

/// All block sizes, each with all that may be live, in its smallest requests.
fn one_by_one(blocks: &BlockModel<'_, '_>) -> Plan {
    let mut sizes: Vec<(u64, u64)> = Vec::new();
    let mut first = blocks.program().min_size;
    while let Some(block) = blocks.need(first) {
        sizes.push((first, block));
        if block == blocks.largest_block() || sizes.len() == 64 * MAX_ROUNDS {
            break;
        }
        first = blocks.first_request(block + 1);
    }
    let step = sizes.len().div_ceil(MAX_ROUNDS);
    let rounds = sizes.iter().step_by(step).map(|&(size, block)| Round {
        keep: Keep::Nothing,
        upwards: frees_upwards(blocks),
        size,
        block,
        percent: 100,
    });
    Plan::Rounds(rounds.collect())
}

/// These blocks in turns, each with all that may be live, and all freed.
fn over_and_over(blocks: &BlockModel<'_, '_>, sizes: &[u64]) -> Plan {
    let rounds = sizes.iter().cycle().take(MAX_TURNS).map(|&block| round(blocks, Keep::Nothing, block));
    Plan::Rounds(rounds.collect())
}

/// Sizes of objects one after another, of each page the cheapest object kept; none for other heaps.
fn one_a_page(blocks: &BlockModel<'_, '_>) -> Plan {
    let Some(page) = blocks.page() else { return Plan::Rounds(Vec::new()) };
    let mut rounds = Vec::new();
    let mut object = blocks.min_block();
    while object <= blocks.largest_block() {
        let size = blocks.first_request(object);
        let block = page.max(object);
        rounds.push(Round { keep: Keep::Cells, upwards: true, size, block, percent: 100 });
        object *= 2;
    }
    Plan::Rounds(rounds)
}

/// Smallest blocks, every other freed, then the largest.
fn every_other(blocks: &BlockModel<'_, '_>) -> Plan {
    let fill = round(blocks, Keep::All, blocks.min_block());
    let max_size = Round { percent: 100, ..round(blocks, Keep::Every(2), blocks.largest_block()) };
    Plan::Rounds(vec![Round { percent: 90, ..fill }, max_size])
}

/// Holes of the largest size, of powers of two and of a little more, with and without a filler, once and twice.
fn carvings(blocks: &BlockModel<'_, '_>) -> Vec<Carve> {
    let (max_size, small, word) = (blocks.largest_block(), blocks.min_block(), blocks.word());
    // A power of two of words, and the least above it: where good fit rounds up the least and the most.
    let power = (1 << (max_size / word).max(1).ilog2()) * word;
    let above =
        if power + blocks.granule() <= max_size { power + blocks.granule() } else { power / 2 + blocks.granule() };
    let mut totals = vec![max_size, power, above];
    // The lower ends of the lists of TLSF.
    let part = (power / 32).max(blocks.granule());
    totals.push(max_size / part * part);
    totals.dedup();
    let mut carvings = Vec::new();
    for block in totals.into_iter().filter(|&block| block >= 2 * small) {
        let size = blocks.last_request(block);
        let filler = Some(blocks.last_request(block - small));
        let (once, twice) = (vec![size], vec![size, size]);
        for (hole, filler) in [(once.clone(), None), (once, filler), (twice.clone(), None), (twice, filler)] {
            let carve = Carve { hole, filler, small: blocks.program().min_size };
            if !carvings.contains(&carve) {
                carvings.push(carve);
            }
        }
    }
    carvings
}

/// Holes of one size for policies that take what was freed last, or the largest; holes that grow for best fit.
fn combs(blocks: &BlockModel<'_, '_>) -> Vec<Comb> {
    let (max_size, min_size, granule) = (blocks.largest_block(), blocks.min_block(), blocks.granule());
    let small = blocks.program().min_size;
    let tooth = |block: u64| Tooth { hole: vec![blocks.last_request(block)], filler: None };
    let mut combs = vec![Comb { teeth: vec![tooth(max_size); 200], small }];
    // Good fit passes over a hole of twice a power of two and a little for a request of half of it.
    let word = blocks.word();
    let power = (1_u64 << (max_size.saturating_sub(granule) / word).max(1).ilog2()) * word + granule;
    if power <= max_size {
        let twice = Tooth { hole: vec![blocks.last_request(power); 2], filler: None };
        combs.push(Comb { teeth: vec![twice; 200], small });
    }
    for from in [max_size / 4, max_size / 2, max_size * 3 / 4, max_size * 7 / 8] {
        let from = from.next_multiple_of(granule).max(2 * min_size);
        let fillers = (from..=max_size.saturating_sub(min_size)).step_by(granule as usize).take(2_000);
        let teeth: Vec<Tooth> = fillers
            .map(|filler| Tooth {
                hole: vec![blocks.last_request(filler + min_size)],
                filler: Some(blocks.last_request(filler)),
            })
            .collect();
        if !teeth.is_empty() {
            combs.push(Comb { teeth, small });
        }
    }
    combs
}

/// Holes that the lists of good fit pass over: as large as the block that is looked for above them, up to the next power of two.
fn chains(blocks: &BlockModel<'_, '_>) -> Vec<Chain> {
    let (max_size, min_size, granule, word) =
        (blocks.largest_block(), blocks.min_block(), blocks.granule(), blocks.word());
    let small = blocks.program().min_size;
    let mut chains = Vec::new();
    // The largest block; the largest below its power of two, and the least above the one before.
    let power = (1_u64 << (max_size / word).max(1).ilog2()) * word;
    for block in [max_size, power - granule, power, power + granule, power / 2 + granule] {
        if block < 2 * min_size || block > max_size {
            continue;
        }
        let size = blocks.last_request(block);
        let above = (block / word).next_power_of_two() * word;
        let remainder = (above - granule).saturating_sub(block);
        for second in
            [None, (remainder >= min_size).then_some(remainder), (remainder >= 2 * min_size).then_some(remainder / 2)]
        {
            let fillers = [Some(block), second].into_iter().flatten().map(|block| blocks.last_request(block)).collect();
            let chain = Chain { size, fillers, small };
            if !chains.contains(&chain) {
                chains.push(chain);
            }
        }
    }
    chains
}
