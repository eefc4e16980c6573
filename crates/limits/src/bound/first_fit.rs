//! First fit by address: the lowest block that serves.
//!
//! ```text
//!   0            A₁              A₂                    A₃
//!   ├── any ─────┼── from t₁ on ─┼──── from t₂ on ─────┤      sizes of the blocks that reach beyond A
//! ```
//!
//! Robson's theorem: blocks of up to n units with M units live at most fit into M·Hₙ/ln 2 of them (Robson 1977; Knuth
//! 1997, §2.5, exercise 43). Here its argument is carried out with the blocks of this heap, which have a smallest size.
//!
//! Let `t₀ < t₁ < …` divide the block sizes, and let `Aᵢ` be the highest address that a block smaller than `tᵢ₊₁` ever
//! reached. A block that ends between `Aⱼ₋₁` and `Aⱼ` has `tⱼ` units at least. When a block smaller than `tᵢ₊₁` comes to
//! end at `Aᵢ`, every hole below it has `tᵢ₊₁ − 2` units at most, since first fit passed over it, and is before a
//! used block. So of the units between `Aⱼ₋₁` and `Aⱼ` at least the share `tⱼ / (tⱼ + tᵢ₊₁ − 2)` is used, and for each i
//!
//! ```text
//!   Σ_{j ≤ i} (Aⱼ − Aⱼ₋₁) · tⱼ / (tⱼ + tᵢ₊₁ − 2)  ≤  M
//! ```
//!
//! The largest Σ (Aⱼ − Aⱼ₋₁) under these is bounded by M·Σ yᵢ for any y ≥ 0 with
//! `Σ_{i ≥ j} yᵢ·tⱼ/(tⱼ + tᵢ₊₁ − 2) ≥ 1` for each j (weak duality). Solved from the last j to the first, it comes out
//! near M·(log2(n/l) + 1.4) for l much larger than 1, and M·(log2 n + 0.43) for l = 1.
//!
//! A remainder too small to split off makes a block larger than its request, and nothing else: no lower hole would have
//! served that larger block either, so the heap does what first fit does when it is asked for the larger block.

use super::demand::{Demand, saturated};
use super::{Found, Term, shown};

/// Sizes are divided at steps of such a part of them.
const PART: u64 = 64;

fn bound(demand: &Demand) -> Found {
    let (min_size, max_size) = (demand.min_block() / demand.granule, demand.largest_block() + demand.slack);
    let max_size = max_size / demand.granule;
    let retained = demand.retained();
    let bytes = saturated(u128::from(demand.blocks_of(demand.program.live)) + u128::from(retained.bytes));
    let factor = factor(min_size, max_size);
    // Rounding in 64-bit floats is far below a part in 10^9.
    let blocks = (bytes as f64 * factor * (1.0 + 1e-9)).ceil();
    let footprint = if blocks < 1e18 { demand.control + blocks as u64 } else { u64::MAX };
    Found {
        footprint,
        formula: "C + M·Y(l, n), Y = Σ y of the least y with Σ_{i≥j} y_i·t_j/(t_j + t_{i+1} − 2) ≥ 1, t from l to n",
        terms: vec![
            demand.control_term(),
            Term::new("M", "most bytes in used blocks", shown(bytes)),
            Term::new("l", "granules of the smallest block", shown(min_size)),
            Term::new("n", "granules of the largest block", shown(max_size)),
            Term::new("Y", "by the formula", format!("{factor:.3}")),
            Term::new("Hn/ln2", "Robson's factor for blocks from 1 granule on", format!("{:.3}", published(max_size))),
        ],
        numbers: format!("{} + {} · {factor:.3}", shown(demand.control), shown(bytes)),
        source: "Robson 1977, by the argument of Knuth 1997, §2.5, exercise 43 (M·Hn/ln 2), with this heap's smallest block",
    }
}

/// This bound of the lowest block that serves, where it holds and is lower than `other`.
pub(super) fn or(demand: &Demand, other: Found) -> Found {
    // Where a block shrinks or is aligned, a small one comes to lie above holes that would have served it.
    if demand.program.reallocates || demand.aligning > 0 {
        return other;
    }
    let ordered = bound(demand);
    if ordered.footprint <= other.footprint { ordered } else { other }
}

/// Robson's factor: Hₙ / ln 2.
fn published(max: u64) -> f64 {
    let exact = max.min(1000);
    let sum: f64 = (1..=exact).map(|term| 1.0 / term as f64).sum();
    // Above: the integral from below, which is above the sum.
    (sum + (max as f64 / exact as f64).ln()) / std::f64::consts::LN_2
}

/// Y(l, n): M times it bounds the memory for blocks of `min_size` to `max_size` units.
pub(super) fn factor(min_size: u64, max_size: u64) -> f64 {
    let sizes = divisions(min_size, max_size);
    let mut y = vec![0.0_f64; sizes.len() - 1];
    let share = |i: usize, j: usize| {
        let (small, hole) = (sizes[j] as f64, (sizes[i + 1] - 2) as f64);
        small / (small + hole)
    };
    for j in (0..y.len()).rev() {
        let covered: f64 = (j + 1..y.len()).map(|i| y[i] * share(i, j)).sum();
        y[j] = ((1.0 - covered) / share(j, j)).max(0.0);
    }
    y.iter().sum()
}

/// t₀ = `min_size` to the first size above `max_size`; every size is at least 2, so that no hole is negative.
fn divisions(min_size: u64, max_size: u64) -> Vec<u64> {
    let mut sizes = vec![min_size.max(1)];
    let mut size = min_size.max(1);
    while size <= max_size {
        size = (size + (size / PART).max(1)).min(max_size + 1);
        sizes.push(size);
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_one_size_leave_no_hole() {
        assert_eq!(factor(1, 1), 1.0);
    }

    #[test]
    fn the_factor_stays_below_robsons_and_above_what_is_forced_on_every_allocator() {
        for log in 1..=12_u32 {
            let max = 1_u64 << log;
            let forced = f64::from(log) / 2.0 + 1.0;
            let factor = factor(1, max);
            assert!(factor <= published(max), "{factor} > {} for {max}", published(max));
            // M/2·log2 n + M − n + 1 tends to M(log2 n/2 + 1) for large M.
            assert!(factor >= forced, "{factor} < {forced} for {max}");
        }
    }

    #[test]
    fn dividing_sizes_finely_or_coarsely_changes_the_factor_little() {
        // By steps of one unit: computed apart, to four digits.
        for (min_size, max, exact) in [(1, 256, 8.4290), (4, 256, 7.3794), (4, 1024, 9.3773)] {
            let coarse = factor(min_size, max);
            assert!(coarse >= exact - 1e-4 && coarse < exact * 1.005, "{coarse} against {exact}");
        }
    }
}
