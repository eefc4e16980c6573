//! What a race says on the terminal: a table, and at most six lines below it.

use std::path::Path;

use heapsmith_explore::{Exploration, Store};
use heapsmith_race::{Change, Kind, Left, MIN_ROUNDS, Measure, Race, Raced, outliers};
use heapsmith_trace::Bytes;

use super::PAGE;
use crate::args::Format;
use crate::commands::explore::knobs;
use crate::console::{note, say};
use crate::failure::Failure;
use crate::fit::shortened;
use crate::quoted::{quoted, word};
use crate::table::{self, Item, Table, brief, bytes, integer, none, shown, text};

/// What an allocator may take more of one thing for less of another.
const AS_MUCH: f64 = 1.01;

/// Columns of a name.
const NAME: usize = 30;

/// Prints a race.
pub fn print(race: &Race, format: Format, dir: &Path) -> Result<(), Failure> {
    table(race).print(format)?;
    if format != Format::Table {
        return Ok(());
    }
    say!("Answer     {}", answer(race));
    if let Some(line) = best(race).and_then(|(entrant, _)| deployment(race, entrant)) {
        say!("Deploy     {line}");
    }
    disturbed(race).into_iter().for_each(|line| say!("Outliers   {line}"));
    if let Some(line) = ranking(race, dir) {
        say!("Ranking    {line}");
    }
    say!("Page       {}", quoted(&dir.join(PAGE)));
    if !race.output_compared && race.load.is_none() {
        note!("outputs were not compared");
    }
    Ok(())
}

/// How well the exploration of the folder ranked what was raced.
fn ranking(race: &Race, dir: &Path) -> Option<String> {
    if knobs::is_in(dir) {
        return heapsmith_report::ranking_of_plays(&knobs::played(dir).ok()?, race);
    }
    let exploration = dir.join(Store::FILE).exists().then(|| Exploration::open(dir).ok()).flatten()?;
    heapsmith_report::ranking(&exploration, race)
}

/// A row for each entrant.
fn table(race: &Race) -> Table {
    const COLUMNS: [&str; 9] = [
        "allocator",
        "cpu_time",
        "cpu_change",
        "peak",
        "peak_change",
        "p99_ms",
        "requests_per_s",
        "mean_change",
        "wall_change",
    ];
    const HIDDEN: [&str; 17] = [
        "kind",
        "spec",
        "environment",
        "rounds",
        "left",
        "wall_time",
        "mean_resident",
        "p50_ms",
        "p999_ms",
        "cpu_low",
        "cpu_high",
        "peak_low",
        "peak_high",
        "mean_low",
        "mean_high",
        "wall_low",
        "wall_high",
    ];
    let mut table = Table::new(&COLUMNS).hiding(&HIDDEN).sparing(&["wall_change", "mean_change", "requests_per_s"]);
    for (entrant, raced) in race.entrants.iter().enumerate() {
        if raced.left == Some(Left::Same) {
            continue;
        }
        table.row(row(race, entrant, raced));
    }
    table
}

fn row(race: &Race, entrant: usize, raced: &Raced) -> Vec<Item> {
    let of = |measure: Measure| race.median(entrant, measure);
    let changes = Measure::ALL.map(|measure| race.change(entrant, measure));
    let [processors, clock, peak, mean] = changes;
    let said = |change: Option<Change>| change.map_or_else(none, |change| shown(change.ratio, change.to_string()));
    let seconds = |value: Option<f64>| value.map_or_else(none, |value| shown(value, Measure::Clock.shown(value)));
    let memory = |value: Option<f64>| value.map_or_else(none, |value| bytes(Bytes(value as u64)));
    let decimals =
        |value: Option<f64>, decimals: usize| value.map_or_else(none, |value| table::number(value, decimals));
    let latency = |percentile: f64| decimals(race.load_median(entrant, |load| load.latency(percentile)), 3);
    let (kind, spec, line) = match &raced.kind {
        Kind::AsIs { .. } => ("as_is", none(), none()),
        Kind::Heap { spec, .. } => ("heap", text(spec.clone()), none()),
        Kind::Reference { line, .. } => ("reference", none(), text(line.clone())),
    };
    let ends = [processors, peak, mean, clock].into_iter().flat_map(|change| {
        let end = |of: fn(Change) -> f64| decimals(change.map(of), 6);
        [end(|change| change.low), end(|change| change.high)]
    });
    let rate = race.load_median(entrant, |load| load.rate).map_or_else(none, |rate| integer(rate as u64));
    let left = raced.left.as_ref().map_or_else(none, |left| text(left.words()));
    let first = table::word(&raced.name, &shortened(&brief(&raced.name), NAME));
    let seen = [
        first,
        seconds(of(Measure::Processors)),
        said(processors),
        memory(of(Measure::Peak)),
        said(peak),
        latency(99.0),
        rate,
        said(mean),
        said(clock),
    ];
    let hidden = [
        text(kind),
        spec,
        line,
        integer(race.rounds(entrant) as u64),
        left,
        seconds(of(Measure::Clock)),
        memory(of(Measure::Mean)),
        latency(50.0),
        latency(99.9),
    ];
    seen.into_iter().chain(hidden).chain(ends).collect()
}

/// The entrant that is better in one thing and no worse in the other, and in what.
fn best(race: &Race) -> Option<(usize, [Measure; 2])> {
    let both = [[Measure::Peak, Measure::Processors], [Measure::Processors, Measure::Peak]];
    let found = both.map(|[better, other]| Some((race.best(better, other, AS_MUCH)?, [better, other])));
    let gain = |found: &((usize, Change, Change), [Measure; 2])| found.0.1.ratio;
    let best = found.into_iter().flatten().min_by(|a, b| gain(a).total_cmp(&gain(b)))?;
    Some((best.0.0, best.1))
}

/// What to do.
fn answer(race: &Race) -> String {
    let rounds = (1..race.entrants.len()).map(|entrant| race.rounds(entrant)).max().unwrap_or(0);
    let name = |entrant: usize| brief(&race.entrants[entrant].name);
    if rounds < MIN_ROUNDS {
        return format!("none: {rounds} rounds give no interval; --runs {MIN_ROUNDS} or more do");
    }
    if let Some((entrant, [better, other])) = best(race) {
        return format!("{}: {}, {}", name(entrant), change(race, entrant, better), change(race, entrant, other));
    }
    let certain = |measure: Measure| {
        race.best(measure, measure, f64::INFINITY).map(|(entrant, ..)| {
            let other = if measure == Measure::Peak { Measure::Processors } else { Measure::Peak };
            format!("{} has {} at {}", name(entrant), change(race, entrant, measure), change(race, entrant, other))
        })
    };
    let trades: Vec<String> = [Measure::Peak, Measure::Processors].into_iter().filter_map(certain).collect();
    match trades.is_empty() {
        true => "keep what the program has: nothing is better by a whole interval".to_owned(),
        false => format!("a trade: {}", trades.join("; ")),
    }
}

/// `peak memory -10.0% ±0.2`.
fn change(race: &Race, entrant: usize, measure: Measure) -> String {
    let change = race.change(entrant, measure).map_or_else(|| "unknown".to_owned(), |change| change.to_string());
    format!("{} {change}", measure.words())
}

/// What deploys an entrant, as one line of a shell.
fn deployment(race: &Race, entrant: usize) -> Option<String> {
    let program = race.command.first().map(|program| word(program)).unwrap_or_default();
    match &race.entrants[entrant].kind {
        Kind::AsIs { .. } => None,
        Kind::Heap { spec, .. } => Some(format!("heapsmith run --heap {} -- {program}", word(spec))),
        Kind::Reference { library, line } => {
            let own = match &race.entrants[0].kind {
                Kind::AsIs { library } => library.as_deref(),
                _ => None,
            };
            let real = |path: &str| Path::new(path).canonicalize().ok();
            let is_own = own.is_some_and(|own| real(own) == real(library));
            let preload = if is_own { String::new() } else { format!("LD_PRELOAD={}", word(library)) };
            let words = [preload, line.clone(), program].into_iter().filter(|word| !word.is_empty());
            Some(words.collect::<Vec<_>>().join(" "))
        }
    }
}

/// Runs that were disturbed, as hyperfine names them; a line at most for slow first runs, and one for others.
fn disturbed(race: &Race) -> Vec<String> {
    let all: Vec<_> = (0..race.entrants.len()).map(|entrant| (entrant, outliers(race, entrant))).collect();
    let count: usize = all.iter().map(|(_, outliers)| outliers.rounds.len()).sum();
    if count == 0 {
        return Vec::new();
    }
    let names: Vec<String> = all
        .iter()
        .filter(|(_, outliers)| !outliers.rounds.is_empty())
        .map(|(entrant, outliers)| {
            let rounds = outliers.rounds.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            format!("{} in round {rounds}", shortened(&race.entrants[*entrant].name, NAME))
        })
        .collect();
    let first = all.iter().any(|(_, outliers)| outliers.slow_first);
    let advice =
        if first { "the first runs were slow: caches were cold" } else { "race again on a quiet machine, or longer" };
    vec![format!("{}; {advice}", names.join("; "))]
}
