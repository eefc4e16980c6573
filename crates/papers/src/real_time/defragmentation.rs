//! Section 2.8: defragmentation on demand, which moves just enough for one request.

use heapsmith_replay::{MovableMeasures, Moving, Region, ReplayOptions, replay, replay_movable};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::{Bytes, PackedTrace};
use serde::Serialize;

use super::objects::{Collection, FILES, PROGRAMS};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed, percent, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-defragmentation",
    paper: &REAL_TIME,
    place: "Section 2.8",
    title: "defragmentation on demand",
    claim: "Where there is room but no block, exchanging the used buddies of free blocks, recursively, makes one block \
            of the size that is wanted: just enough is moved, in bounded time, where a compaction moves all live objects \
            to one end of the heap. The paper measures nothing of it (Donahue et al. 2001, section 2.8).",
    differs: "There is no measurement to compare with. Objects of Java programs and the contrived case of Figure 8 \
              through handles, in regions of 90% to 100% of the smallest one that needs no moving. The bound is this \
              project's: (k - l)·2^(k-1) words for a block of 2^k, l being the smallest order. A compaction slides every \
              used block behind a hole to the front.",
    samples: FILES,
    run,
};

const MOVING: &str = "buddy(knuth, defragment=on-demand)";
const SHARES: [f64; 4] = [1.0, 0.98, 0.95, 0.9];

#[derive(Debug, Serialize)]
struct Row {
    program: String,
    smallest_without: u64,
    smallest_with: u64,
    region: u64,
    region_share: f64,
    requests: u64,
    refused_without: u64,
    refused_with: u64,
    requests_that_moved: u64,
    served_by_moving: u64,
    moved_mean: f64,
    max_moved: u64,
    max_bound: u64,
    bound_reached: f64,
    compaction_mean: f64,
    moved_of_compaction: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let spec: Spec = resolve(MOVING)?;
    let mut traces = Vec::new();
    for program in PROGRAMS {
        traces.push((program.name.to_owned(), Collection::Occasional.trace(setting, program)?));
    }
    let objects = setting.of(4096, 512);
    traces.push(("every other".to_owned(), setting.made("every-other", &[("objects", objects), ("larger", 2000)])?));
    let (steps, mut rows, mut dots) = (traces.len() * SHARES.len(), Vec::new(), Vec::new());
    for (number, (name, trace)) in traces.iter().enumerate() {
        let enough = (smallest(&spec, trace, Moving::Pinned)?, smallest(&spec, trace, Moving::Allowed)?);
        for (index, share) in SHARES.into_iter().enumerate() {
            setting.step(number * SHARES.len() + index, steps, &format!("{name}, {share} of the region"))?;
            let bytes = Bytes(((enough.0 as f64 * share) as u64).next_multiple_of(8));
            let (row, moved) = measure(&spec, name, trace, enough, (bytes, share))?;
            rows.push(row);
            dots.extend(
                moved.moved.iter().map(|moved| (moved.compaction.0 as f64, moved.moved.0 as f64, moved.bound.0 as f64)),
            );
        }
    }
    outcome(&rows, &dots)
}

/// The smallest region in which no request is refused, to a five-hundredth.
fn smallest(spec: &Spec, trace: &PackedTrace, moving: Moving) -> Result<u64, ExperimentError> {
    let mut region = Region::for_trace(trace)?;
    let mut min = replay(spec, trace, &mut region, ReplayOptions::MEASURE)?.requested_peak.0;
    let mut max = region.size().0;
    while max - min > max / 500 {
        let middle = (min + max) / 2;
        match replay_movable(spec, trace, &mut region, Bytes(middle), moving)?.failed {
            0 => max = middle,
            _ => min = middle,
        }
    }
    Ok(max)
}

fn measure(
    spec: &Spec,
    name: &str,
    trace: &PackedTrace,
    enough: (u64, u64),
    (bytes, share): (Bytes, f64),
) -> Result<(Row, MovableMeasures), ExperimentError> {
    let mut region = Region::new(bytes)?;
    let fixed = replay_movable(spec, trace, &mut region, bytes, Moving::Pinned)?;
    let with = replay_movable(spec, trace, &mut region, bytes, Moving::Allowed)?;
    let count = with.moved.len().max(1) as f64;
    let total = |of: fn(&heapsmith_replay::MovedFor) -> u64| with.moved.iter().map(of).sum::<u64>() as f64;
    let max = |of: fn(&heapsmith_replay::MovedFor) -> u64| with.moved.iter().map(of).max().unwrap_or(0);
    let (moved, compaction) = (total(|one| one.moved.0), total(|one| one.compaction.0));
    let reached = with.moved.iter().map(|one| one.moved.0 as f64 / one.bound.0.max(1) as f64).fold(0.0, f64::max);
    let row = Row {
        program: name.to_owned(),
        smallest_without: enough.0,
        smallest_with: enough.1,
        region: bytes.0,
        region_share: share,
        requests: with.requests,
        refused_without: fixed.failed,
        refused_with: with.failed,
        requests_that_moved: with.moved.len() as u64,
        served_by_moving: with.moved.iter().filter(|one| one.served).count() as u64,
        moved_mean: moved / count,
        max_moved: max(|one| one.moved.0),
        max_bound: max(|one| one.bound.0),
        bound_reached: reached,
        compaction_mean: compaction / count,
        moved_of_compaction: moved / compaction.max(1.0),
    };
    Ok((row, with))
}

fn outcome(rows: &[Row], dots: &[(f64, f64, f64)]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let within = dots.iter().filter(|(_, moved, bound)| moved <= bound).count();
    let reached = rows.iter().map(|row| row.bound_reached).fold(0.0, f64::max);
    outcome.state(
        "002:moves-are-bounded",
        format!(
            "within the bound in {within} of {} requests; {} of it at most",
            thousands(dots.len() as u64),
            percent(reached)
        ),
        within == dots.len() && !dots.is_empty(),
    );
    let less = dots.iter().filter(|(compaction, moved, _)| moved < compaction).count();
    let share = dots.iter().map(|dot| dot.1).sum::<f64>() / dots.iter().map(|dot| dot.0).sum::<f64>().max(1.0);
    outcome.state(
        "002:moves-just-enough",
        format!(
            "less than a compaction in {less} of {} requests; {} of its bytes in all",
            thousands(dots.len() as u64),
            percent(share)
        ),
        less == dots.len() && !dots.is_empty(),
    );
    let first = || rows.iter().filter(|row| row.region_share == SHARES[0]);
    let smaller: Vec<String> = first()
        .filter(|row| row.smallest_with < row.smallest_without)
        .map(|row| {
            let saved = 1.0 - row.smallest_with as f64 / row.smallest_without as f64;
            format!("{} ({} less)", row.program, percent(saved))
        })
        .collect();
    let served: u64 = rows.iter().map(|row| row.served_by_moving).sum();
    outcome.state(
        "002:moving-serves-requests",
        format!("{} of {} requests for which blocks were moved", thousands(served), thousands(dots.len() as u64)),
        served as usize == dots.len() && served > 0,
    );
    outcome.state(
        "002:moving-saves-memory",
        format!("smaller for {} of {} programs: {}", smaller.len(), first().count(), listed(&smaller)),
        smaller.len() == first().count(),
    );
    let mean = dots.iter().map(|dot| dot.1).sum::<f64>() / dots.len().max(1) as f64;
    outcome.found = format!(
        "For {} requests {} bytes were moved on average, {} of what compactions would have moved, and {} of them were \
         served by it. The smallest heap that serves everything is smaller with moving for {} of {} programs: on the \
         others, what is short is memory, not a block.",
        thousands(dots.len() as u64),
        digits(mean),
        percent(share),
        thousands(served),
        smaller.len(),
        first().count()
    );
    outcome.tables.push(shown(rows));
    let bytes = |of: fn(&(f64, f64, f64)) -> f64| dots.iter().map(move |dot| (dot.0.max(1.0), of(dot)));
    let max = dots.iter().map(|dot| dot.0).fold(1.0, f64::max);
    let chart = Chart {
        title: "Bytes moved for one request".into(),
        x: Axis::logarithmic("bytes that a compaction would move"),
        y: Axis::logarithmic("bytes moved"),
        series: vec![
            Series::new("bound", Mark::Cloud, bytes(|dot| dot.2)),
            Series::new("moved", Mark::Cloud, bytes(|dot| dot.1)),
            Series::new("a compaction", Mark::Broken, [(16.0, 16.0), (max, max)]),
        ],
    };
    outcome.draw(
        "",
        "Each request that moved blocks: what it moved and its bound, over what a compaction would have moved",
        chart.svg(),
    );
    Ok(outcome)
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "Every region",
        [
            "program",
            "smallest region without",
            "with moving",
            "region",
            "of the smallest",
            "requests",
            "refused without",
            "refused with",
            "moved for",
            "served by it",
            "bytes, mean",
            "max",
            "its bound",
            "compaction, mean",
            "share",
        ],
    );
    for row in rows {
        shown.row([
            row.program.as_str().into(),
            row.smallest_without.into(),
            row.smallest_with.into(),
            row.region.into(),
            Value::Share(row.region_share),
            row.requests.into(),
            row.refused_without.into(),
            row.refused_with.into(),
            row.requests_that_moved.into(),
            row.served_by_moving.into(),
            row.moved_mean.into(),
            row.max_moved.into(),
            row.max_bound.into(),
            row.compaction_mean.into(),
            Value::Share(row.moved_of_compaction),
        ]);
    }
    shown
}
