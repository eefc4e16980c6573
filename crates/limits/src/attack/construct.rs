//! The constructions of the literature, with this heap's sizes.
//!
//! | plan | from | against |
//! |---|---|---|
//! | offsets, doubling | Robson 1971, 1974 | every heap that moves nothing |
//! | gaps, doubling or in finer steps | Robson 1977, first fit | lists in address order |
//! | cells, doubling | Knuth 1997, §2.5, exercise 41 | buddy systems, pages |
//! | one size after another | Wilson et al. 1995, §3.6 | classes, pages, heaps that join nothing |
//! | carve | Robson 1977; Knuth 1997, §2.5, exercise 42 | best fit, worst fit, good fit, lists by time |
//! | every other, then the largest | Donahue et al. 2001, §3.1 | searches: every hole is looked at in vain |

use super::plan::{Carve, Plan, Round};
use super::sieve::Keep;
use crate::bound::Demand;

/// Rounds that one plan has at most.
const MOST_ROUNDS: usize = 512;

/// Every construction, with its name.
pub fn constructions(demand: &Demand) -> Vec<(&'static str, Plan)> {
    let mut all = vec![
        ("Robson's offsets, sizes doubling", growing(demand, Keep::Offsets, 2.0)),
        ("fewest bytes without holes, sizes doubling", growing(demand, Keep::Gaps, 2.0)),
        ("fewest bytes without holes, sizes half as large again", growing(demand, Keep::Gaps, 1.5)),
        ("fewest bytes without holes, sizes a fifth larger", growing(demand, Keep::Gaps, 1.2)),
        ("one block a cell, sizes doubling", growing(demand, Keep::Cells, 2.0)),
        ("one size after another, from the smallest", one_by_one(demand)),
        ("every other block, then the largest", every_other(demand)),
    ];
    all.extend(carvings(demand).into_iter().map(|carve| ("a hole behind each smallest block", Plan::Carve(carve))));
    all.retain(|(_, plan)| *plan != Plan::Rounds(Vec::new()));
    all
}

/// A round that asks for blocks of up to `block` bytes.
fn round(demand: &Demand, keep: Keep, block: u64) -> Round {
    Round { keep, upwards: true, size: demand.last_request(block), block, percent: 100 }
}

/// Rounds with block sizes that grow by `factor`.
fn growing(demand: &Demand, keep: Keep, factor: f64) -> Plan {
    let (least, largest) = (demand.least_block(), demand.largest_block());
    let mut rounds = vec![round(demand, Keep::All, least)];
    let mut block = least as f64 * factor;
    while block <= largest as f64 && rounds.len() < MOST_ROUNDS {
        let whole = (block as u64).next_multiple_of(demand.granule).min(largest);
        rounds.push(round(demand, keep, whole));
        block *= factor;
    }
    if rounds.last().is_some_and(|last| last.block < largest) {
        rounds.push(round(demand, keep, largest));
    }
    Plan::Rounds(rounds)
}

/// All block sizes, each with all that may be live, in its smallest requests.
fn one_by_one(demand: &Demand) -> Plan {
    let mut sizes: Vec<(u64, u64)> = Vec::new();
    let mut first = demand.program.least;
    while let Some(block) = demand.need(first) {
        sizes.push((first, block));
        if block == demand.largest_block() || sizes.len() == 64 * MOST_ROUNDS {
            break;
        }
        first = demand.first_request(block + 1);
    }
    let step = sizes.len().div_ceil(MOST_ROUNDS);
    let rounds = sizes.iter().step_by(step).map(|&(size, block)| Round {
        keep: Keep::Nothing,
        upwards: true,
        size,
        block,
        percent: 100,
    });
    Plan::Rounds(rounds.collect())
}

/// Smallest blocks, every other freed, then the largest.
fn every_other(demand: &Demand) -> Plan {
    let fill = round(demand, Keep::All, demand.least_block());
    let largest = Round { percent: 100, ..round(demand, Keep::Every(2), demand.largest_block()) };
    Plan::Rounds(vec![Round { percent: 90, ..fill }, largest])
}

/// Holes of the largest size, of powers of two and of a little more, with and without a filler, once and twice.
fn carvings(demand: &Demand) -> Vec<Carve> {
    let (largest, small, word) = (demand.largest_block(), demand.least_block(), demand.word);
    // A power of two of words, and the least above it: where good fit rounds up the least and the most.
    let power = (1 << (largest / word).max(1).ilog2()) * word;
    let above = if power + demand.granule <= largest { power + demand.granule } else { power / 2 + demand.granule };
    let mut blocks = vec![largest, power, above];
    // The lower ends of the lists of TLSF.
    let part = (power / 32).max(demand.granule);
    blocks.push(largest / part * part);
    blocks.dedup();
    let mut carvings = Vec::new();
    for block in blocks.into_iter().filter(|&block| block >= 2 * small) {
        let size = demand.last_request(block);
        let filler = Some(demand.last_request(block - small));
        let (once, twice) = (vec![size], vec![size, size]);
        for (hole, filler) in [(once.clone(), None), (once, filler), (twice.clone(), None), (twice, filler)] {
            let carve = Carve { hole, filler, small: demand.program.least };
            if !carvings.contains(&carve) {
                carvings.push(carve);
            }
        }
    }
    carvings
}
