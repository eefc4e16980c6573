//! Designs that fall on the same place of the fragmentation–accesses plane.

use std::collections::HashMap;

use heapsmith_explore::Objectives;

use crate::study::{accesses, fragmentation};

/// A place, and its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The lowest index of a design there.
    pub index: usize,
    /// How many designs are there.
    pub designs: usize,
}

/// The places of all points, in the order of their lowest index. Designs that
/// refuse requests do not share a place with those that serve them all.
pub fn places(points: &[Objectives]) -> Vec<Place> {
    let mut known: HashMap<(u64, u64, bool), usize> = HashMap::new();
    let mut places: Vec<Place> = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let key = (fragmentation(point).to_bits(), accesses(point).to_bits(), point.failed > 0);
        let at = *known.entry(key).or_insert(places.len());
        match places.get_mut(at) {
            Some(place) => place.designs += 1,
            None => places.push(Place { index, designs: 1 }),
        }
    }
    places
}

/// The value that `share` of the sorted values do not exceed.
pub fn quantile(mut values: Vec<f64>, share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let rank = (values.len() as f64 * share).ceil() as usize;
    values.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_points_share_a_place() {
        let mut points = [Objectives::default(); 3];
        points[1].failed = 1;
        assert_eq!(places(&points), [Place { index: 0, designs: 2 }, Place { index: 1, designs: 1 }]);
    }

    #[test]
    fn quantiles_are_values_by_nearest_rank() {
        assert_eq!(quantile(vec![3.0, 1.0, 2.0], 0.5), Some(2.0));
        assert_eq!(quantile(vec![3.0, 1.0, 2.0], 1.0), Some(3.0));
        assert_eq!(quantile(vec![], 0.5), None);
    }
}
