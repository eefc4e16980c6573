//! Chunks: the region is one free chunk at first, and all memory is chunks of the index.
//!
//! First fit by address takes the last chunk, the wilderness, only when no hole serves: its footprint is that of any heap that joins all
//! free neighbours. The other indexes may take it before a hole, so in a larger region more of it is used, for ever; but a
//! request is refused only where no chunk is found: then each hole is before a used chunk, or is the wilderness, and is smaller than what is
//! found for certain. So a region of that many bytes refuses nothing, and it is what such a heap needs.
//!
//! A chunk has up to a remainder less a unit beyond its need: the *slack*.

use heapsmith::parts::{ChunkIndex, Format};
use heapsmith_spec::{ChunkFit, Chunks, Joining, Spec};

use super::demand::Demand;
use super::{Bounded, Found, Room, Unbounded, WorstCase, first_fit, holes, joined};

impl Bounded for Chunks {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        if self.coalesce == Joining::Never {
            return Err(Unbounded(joined::SPLIT_ONLY));
        }
        let lowest_first = self.index == ChunkIndex::Address && self.fit == ChunkFit::First && self.ends.is_none();
        if !lowest_first {
            return Err(Unbounded(
                "what is left of the region is one of the free chunks, and may be taken before a hole that serves: the larger the region, the \
                more of it is used",
            ));
        }
        Ok(first_fit::or(demand, holes::bound(demand, holes::SOURCE)))
    }

    fn aligns(&self) -> bool {
        true
    }

    fn full_region(&self, demand: &Demand) -> Option<Found> {
        let passed_over = |need: u64| self.passed_over(demand.spec, (need / demand.word) as usize) as u64 * demand.word;
        (self.coalesce == Joining::Immediate).then(|| holes::full_region(demand, passed_over, holes::Wilderness::AHole))
    }

    fn worst_case(&self, _: &Demand, _: Room) -> WorstCase {
        match self.index {
            ChunkIndex::Rings | ChunkIndex::Powers | ChunkIndex::TwoLevel => WorstCase::of(
                64,
                64,
                "constant: a chunk is taken out of a list, split, and its remainder put into another",
            ),
            _ => WorstCase::none("linear in the free chunks of a region that may be of any size"),
        }
    }

    fn granule_and_slack(&self, spec: &Spec, _: Format) -> [usize; 2] {
        let [_, min, remainder] = self.sizes(spec);
        let unit = self.values(spec).unit / spec.word.bytes() as usize;
        // From above, a remainder that holds no links is not split off.
        let unsplit = if self.ends.is_some() { remainder.max(min) } else { remainder };
        [unit, unsplit - unit]
    }

    /// The header that ends the chunks.
    fn end(&self, spec: &Spec) -> u64 {
        let [head, ..] = self.sizes(spec);
        head as u64 * u64::from(spec.word.bytes())
    }
}
