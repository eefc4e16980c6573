//! Figure 8: the contrived case, in which a list is searched to its end.

use heapsmith_replay::{Region, ReplayOptions, Subject, TimingEffort, replay, time};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::resolve;
use heapsmith_trace::{Action, Bytes, Event, PackedTrace};
use serde::Serialize;

use super::{ESTRANGED, HALF_FIT, KNUTH, LIST, TLSF};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::fit::slope;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-figure-8",
    paper: &REAL_TIME,
    place: "Figure 8",
    title: "the contrived worst case of a list",
    claim: "After every other object of a filled heap has died, one larger object makes the unstructured list search to \
            its end; the buddy system is 72 times faster, and the factor can be made as large as one likes by a larger \
            heap (Donahue et al. 2001, Figure 8, section 3.1).",
    differs: "Accesses of the larger request alone are counted, and its time is taken with the free that follows it; the \
              paper times the program. The paper gives neither the size of its heap nor that of its objects: here \
              objects of 12 bytes, the larger one 100. A buddy system's heap is one block twice as large as the objects.",
    samples: &[],
    run,
};

/// What the paper's heap gave.
const PAPER: f64 = 72.0;
const HEAPS: [(&str, &str); 5] = [LIST, KNUTH, ESTRANGED, TLSF, HALF_FIT];
/// The larger request, as in the workload.
const LARGER: u64 = 100;
/// How often it is asked for again where it is timed.
const AGAIN: u64 = 200;

/// A difference of times below this share of them is noise: some nanoseconds compared with a heap that took long to fill.
const NOISE: f64 = 0.05;

#[derive(Debug, Serialize)]
struct Row {
    objects: u64,
    heap_bytes: u64,
    heap: &'static str,
    accesses: u64,
    ns: Option<f64>,
    speed_up: f64,
    time_speed_up: Option<f64>,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let powers = 5..=setting.of(17, 11);
    let (mut rows, steps) = (Vec::new(), powers.clone().count());
    for (number, power) in powers.enumerate() {
        let objects = 1_u64 << power;
        setting.step(number, steps, &format!("{} objects", thousands(objects)))?;
        rows.extend(measure(setting, objects)?);
    }
    outcome(&rows)
}

fn measure(setting: &Setting<'_>, objects: u64) -> Result<Vec<Row>, ExperimentError> {
    let with = setting.made_trace("every-other", &[("objects", objects), ("larger", LARGER)])?;
    let mut without = with.clone();
    let last = without.events.iter().rposition(|event| matches!(event.action, Action::Allocate { .. }));
    without.events.truncate(last.unwrap_or(0));
    let mut again = without.clone();
    for id in (0..AGAIN).map(|id| u64::MAX - id) {
        again.events.push(Event::at(0, Action::Allocate { id, size: Bytes(LARGER), alignment: 0 }));
        again.events.push(Event::at(0, Action::Free { id }));
    }
    let [with, without, again] = [PackedTrace::new(&with)?, PackedTrace::new(&without)?, PackedTrace::new(&again)?];
    let mut region = Region::for_trace(&again)?;
    // Twice the objects, the table of a byte for each 16, and what control words and alignment take.
    let block = 2 * 16 * objects;
    let one_block = ReplayOptions { region: Some(Bytes(block + block / 16 + 4096)), ..ReplayOptions::MEASURE };
    let subjects = HEAPS.iter().map(|(_, text)| text.parse()).collect::<Result<Vec<Subject>, _>>()?;
    let mut whole = |trace: &PackedTrace| -> Result<Option<Vec<f64>>, ExperimentError> {
        if !setting.is_whole() {
            return Ok(None);
        }
        let times = time(&subjects, trace, &mut region, TimingEffort::rounds(15))?;
        Ok(Some(times.subjects.iter().map(|timing| timing.min * timing.events as f64).collect()))
    };
    let (before, after) = (whole(&without)?, whole(&again)?);
    let mut measured = Vec::new();
    for (index, (heap, text)) in HEAPS.into_iter().enumerate() {
        let spec = resolve(text)?;
        let options = if text.contains("one-block") { one_block } else { ReplayOptions::MEASURE };
        let full = replay(&spec, &with, &mut region, options)?;
        let accesses = full.accesses.total - replay(&spec, &without, &mut region, options)?.accesses.total;
        let ns = before.as_ref().zip(after.as_ref()).and_then(|(before, after)| {
            let more = after[index] - before[index];
            (more > NOISE * before[index]).then(|| more / AGAIN as f64)
        });
        measured.push((heap, full.footprint_peak.0, accesses, ns));
    }
    let (_, heap_bytes, list, list_ns) = measured[0];
    let row = |&(heap, _, accesses, ns): &(&'static str, u64, u64, Option<f64>)| Row {
        objects,
        heap_bytes,
        heap,
        accesses,
        ns,
        speed_up: list as f64 / accesses.max(1) as f64,
        time_speed_up: list_ns.zip(ns).map(|(list, own)| list / own),
    };
    Ok(measured.iter().map(row).collect())
}

fn points(rows: &[Row], heap: &str, of: fn(&Row) -> Option<f64>) -> Vec<(f64, f64)> {
    let own = rows.iter().filter(|row| row.heap == heap);
    own.filter_map(|row| of(row).map(|value| (row.heap_bytes as f64, value))).collect()
}

/// The heap at which the speed-up is that of the paper, between two measured ones.
fn crossing(points: &[(f64, f64)]) -> Option<f64> {
    points.windows(2).find(|pair| pair[0].1 < PAPER && pair[1].1 >= PAPER).map(|pair| {
        let share = (PAPER / pair[0].1).ln() / (pair[1].1 / pair[0].1).ln();
        pair[0].0 * (pair[1].0 / pair[0].0).powf(share)
    })
}

/// Section 3.1 says that the factor depends on the length of the list, so that it can be made as large as one likes. A
/// bound would show as a growth that ceases in the larger heaps; how fast it grows, the paper does not say.
fn unbounded(outcome: &mut Outcome, counted: &[(f64, f64)]) {
    let growth: Vec<f64> = counted.windows(2).map(|pair| pair[1].1 / pair[0].1).collect();
    let min = growth.iter().copied().fold(f64::INFINITY, f64::min);
    let [smaller, larger] = [&growth[..growth.len() / 2], &growth[growth.len() / 2..]]
        .map(|half| half.iter().product::<f64>().powf(1.0 / half.len().max(1) as f64));
    outcome.state(
        "002:factor-is-unbounded",
        format!(
            "each doubling of the heap multiplies it by {} at least, by {} on average in the smaller half of the heaps and by \
             {} in the larger; the exponent is {}, the largest factor {}",
            digits(min),
            digits(smaller),
            digits(larger),
            digits(slope(counted, 4000.0)),
            digits(counted.last().map_or(f64::NAN, |point| point.1))
        ),
        Answer::of_readings([min > 1.5, min > 1.0 && larger >= smaller]),
    );
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let counted = points(rows, KNUTH.0, |row| Some(row.speed_up));
    let timed = points(rows, KNUTH.0, |row| row.time_speed_up);
    let max = counted.last().map_or(f64::NAN, |point| point.1);
    let at = crossing(&counted);
    let in_time = crossing(&timed);
    let kilobytes = |bytes: f64| format!("{} KB", digits(bytes / 1000.0));
    outcome.state(
        "002:buddy-is-72-times-faster",
        match at {
            Some(bytes) => format!(
                "72 times fewer accesses at a heap of {}{}",
                kilobytes(bytes),
                in_time.map_or(String::new(), |bytes| format!(", 72 times faster at {}", kilobytes(bytes)))
            ),
            None => format!("at most {} times fewer accesses", digits(max)),
        },
        at.is_some(),
    );
    let searched: Vec<u64> = rows.iter().filter(|row| row.heap == LIST.0).map(|row| row.accesses).collect();
    outcome.state(
        "002:requests-search-a-list",
        format!(
            "{} to {} accesses, more with every doubling",
            thousands(searched.first().copied().unwrap_or(0)),
            thousands(searched.last().copied().unwrap_or(0))
        ),
        searched.windows(2).all(|pair| pair[1] * 10 > pair[0] * 18),
    );
    unbounded(&mut outcome, &counted);
    let buddy = |heap: &str| {
        let own = rows.iter().filter(|row| row.heap == heap).map(|row| row.accesses);
        (own.clone().min().unwrap_or(0), own.max().unwrap_or(0))
    };
    let (min, worst) = buddy(KNUTH.0);
    // Logarithmic: no doubling of the heap adds more accesses than the one before.
    let of_knuth: Vec<u64> = rows.iter().filter(|row| row.heap == KNUTH.0).map(|row| row.accesses).collect();
    let added: Vec<i64> = of_knuth.windows(2).map(|pair| pair[1] as i64 - pair[0] as i64).collect();
    outcome.state(
        "002:buddy-is-bounded",
        format!(
            "{min} to {worst} accesses over all heaps, at most {} more with each doubling; {} to {} of the estranged one",
            added.iter().max().unwrap_or(&0),
            buddy(ESTRANGED.0).0,
            buddy(ESTRANGED.0).1
        ),
        added.windows(2).all(|pair| pair[1] <= pair[0]),
    );
    outcome.found = format!(
        "The list needs up to {} accesses for the one request, Knuth's buddy system at most {worst}: a factor of {}{}.",
        thousands(rows.iter().filter(|row| row.heap == LIST.0).map(|row| row.accesses).max().unwrap_or(0)),
        digits(max),
        at.map_or(String::new(), |bytes| format!("; of 72 at a heap of {}", kilobytes(bytes)))
    );
    let mut shown = Shown::new(
        "The larger request",
        [
            "objects",
            "heap of the list, bytes",
            "heap",
            "accesses",
            "ns, with its free",
            "fewer accesses than the list",
            "faster than the list",
        ],
    );
    for row in rows {
        shown.row([
            row.objects.into(),
            row.heap_bytes.into(),
            row.heap.into(),
            row.accesses.into(),
            row.ns.into(),
            row.speed_up.into(),
            Value::from(row.time_speed_up),
        ]);
    }
    outcome.tables.push(shown);
    let ends = [counted.first(), counted.last()].map(|point| point.map_or(1.0, |point| point.0));
    let constant =
        |heap: &'static str| Series::new(heap, Mark::LineAndDots, points(rows, heap, |row| Some(row.speed_up)));
    let mut series = vec![
        Series::new("Knuth's buddy, accesses", Mark::LineAndDots, counted),
        Series::new(
            "estranged buddy, accesses",
            Mark::LineAndDots,
            points(rows, ESTRANGED.0, |row| Some(row.speed_up)),
        ),
    ];
    series.extend([TLSF, HALF_FIT].map(|(heap, _)| constant(heap)));
    if !timed.is_empty() {
        series.push(Series::new("Knuth's buddy, time", Mark::LineAndDots, timed));
    }
    series.push(Series::new("72, the paper's", Mark::Broken, ends.map(|x| (x, PAPER))));
    let chart = Chart {
        title: "Speed-up over the unstructured list".into(),
        x: Axis::logarithmic("bytes of the heap"),
        y: Axis::logarithmic("times"),
        series,
    };
    outcome.draw(
        "",
        "How much less a larger request costs a buddy system than a list, over the size of the heap",
        chart.svg(),
    );
    Ok(outcome)
}
