//! One list of free blocks: first fit by address where blocks are joined, else by its factors.

use heapsmith_spec::{Coalescing, Fit, List, ListOrder};

use super::demand::Demand;
use super::joined::{full_region, joined};
use super::{Bounded, Found, Room, Unbounded, WorstCase, first_fit, holes};

impl Bounded for List {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        let source = if matches!(self.fit, Fit::Best { .. }) { holes::BEST_FIT } else { holes::SOURCE };
        let bound = joined(demand, &self.factors, source)?;
        let lowest_first = matches!(self.order, ListOrder::Address | ListOrder::Implicit) && self.fit == Fit::First;
        // Deferred, free neighbours are not yet one when the lowest fitting block is looked for.
        let is_lowest = lowest_first && self.factors.coalesce != Coalescing::Deferred && demand.joins(&self.factors);
        Ok(if is_lowest { first_fit::or(demand, bound) } else { bound })
    }

    fn aligns(&self) -> bool {
        true
    }

    fn full_region(&self, demand: &Demand) -> Option<Found> {
        full_region(demand, &self.factors)
    }

    fn worst_case(&self, demand: &Demand, room: Room) -> WorstCase {
        let coalesce = self.factors.coalesce;
        let known = room.footprint.is_some() && demand.joins(&self.factors);
        if !known || coalesce == Coalescing::Deferred {
            return WorstCase::none("linear in the free blocks, of which there is no bound that we know");
        }
        let used = demand.count_of(demand.program.live) + demand.retained().blocks + demand.own_blocks().blocks;
        // Every block at most once, used or free.
        let all = 2 * used + 2;
        let sweep = if coalesce == Coalescing::EveryCall { all + used } else { 0 };
        let search = if self.order == ListOrder::Implicit { all } else { 2 * used };
        let next = if self.fit == Fit::Next { 2 } else { 1 };
        let place = match (self.order, self.factors.tags) {
            (ListOrder::Address, _) => used,
            (_, false) => all,
            _ => 0,
        };
        // What is left behind an aligned block is put where a freed one would be.
        let aligned = if demand.aligning > 0 { place + 16 } else { 0 };
        let formula = "allocate at most every block looked at; free: finding the place by address, or the block before";
        WorstCase::of(next * search + sweep + aligned + 24, place + sweep + 40, formula)
    }
}
