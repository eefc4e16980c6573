//! What the paper left out: the space that each allocator takes beyond what was asked for.

use heapsmith_replay::{AtPeak, Region, ReplayOptions, Subject, at_peak, pages, replay};
use heapsmith_report::chart::{Axis, Bars, Chart, Mark, Measured, Scale, Series};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::{BINNED_SKIP_LIST, BINNED_TREE, EXPLICIT, IMPLICIT, MALLOC, TREE};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, LOOKING_GLASS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "001-space",
    paper: &LOOKING_GLASS,
    place: "Section 4, space",
    title: "the space that was not measured",
    claim: "Space was not measured. The paper expects trees and arrays of lists to take additional space for their \
            nodes and heads, and malloc to have only a moderate overhead (Diamantstein et al. 2018, sections 4 and \
            5.2).",
    differs: "There is no measurement to compare with. Footprints in bytes of the programs of Figures 19 to 24, with \
              words of four bytes; malloc is measured by the pages that a child process touches, as it has no \
              footprint in bytes, and the tree beside it in the same way.",
    samples: &[],
    run,
};

const HEAPS: [(&str, &str); 5] = [IMPLICIT, EXPLICIT, TREE, BINNED_TREE, BINNED_SKIP_LIST];
/// By so much at least one is more than another.
const NOTABLE: f64 = 1.05;
const REQUESTS: [u64; 4] = [10, 100, 1000, 10_000];

/// What bytes are, and how many of them a row has.
type Part = (&'static str, fn(&Row) -> u64);

#[derive(Debug, Serialize)]
struct Row {
    heap: &'static str,
    requests: u64,
    requested_peak: u64,
    footprint_peak: u64,
    fragmentation: f64,
    headers: u64,
    padding: u64,
    free: u64,
    control: u64,
    overhead_per_block: f64,
    touched_page_overhead: Option<f64>,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let sizes = &REQUESTS[..setting.of(REQUESTS.len(), 3)];
    let (mut rows, mut malloc) = (Vec::new(), Vec::new());
    for (number, &requests) in sizes.iter().enumerate() {
        setting.step(number, sizes.len(), &format!("{requests} requests"))?;
        let trace = setting.made("random-half", &[("requests", requests), ("seed", setting.seed)])?;
        let mut region = Region::for_trace(&trace)?;
        let touched = |text: &str| -> Result<Option<f64>, ExperimentError> {
            let Some(command) = setting.command else { return Ok(None) };
            let subject: Subject = text.parse()?;
            Ok(Some(pages(command, &subject, &trace, usize::MAX)?.fragmentation()))
        };
        malloc.push((requests, touched(MALLOC.1)?));
        for (heap, text) in HEAPS {
            let spec = resolve(text)?;
            let measures = replay(&spec, &trace, &mut region, ReplayOptions::MEASURE)?;
            let AtPeak { headers, padding, free, control, .. } = at_peak(&spec, &trace, &mut region, &measures)?;
            rows.push(Row {
                heap,
                requests,
                requested_peak: measures.requested_peak.0,
                footprint_peak: measures.footprint_peak.0,
                fragmentation: measures.fragmentation(),
                headers: headers.0,
                padding: padding.0,
                free: free.0,
                control: control.0,
                overhead_per_block: (measures.footprint_peak.0 - measures.requested_peak.0) as f64 / requests as f64,
                touched_page_overhead: touched(text)?,
            });
        }
    }
    outcome(&rows, &malloc)
}

fn outcome(rows: &[Row], malloc: &[(u64, Option<f64>)]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let max = rows.iter().map(|row| row.requests).max().unwrap_or(0);
    let last: Vec<&Row> = rows.iter().filter(|row| row.requests == max).collect();
    let of =
        |heap: (&str, &str)| last.iter().find(|row| row.heap == heap.0).map_or(f64::NAN, |row| row.overhead_per_block);
    let [implicit, explicit, tree, trees, skips] = HEAPS.map(of);
    outcome.state(
        "001:tree-takes-space",
        format!(
            "{} bytes a block beyond the request, the implicit list {}, the explicit list {}",
            digits(tree),
            digits(implicit),
            digits(explicit)
        ),
        tree > NOTABLE * explicit && tree > NOTABLE * implicit,
    );
    let heads = |heap: (&str, &str)| last.iter().find(|row| row.heap == heap.0).map_or(0, |row| row.control);
    outcome.state(
        "001:lists-take-space",
        format!(
            "control words take {} and {} bytes with bins, {} with a tree alone, {} with one list",
            heads(BINNED_TREE),
            heads(BINNED_SKIP_LIST),
            heads(TREE),
            heads(EXPLICIT)
        ),
        heads(BINNED_TREE) > heads(TREE) && heads(BINNED_SKIP_LIST) > heads(EXPLICIT),
    );
    if let Some((_, Some(malloc))) = malloc.last() {
        let tree =
            last.iter().find(|row| row.heap == TREE.0).and_then(|row| row.touched_page_overhead).unwrap_or(f64::NAN);
        outcome.state(
            "001:malloc-overhead-is-moderate",
            format!("{} over the request in pages; the tree has {}", percent(*malloc), percent(tree)),
            *malloc < 0.1,
        );
    }
    outcome.found = format!(
        "With {max} requests the implicit list takes {} bytes a block beyond the request, the explicit list {}, the \
         tree {}, bins of trees {} and bins of skip lists {}: links of free blocks lie where payload was, so what a \
         structure costs is its smallest block and its heads.",
        digits(implicit),
        digits(explicit),
        digits(tree),
        digits(trees),
        digits(skips)
    );
    outcome.tables.push(shown(rows, malloc));
    draw(&mut outcome, rows, &last);
    Ok(outcome)
}

fn shown(rows: &[Row], malloc: &[(u64, Option<f64>)]) -> Shown {
    let mut shown = Shown::new(
        "Where the bytes are at the peak",
        [
            "heap",
            "requests",
            "fragmentation",
            "bytes a block",
            "headers",
            "padding",
            "free",
            "control",
            "fragmentation in pages",
        ],
    );
    for row in rows {
        shown.row([
            row.heap.into(),
            row.requests.into(),
            Value::Share(row.fragmentation),
            row.overhead_per_block.into(),
            row.headers.into(),
            row.padding.into(),
            row.free.into(),
            row.control.into(),
            row.touched_page_overhead.map(Value::Share).into(),
        ]);
    }
    for &(requests, touched) in malloc.iter().filter(|(_, touched)| touched.is_some()) {
        let mut cells = vec![Value::from(MALLOC.0), requests.into()];
        cells.extend((0..6).map(|_| Value::Nothing));
        cells.push(touched.map(Value::Share).into());
        shown.row(cells);
    }
    shown
}

fn draw(outcome: &mut Outcome, rows: &[Row], last: &[&Row]) {
    let parts: [Part; 4] = [
        ("headers", |row| row.headers),
        ("padding", |row| row.padding),
        ("free", |row| row.free),
        ("control", |row| row.control),
    ];
    let bars = Bars {
        title: "Bytes beyond the requests, at the peak".into(),
        y: "percent of the bytes requested".into(),
        names: last.iter().map(|row| row.heap.to_owned()).collect(),
        series: parts
            .iter()
            .map(|(name, of)| {
                Measured::new(*name, last.iter().map(|row| of(row) as f64 / row.requested_peak as f64 * 100.0))
            })
            .collect(),
        stacked: true,
        scale: Scale::Linear,
        line: None,
    };
    outcome.draw("", "What the largest program takes beyond its requests, by what it is", bars.svg());
    let series = HEAPS.map(|(heap, _)| {
        let own = rows.iter().filter(|row| row.heap == heap);
        Series::new(heap, Mark::LineAndDots, own.map(|row| (row.requests as f64, row.fragmentation * 100.0)))
    });
    let chart = Chart {
        title: "Fragmentation over the number of requests".into(),
        x: Axis::logarithmic("requests"),
        y: Axis::logarithmic("percent over the bytes requested"),
        series: series.into(),
    };
    outcome.draw("-growth", "Fragmentation over the number of requests: heads weigh on small programs", chart.svg());
}
