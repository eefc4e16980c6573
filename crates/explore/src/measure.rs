//! Measures times and memory by pages, at the end of an exploration.
//!
//! ```text
//!   named: the front, the pick, the catalogue, peers
//!     ├─ retime ────────▶ in turns, in this process
//!     └─ measure_pages ─▶ each in a child process
//! ```

use std::path::Path;

use heapsmith_peers::Peer;
use heapsmith_replay::{PagesError, Region, ReplayError, Subject, TimingEffort, pages, time};
use heapsmith_trace::PackedTrace;

use crate::exploration::Exploration;
use crate::measured::{PageRow, Retimed};
use crate::store::{Store, StoreError};

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// It could not be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// Its memory could not be measured.
    #[error(transparent)]
    Pages(#[from] PagesError),
    /// What was measured could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Under which name what is measured.
type Named = (String, Subject);

impl Exploration {
    /// What is measured at the end: the designs of the front (one for each place), the `also` designs, the
    /// catalogue and `peers`, each with its name.
    pub fn named(&self, also: &[usize], peers: &[Peer]) -> Vec<(String, Subject)> {
        let mut chosen: Vec<usize> = self.front_2d.iter().chain(also).copied().collect();
        chosen.sort_unstable();
        chosen.dedup();
        let designs = chosen.iter().map(|&index| (self.name(index), self.rows[index].design.spec.clone().into()));
        let catalogued = self.catalogue.iter().filter_map(|entry| Some((entry.name.clone(), entry.spec.parse().ok()?)));
        let peers = peers.iter().map(|&peer| (peer.to_string(), Subject::Peer(peer)));
        designs.chain(catalogued).chain(peers).collect()
    }

    /// Times what is `named`, one at a time and in turns; keeps the times.
    ///
    /// # Errors
    ///
    /// A subject that cannot be replayed; a store that cannot be written.
    pub fn retime(
        &mut self,
        store: &mut Store,
        traces: &[PackedTrace],
        named: &[(String, Subject)],
        effort: TimingEffort,
    ) -> Result<(), MeasureError> {
        self.timings = time_all(named, traces, effort)?;
        store.set_timings(&self.timings)?;
        self.settle();
        Ok(())
    }

    /// Measures the memory of what is `named` by pages, each in a child process of `command`; keeps it.
    ///
    /// # Errors
    ///
    /// A child that fails; a store that cannot be written.
    pub fn measure_pages(
        &mut self,
        store: &mut Store,
        traces: &[PackedTrace],
        named: &[(String, Subject)],
        effort: TimingEffort,
        command: &Path,
    ) -> Result<(), MeasureError> {
        store.clear_pages()?;
        for (name, subject) in named {
            for (number, trace) in traces.iter().enumerate() {
                let pages = pages(command, subject, trace, effort.events(subject, trace))?;
                store.add_pages(&PageRow {
                    name: name.clone(),
                    trace: number,
                    touched: pages.touched,
                    requested_peak: pages.requested_peak,
                    failed: pages.failed,
                    events: pages.events,
                })?;
            }
        }
        self.pages = store.pages()?;
        Ok(())
    }
}

fn time_all(named: &[Named], traces: &[PackedTrace], effort: TimingEffort) -> Result<Vec<Retimed>, ReplayError> {
    let subjects: Vec<Subject> = named.iter().map(|(_, subject)| subject.clone()).collect();
    let blank = |(name, _): &Named| Retimed {
        name: name.clone(),
        ns_per_op: 0.0,
        min: 0.0,
        max: 0.0,
        null_allocator: 0.0,
        rounds: effort.rounds as u32,
    };
    let mut timings: Vec<Retimed> = named.iter().map(blank).collect();
    let operations: f64 = traces.iter().map(|trace| trace.events.len() as f64).sum();
    for trace in traces {
        let share = trace.events.len() as f64 / operations.max(1.0);
        let mut region = Region::for_trace(trace)?;
        let times = time(&subjects, trace, &mut region, effort)?;
        for (timing, time) in timings.iter_mut().zip(times.subjects) {
            timing.ns_per_op += share * time.median;
            timing.min += share * time.min;
            timing.max += share * time.max;
            timing.null_allocator += share * times.null_allocator.median;
        }
    }
    Ok(timings)
}
