//! Figure 4: which sizes are requested how often.

use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_trace::Statistics;
use serde::Serialize;

use crate::error::ExperimentError;
use crate::experiment::{Experiment, NETWORK};
use crate::network::applications::{ALL, APPLICATIONS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "000-figure-4",
    paper: &NETWORK,
    place: "Figure 4",
    title: "the sizes that are requested",
    claim: "Two sizes, near those of an acknowledgement and of a full packet, make up 30% to 70% of the requests; the \
            rest is spread over 700 to 1500 different sizes between them (Mamagkakis et al. 2006, Figure 4, section \
            5).",
    differs: "Own traffic: thirteen people's FTP sessions, thirty browsers, slow shared links, and a web server's log, \
              of some 60,000 packets or 11,000 requests each. TCP time stamps are on, so an acknowledgement is 66 bytes \
              on the wire and a full segment carries 1448 bytes.",
    samples: ALL,
    run,
};

#[derive(Debug, Serialize)]
struct Row {
    application: &'static str,
    input: &'static str,
    size: u64,
    requests: u64,
    share: f64,
}

struct Summary {
    application: &'static str,
    input: &'static str,
    sizes: usize,
    top: [u64; 2],
    share: f64,
    between: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let inputs: usize = APPLICATIONS.iter().map(|application| application.inputs.len()).sum();
    let (mut rows, mut summaries, mut curves, mut done) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for application in APPLICATIONS {
        let mut series = Vec::new();
        for &input in application.inputs {
            setting.step(done, inputs, &format!("{}, {}", application.name, input.name))?;
            done += 1;
            let statistics = Statistics::of(&*setting.trace(input)?)?;
            summaries.push(summary(application.name, input.name, &statistics));
            let all: u64 = statistics.sizes.iter().map(|size| size.count).sum();
            let mut sizes = statistics.sizes.clone();
            sizes.sort_by_key(|size| size.size);
            rows.extend(sizes.iter().map(|size| Row {
                application: application.name,
                input: input.name,
                size: size.size.0,
                requests: size.count,
                share: size.count as f64 / all.max(1) as f64,
            }));
            let mut below = 0;
            let cumulated = sizes.iter().map(|size| {
                below += size.count;
                (size.size.0 as f64, below as f64 / all.max(1) as f64 * 100.0)
            });
            series.push(Series::new(input.name, Mark::Line, cumulated));
        }
        curves.push((application.name, series));
    }
    outcome(&rows, &summaries, curves)
}

fn summary(application: &'static str, input: &'static str, statistics: &Statistics) -> Summary {
    let mut top = [0, 1].map(|place: usize| statistics.sizes.get(place).map_or(0, |size| size.size.0));
    top.sort_unstable();
    let all: u64 = statistics.sizes.iter().map(|size| size.count).sum();
    let between = statistics.sizes.iter().filter(|size| top[0] < size.size.0 && size.size.0 < top[1]);
    Summary {
        application,
        input,
        sizes: statistics.distinct_sizes(),
        top,
        share: statistics.top_share(2),
        between: between.map(|size| size.count).sum::<u64>() as f64 / all.max(1) as f64,
    }
}

fn outcome(
    rows: &[Row],
    summaries: &[Summary],
    curves: Vec<(&'static str, Vec<Series>)>,
) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let all = summaries.len();
    let two = summaries.iter().filter(|one| (0.3..=0.7).contains(&one.share)).count();
    let span = |of: fn(&Summary) -> f64| {
        let values = summaries.iter().map(of);
        (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max))
    };
    let (min, max) = span(|one| one.share);
    outcome.state(
        "000:two-sizes-dominate",
        format!("{} to {}; within the range on {two} of {all} inputs", percent(min), percent(max)),
        two == all,
    );
    let network: Vec<&Summary> = summaries.iter().filter(|one| one.application == "easyport").collect();
    let packets = network.iter().filter(|one| one.top == [66, 1514]).count();
    outcome.state(
        "000:dominant-sizes-are-packets",
        format!("66 and 1514 bytes on {packets} of {} inputs of easyport", network.len()),
        packets == network.len(),
    );
    let (fewest, widest) = span(|one| one.sizes as f64);
    let spread = summaries.iter().filter(|one| (700..=1500).contains(&one.sizes)).count();
    outcome.state(
        "000:many-sizes",
        format!("{fewest} to {widest}; within the range on {spread} of {all} inputs"),
        spread == all,
    );
    outcome.found = format!(
        "The two most popular sizes make up {} to {} of the requests; there are {fewest} to {widest} different sizes.",
        percent(min),
        percent(max)
    );
    let mut shown = Shown::new(
        "Every input",
        ["application", "input", "different sizes", "most popular two", "their share", "share of sizes between them"],
    );
    for one in summaries {
        shown.row([
            one.application.into(),
            one.input.into(),
            (one.sizes as u64).into(),
            format!("{} and {}", one.top[0], one.top[1]).into(),
            Value::Share(one.share),
            Value::Share(one.between),
        ]);
    }
    outcome.tables.push(shown);
    for (application, series) in curves {
        let chart = Chart {
            title: format!("{application}: sizes of requests"),
            x: if application == "url" {
                Axis::logarithmic("bytes of a request")
            } else {
                Axis::linear("bytes of a request")
            },
            y: Axis::linear("percent of the requests that are no larger"),
            series,
        };
        let caption = format!("Share of the requests of {application} up to each size; each step is a popular size");
        outcome.draw(&format!("-{application}"), caption, chart.svg());
    }
    Ok(outcome)
}
