//! Figure 3: live bytes over time, whose form differs from input to input.

use std::collections::BTreeSet;

use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_trace::{Operation, PackedTrace, Profile, Profiler, Sink, Trace};
use serde::Serialize;

use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, NETWORK};
use crate::network::applications::{ALL, APPLICATIONS};
use crate::network::locality::Locality;
use crate::network::readings::median;
use crate::network::tables::popular;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "000-figure-3",
    paper: &NETWORK,
    place: "Figure 3",
    title: "the forms of memory usage over time",
    claim: "Memory usage of network applications varies greatly in form: thin spikes, fat spikes, plateaus and ramps; \
            with free lists of the two dominant sizes, 30% to 70% of the freed memory sizes still go back to the main \
            pool; blocks that are allocated together are freed together (Mamagkakis et al. 2006, Figure 3, section 5).",
    differs: "Own traffic of scripted clients. The paper shows pictures; forms are told here by numbers of this project (heapsmith inspect): \
              how much of a trace lies above half of its peak, and how steadily it rises.",
    samples: ALL,
    run,
};

const POINTS: usize = 400;

#[derive(Debug, Serialize)]
struct Row {
    application: &'static str,
    input: &'static str,
    form: String,
    mean_of_peak: f64,
    above_half: f64,
    rise: f64,
    spikes: u64,
    requested_peak: u64,
    freed_to_pool: f64,
    between_deaths: f64,
    between_deaths_by_chance: f64,
    dies_together: bool,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let inputs: usize = APPLICATIONS.iter().map(|application| application.all().count()).sum();
    let (mut rows, mut curves, mut done) = (Vec::new(), Vec::new(), 0);
    for application in APPLICATIONS {
        let mut series = Vec::new();
        for input in application.all() {
            setting.step(done, inputs, &format!("{}, {}", application.name, input.name))?;
            done += 1;
            let trace = setting.trace(input)?;
            let profile = profile(&trace)?;
            let packed = PackedTrace::new(&trace)?;
            let locality = Locality::of(&packed);
            rows.push(Row {
                application: application.name,
                input: input.name,
                form: profile.shape.form.to_string(),
                mean_of_peak: profile.shape.mean,
                above_half: profile.shape.above_half,
                rise: profile.shape.rise,
                spikes: profile.shape.spikes,
                requested_peak: profile.statistics.requested_peak.0,
                freed_to_pool: freed_to_pool(&packed, application.lists),
                between_deaths: locality.observed,
                between_deaths_by_chance: locality.by_chance,
                dies_together: locality.is_joint(),
            });
            series.push(curve(input.name, &profile));
        }
        curves.push((application.name, series));
    }
    outcome(&rows, curves)
}

fn profile(trace: &Trace) -> Result<Profile, ExperimentError> {
    let mut profiler = Profiler::new(POINTS);
    trace.events.iter().try_for_each(|event| profiler.take(*event))?;
    Ok(profiler.finish())
}

/// Live bytes as a share of the peak, over the share of the trace.
fn curve(name: &str, profile: &Profile) -> Series {
    let (events, peak) = (profile.statistics.events.max(1) as f64, profile.statistics.requested_peak.0.max(1) as f64);
    let points = profile.curve.points.iter();
    Series::new(
        format!("{name}: {}", profile.shape.form),
        Mark::Line,
        points.map(|point| (point.event as f64 / events * 100.0, point.live.0 as f64 / peak * 100.0)),
    )
}

/// The share of the freed blocks that no free list of a popular size keeps.
pub(crate) fn freed_to_pool(trace: &PackedTrace, lists: usize) -> f64 {
    let popular = popular([trace], lists);
    let mut sizes = vec![0_u64; trace.slots];
    let (mut freed, mut kept) = (0_u64, 0_u64);
    for event in &trace.events {
        match event.operation {
            Operation::Free => {
                freed += 1;
                kept += u64::from(popular.contains(&sizes[event.slot as usize]));
            }
            _ => sizes[event.slot as usize] = event.size,
        }
    }
    1.0 - kept as f64 / freed.max(1) as f64
}

/// How many captures or logs each application has: a part of a log counted as one, and not; another link is none.
fn captures(outcome: &mut Outcome) {
    let parts = APPLICATIONS.map(|application| application.inputs.len());
    let files = APPLICATIONS
        .map(|application| application.inputs.iter().map(|input| input.file).collect::<BTreeSet<_>>().len());
    let enough = |counts: [usize; 3]| counts.iter().all(|count| (3..=7).contains(count));
    let said = (0..3).map(|at| match parts[at] == files[at] {
        true => format!("{} {}", APPLICATIONS[at].name, files[at]),
        false => format!("{} {} in {} parts", APPLICATIONS[at].name, files[at], parts[at]),
    });
    let found = listed(&said.collect::<Vec<_>>());
    outcome.state("000:three-to-seven-inputs", found, Answer::of_readings([enough(parts), enough(files)]));
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "Every input",
        [
            "application",
            "input",
            "form",
            "mean of peak",
            "above half",
            "rise",
            "spikes",
            "peak bytes",
            "freed to the pool",
            "events between deaths",
            "by chance",
        ],
    );
    for row in rows {
        shown.row([
            row.application.into(),
            row.input.into(),
            row.form.as_str().into(),
            Value::Share(row.mean_of_peak),
            Value::Share(row.above_half),
            row.rise.into(),
            row.spikes.into(),
            row.requested_peak.into(),
            Value::Share(row.freed_to_pool),
            row.between_deaths.into(),
            row.between_deaths_by_chance.into(),
        ]);
    }
    shown
}

fn outcome(rows: &[Row], curves: Vec<(&'static str, Vec<Series>)>) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let forms: BTreeSet<&str> = rows.iter().map(|row| row.form.as_str()).collect();
    let list: Vec<&str> = forms.iter().copied().collect();
    outcome.state("000:forms-vary", format!("{} forms among {} inputs", forms.len(), rows.len()), forms.len() > 1);
    outcome.state(
        "000:every-form-occurs",
        format!("{} inputs have the forms {}", rows.len(), listed(&list)),
        ["thin spikes", "fat spikes", "plateau", "ramp"].iter().all(|form| forms.contains(form)),
    );
    let inside = |row: &&Row| (0.3..=0.7).contains(&row.freed_to_pool);
    let (within, min, max) = (
        rows.iter().filter(inside).count(),
        rows.iter().map(|row| row.freed_to_pool).fold(1.0, f64::min),
        rows.iter().map(|row| row.freed_to_pool).fold(0.0, f64::max),
    );
    outcome.state(
        "000:freed-to-the-pool",
        format!("{} to {}; within the range on {within} of {} inputs", percent(min), percent(max), rows.len()),
        within == rows.len(),
    );
    captures(&mut outcome);
    let together = rows.iter().filter(|row| row.dies_together).count();
    let times = rows.iter().map(|row| row.between_deaths_by_chance / row.between_deaths.max(1.0));
    outcome.state(
        "000:dies-together",
        format!(
            "on {together} of {} inputs the deaths of blocks born one after the other are at most half as far apart as \
             chance would have them, in the median {} times as near",
            rows.len(),
            digits(median(times)),
        ),
        together == rows.len(),
    );
    outcome.found = format!(
        "{} inputs show {}; {} to {} of the freed blocks have none of the dominant sizes and go to the pool.",
        rows.len(),
        listed(&list),
        percent(min),
        percent(max)
    );
    outcome.tables.push(shown(rows));
    for (application, series) in curves {
        let chart = Chart {
            title: format!("{application}: live bytes"),
            x: Axis::linear("percent of the trace"),
            y: Axis::linear("percent of the peak"),
            series,
        };
        let caption = format!("Bytes requested and live over each input of {application}");
        outcome.draw(&format!("-{application}"), caption, chart.svg());
    }
    Ok(outcome)
}
