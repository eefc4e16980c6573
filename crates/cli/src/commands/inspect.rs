//! `heapsmith inspect`: what is in traces.

mod pools;
mod sites;

use std::path::{Path, PathBuf};

use heapsmith_import::pprof;
use heapsmith_limits::{LowerBound, PlacementEffort, lower_bound};
use heapsmith_output::Output;
use heapsmith_report::inspection;
use heapsmith_trace::{
    Bytes, FixedPools, LiveCurve, Origin, PackedTrace, Packer, Profile, Profiler, Sampled, Statistics, plural,
};

use crate::args::{Format, Inspect};
use crate::console::{self, say};
use crate::failure::Failure;
use crate::table::{Item, Table, bytes, integer, none, percent, text};
use crate::{input, output, progress};

/// Sizes, and call sites with all frames, that are listed for people; programs get all.
const LISTED: usize = 12;
/// Call sites that get names of functions, of most bytes in all and of most never freed: all that a page lists.
const NAMED: usize = 24;
/// Columns of the live curve at most, and of its name.
const WIDTH: usize = 72;
const NAME: &str = "live bytes  ";
/// What blocks of pools are multiples of, by default.
const POOLED: u32 = 8;
/// Points of the live curve, at least.
const POINTS: usize = 600;

pub fn run(arguments: &Inspect) -> Result<(), Failure> {
    for out in [&arguments.html, &arguments.pprof].into_iter().flatten() {
        if arguments.traces.len() > 1 {
            return Err(Failure::wrong_use(format!("{} can hold what is in one trace: name one", out.display())));
        }
    }
    let tables = [arguments.lower_bound, arguments.classes.is_some(), arguments.sites];
    if tables.iter().filter(|&&asked| asked).count() > 1 && arguments.format != Format::Table {
        return Err(Failure::wrong_use(
            "--lower-bound, --classes and --sites are tables of their own: with this --format name one of them",
        ));
    }
    // Before a trace is read: what will not be written is said at once.
    let open =
        |out: &Option<PathBuf>| out.as_deref().map(|out| output::beside_text(out, &arguments.traces)).transpose();
    let (mut page, mut sites) = (open(&arguments.html)?, open(&arguments.pprof)?);
    let mut table = match arguments {
        Inspect { lower_bound: true, .. } => lower_bound_table(),
        Inspect { classes: Some(_), .. } => pools::table(names_traces(arguments)),
        Inspect { sites: true, .. } => sites::table(names_traces(arguments)),
        _ => sizes_table(arguments),
    };
    for (number, path) in arguments.traces.iter().enumerate() {
        let Inspected { origin, profile, lower_bound, pools } = Inspected::of(path, arguments)?;
        if let Some(page) = page.take() {
            output::put(page, inspection(&origin, &profile))?;
        }
        if let Some(sites) = sites.take() {
            write_sites(path, &profile, sites)?;
        }
        if arguments.format == Format::Table {
            if number > 0 {
                say!();
            }
            summary(&origin, &profile);
            if arguments.sites {
                sites::show(&profile);
            }
            lower_bound.iter().for_each(tell);
            let mut sizes = sizes_table(arguments);
            add_sizes(&mut sizes, &origin, &profile, arguments);
            sizes.print(Format::Table)?;
            if let Some(pools) = &pools {
                say!();
                pools::show(pools, &profile.statistics)?;
            }
        } else if let Some(lower_bound) = &lower_bound {
            add_lower_bound(&mut table, &origin, lower_bound);
        } else if let Some(pools) = &pools {
            let name = names_traces(arguments).then(|| origin.name());
            pools::add(&mut table, name.as_deref(), pools, &profile.statistics);
        } else if arguments.sites {
            sites::add(&mut table, names_traces(arguments).then(|| origin.name()).as_deref(), &profile);
        } else {
            add_sizes(&mut table, &origin, &profile, arguments);
        }
    }
    if arguments.format == Format::Table { Ok(()) } else { table.print(arguments.format) }
}

/// A trace, and what was found of it.
struct Inspected {
    origin: Origin,
    profile: Profile,
    lower_bound: Option<LowerBound>,
    pools: Option<FixedPools>,
}

impl Inspected {
    fn of(path: &Path, arguments: &Inspect) -> Result<Inspected, Failure> {
        let mut profiler = Profiler::new(POINTS);
        let mut packer = (arguments.lower_bound || arguments.classes.is_some()).then(Packer::default);
        let origin = match &mut packer {
            Some(packer) => input::send(path, &arguments.reading, &mut (&mut profiler, packer))?,
            None => input::send_sampled(path, &arguments.reading, &mut profiler)?,
        };
        let mut profile = profiler.finish_of(&origin);
        let packed = packer.map(|packer| packer.finish_as(String::new()));
        let lower_bound =
            packed.as_ref().filter(|_| arguments.lower_bound).map(|packed| find_lower_bound(packed, arguments));
        let optimal = |(packed, count)| FixedPools::optimal(packed, count, arguments.align.unwrap_or(POOLED).into());
        let pools = packed.as_ref().zip(arguments.classes).map(optimal);
        sites::name(
            &origin,
            &mut profile,
            if arguments.pprof.is_some() || arguments.sites { usize::MAX } else { NAMED },
        );
        if profile.sites.is_empty() && arguments.sites {
            return Err(no_sites(path, "--sites"));
        }
        Ok(Inspected { origin, profile, lower_bound, pools })
    }
}

/// The sizes: of one trace without its name, as that is above them or known.
fn sizes_table(arguments: &Inspect) -> Table {
    let columns = ["size", "requests", "share", "cumulated", "births", "deaths"];
    let table = match names_traces(arguments) {
        true => Table::new(&[&["trace"][..], &columns].concat()),
        false => Table::new(&columns),
    };
    table.hiding(&[SAMPLED])
}

/// Of how many blocks one was recorded, for programs: all figures are of that many times what was.
const SAMPLED: &str = "sampled";

fn sampled(profile: &Profile) -> Item {
    profile.sampled.map_or_else(none, |sampled| integer(sampled.every))
}

/// Whether rows have the name of their trace: programs need it where there are several.
fn names_traces(arguments: &Inspect) -> bool {
    arguments.traces.len() > 1 && arguments.format != Format::Table
}

fn add_sizes(table: &mut Table, origin: &Origin, profile: &Profile, arguments: &Inspect) {
    let listed = if arguments.format == Format::Table { LISTED } else { usize::MAX };
    for size in profile.statistics.sizes.iter().take(listed) {
        let trace = names_traces(arguments).then(|| text(origin.name()));
        let (share, cumulated) = (percent(size.share), percent(size.cumulated));
        let [size, requests, births, deaths] = [size.size.0, size.count, size.births, size.deaths].map(integer);
        let row = [size, requests, share, cumulated, births, deaths, sampled(profile)];
        table.row(trace.into_iter().chain(row));
    }
}

fn find_lower_bound(packed: &PackedTrace, arguments: &Inspect) -> LowerBound {
    let spinner = progress::spinner("searching for an offline placement");
    let usual = PlacementEffort::USUAL;
    let alignment = arguments.align.map_or(usual.alignment, u64::from);
    let effort = PlacementEffort { work: arguments.effort.saturating_mul(1_000_000), alignment, ..usual };
    let lower_bound = lower_bound(packed, effort);
    spinner.finish_and_clear();
    lower_bound
}

/// The lower bounds for programs, in place of the sizes.
fn lower_bound_table() -> Table {
    Table::new(&[
        "trace",
        "peak_live",
        "offline",
        "fragmentation",
        "is_optimal",
        "method",
        "blocks",
        "pairs",
        "placements",
        "work",
    ])
}

fn add_lower_bound(table: &mut Table, origin: &Origin, lower_bound: &LowerBound) {
    let [live, placed] = [lower_bound.live, lower_bound.placed].map(bytes);
    let [blocks, pairs, placements, work] =
        [lower_bound.blocks, lower_bound.pairs, lower_bound.placements, lower_bound.work].map(integer);
    let is_optimal = text(if lower_bound.is_optimal { "yes" } else { "no" });
    let (fragmentation, method) = (percent(lower_bound.fragmentation()), text(lower_bound.method.to_string()));
    let name = text(origin.name());
    table.row([name, live, placed, fragmentation, is_optimal, method, blocks, pairs, placements, work]);
}

/// The two lines of the lower bound.
fn tell(lower_bound: &LowerBound) {
    say!("lower bound: {} peak live bytes", lower_bound.live);
    say!(
        "             {} (+{:.2}%) by offline placement, {}: {}{}",
        lower_bound.placed,
        lower_bound.fragmentation() * 100.0,
        match lower_bound.is_optimal {
            true => "optimal",
            false => "the best found",
        },
        lower_bound.method,
        if lower_bound.is_coarse { "; holes were not searched, use a larger --effort" } else { "" }
    );
}

fn write_sites(path: &Path, profile: &Profile, output: Output) -> Result<(), Failure> {
    if profile.sites.is_empty() {
        return Err(no_sites(path, "--pprof"));
    }
    output::put(output, pprof(&profile.sites))
}

fn no_sites(path: &Path, option: &str) -> Failure {
    Failure::bad_input(format!("{} has no call sites for {option}; record them with `record --sites`", path.display()))
}

fn summary(origin: &Origin, profile: &Profile) {
    let statistics = &profile.statistics;
    let Statistics { allocations, frees, reallocations, threads, .. } = statistics;
    say!("{}", console::name(&origin.name()));
    for (name, value) in &origin.settings {
        say!("  {}={}", console::name(name), console::name(value));
    }
    if let Some(sampled) = &profile.sampled {
        say!("one block in {} was recorded: counts and bytes are estimates, of that many times as much", sampled.every);
    }
    let about = if profile.sampled.is_some() { "about " } else { "" };
    say!(
        "{about}{}, {}, {} on {}{}",
        plural(*allocations, "allocation", "allocations"),
        plural(*frees, "free", "frees"),
        plural(*reallocations, "reallocation", "reallocations"),
        plural(*threads as u64, "thread", "threads"),
        match statistics.duration.0 {
            0 => String::new(),
            _ => format!(" over {}", statistics.duration),
        }
    );
    say!(
        "at most {about}{} in {} live at once; {about}{} requested in all; {about}{} never freed",
        statistics.requested_peak,
        plural(statistics.blocks_peak, "block", "blocks"),
        statistics.requested_total,
        plural(statistics.blocks_left, "block", "blocks")
    );
    if let Some(Sampled { blocks_left, bytes_left, .. }) = profile.sampled {
        say!(
            "{} in {} never freed, with a standard error of {} and {}",
            statistics.bytes_left,
            plural(statistics.blocks_left, "block", "blocks"),
            Bytes(bytes_left.round() as u64),
            plural(blocks_left.round() as u64, "block", "blocks")
        );
    }
    let lives = &statistics.lifetimes;
    let [p50, p99] = [lives.events.p50, lives.events.p99].map(|events| plural(events, "event", "events"));
    match statistics.duration.0 {
        0 => say!("half of the blocks live at most {p50}, 99% at most {p99}"),
        _ => {
            say!("half of the blocks live at most {} ({p50}), 99% at most {} ({p99})", lives.time.p50, lives.time.p99)
        }
    }
    let width = console::columns().map_or(WIDTH, |columns| WIDTH.min(columns - NAME.len()));
    say!("{NAME}{}", sparkline(&profile.curve, width));
    for fact in heapsmith_report::findings(origin, profile) {
        say!("{fact}");
    }
    sites::summary(profile);
}

/// Live bytes over the trace's events, a character for each stretch.
fn sparkline(curve: &LiveCurve, width: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let last = curve.points.last().map_or(0, |point| point.event);
    let mut highest = vec![None; width];
    for point in &curve.points {
        let place = point.event as usize * width / (last as usize + 1);
        highest[place] = highest[place].max(Some(point.live.0));
    }
    let max = curve.points.iter().map(|point| point.live.0).max().unwrap_or(0).max(1);
    let bar = |live: u64| BARS[((live as f64 / max as f64) * 7.0).round() as usize];
    highest.iter().flatten().map(|&live| bar(live)).collect()
}
