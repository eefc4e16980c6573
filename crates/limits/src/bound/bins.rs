//! Bins: bounded by their factors, as no argument uses where a block is taken from.

use heapsmith_spec::Bins;

use super::demand::Demand;
use super::joined::{full_region, joined};
use super::{Bounded, Found, Room, Unbounded, WorstCase, holes};

impl Bounded for Bins {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        joined(demand, &self.factors, holes::SOURCE)
    }

    fn aligns(&self) -> bool {
        true
    }

    fn full_region(&self, demand: &Demand) -> Option<Found> {
        full_region(demand, &self.factors)
    }

    fn worst_case(&self, _: &Demand, _: Room) -> WorstCase {
        WorstCase::none("no number is derived for bins: it depends on what is in one bin")
    }
}
