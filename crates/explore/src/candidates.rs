//! The designs that are replayed on changed copies.
//!
//! Those that may be picked: near the front over fragmentation and accesses, and near the one over all chosen objectives.
//! Of designs with the same values the plainest represents all; what is near the front and plain is a candidate before what
//! is as near and less plain.

use std::collections::HashMap;

use crate::exploration::{Exploration, fits};
use crate::objective::{Objective, Objectives};
use crate::plainness::Plainness;
use crate::search::distances;

/// The most candidates of a space, and as many again of the classic one where it is a part of a wider one.
const CANDIDATES: usize = 64;

/// The shares by which candidates may be from the front: first those on it, then those nearer than each.
const BANDS: [f64; 5] = [0.0, 0.01, 0.03, 0.1, 0.3];

/// The indices of the candidates, ascending.
pub(crate) fn candidates(exploration: &Exploration) -> Vec<usize> {
    let mut points: Vec<Objectives> = exploration.rows.iter().map(|row| Objectives::of(&row.measures)).collect();
    for (point, row) in points.iter_mut().zip(&exploration.rows) {
        point.excluded = !(fits(exploration.target, row) && exploration.question.goal.admits(point, true));
    }
    let mut found = nearest(exploration, &points);
    if let Some(points) = exploration.usual_alone(points) {
        found.extend(nearest(exploration, &points));
    }
    if exploration.question.goal.asks_for_measured() {
        // Only of these is known what no replay counts.
        found.extend(exploration.finalists());
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn nearest(exploration: &Exploration, points: &[Objectives]) -> Vec<usize> {
    let fronts = [exploration.question.goal.counted().collect(), vec![Objective::Fragmentation, Objective::Accesses]];
    let far: Vec<Vec<f64>> = fronts.iter().map(|over| distances(points, over)).collect();
    let mut alike: HashMap<[u64; Objective::COUNTED.len()], (Plainness, usize)> = HashMap::new();
    for index in (0..points.len()).filter(|&index| points[index].is_compared()) {
        let values = Objective::COUNTED.map(|objective| points[index].get(objective).to_bits());
        let own = (Plainness::of(&exploration.rows[index].design.spec), index);
        alike.entry(values).and_modify(|plainest| *plainest = own.min(*plainest)).or_insert(own);
    }
    let band = |index: usize| {
        let near = far.iter().map(|each| each[index]).fold(f64::INFINITY, f64::min);
        BANDS.iter().position(|&max| near <= max).unwrap_or(BANDS.len())
    };
    let mut ranked: Vec<(usize, Plainness, usize)> =
        alike.into_values().map(|(plainness, index)| (band(index), plainness, index)).collect();
    ranked.sort_unstable();
    ranked.truncate(CANDIDATES);
    ranked.into_iter().map(|(_, _, index)| index).collect()
}
