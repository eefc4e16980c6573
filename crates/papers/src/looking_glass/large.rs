//! What the paper left out: unusually large requests.

use heapsmith_replay::{Region, ReplayOptions, Subject, TimingEffort, replay, time};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::programs::churn;
use super::published::{interval, words};
use super::{BINNED_TREE, EXPLICIT, IMPLICIT, MALLOC, TREE};
use crate::answer::Interval;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, LOOKING_GLASS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "001-large-requests",
    paper: &LOOKING_GLASS,
    place: "Section 4, large requests",
    title: "the unusually large requests that were not tried",
    claim: "Unusually large requests were not tried. Sources of the paper say that malloc is slow where it needs more \
            memory from the system, as the processor has to switch to the kernel (Diamantstein et al. 2018, sections \
            2.3.1 and 4).",
    differs: "There is no measurement to compare with. 64 blocks live, replaced at random 2000 times, of sizes around \
              1 KB to 16 MB; words of eight bytes, as a region of four-byte words ends at 16 GB. The heaps' region is \
              address space that is there before; payloads are not written, so no page of them is touched.",
    samples: &[],
    run,
};

const HEAPS: [(&str, &str); 4] = [IMPLICIT, EXPLICIT, TREE, BINNED_TREE];
const SIZES: [u64; 8] = [1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20];
const LIVE: u64 = 64;
const ROUNDS: u64 = 2000;

#[derive(Debug, Serialize)]
struct Row {
    heap: &'static str,
    size: u64,
    fragmentation: Option<f64>,
    accesses_per_op: Option<f64>,
    ns_per_op: Option<f64>,
    ns_low: Option<f64>,
    ns_high: Option<f64>,
}

impl Row {
    /// A row of which nothing is counted.
    fn timed(heap: &'static str, size: u64, took: Option<Interval>) -> Row {
        let of = |end: fn(&Interval) -> f64| took.as_ref().map(end);
        let (ns_per_op, ns_low, ns_high) = (of(|took| took.median), of(|took| took.low), of(|took| took.high));
        Row { heap, size, fragmentation: None, accesses_per_op: None, ns_per_op, ns_low, ns_high }
    }

    fn took(&self) -> Option<Interval> {
        Some(Interval { low: self.ns_low?, median: self.ns_per_op?, high: self.ns_high? })
    }
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let mut rows = Vec::new();
    for (number, size) in SIZES.into_iter().enumerate() {
        setting.step(number, SIZES.len(), &format!("{} KB", size >> 10))?;
        let trace = churn("large", LIVE, ROUNDS, (size / 2, size + size / 2), setting.seed).packed()?;
        let mut region = Region::for_trace(&trace)?;
        let texts: Vec<(&'static str, String)> =
            HEAPS.iter().map(|(name, spec)| (*name, format!("{spec} word=8"))).collect();
        let mut subjects = texts.iter().map(|(_, text)| text.parse()).collect::<Result<Vec<Subject>, _>>()?;
        subjects.push(MALLOC.1.parse()?);
        let times = match setting.is_whole() {
            true => Some(time(&subjects, &trace, &mut region, TimingEffort::rounds(9))?),
            false => None,
        };
        let took =
            |subject: usize| times.as_ref().map(|times| interval(times.subjects[subject].rounds.iter().copied()));
        for (index, (heap, text)) in texts.iter().enumerate() {
            let measures = replay(&resolve(text)?, &trace, &mut region, ReplayOptions::MEASURE)?;
            rows.push(Row {
                fragmentation: Some(measures.fragmentation()),
                accesses_per_op: Some(measures.accesses_per_operation()),
                ..Row::timed(heap, size, took(index))
            });
        }
        rows.extend(took(texts.len()).map(|took| Row::timed(MALLOC.0, size, Some(took))));
    }
    outcome(&rows)
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let own = |heap: &'static str| rows.iter().filter(move |row| row.heap == heap);
    let span = |heap: &'static str| {
        let values = own(heap).filter_map(|row| row.accesses_per_op);
        (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max))
    };
    let spans: Vec<String> =
        HEAPS.iter().map(|(heap, _)| format!("{heap} {} to {}", digits(span(heap).0), digits(span(heap).1))).collect();
    let level = HEAPS.iter().all(|(heap, _)| span(heap).1 <= 2.0 * span(heap).0);
    outcome.state(
        "001:cost-depends-on-blocks",
        format!("accesses an operation over all sizes: {}", listed(&spans)),
        level,
    );
    let took = |heap: &'static str, size: u64| own(heap).find(|row| row.size == size).and_then(Row::took);
    let max = SIZES[SIZES.len() - 1];
    if let (Some(small), Some(large), Some(tree)) = (took(MALLOC.0, SIZES[0]), took(MALLOC.0, max), took(TREE.0, max)) {
        outcome.state(
            "001:malloc-asks-the-system",
            format!(
                "{} ns an operation at 1 KB, {} at 16 MB; the tree over a region that is there takes {}",
                words(&small),
                words(&large),
                words(&tree)
            ),
            large.is_above(2.0 * small.high),
        );
    }
    outcome.found = format!(
        "From 1 KB to 16 MB a request costs the tree {} to {} accesses{}.",
        digits(span(TREE.0).0),
        digits(span(TREE.0).1),
        match (took(MALLOC.0, SIZES[0]), took(MALLOC.0, max)) {
            (Some(small), Some(large)) =>
                format!("; malloc takes {} times as long at 16 MB as at 1 KB", digits(large.median / small.median)),
            _ => String::new(),
        }
    );
    let mut shown = Shown::new("Every size", ["heap", "size", "fragmentation", "accesses/op", "ns/op"]);
    for row in rows {
        shown.row([
            row.heap.into(),
            row.size.into(),
            row.fragmentation.map(Value::Share).into(),
            row.accesses_per_op.into(),
            row.ns_per_op.into(),
        ]);
    }
    outcome.tables.push(shown);
    let timed = rows.iter().any(|row| row.heap == MALLOC.0);
    let of = |row: &Row| if timed { row.ns_per_op } else { row.accesses_per_op };
    let heaps = HEAPS.iter().map(|heap| heap.0).chain(timed.then_some(MALLOC.0));
    let chart = Chart {
        title: "Large requests".into(),
        x: Axis::logarithmic("bytes of a request, on average"),
        y: Axis::logarithmic(if timed { "nanoseconds an operation" } else { "accesses an operation" }),
        series: heaps
            .map(|heap| {
                Series::new(heap, Mark::LineAndDots, own(heap).filter_map(|row| of(row).map(|y| (row.size as f64, y))))
            })
            .collect(),
    };
    outcome.draw("", "Cost of an operation over the size of the requests", chart.svg());
    Ok(outcome)
}
