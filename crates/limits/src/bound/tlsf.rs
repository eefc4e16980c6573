//! Two-level segregated fit.

use heapsmith::parts::TwoLevel;
use heapsmith_spec::build::words_for;
use heapsmith_spec::{Largest, Tlsf};

use super::demand::Demand;
use super::{Bounded, Found, Room, Unbounded, WorstCase, good_fit, holes};

impl Bounded for Tlsf {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        Ok(good_fit::bound(demand, self.second_level.into()))
    }

    fn requires(&self) -> Option<&'static str> {
        let grows = self.largest == Largest::Region;
        grows.then_some("a region of these bytes and no more: its control words grow with the region")
    }

    fn aligns(&self) -> bool {
        true
    }

    fn full_region(&self, demand: &Demand) -> Option<Found> {
        Some(holes::full_region(
            demand,
            |need| good_fit::passed_over(demand, self.second_level.into(), need),
            holes::Wilderness::Apart,
        ))
    }

    fn worst_case(&self, demand: &Demand, _: Room) -> WorstCase {
        let map = (1_u64 << self.second_level).div_ceil(demand.word * 8);
        WorstCase::of(44 + map, 34 + 2 * map, "constant: 44 + m, 34 + 2m, m the words of a second-level map")
    }

    fn rounded(&self, demand: &Demand, words: usize) -> Option<usize> {
        let Largest::Bytes(largest) = self.largest else { return Some(words) };
        let largest = words_for(demand.spec, largest)?;
        (words <= TwoLevel::new(self.second_level.into(), largest).largest()).then_some(words)
    }
}
