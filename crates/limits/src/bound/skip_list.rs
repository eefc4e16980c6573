//! A skip list of all free blocks: best fit, bounded by its factors.

use heapsmith_spec::SkipList;

use super::demand::Demand;
use super::joined::joined;
use super::{Bounded, Found, Room, Unbounded, WorstCase, holes};

impl Bounded for SkipList {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        joined(demand, &self.factors, holes::BEST_FIT)
    }

    fn worst_case(&self, _: &Demand, _: Room) -> WorstCase {
        WorstCase::none("about the logarithm of the free sizes, expected; a row of bad luck is linear")
    }
}
