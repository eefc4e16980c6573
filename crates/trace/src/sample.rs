//! Traces of which one block in N was recorded (`record --sample`): what is true of them, and what is not.
//!
//! Each address was recorded with the probability 1/N, so N times what the trace has is a fair estimate of what lives at a moment and of
//! what is never freed; of requests one that few addresses, used over and over, make a poor one. A reallocation that moves its block is
//! a free or an allocation, or both are unseen. A heap that is given the trace alone has other neighbours for every block than the program's had, so it is not
//! replayed.

use crate::statistics::HeatMap;
use crate::{Bytes, Origin, Profile, TraceError};

/// The setting of an origin that says it.
const SETTING: &str = "sample";

/// How far estimates may be from the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampled {
    /// Of this many blocks one was recorded.
    pub every: u64,
    /// The standard error of the blocks that were never freed.
    pub blocks_left: f64,
    /// The standard error of their bytes.
    pub bytes_left: f64,
}

impl Origin {
    /// Notes that one block in `every` was recorded.
    pub fn set_sample(&mut self, every: u64) {
        self.settings.push((SETTING.to_owned(), every.to_string()));
    }

    /// Of how many blocks one was recorded, where not all were.
    pub fn sample(&self) -> Option<u64> {
        let setting = self.settings.iter().find(|(name, _)| name == SETTING);
        setting.and_then(|(_, value)| value.parse().ok()).filter(|&every| every > 1)
    }

    /// Whether the trace has all that its program asked of its heap.
    ///
    /// # Errors
    ///
    /// [`TraceError::Sampled`].
    pub fn whole(&self) -> Result<(), TraceError> {
        self.sample().map_or(Ok(()), |every| Err(TraceError::Sampled { name: self.name(), every }))
    }
}

impl Profile {
    /// What is to be expected of the program, where this is of one block in `every`; the sizes of the blocks that were never freed
    /// have this sum of squares.
    pub(crate) fn estimated(mut self, every: u64, squares_left: f64) -> Profile {
        let blocks_left = self.statistics.blocks_left as f64;
        // Each block is in the sample or not, with the probability 1/N: the variance of N times a sum of s is N (N - 1) times
        // the sum of s² of those that are in it.
        let error = |squares: f64| (every as f64 * (every - 1) as f64 * squares).sqrt();
        self.sampled = Some(Sampled { every, blocks_left: error(blocks_left), bytes_left: error(squares_left) });
        let more = |number: &mut u64| *number = number.saturating_mul(every);
        let statistics = &mut self.statistics;
        for count in [
            &mut statistics.events,
            &mut statistics.allocations,
            &mut statistics.frees,
            &mut statistics.reallocations,
            &mut statistics.peak_event,
            &mut statistics.blocks_peak,
            &mut statistics.blocks_left,
            &mut statistics.requested_total.0,
            &mut statistics.requested_peak.0,
            &mut statistics.bytes_left.0,
            &mut statistics.lifetimes.blocks,
        ] {
            more(count);
        }
        statistics.lifetimes.events.each(more);
        for size in &mut statistics.sizes {
            [&mut size.count, &mut size.births, &mut size.deaths].into_iter().for_each(more);
        }
        for point in &mut self.curve.points {
            [&mut point.event, &mut point.live.0, &mut point.blocks].into_iter().for_each(more);
        }
        for site in &mut self.sites {
            let Bytes(requested) = &mut site.requested;
            let (Bytes(at_peak), Bytes(at_end)) = (&mut site.live_at_peak, &mut site.live_at_end);
            let counts = [&mut site.requests, &mut site.allocations, &mut site.blocks_at_end];
            [requested, at_peak, at_end].into_iter().chain(counts).for_each(more);
        }
        self.heat = HeatMap::estimated(&self.heat, every);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Event, PackedTrace, Profiler, Statistics, Trace};

    /// Four blocks of 10 and 30 bytes by turns, of which the first is freed.
    fn sampled(every: u64) -> Trace {
        let mut trace = Trace::new(Origin::new("record", "server"));
        trace.origin.set_sample(every);
        let allocate = |id| Event {
            site: Some(0),
            ..Event::at(id, Action::Allocate { id, size: Bytes(10 + id % 2 * 20), alignment: 0 })
        };
        trace.sites = vec!["here".to_owned()];
        trace.events = (0..4).map(allocate).chain([Event::at(4, Action::Free { id: 0 })]).collect();
        trace
    }

    #[test]
    fn counts_and_bytes_are_multiplied_and_their_errors_known() {
        let trace = sampled(64);
        let mut profiler = Profiler::new(10);
        trace.send(&mut profiler).expect("a heap could serve it");
        let profile = profiler.finish_of(&trace.origin);
        let Statistics { allocations, frees, requested_total, requested_peak, blocks_left, bytes_left, .. } =
            profile.statistics;
        assert_eq!((allocations, frees, blocks_left), (256, 64, 192));
        assert_eq!((requested_total, requested_peak, bytes_left), (Bytes(80 * 64), Bytes(80 * 64), Bytes(70 * 64)));
        assert_eq!(profile.statistics.sizes[0].count, 128);
        assert_eq!(profile.statistics.lifetimes.events.p50, 4 * 64);
        assert_eq!(profile.curve.points.last().map(|last| (last.live, last.blocks)), Some((Bytes(70 * 64), 192)));
        let site = &profile.sites[0];
        assert_eq!((site.requests, site.live_at_end, site.blocks_at_end, site.share), (256, Bytes(70 * 64), 192, 1.0));
        // 4 events are 256 of the program: a block of 8 to 15 bytes, and 128 to 255 events on from a power of two.
        assert_eq!(profile.heat.blocks(HeatMap::power(10), HeatMap::power(256)), 64);
        let sampled = profile.sampled.expect("it is a sample");
        assert_eq!(sampled.every, 64);
        assert!((sampled.blocks_left - (64.0 * 63.0 * 3.0_f64).sqrt()).abs() < 1e-9);
        assert!((sampled.bytes_left - (64.0 * 63.0 * 1900.0_f64).sqrt()).abs() < 1e-9);
        assert_eq!(Statistics::of(&trace).expect("a heap could serve it"), profile.statistics);
    }

    #[test]
    fn a_sample_is_not_packed() {
        let why = PackedTrace::new(&sampled(64)).expect_err("it is a sample").to_string();
        assert!(why.contains("one block in 64 was recorded") && why.contains("without --sample"), "{why}");
        assert_eq!(sampled(1).origin.sample(), None);
        PackedTrace::new(&sampled(1)).expect("one in one is all");
    }
}
