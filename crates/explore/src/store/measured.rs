//! What was measured and not counted, and what was evaluated elsewhere.

use std::collections::HashMap;

use heapsmith_replay::Spread;
use heapsmith_trace::Bytes;
use rusqlite::types::Value;

use super::{Store, StoreError, seal};
use crate::evaluated::Evaluated;
use crate::measured::{PageRow, Paged, Retimed};
use crate::objective::Objective;

impl Store {
    /// Keeps what was measured of a finalist.
    pub(crate) fn add_finalist(&mut self, design: u32, objective: Objective, bytes: u64) -> Result<(), StoreError> {
        let row = [Value::from(design), text(objective.name()), Value::from(bytes as i64)];
        self.run(|db| seal::insert(db, "finalist", row))
    }

    /// What was ever measured of finalists, by design and objective.
    pub(crate) fn finalists(&self) -> Result<HashMap<(u32, Objective), f64>, StoreError> {
        let rows: Vec<(u32, String, i64)> = self.run(|db| {
            let mut statement = db.prepare("SELECT design, objective, value FROM finalist")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        })?;
        let known = |(design, name, value): (u32, String, i64)| Some(((design, name.parse().ok()?), value as f64));
        Ok(rows.into_iter().filter_map(known).collect())
    }

    /// Keeps times instead of those kept before.
    pub(crate) fn set_timings(&mut self, timings: &[Retimed]) -> Result<(), StoreError> {
        self.commit(|db| {
            db.execute("DELETE FROM timing", [])?;
            for timing in timings {
                let Retimed { name, is_compiled, ns, min, max, null_allocator, rounds, events } = timing;
                let times = [ns.median, ns.low, ns.high, *min, *max, *null_allocator].map(Value::from);
                let counts = [Value::from(*rounds), Value::from(*events as i64), Value::from(*is_compiled)];
                seal::insert(db, "timing", [text(name)].into_iter().chain(times).chain(counts))?;
            }
            Ok(())
        })
    }

    /// The times.
    pub(crate) fn timings(&self) -> Result<Vec<Retimed>, StoreError> {
        self.run(|db| {
            let mut statement = db.prepare(
                "SELECT name, ns_per_op, ns_per_op_low, ns_per_op_high, ns_per_op_min, ns_per_op_max, null_ns_per_op, \
                 rounds, events, compiled FROM timing ORDER BY rowid",
            )?;
            let timings = statement.query_map([], |row| {
                Ok(Retimed {
                    name: row.get(0)?,
                    ns: Spread { median: row.get(1)?, low: row.get(2)?, high: row.get(3)? },
                    min: row.get(4)?,
                    max: row.get(5)?,
                    null_allocator: row.get(6)?,
                    rounds: row.get(7)?,
                    events: row.get::<_, i64>(8)? as u64,
                    is_compiled: row.get(9)?,
                })
            })?;
            timings.collect()
        })
    }

    /// Forgets memory by pages.
    pub(crate) fn clear_pages(&mut self) -> Result<(), StoreError> {
        self.run(|db| db.execute("DELETE FROM pages", [])).map(|_| ())
    }

    /// Keeps the memory of one of them on one trace.
    pub(crate) fn add_pages(&mut self, row: &PageRow) -> Result<(), StoreError> {
        let PageRow { name, trace, touched, requested_peak, failed, events } = row;
        let integers =
            [*trace as u64, touched.0, requested_peak.0, *failed, *events].map(|value| Value::from(value as i64));
        self.run(|db| seal::insert(db, "pages", [text(name)].into_iter().chain(integers)))
    }

    /// The memory by pages, over all traces.
    pub(crate) fn pages(&self) -> Result<Vec<Paged>, StoreError> {
        self.run(|db| {
            let mut statement = db.prepare(
                "SELECT name, sum(touched_pages), avg(CASE requested_peak WHEN 0 THEN 0.0 \
                 ELSE 1.0 * touched_pages / requested_peak - 1 END), sum(failed), sum(events) \
                 FROM pages GROUP BY name ORDER BY min(rowid)",
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

    /// Keeps what was evaluated instead of what was kept before.
    pub(crate) fn set_evaluated(&mut self, evaluated: &[Evaluated]) -> Result<(), StoreError> {
        self.commit(|db| {
            db.execute("DELETE FROM evaluated", [])?;
            for row in evaluated {
                let of = [text(&row.trace), text(&row.name), text(&row.heap), Value::from(row.failed as i64)];
                let shares = [row.fragmentation, row.accesses, row.distance, row.footprint_regret, row.accesses_regret];
                let shares = shares.into_iter().map(Value::from);
                seal::insert(db, "evaluated", of.into_iter().chain(shares).chain([Value::from(row.warning.clone())]))?;
            }
            Ok(())
        })
    }

    /// What was evaluated.
    pub(crate) fn evaluated(&self) -> Result<Vec<Evaluated>, StoreError> {
        self.run(|db| {
            let mut statement = db.prepare("SELECT * FROM evaluated ORDER BY rowid")?;
            let rows = statement.query_map([], |row| {
                Ok(Evaluated {
                    trace: row.get(0)?,
                    name: row.get(1)?,
                    heap: row.get(2)?,
                    failed: row.get::<_, i64>(3)? as u64,
                    fragmentation: row.get(4)?,
                    accesses: row.get(5)?,
                    distance: row.get(6)?,
                    footprint_regret: row.get(7)?,
                    accesses_regret: row.get(8)?,
                    warning: row.get(9)?,
                })
            })?;
            rows.collect()
        })
    }
}

fn text(text: &str) -> Value {
    Value::from(text.to_owned())
}
