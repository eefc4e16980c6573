//! The paper's finding, put to the test.
//!
//! Mamagkakis et al. 2006, §5: over three network applications the best
//! allocators share two or three free lists, first fit, full splitting and full
//! coalescing. Splitting is named the largest influence on fragmentation.

use crate::effects::Effect;
use crate::exploration::Exploration;
use crate::front::shortfall;
use crate::objective::Objective;
use crate::space::FACTORS;

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
    pub shortfall: f64,
}

impl Recommended {
    /// Whether it lies on the front, or near it.
    pub fn holds(&self) -> bool {
        self.on_front || self.shortfall <= NEAR
    }
}

/// The outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The recommended designs.
    pub recommended: Vec<Recommended>,
    /// The share of the fragmentation's variance that each technique explains, most first.
    pub fragmentation: Vec<(&'static str, f64)>,
    /// The same for accesses.
    pub accesses: Vec<(&'static str, f64)>,
}

/// Tests the finding on a finished exploration of the classic space.
pub fn finding(exploration: &Exploration, effects: &[Effect]) -> Finding {
    let designs = exploration.rows.iter().map(|row| &row.design).enumerate();
    let recommended = designs.filter(|(_, design)| design.is_recommended()).map(|(index, design)| Recommended {
        index,
        lists: design.level(0),
        on_front: exploration.front.binary_search(&index).is_ok(),
        shortfall: shortfall(&exploration.points[index], &exploration.points),
    });
    Finding {
        recommended: recommended.collect(),
        fragmentation: shares(effects, Objective::Fragmentation),
        accesses: shares(effects, Objective::Accesses),
    }
}

fn shares(effects: &[Effect], objective: Objective) -> Vec<(&'static str, f64)> {
    let of_objective = effects.iter().filter(|effect| effect.objective == objective);
    let mut shares: Vec<_> = of_objective.map(|effect| (FACTORS[effect.factor].name, effect.share)).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}
