//! Future work: jobs of low priority are blocked when memory runs short.

use heapsmith_replay::{Priority, Region, event_costs, min_region};
use heapsmith_report::chart::{Bars, Measured};
use heapsmith_spec::resolve;
use heapsmith_trace::{Action, Bytes, PackedTrace, Trace};
use serde::Serialize;

use super::runs::{Model, PAPER, interval, words};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, MODEMS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "004-overload",
    paper: &MODEMS,
    place: "Section 6, overload",
    title: "low priority is refused when memory is short",
    claim: "When nearly all memory is used, the allocator is to block jobs of low priority so that those of high priority \
            find resources; this was not done yet (Peintner et al. in sections 3 and 6).",
    differs: "There is no measurement to compare with. Frames of users are the jobs of low priority here, the units of the \
              software those of high priority: a frame that is lost is sent again, a unit that gets no memory ends a call. \
              What is refused is not asked for again. The region is smaller than the run needs.",
    samples: &[],
    run,
};

const PLAIN: &str = "peintner-first-fast";
/// Percent of the region that low priority leaves free.
const RESERVES: [u64; 4] = [0, 5, 10, 20];
/// Percent of what the run needs that the region has.
const REGIONS: [u64; 3] = [95, 85, 75];
/// Runs for an interval.
const RUNS: u64 = 20;

/// Refused requests of a run, as shares of those of their priority.
#[derive(Debug, Serialize)]
struct Row {
    region_percent: u64,
    reserve_percent: u64,
    run: u64,
    high: f64,
    low: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let model = Model { frames: Some(40), ..PAPER }.within(setting);
    let (runs, mut rows) = (setting.of(RUNS, 6), Vec::new());
    for run in 0..runs {
        setting.step(run as usize, runs as usize, &format!("run {} of {runs}", run + 1))?;
        let whole = model.trace(setting, setting.seed + run)?;
        let (trace, priorities) = (PackedTrace::new(&whole)?, priorities(&whole));
        let mut region = Region::for_trace(&trace)?;
        let Some(needed) = min_region(&resolve(PLAIN)?, &trace, &mut region)? else { continue };
        for region_percent in REGIONS {
            let size = Bytes(needed.0 * region_percent / 100 / 8 * 8);
            for reserve_percent in RESERVES {
                let (high, low) = refused(reserve_percent, &trace, &priorities, &mut region, size)?;
                rows.push(Row { region_percent, reserve_percent, run, high, low });
            }
        }
    }
    outcome(&rows)
}

/// The priority of each event without marks: low for frames.
fn priorities(trace: &Trace) -> Vec<Priority> {
    let frame = trace.sites.iter().position(|site| site == "frame").map(|site| site as u32);
    let events = trace.events.iter().filter(|event| !matches!(event.action, Action::Mark { .. }));
    let is_frame = |site: Option<u32>| frame.is_some() && site == frame;
    events.map(|event| if is_frame(event.site) { Priority::Low } else { Priority::High }).collect()
}

/// Shares of the requests of high and of low priority that are refused.
fn refused(
    reserve: u64,
    trace: &PackedTrace,
    priorities: &[Priority],
    region: &mut Region,
    size: Bytes,
) -> Result<(f64, f64), ExperimentError> {
    let plain = resolve(PLAIN)?;
    let spec = if reserve == 0 { plain } else { format!("reserve(high={reserve}%) {plain}").parse()? };
    let costs = event_costs(&spec, trace, region, size, |index| priorities[index])?;
    let share = |priority: Priority| {
        let own = trace.events.iter().zip(&costs).zip(priorities);
        let asked = own
            .filter(|((event, _), own)| event.operation == heapsmith_trace::Operation::Allocate && **own == priority);
        let (all, refused) = asked
            .fold((0_u64, 0_u64), |(all, refused), ((_, cost), _)| (all + 1, refused + u64::from(!cost.is_served)));
        refused as f64 / all.max(1) as f64
    };
    Ok((share(Priority::High), share(Priority::Low)))
}

/// The rows of a region and a reserve.
fn of(rows: &[Row], region: u64, reserve: u64) -> Vec<&Row> {
    rows.iter().filter(|row| row.region_percent == region && row.reserve_percent == reserve).collect()
}

/// The median share of refused requests.
fn median(rows: &[Row], region: u64, reserve: u64, of_row: fn(&Row) -> f64) -> f64 {
    interval(&of(rows, region, reserve), |row| of_row(row)).median
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let largest = RESERVES[RESERVES.len() - 1];
    let found = REGIONS.map(|region| {
        let pairs: Vec<_> = of(rows, region, 0).into_iter().zip(of(rows, region, largest)).collect();
        let saved = interval(&pairs, |(without, with)| without.high - with.high);
        let share = words(saved, |share| format!("{:.2}%", share * 100.0));
        (format!("{share} of them at {region}% of the region needed"), saved.is_above(0.0))
    });
    let answer = found.iter().map(|(_, answer)| *answer).fold(Answer::Holds, Answer::and);
    let text = found.map(|(words, _)| words).join(", ");
    outcome.state("004:low-priority-is-blocked", format!("a reserve of {largest}% saves units {text}"), answer);
    let region = REGIONS[1];
    let low = [0, largest].map(|reserve| median(rows, region, reserve, |row| row.low));
    let high = [0, largest].map(|reserve| median(rows, region, reserve, |row| row.high));
    outcome.state(
        "004:frames-pay-for-units",
        format!(
            "at {region}% of the region needed {} of the frames are refused with a reserve of {largest}%, {} without",
            percent(low[1]),
            percent(low[0])
        ),
        low[1] > low[0],
    );
    outcome.found = format!(
        "In {region}% of the region needed, {} of the units' requests are refused without a reserve, and {} with one of \
         {largest}%, which refuses {} of the frames.",
        percent(high[0]),
        percent(high[1]),
        percent(low[1])
    );
    outcome.tables.push(shown(rows));
    draw(&mut outcome, rows, region);
    Ok(outcome)
}

fn shown(rows: &[Row]) -> Shown {
    let columns = ["region, of that needed", "reserve", "units", "frames"];
    let mut shown = Shown::new("Requests that are refused: medians over the runs", columns);
    for region in REGIONS {
        for reserve in RESERVES {
            shown.row([
                format!("{region}%").into(),
                format!("{reserve}%").into(),
                Value::Share(median(rows, region, reserve, |row| row.high)),
                Value::Share(median(rows, region, reserve, |row| row.low)),
            ]);
        }
    }
    shown
}

fn draw(outcome: &mut Outcome, rows: &[Row], region: u64) {
    let share = |of_row: fn(&Row) -> f64| RESERVES.map(|reserve| 100.0 * median(rows, region, reserve, of_row));
    let bars = Bars {
        title: format!("Requests refused, in {region}% of the region needed"),
        y: "percent of the requests".into(),
        names: RESERVES.map(|reserve| format!("reserve of {reserve}%")).into(),
        series: vec![Measured::new("units", share(|row| row.high)), Measured::new("frames", share(|row| row.low))],
        ..Bars::default()
    };
    outcome.draw("", format!("What is refused in {region}% of the region that the run needs"), bars.svg());
}
