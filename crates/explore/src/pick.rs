//! One design of the front.

use std::fmt;
use std::str::FromStr;

use crate::front::front_2d;
use crate::objective::{Objective, Objectives};

/// What the pick should be good at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preference {
    /// Little of two objectives, fragmentation and accesses unless others are chosen: the least product over traces and
    /// changed copies, or the knee of the front of the traces alone.
    #[default]
    Balanced,
    /// Least work an operation: accesses, or the counted cost.
    Speed,
    /// Least fragmentation.
    Memory,
    /// Fewest accesses in the most expensive operation that is proven for every program that is as the traces.
    Bounded,
}

impl Preference {
    /// Every preference, the usual one first.
    pub const ALL: [Preference; 4] = [Preference::Balanced, Preference::Speed, Preference::Memory, Preference::Bounded];

    /// Its name on the command line and in stores.
    pub fn name(self) -> &'static str {
        match self {
            Preference::Balanced => "balanced",
            Preference::Speed => "speed",
            Preference::Memory => "memory",
            Preference::Bounded => "bounded",
        }
    }
}

impl fmt::Display for Preference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Preference {
    type Err = String;

    fn from_str(name: &str) -> Result<Preference, String> {
        let found = Preference::ALL.into_iter().find(|preference| preference.name() == name);
        found.ok_or_else(|| {
            let names = Preference::ALL.map(Preference::name);
            format!("there is no preference {name:?}; there are {}", names.join(", "))
        })
    }
}

/// The index of the preferred point; none if every point refuses requests or breaks a constraint. The knee is over
/// the objectives `both`; `work` is accesses or the counted cost.
///
/// The knee is the point of the front that lies farthest from the line between
/// the front's ends, with both objectives scaled from 0 to 1 over the front
/// (what is no share by its logarithm, as designs differ by factors).
pub fn pick(points: &[Objectives], preference: Preference, both: [Objective; 2], work: Objective) -> Option<usize> {
    use Objective::{Accesses, Fragmentation, MaxOp, P99};
    match preference {
        Preference::Balanced => knee(points, both),
        Preference::Speed => min(points, &[work, Fragmentation, MaxOp]),
        Preference::Memory => min(points, &[Fragmentation, work, MaxOp]),
        Preference::Bounded => min(points, &[MaxOp, P99, Fragmentation, Accesses]),
    }
}

fn min(points: &[Objectives], by: &[Objective]) -> Option<usize> {
    let candidates = (0..points.len()).filter(|&index| points[index].is_compared());
    candidates.min_by(|&a, &b| {
        let orders = by.iter().map(|&objective| points[a].get(objective).total_cmp(&points[b].get(objective)));
        orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    })
}

fn knee(points: &[Objectives], both: [Objective; 2]) -> Option<usize> {
    let front = front_2d(points, both);
    let (&first, &last) = (front.first()?, front.last()?);
    let place = |index: usize| {
        let [x, y] = both.map(|objective| {
            let value = points[index].get(objective);
            if objective.is_scale() { value.max(f64::MIN_POSITIVE).ln() } else { value }
        });
        (x, y)
    };
    let ((x0, y1), (x1, y0)) = (place(first), place(last));
    let scale = |value: f64, from: f64, to: f64| if to > from { (value - from) / (to - from) } else { 0.0 };
    // On the scaled front the ends are (0, 1) and (1, 0): the distance below the line grows as x + y falls.
    front.into_iter().min_by(|&a, &b| {
        let height = |index| {
            let (x, y) = place(index);
            scale(x, x0, x1) + scale(y, y0, y1)
        };
        height(a).total_cmp(&height(b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Objective; 2] = [Objective::Fragmentation, Objective::Accesses];

    #[test]
    fn the_knee_is_where_the_front_bends() {
        let points =
            [(0.00, 100.0), (0.02, 6.0), (0.30, 5.0), (0.9, 4.9), (0.5, 50.0)].map(|(f, a)| Objectives::point(f, a));
        assert_eq!(pick(&points, Preference::Balanced, BOTH, Objective::Accesses), Some(1));
        assert_eq!(pick(&points, Preference::Memory, BOTH, Objective::Accesses), Some(0));
        assert_eq!(pick(&points, Preference::Speed, BOTH, Objective::Accesses), Some(3));
        assert_eq!(pick(&points, Preference::Bounded, BOTH, Objective::Accesses), Some(3));
    }

    #[test]
    fn one_point_is_its_own_knee_and_none_has_no_pick() {
        assert_eq!(pick(&[Objectives::point(0.1, 1.0)], Preference::Balanced, BOTH, Objective::Accesses), Some(0));
        assert_eq!(pick(&[], Preference::Balanced, BOTH, Objective::Accesses), None);
    }
}
