//! A bump allocator: no bound in the peak live bytes.

use heapsmith_spec::{Bump, Reclaim};

use super::demand::Demand;
use super::{Bounded, Found, Room, Unbounded, WorstCase};

impl Bounded for Bump {
    fn bound(&self, _: &Demand) -> Result<Found, Unbounded> {
        Err(Unbounded(
            "a bump allocator gives nothing back while a block is live: it needs all that is ever asked for, however \
            little of it is live",
        ))
    }

    fn worst_case(&self, _: &Demand, _: Room) -> WorstCase {
        match self.reclaim {
            Reclaim::Never => WorstCase::of(3, 2, "constant"),
            Reclaim::Empty => WorstCase::of(5, 5, "constant"),
        }
    }

    fn block(&self, demand: &Demand, below: u64) -> Option<u64> {
        Some(demand.linear_block(below))
    }
}
