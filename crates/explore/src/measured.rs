//! What is measured at the end and not counted: times, and memory by pages. They differ from
//! run to run and from machine to machine, so they are kept apart from the results.
//!
//! ```text
//!   named: the front, the pick, the catalogue, peers
//!     ├─ retime ────────▶ table `timing`: in turns, in this process
//!     └─ measure_pages ─▶ table `pages`: each in a child process
//! ```

use std::path::Path;

use heapsmith_peers::Peer;
use heapsmith_replay::{PagesError, Region, ReplayError, Subject, TimingEffort, pages, time};
use heapsmith_trace::{Bytes, PackedTrace};
use rusqlite::params;

use crate::exploration::Exploration;
use crate::store::{Store, StoreError};

/// The time of a design, of an allocator of the catalogue or of a peer, measured alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Retimed {
    /// The design's number, the catalogue's name, or the peer with its prefix.
    pub name: String,
    /// Nanoseconds an operation: the median round, over all traces.
    pub ns_per_op: f64,
    /// The fastest round.
    pub min: f64,
    /// The slowest round.
    pub max: f64,
    /// The same loop on the null allocator.
    pub null_allocator: f64,
    /// Rounds.
    pub rounds: u32,
}

/// The memory of one of them by the pages that it touched, with payloads written.
#[derive(Debug, Clone, PartialEq)]
pub struct Paged {
    /// As in [`Retimed`].
    pub name: String,
    /// Bytes in the pages, of all traces.
    pub touched: Bytes,
    /// `touched / requested_peak − 1`, averaged over the traces.
    pub fragmentation: f64,
    /// Requests refused, over all traces.
    pub failed: u64,
    /// Events that were replayed of all traces: fewer than there are where a peer is cut short.
    pub events: u64,
}

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
                let row = params![
                    name,
                    number as i64,
                    pages.touched.0 as i64,
                    pages.requested_peak.0 as i64,
                    pages.failed as i64,
                    pages.events as i64
                ];
                store.run(|db| db.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?)", row))?;
            }
        }
        self.pages = load_pages(store)?;
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

impl Store {
    /// Keeps times instead of those kept before.
    pub(crate) fn set_timings(&mut self, timings: &[Retimed]) -> Result<(), StoreError> {
        self.run(|db| {
            db.execute("DELETE FROM timing", [])?;
            for timing in timings {
                db.execute(
                    "INSERT INTO timing VALUES (?, ?, ?, ?, ?, ?)",
                    params![
                        timing.name,
                        timing.ns_per_op,
                        timing.min,
                        timing.max,
                        timing.null_allocator,
                        timing.rounds
                    ],
                )?;
            }
            Ok(())
        })
    }

    fn clear_pages(&mut self) -> Result<(), StoreError> {
        self.run(|db| db.execute_batch("DELETE FROM pages;"))
    }
}

pub(crate) fn load_timings(store: &Store) -> Result<Vec<Retimed>, StoreError> {
    store.run(|db| {
        let mut statement = db.prepare(
            "SELECT name, ns_per_op, ns_per_op_min, ns_per_op_max, null_ns_per_op, rounds FROM timing ORDER BY rowid",
        )?;
        let timings = statement.query_map([], |row| {
            Ok(Retimed {
                name: row.get(0)?,
                ns_per_op: row.get(1)?,
                min: row.get(2)?,
                max: row.get(3)?,
                null_allocator: row.get(4)?,
                rounds: row.get(5)?,
            })
        })?;
        timings.collect()
    })
}

pub(crate) fn load_pages(store: &Store) -> Result<Vec<Paged>, StoreError> {
    store.run(|db| {
        let mut statement = db.prepare(
            "SELECT name, sum(touched_pages), avg(CASE requested_peak WHEN 0 THEN 0.0 ELSE 1.0 * touched_pages / requested_peak - 1 \
             END), sum(failed), sum(events) FROM pages GROUP BY name ORDER BY min(rowid)",
        )?;
        let bytes = |value: i64| Bytes(value as u64);
        let pages = statement.query_map([], |row| {
            Ok(Paged {
                name: row.get(0)?,
                touched: bytes(row.get(1)?),
                fragmentation: row.get(2)?,
                failed: row.get::<_, i64>(3)? as u64,
                events: row.get::<_, i64>(4)? as u64,
            })
        })?;
        pages.collect()
    })
}
