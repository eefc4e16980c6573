//! Figure 4: which sizes are requested how often.

use std::collections::BTreeMap;

use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_trace::Statistics;
use serde::Serialize;

use crate::error::ExperimentError;
use crate::experiment::{Experiment, NETWORK};
use crate::input::Input;
use crate::network::applications::{APPLICATIONS, DRR, EASYPORT, URL};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "000-figure-4",
    paper: &NETWORK,
    place: "Figure 4",
    title: "the sizes that are requested",
    claim: "Two sizes, near those of an acknowledgement and of a full packet, make up 30% to 70% of the requests; the \
            rest is spread over 700 to 1500 different sizes between them (Mamagkakis et al. 2006, Figure 4, section \
            5).",
    differs: "Traffic of scripted clients over real protocols and links: FTP sessions, browsers, slow shared links, and a \
              web server's log, of some 60,000 packets or 11,000 requests each; the experiment 000-public-captures has \
              other people's. TCP time stamps are on, so an acknowledgement is 66 bytes on the wire and a full segment \
              carries 1448 bytes. Other domains are the recordings of perl and six small Java programs.",
    samples: SAMPLES,
    run,
};

const SAMPLES: &[&str] = &[
    "ftp.pcap.xz",
    "web.pcap.xz",
    "mixed.pcapng.xz",
    "web.log.xz",
    "perl/perfect.parquet",
    "java/rules.parquet",
    "java/raytrace.parquet",
    "java/database.parquet",
    "java/compiler.parquet",
    "java/parsergen.parquet",
    "java/compress.parquet",
];

/// Programs of other domains than networks.
const ELSEWHERE: [Input; 7] = [
    Input::recorded("perl", SAMPLES[4]),
    Input::recorded("rules", SAMPLES[5]),
    Input::recorded("raytrace", SAMPLES[6]),
    Input::recorded("database", SAMPLES[7]),
    Input::recorded("compiler", SAMPLES[8]),
    Input::recorded("parsergen", SAMPLES[9]),
    Input::recorded("compress", SAMPLES[10]),
];

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
    six: f64,
    for_99_percent: usize,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let inputs: usize = APPLICATIONS.iter().map(|application| application.all().count()).sum();
    let (mut rows, mut summaries, mut curves, mut done) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for application in APPLICATIONS {
        let mut series = Vec::new();
        for input in application.all() {
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
    let mut elsewhere = Vec::new();
    for input in ELSEWHERE {
        let statistics = Statistics::of(&*setting.trace(input)?)?;
        elsewhere.push(summary("elsewhere", input.name, &statistics));
    }
    outcome(&rows, &summaries, &elsewhere, curves)
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
        six: statistics.top_share(6),
        for_99_percent: sizes_for(statistics, 0.99),
    }
}

/// How many of the most popular sizes make up a share of the requests.
fn sizes_for(statistics: &Statistics, share: f64) -> usize {
    (1..=statistics.distinct_sizes()).find(|&count| statistics.top_share(count) >= share).unwrap_or(0)
}

/// The sizes that each application requests most often, over its captures, beside those that the paper has lists for.
fn dominant(outcome: &mut Outcome, rows: &[Row]) {
    // With time stamps on, a full segment carries 1448 bytes in place of the paper's 1460.
    for (application, here) in [(&DRR, &[16, 1448 + 16][..]), (&EASYPORT, &[66, 1514]), (&URL, &[8, 11, 20])] {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        let is_averaged = |row: &&Row| application.inputs.iter().any(|input| input.name == row.input);
        for row in rows.iter().filter(|row| row.application == application.name).filter(is_averaged) {
            *counts.entry(row.size).or_default() += row.requests;
        }
        let mut ranked: Vec<(u64, u64)> = counts.into_iter().map(|(size, count)| (count, size)).collect();
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        let mut sizes: Vec<u64> = ranked.into_iter().take(application.lists).map(|(_, size)| size).collect();
        sizes.sort_unstable();
        let said: Vec<String> = sizes.iter().map(u64::to_string).collect();
        let claim = format!("000:{}-dominant-sizes", application.name);
        let statement = outcome.state(claim, format!("{} bytes", listed(&said)), sizes == here);
        for (number, size) in sizes.iter().enumerate() {
            statement.with(&format!("size {}", number + 1), *size as f64);
        }
    }
}

/// Elsewhere six sizes make up more than 90% of the requests, and about 38 make up 99%; in networks they do not.
fn few_sizes(outcome: &mut Outcome, summaries: &[Summary], elsewhere: &[Summary]) {
    let span = |of: &[Summary]| {
        let shares = of.iter().map(|one| one.six);
        (shares.clone().fold(f64::INFINITY, f64::min), shares.fold(0.0, f64::max))
    };
    let above = |of: &[Summary]| of.iter().filter(|one| one.six > 0.9).count();
    for (claim, of, holds) in [
        ("000:six-sizes-elsewhere", elsewhere, above(elsewhere) * 2 > elsewhere.len()),
        ("000:six-sizes-are-not-enough", summaries, above(summaries) == 0),
    ] {
        let (min, max) = span(of);
        let found = format!(
            "six sizes make up {} to {} of the requests; more than 90% on {} of {}",
            percent(min),
            percent(max),
            above(of),
            of.len()
        );
        outcome.state(claim, found, holds);
    }
    let few = elsewhere.iter().filter(|one| one.for_99_percent <= 38).count();
    let each: Vec<String> = elsewhere.iter().map(|one| format!("{} {}", one.input, one.for_99_percent)).collect();
    outcome.state("000:thirty-eight-sizes-elsewhere", format!("99% need {}", listed(&each)), few * 2 > elsewhere.len());
}

fn shown<'s>(summaries: impl Iterator<Item = &'s Summary>) -> Shown {
    let mut shown = Shown::new(
        "Every input",
        [
            "application",
            "input",
            "different sizes",
            "most popular two",
            "their share",
            "share of sizes between them",
            "share of six",
            "sizes for 99%",
        ],
    );
    for one in summaries {
        shown.row([
            one.application.into(),
            one.input.into(),
            (one.sizes as u64).into(),
            format!("{} and {}", one.top[0], one.top[1]).into(),
            Value::Share(one.share),
            Value::Share(one.between),
            Value::Share(one.six),
            (one.for_99_percent as u64).into(),
        ]);
    }
    shown
}

fn outcome(
    rows: &[Row],
    summaries: &[Summary],
    elsewhere: &[Summary],
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
    dominant(&mut outcome, rows);
    few_sizes(&mut outcome, summaries, elsewhere);
    outcome.found = format!(
        "The two most popular sizes make up {} to {} of the requests; there are {fewest} to {widest} different sizes.",
        percent(min),
        percent(max)
    );
    outcome.tables.push(shown(summaries.iter().chain(elsewhere)));
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
