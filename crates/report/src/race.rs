//! The page of a race: who is better, at what price, and how sure that is.
//!
//! ```text
//!   Race ──▶ time × memory, relative to the baseline (figure) ┐
//!       ├──▶ medians and changes with intervals (table)       ┴─▶ page: one HTML file, no network
//!       └──▶ every run (figure), outliers, who left
//! ```

mod ranking;

pub use ranking::{ranking, ranking_of_plays};

use heapsmith_explore::Exploration;
use heapsmith_race::{Change, Kind, Left, Measure, Race, Raced, outliers};

use crate::document::Page;
use crate::figure::{Axis, Mark, Plot, Series, Symbol, colour, embed};
use crate::html::{Cell, Section, Table, code, escape, paragraph, section};
use crate::number::{listed, thousands};
use crate::span::Span;
use crate::spec_text::shortened;

/// The page of a race, as the text of an HTML file.
pub fn race(race: &Race) -> String {
    let title = format!("race of {}", race.command.first().map(String::as_str).unwrap_or_default());
    let header = format!(
        "<p class=\"kicker\">heapsmith race</p>\n<h1>{}</h1>\n{}",
        code(&race.command.join(" ")),
        race.load.as_ref().map_or_else(String::new, |load| paragraph(&format!("under the load {}", code(load))))
    );
    let answer = section("answer", "Time and memory", &(state(race) + &figure(race) + &table(race)));
    let sections = [section("runs", "Every run", &(runs(race) + &disturbed(race) + &left(race))), method(race)];
    Page { title: &title, header, answer: answer.html(), sections: &sections }.html()
}

/// The section of a race on the page of an exploration.
pub(crate) fn of_exploration(exploration: &Exploration, race: &Race) -> Section {
    let ranking =
        ranking(exploration, race).map_or_else(String::new, |words| paragraph(&format!("Rank correlation {words}.")));
    let body = state(race) + &ranking + &figure(race) + &table(race) + &disturbed(race) + &left(race);
    section("race", "The race", &body)
}

fn state(race: &Race) -> String {
    let rounds = race.runs.iter().map(|run| run.round + 1).max().unwrap_or(0);
    let compared = if race.output_compared { "All printed the same." } else { "Only exit codes were compared." };
    let end = if race.is_finished { "" } else { " The race was interrupted; the same command continues it." };
    paragraph(&format!(
        "The program itself ran {} times in {} rounds, each of which has one run of every allocator in an order drawn by the seed {}. \
         {compared}{end}",
        thousands(race.runs.len() as u64),
        thousands(u64::from(rounds)),
        race.seed
    ))
}

/// Entrants with runs.
fn present(race: &Race) -> impl Iterator<Item = (usize, &Raced)> {
    race.entrants.iter().enumerate().filter(|(entrant, _)| race.runs_of(*entrant).next().is_some())
}

/// The medians relative to those of the baseline, as percent.
fn place(race: &Race, entrant: usize) -> Option<(f64, f64)> {
    let relative = |measure: Measure| {
        let ratio = race.change(entrant, measure).map(|change| change.ratio);
        let medians = || Some(race.median(entrant, measure)? / race.median(0, measure)?);
        ratio.or_else(medians).map(|ratio| (ratio - 1.0) * 100.0)
    };
    Some((relative(Measure::Processors)?, relative(Measure::Peak)?)).filter(|(x, y)| x.is_finite() && y.is_finite())
}

fn figure(race: &Race) -> String {
    type Shown = (&'static str, &'static str, Symbol, fn(&Kind) -> bool);
    let kinds: [Shown; 3] = [
        ("as it is", colour::INK, Symbol::Circle, |kind| matches!(kind, Kind::AsIs { .. })),
        ("heaps", colour::VERMILION, Symbol::Star, |kind| matches!(kind, Kind::Heap { .. })),
        ("reference allocators", colour::BLUE, Symbol::Diamond, |kind| matches!(kind, Kind::Reference { .. })),
    ];
    let series: Vec<Series> = kinds
        .into_iter()
        .map(|(name, colour, symbol, is_it)| {
            let found: Vec<_> = present(race)
                .filter(|(_, raced)| is_it(&raced.kind))
                .filter_map(|(entrant, raced)| Some((raced, place(race, entrant)?)))
                .collect();
            let said = found.iter().map(|(raced, _)| escape(&raced.name)).collect::<Vec<_>>();
            Series::new(
                name,
                colour,
                Mark::Symbols(symbol, 16.0),
                found.iter().map(|found| found.1).collect::<Vec<_>>(),
            )
            .saying(said)
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    let places = || series.iter().flat_map(|series| &series.points);
    let span = |values: Vec<f64>| Span::of(&values, &[], &[]);
    let x = Axis::of("processor time (% of change)", span(places().map(|place| place.0).collect())).in_unit("%");
    let y = Axis::of("peak memory (% of change)", span(places().map(|place| place.1).collect())).in_unit("%");
    let plot = Plot { series, ..Plot::new("plot-race", 360, x, y) };
    let description = "Change of peak memory over change of processor time, relative to the program as it is";
    embed(&plot, description, "Left is faster, down is smaller; the program as it is lies at 0.")
}

fn table(race: &Race) -> String {
    let has_load = race.runs.iter().any(|run| run.load.rate.is_some() || !run.load.latencies.is_empty());
    let mut columns = vec!["allocator", "rounds"];
    for measure in Measure::ALL {
        columns.extend([measure.words(), "change, 95%"]);
    }
    if has_load {
        columns.extend(["requests/s", "p50, ms", "p99, ms", "p99.9, ms"]);
    }
    let caption =
        "Medians over the rounds, and the ratio to the program as it is in the same round, with its 95% interval.";
    let mut table = Table::new(caption.to_owned(), &columns).sortable();
    for (entrant, raced) in present(race) {
        let mut cells =
            vec![Cell::wide(name(raced)), Cell::number(race.rounds(entrant).to_string(), race.rounds(entrant) as f64)];
        for measure in Measure::ALL {
            let median = race.median(entrant, measure).unwrap_or(0.0);
            cells.push(Cell::number(measure.shown(median), median));
            cells.push(change(race.change(entrant, measure)));
        }
        if has_load {
            let number = |value: Option<f64>, decimals: usize| {
                value.map_or_else(|| Cell::text("–"), |value| Cell::number(format!("{value:.decimals$}"), value))
            };
            cells.push(number(race.load_median(entrant, |load| load.rate), 0));
            for percentile in [50.0, 99.0, 99.9] {
                cells.push(number(race.load_median(entrant, |load| load.latency(percentile)), 3));
            }
        }
        table.row(if entrant == 0 { "pick" } else { "" }, cells);
    }
    table.render()
}

fn name(raced: &Raced) -> String {
    match &raced.kind {
        Kind::Heap { spec, .. } => format!("{}<br>{}", escape(&raced.name), code(&shortened(spec))),
        Kind::Reference { line, .. } if !line.is_empty() => format!("{}<br>{}", escape(&raced.name), code(line)),
        _ => escape(&raced.name),
    }
}

fn change(change: Option<Change>) -> Cell {
    change.map_or_else(|| Cell::text("–"), |change| Cell::number(change.to_string(), change.ratio))
}

/// Every run's wall time, round by round: what disturbed all allocators at once is seen as such.
fn runs(race: &Race) -> String {
    const COLOURS: [&str; 7] =
        [colour::INK, colour::VERMILION, colour::BLUE, colour::GREEN, colour::ORANGE, colour::PURPLE, colour::SKY];
    let series: Vec<Series> = present(race)
        .map(|(entrant, raced)| {
            let points = race.runs_of(entrant).map(|run| (f64::from(run.round + 1), run.clock)).collect::<Vec<_>>();
            Series::new(&raced.name, COLOURS[entrant % COLOURS.len()], Mark::Symbols(Symbol::Circle, 6.0), points)
        })
        .collect();
    let places = || series.iter().flat_map(|series| &series.points);
    let span = |values: Vec<f64>| Span::of(&values, &[], &[]);
    let x = Axis::of("round", span(places().map(|place| place.0).collect()));
    let y = Axis::of("wall time (s)", span(places().map(|place| place.1).collect())).in_unit(" s");
    let plot = Plot { series, ..Plot::new("plot-race-runs", 320, x, y) };
    embed(&plot, "Wall time of every run over the rounds", "A run far above the others of its allocator was disturbed.")
}

fn disturbed(race: &Race) -> String {
    let line = |(entrant, raced): (usize, &Raced)| {
        let rounds = outliers(race, entrant).rounds;
        let rounds: Vec<String> = rounds.iter().map(u32::to_string).collect();
        (!rounds.is_empty()).then(|| format!("<li>{}: round {}</li>\n", escape(&raced.name), listed(&rounds)))
    };
    let lines: String = present(race).filter_map(line).collect();
    if lines.is_empty() {
        return paragraph("No run is an outlier.");
    }
    format!("<p>Outliers in wall time (modified Z-score above 14.826, as hyperfine has it):</p>\n<ul>\n{lines}</ul>\n")
}

fn left(race: &Race) -> String {
    let line = |raced: &Raced| {
        let left = raced.left.as_ref()?;
        Some(format!("<li>{}: {}</li>\n", escape(&raced.name), escape(Left::words(left))))
    };
    let lines: String = race.entrants.iter().filter_map(line).collect();
    if lines.is_empty() { String::new() } else { format!("<p>Not in the race:</p>\n<ul>\n{lines}</ul>\n") }
}

fn method(race: &Race) -> Section {
    let clock = match race.load {
        Some(_) => "Wall time is that of the load command; mean memory is that of the server during the load.",
        None => "Wall time is from the start to the end of the program; mean memory is averaged over it.",
    };
    section(
        "method",
        "How it was measured",
        &paragraph(&format!(
            "Processor time is that of the program and of what it waited for. Memory is resident, summed over all processes of the program, \
             sampled every 1 to 5 ms; the peak is at least what the system recorded of one process. {clock} A change is the trimmed mean of \
             the ratios of runs of the same round; its interval is the percentile bootstrap over rounds."
        )),
    )
}
