//! The front with all designs that are equal on it.
//!
//! Two designs that differ in a level may be the same heap on an input, and then share a place. Which of them has the
//! lower number says nothing, so a place has a level where any design that is equal there has it.
//!
//! The paper takes its handful from the corner of its figure, and calls it Pareto-optimal: both are read here.
//!
//! What it costs to find the list of a size is not stated. Here a table has it for nothing; where the lists are searched
//! one after the other, as in a library that composes allocators of single sizes, an operation looks at half of them.

use heapsmith_explore::{Exploration, Objective};

/// How the list of a size is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// In a table: no access.
    Table,
    /// By looking at one list after the other: half of them.
    Search,
}

/// A place of the front: every design with its values.
pub(crate) struct Place {
    /// Indexes of the designs, ascending.
    pub designs: Vec<usize>,
}

/// Fragmentation and accesses of a design; `lists` is how many lists it has.
fn values(exploration: &Exploration, lookup: Lookup, index: usize, lists: u8) -> [f64; 2] {
    let point = &exploration.points[index];
    let looks = if lookup == Lookup::Search { f64::from(lists) / 2.0 } else { 0.0 };
    [point.get(Objective::Fragmentation), point.get(Objective::Accesses) + looks]
}

/// Every place that a design has, each with all designs that are equal there, by fragmentation.
fn every(exploration: &Exploration, lookup: Lookup, lists: impl Fn(usize) -> u8) -> Vec<([f64; 2], Place)> {
    let served = (0..exploration.points.len()).filter(|&index| exploration.points[index].is_compared());
    let mut designs: Vec<([f64; 2], usize)> =
        served.map(|index| (values(exploration, lookup, index, lists(index)), index)).collect();
    designs.sort_by(|(a, i), (b, j)| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(i.cmp(j)));
    let mut places: Vec<([f64; 2], Place)> = Vec::new();
    for (at, index) in designs {
        match places.last_mut() {
            Some((known, place)) if *known == at => place.designs.push(index),
            _ => places.push((at, Place { designs: vec![index] })),
        }
    }
    places
}

/// The places of the front over fragmentation and accesses, by fragmentation.
pub(crate) fn places(exploration: &Exploration, lookup: Lookup, lists: impl Fn(usize) -> u8) -> Vec<Place> {
    let mut fewest = f64::INFINITY;
    let mut front = every(exploration, lookup, lists);
    front.retain(|([_, accesses], _)| {
        let is_best = *accesses < fewest;
        fewest = fewest.min(*accesses);
        is_best
    });
    front.into_iter().map(|(_, place)| place).collect()
}

/// The corner of the figure: the places with the least product of memory and accesses.
pub(crate) fn corner(exploration: &Exploration, lookup: Lookup, lists: impl Fn(usize) -> u8, max: usize) -> Vec<Place> {
    let product = |[fragmentation, accesses]: &[f64; 2]| (1.0 + fragmentation) * accesses;
    let mut places = every(exploration, lookup, lists);
    places.sort_by(|(a, _), (b, _)| product(a).total_cmp(&product(b)));
    places.into_iter().take(max).map(|(_, place)| place).collect()
}

/// How many places have a design for which this holds.
pub(crate) fn count(places: &[Place], holds: impl Fn(usize) -> bool) -> usize {
    places.iter().filter(|place| place.designs.iter().any(|&index| holds(index))).count()
}

/// Whether a design is on the front, itself or as the equal of one.
pub(crate) fn is_on(places: &[Place], index: usize) -> bool {
    places.iter().any(|place| place.designs.binary_search(&index).is_ok())
}
