//! The paper's finding, put to the test.
//!
//! Mamagkakis et al. 2006, §5: over three network applications the best
//! allocators share two or three free lists, first fit, full splitting and full
//! coalescing. Splitting is named the largest influence on fragmentation.

use crate::effects::Effect;
use crate::exploration::Exploration;
use crate::front::distance;
use crate::objective::Objective;

/// How far from the front still counts as near, in both footprint and accesses.
pub const NEAR: f64 = 0.05;

/// One of the designs that the paper recommends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recommended {
    /// Its index in the exploration.
    pub index: usize,
    /// Free lists.
    pub lists: u8,
    /// Whether no design beats it in fragmentation, accesses, p99 and worst accesses.
    pub on_front: bool,
    /// The factor, less one, to the front over footprint and accesses.
    pub distance: f64,
}

impl Recommended {
    /// Whether it lies on the front, or near it.
    pub fn holds(&self) -> bool {
        self.on_front || self.distance <= NEAR
    }
}

/// The outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The recommended designs.
    pub recommended: Vec<Recommended>,
    /// The share of the fragmentation's variance that each factor explains, most first.
    pub fragmentation: Vec<(String, f64)>,
    /// The same for accesses.
    pub accesses: Vec<(String, f64)>,
}

/// Tests the finding on a finished exploration; `effects` are those of the classic space. Without that space there is
/// nothing to test, and no design is recommended.
pub fn finding(exploration: &Exploration, effects: &[Effect]) -> Finding {
    let families = &exploration.families;
    let designs = exploration.rows.iter().map(|row| &row.design).enumerate();
    let recommended =
        designs.filter(|(_, design)| families.is_recommended(design)).map(|(index, design)| Recommended {
            index,
            lists: families.level(design, "freelists").and_then(|lists| lists.parse().ok()).unwrap_or(0),
            on_front: exploration.front.binary_search(&index).is_ok(),
            distance: distance(
                &exploration.points[index],
                &exploration.points,
                &[Objective::Fragmentation, Objective::Accesses],
            ),
        });
    Finding {
        recommended: recommended.collect(),
        fragmentation: shares(exploration, effects, Objective::Fragmentation),
        accesses: shares(exploration, effects, Objective::Accesses),
    }
}

fn shares(exploration: &Exploration, effects: &[Effect], objective: Objective) -> Vec<(String, f64)> {
    let Some(family) = exploration.classic() else { return Vec::new() };
    let factors = &exploration.families.0[family].factors;
    let of_objective = effects.iter().filter(|effect| effect.objective == objective);
    let mut shares: Vec<_> = of_objective.map(|effect| (factors[effect.factor].name.clone(), effect.share)).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}
