//! Half-fit: good fit with one list a power of two.

use heapsmith_spec::HalfFit;

use super::demand::Demand;
use super::{Bounded, Found, Room, Unbounded, WorstCase, good_fit, holes};

impl Bounded for HalfFit {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        Ok(good_fit::bound(demand, 0))
    }

    fn aligns(&self) -> bool {
        true
    }

    fn full_region(&self, demand: &Demand) -> Option<Found> {
        Some(holes::full_region(demand, |need| good_fit::passed_over(demand, 0, need), holes::Wilderness::Apart))
    }

    fn worst_case(&self, _: &Demand, _: Room) -> WorstCase {
        WorstCase::of(44, 34, "constant: 44, 34")
    }
}
