//! Figure 11: the sizes of Java programs' objects.

use heapsmith_report::chart::{Bars, Measured};
use heapsmith_trace::Statistics;
use serde::Serialize;

use super::programs::{COMPRESSOR, FILES, INPUTS};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, percent, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-figure-11",
    paper: &REAL_TIME,
    place: "Figure 11",
    title: "the sizes of objects",
    claim: "Most requests of Java programs are for small blocks, a large number of them for the smallest size of 16 bytes; \
            the compression program makes few objects, some of them large (Donahue et al. 2001, Figure 11, section \
            3.4).",
    differs: "Objects have the sizes of a JVM of 1998: headers of 8 bytes, 12 of arrays, and multiples of 8. In the JDK 1.1.8 \
              the handle has what is in the header, so sizes are shown without it too, 16 bytes at least.",
    samples: FILES,
    run,
};

/// A large number of each program's requests, as a share of them (section 3.4 gives none).
const LARGE_NUMBER: f64 = 0.25;

/// Blocks as the buddy systems have them: up to this many bytes.
const CLASSES: [u64; 9] = [16, 32, 64, 128, 256, 1024, 4096, 16_384, u64::MAX];

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    up_to: Option<u64>,
    objects: u64,
    share: f64,
}

struct Summary {
    program: &'static str,
    objects: u64,
    small: f64,
    min: f64,
    /// The share of the smallest size where the header is in the handle.
    min_with_handles: f64,
    largest: u64,
}

/// Bytes of an object that the handle has: the header.
const IN_HANDLE: u64 = 8;

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let (mut rows, mut summaries) = (Vec::new(), Vec::new());
    for (number, program) in INPUTS.into_iter().enumerate() {
        setting.step(number, INPUTS.len(), program.name)?;
        let trace = setting.trace(program)?;
        let statistics = Statistics::of(&trace)?;
        let all: u64 = statistics.sizes.iter().map(|size| size.count).sum();
        let up_to = |max: u64| -> u64 {
            statistics.sizes.iter().filter(|size| size.size.0 <= max).map(|size| size.count).sum()
        };
        let mut below = 0;
        for class in CLASSES {
            let objects = up_to(class) - below;
            below += objects;
            let up_to = (class < u64::MAX).then_some(class);
            rows.push(Row { program: program.name, up_to, objects, share: objects as f64 / all.max(1) as f64 });
        }
        summaries.push(Summary {
            program: program.name,
            objects: all,
            small: up_to(64) as f64 / all.max(1) as f64,
            min: up_to(16) as f64 / all.max(1) as f64,
            min_with_handles: up_to(16 + IN_HANDLE) as f64 / all.max(1) as f64,
            largest: statistics.sizes.iter().map(|size| size.size.0).max().unwrap_or(0),
        });
    }
    outcome(&rows, &summaries)
}

fn outcome(rows: &[Row], summaries: &[Summary]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let span = |of: fn(&Summary) -> f64| {
        (summaries.iter().map(of).fold(1.0, f64::min), summaries.iter().map(of).fold(0.0, f64::max))
    };
    let (small, min) = (span(|one| one.small), span(|one| one.min));
    outcome.state(
        "002:most-requests-are-small",
        format!("{} to {} of the objects have at most 64 bytes", percent(small.0), percent(small.1)),
        small.0 > 0.5,
    );
    let handles = span(|one| one.min_with_handles);
    outcome.state(
        "002:many-of-smallest-size",
        format!(
            "{} to {} of each program's objects with headers of 8 bytes, {} to {} where the handle has the header",
            percent(min.0),
            percent(min.1),
            percent(handles.0),
            percent(handles.1)
        ),
        Answer::of_readings([min.0, handles.0].map(|min| min >= LARGE_NUMBER)),
    );
    let few = summaries.iter().min_by_key(|one| one.objects);
    let large = summaries.iter().max_by_key(|one| one.largest);
    if let (Some(few), Some(large)) = (few, large) {
        outcome.state(
            "002:compress-makes-few-and-large",
            format!(
                "fewest objects: {} ({}); largest object: {} ({} bytes)",
                few.program,
                thousands(few.objects),
                large.program,
                thousands(large.largest)
            ),
            few.program == COMPRESSOR && large.program == COMPRESSOR,
        );
    }
    outcome.found = format!(
        "{} to {} of the objects have at most 64 bytes, {} to {} at most 16.",
        percent(small.0),
        percent(small.1),
        percent(min.0),
        percent(min.1)
    );
    let mut shown = Shown::new(
        "Every program",
        [
            "program",
            "objects",
            "at most 16 bytes",
            "the same, header in the handle",
            "at most 64 bytes",
            "largest object",
        ],
    );
    for one in summaries {
        shown.row([
            one.program.into(),
            one.objects.into(),
            Value::Share(one.min),
            Value::Share(one.min_with_handles),
            Value::Share(one.small),
            one.largest.into(),
        ]);
    }
    outcome.tables.push(shown);
    let name = |class: u64| if class == u64::MAX { "more".to_owned() } else { format!("≤ {}", thousands(class)) };
    let bars = Bars {
        title: "Sizes of objects".into(),
        y: "percent of the objects".into(),
        names: CLASSES.map(name).into(),
        series: summaries
            .iter()
            .map(|one| {
                Measured::new(
                    one.program,
                    rows.iter().filter(|row| row.program == one.program).map(|row| row.share * 100.0),
                )
            })
            .collect(),
        ..Bars::default()
    };
    outcome.draw("", "Share of each program's objects by size in bytes", bars.svg());
    Ok(outcome)
}
