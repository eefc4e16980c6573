//! `heapsmith.inspect`: what is in a trace.

use heapsmith_report::{findings, inspection};
use heapsmith_spec::Spec;
use heapsmith_trace::{FixedPools, Nanoseconds, Origin, Profile, Profiler, Quantiles};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Outcome, Raised};
use crate::tables::{Columns, Table};
use crate::trace::{Trace, packed};
use crate::wait::unlocked;

/// What is in a trace.
#[pyclass(frozen, module = "heapsmith._native")]
pub struct Inspected {
    origin: Origin,
    profile: Profile,
}

#[pymethods]
impl Inspected {
    /// Gathers it; the live bytes get at least `points` points.
    #[new]
    fn of(py: Python<'_>, trace: &Bound<'_, Trace>, points: usize) -> Outcome<Inspected> {
        let trace = trace.get();
        let profile = unlocked(py, |_| {
            let mut profiler = Profiler::new(points.max(1));
            trace.send(&mut profiler).map(|()| profiler.finish_of(trace.origin()))
        })??;
        Ok(Inspected { origin: trace.origin().clone(), profile })
    }

    /// Totals: counts of events, bytes, nanoseconds.
    fn totals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (statistics, totals) = (&self.profile.statistics, PyDict::new(py));
        let numbers = [
            ("events", statistics.events),
            ("allocations", statistics.allocations),
            ("frees", statistics.frees),
            ("reallocations", statistics.reallocations),
            ("marks", statistics.marks),
            ("threads", statistics.threads as u64),
            ("duration_ns", statistics.duration.0),
            ("requested_total", statistics.requested_total.0),
            ("requested_peak", statistics.requested_peak.0),
            ("peak_event", statistics.peak_event),
            ("blocks_peak", statistics.blocks_peak),
            ("blocks_left", statistics.blocks_left),
            ("bytes_left", statistics.bytes_left.0),
        ];
        numbers.into_iter().try_for_each(|(name, value)| totals.set_item(name, value))?;
        totals.set_item("form", self.profile.shape.form.to_string())?;
        Ok(totals)
    }

    /// Every requested size, the most popular first.
    fn sizes(&self) -> Table {
        let sizes = &self.profile.statistics.sizes;
        Columns::default()
            .integers("size", sizes.iter().map(|size| size.size.0))
            .integers("requests", sizes.iter().map(|size| size.count))
            .numbers("share", sizes.iter().map(|size| size.share))
            .numbers("cumulated", sizes.iter().map(|size| size.cumulated))
            .integers("births", sizes.iter().map(|size| size.births))
            .integers("deaths", sizes.iter().map(|size| size.deaths))
            .table()
    }

    /// Pools of fixed blocks for a trace with optimal size classes.
    #[staticmethod]
    fn classes(py: Python<'_>, trace: &Bound<'_, Trace>, count: usize, align: u64) -> Outcome<Table> {
        let max = Spec::MAX_LISTS as usize;
        if !(1..=max).contains(&count) {
            return Err(Raised::usage(format!("{count} classes: write a number from 1 to {max}")));
        }
        if !align.is_power_of_two() || align > Spec::MAX_ALIGNMENT.into() {
            let max = Spec::MAX_ALIGNMENT;
            return Err(Raised::usage(format!("align={align}: write a power of two from 1 to {max}")));
        }
        let trace = packed(&[trace.as_any().clone()])?.remove(0);
        let found = unlocked(py, |_| FixedPools::optimal(&trace, count, align))?;
        let pools = &found.pools;
        Ok(Columns::default()
            .integers("block", pools.iter().map(|pool| pool.block.0))
            .integers("smallest", pools.iter().map(|pool| pool.from.0))
            .integers("requests", pools.iter().map(|pool| pool.requests))
            .numbers("mean_live", pools.iter().map(|pool| found.mean_live(pool)))
            .integers("blocks", pools.iter().map(|pool| pool.blocks))
            .integers("bytes", pools.iter().map(|pool| pool.bytes().0))
            .numbers("internal", pools.iter().map(|pool| pool.internal()))
            .table())
    }

    /// Live bytes over the trace: the highest point of each stretch.
    fn live(&self) -> Table {
        let points = &self.profile.curve.points;
        Columns::default()
            .integers("event", points.iter().map(|point| point.event))
            .integers("time", points.iter().map(|point| point.time.0))
            .integers("live", points.iter().map(|point| point.live.0))
            .integers("blocks", points.iter().map(|point| point.blocks))
            .table()
    }

    /// How long freed blocks lived, in events and in nanoseconds.
    fn lifetimes(&self) -> Table {
        let lifetimes = &self.profile.statistics.lifetimes;
        let events = quantiles(&lifetimes.events, |&events| events);
        let times = quantiles(&lifetimes.time, |time: &Nanoseconds| time.0);
        Columns::default()
            .texts("quantile", events.iter().map(|(name, _)| name))
            .integers("events", events.iter().map(|&(_, value)| value))
            .integers("time", times.iter().map(|&(_, value)| value))
            .table()
    }

    /// The call sites, those that asked for most bytes first.
    fn sites(&self) -> Table {
        let sites = &self.profile.sites;
        Columns::default()
            .integers("requests", sites.iter().map(|site| site.requests))
            .integers("allocations", sites.iter().map(|site| site.allocations))
            .integers("requested", sites.iter().map(|site| site.requested.0))
            .integers("live_at_peak", sites.iter().map(|site| site.live_at_peak.0))
            .integers("live_at_end", sites.iter().map(|site| site.live_at_end.0))
            .numbers("share", sites.iter().map(|site| site.share))
            .texts("name", sites.iter().map(|site| &site.name))
            .table()
    }

    /// Remarkable facts, in words.
    fn findings(&self) -> Vec<String> {
        findings(&self.origin, &self.profile)
    }

    /// The page, as text.
    fn page(&self, py: Python<'_>) -> String {
        py.detach(|| inspection(&self.origin, &self.profile))
    }
}

fn quantiles<T>(of: &Quantiles<T>, value: impl Fn(&T) -> u64) -> [(&'static str, u64); 8] {
    [
        ("min", &of.min),
        ("p10", &of.p10),
        ("p25", &of.p25),
        ("p50", &of.p50),
        ("p75", &of.p75),
        ("p90", &of.p90),
        ("p99", &of.p99),
        ("max", &of.max),
    ]
    .map(|(name, quantile)| (name, value(quantile)))
}
