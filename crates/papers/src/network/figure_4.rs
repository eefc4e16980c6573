//! Figure 4: which sizes are requested how often.

use std::collections::BTreeMap;

use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_trace::{PackedTrace, Profiler, Sink, Statistics};
use serde::Serialize;

use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, NETWORK};
use crate::input::Input;
use crate::network::applications::{APPLICATIONS, DRR, EASYPORT, URL};
use crate::network::figure_3::freed_to_pool;
use crate::outcome::Outcome;
use crate::real_time::programs::{FILES, INPUTS};
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
              carries 1448 bytes. Other domains are the recordings of perl and seven Java programs.",
    samples: SAMPLES,
    run,
};

const SAMPLES: &[&str] = &[
    "ftp.pcap.xz",
    "web.pcap.xz",
    "mixed.pcapng.xz",
    "web.log.xz",
    "perl/perfect.parquet",
    FILES[0],
    FILES[1],
    FILES[2],
    FILES[3],
    FILES[4],
    FILES[5],
    FILES[6],
];

/// Programs of other domains than networks.
const ELSEWHERE: [Input; 8] =
    [Input::recorded("perl", SAMPLES[4]), INPUTS[0], INPUTS[1], INPUTS[2], INPUTS[3], INPUTS[4], INPUTS[5], INPUTS[6]];

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
    fullest_tenth: f64,
}

/// The most popular two sizes of each public capture, buffered whole: what the last whole run of `000-public-captures`
/// found. A test holds it to the committed run.
const ON_PUBLIC: [(&str, [u64; 2]); 9] = [
    ("auckland-2000", [40, 1500]),
    ("bellcore-1989", [1090, 162]),
    ("wlan-home-2022", [10, 26]),
    ("wlan-campus-probes-2023", [135, 177]),
    ("web-browsing-2013", [1414, 66]),
    ("ftp-navigation-2016", [60, 82]),
    ("ftp-download-2019", [1506, 66]),
    ("ftp-nasa-1998", [1514, 74]),
    ("industrial-2012", [60, 61]),
];

/// The largest share that a tenth of the range may have where requests are spread evenly over it: twice its part.
pub(crate) const EVEN: f64 = 0.2;

/// Sizes about that of an acknowledgement: of 40 bytes of IP without options to 66 with time stamps and the link's header.
const ACKNOWLEDGEMENT: std::ops::RangeInclusive<u64> = 40..=66;

/// Sizes about that of a full packet: of a segment's 1448 bytes to a frame's 1518.
const FULL_PACKET: std::ops::RangeInclusive<u64> = 1448..=1518;

/// Whether two sizes, in any order, are about those of an acknowledgement and of a full packet.
pub(crate) fn are_packets(sizes: [u64; 2]) -> bool {
    ACKNOWLEDGEMENT.contains(&sizes[0].min(sizes[1])) && FULL_PACKET.contains(&sizes[0].max(sizes[1]))
}

/// Of the requests between the most popular two sizes, the share of the fullest of ten equal parts of the range; 1 where there
/// are none.
pub(crate) fn fullest_tenth(statistics: &Statistics) -> f64 {
    let mut top = [0, 1].map(|place: usize| statistics.sizes.get(place).map_or(0, |size| size.size.0));
    top.sort_unstable();
    let mut tenths = [0_u64; 10];
    for size in statistics.sizes.iter().filter(|size| top[0] < size.size.0 && size.size.0 < top[1]) {
        tenths[((size.size.0 - top[0]) * 10 / (top[1] - top[0])) as usize] += size.count;
    }
    match tenths.iter().sum::<u64>() {
        0 => 1.0,
        all => tenths.iter().copied().max().unwrap_or(0) as f64 / all as f64,
    }
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
    let (mut elsewhere, mut freed) = (Vec::new(), Vec::new());
    for input in ELSEWHERE {
        let trace = setting.trace(input)?;
        elsewhere.push(summary("elsewhere", input.name, &Statistics::of(&trace)?));
        let mut profiler = Profiler::new(1);
        trace.events.iter().try_for_each(|event| profiler.take(*event))?;
        let form = profiler.finish().shape.form.to_string();
        freed.push((input.name, freed_to_pool(&PackedTrace::new(&trace)?, 6), form));
    }
    let mut outcome = outcome(&rows, &summaries, &elsewhere, curves)?;
    elsewhere_freed(&mut outcome, &freed);
    Ok(outcome)
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
        fullest_tenth: fullest_tenth(statistics),
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

/// The two sizes are those of packets, on the samples and on public captures, and the rest is spread evenly between them.
fn packets(outcome: &mut Outcome, summaries: &[Summary]) {
    let network: Vec<&Summary> = summaries.iter().filter(|one| one.application == "easyport").collect();
    let here = network.iter().filter(|one| are_packets(one.top)).count();
    let there = ON_PUBLIC.iter().filter(|(_, sizes)| are_packets(*sizes)).count();
    let said: Vec<String> = ON_PUBLIC.iter().map(|(name, [a, b])| format!("{name} {a} and {b}")).collect();
    outcome.state(
        "000:dominant-sizes-are-packets",
        format!(
            "on {here} of {} inputs of easyport; on {there} of {} public captures: {}",
            network.len(),
            ON_PUBLIC.len(),
            listed(&said)
        ),
        Answer::of_readings([here == network.len(), there == ON_PUBLIC.len()]),
    );
    let each: Vec<String> = network.iter().map(|one| format!("{} {}", one.input, percent(one.fullest_tenth))).collect();
    outcome.state(
        "000:rest-is-even",
        format!("of the requests between the two, the fullest tenth of the range has {}", listed(&each)),
        network.iter().all(|one| one.fullest_tenth <= EVEN),
    );
}

/// Elsewhere a tenth of what is freed goes back to the pool, with lists of the six sizes that make up the rest, and memory
/// usage comes in thin spikes.
fn elsewhere_freed(outcome: &mut Outcome, freed: &[(&str, f64, String)]) {
    let tenth = freed.iter().filter(|(_, share, _)| (0.05..=0.15).contains(share)).count();
    let thin = freed.iter().filter(|(.., form)| form == "thin spikes").count();
    let said: Vec<String> =
        freed.iter().map(|(name, share, form)| format!("{name} {} ({form})", percent(*share))).collect();
    outcome.state(
        "000:ten-percent-freed-elsewhere",
        format!("within five points of it on {tenth} of {}, thin spikes on {thin}: {}", freed.len(), listed(&said)),
        tenth * 2 > freed.len() && thin * 2 > freed.len(),
    );
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
    packets(&mut outcome, summaries);
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
