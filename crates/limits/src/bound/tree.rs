//! A tree of all free blocks: best fit, bounded by its factors.

use heapsmith_spec::Tree;

use super::demand::Demand;
use super::joined::{full_region, joined};
use super::{Bounded, Found, Room, Unbounded, WorstCase, holes};

impl Bounded for Tree {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        joined(demand, &self.factors, holes::BEST_FIT)
    }

    fn aligns(&self) -> bool {
        true
    }

    fn full_region(&self, demand: &Demand) -> Option<Found> {
        full_region(demand, &self.factors)
    }

    fn worst_case(&self, _: &Demand, _: Room) -> WorstCase {
        WorstCase::none("about the logarithm of the free sizes; no number is derived")
    }
}
