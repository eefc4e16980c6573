//! `heapsmith inspect`: what is in a trace.

use heapsmith_limits::{LowerBound, PlacementEffort, lower_bound};
use heapsmith_output::Output;
use heapsmith_recording::Symbols;
use heapsmith_report::inspection;
use heapsmith_trace::{LiveCurve, Origin, Packer, Profile, Profiler, SiteShare, Statistics};

use crate::args::{Format, Inspect};
use crate::console::{self, note, say};
use crate::failure::Failure;
use crate::table::{Table, bytes, integer, percent, text};
use crate::{input, output, progress};

/// Sizes that are listed for people; programs get all.
const LISTED: usize = 12;
/// Call sites that are listed for people.
const SITES: usize = 5;
/// Frames of each.
const FRAMES: usize = 5;
/// Call sites that get names of functions: all that a page lists.
const NAMED: usize = 24;
/// Characters of the live curve.
const WIDTH: usize = 72;
/// Points of the live curve, at least.
const POINTS: usize = 600;

pub fn run(arguments: &Inspect) -> Result<(), Failure> {
    // Before the trace is read: what will not be written is said at once.
    let page = arguments.html.as_deref().map(|out| output::beside_text(out, [&arguments.trace])).transpose()?;
    let mut profiler = Profiler::new(POINTS);
    let mut packer = arguments.lower_bound.then(Packer::default);
    let origin = match &mut packer {
        Some(packer) => input::send(&arguments.trace, &arguments.reading, &mut (&mut profiler, packer))?,
        None => input::send(&arguments.trace, &arguments.reading, &mut profiler)?,
    };
    let mut profile = profiler.finish();
    let lower_bound = packer.map(|packer| find_lower_bound(packer, arguments));
    name_sites(&origin, &mut profile);
    if let Some(page) = page {
        write_page(&origin, &profile, page)?;
    }
    let statistics = &profile.statistics;
    if arguments.format == Format::Table {
        summary(&origin, &profile);
        lower_bound.iter().for_each(tell);
    }
    if let (Some(lower_bound), Format::Json | Format::Csv) = (&lower_bound, arguments.format) {
        return lower_bound_table(&origin, lower_bound).print(arguments.format);
    }
    let listed = if arguments.format == Format::Table { LISTED } else { usize::MAX };
    let columns = ["size", "requests", "share", "cumulated", "births", "deaths"];
    let mut table = Table::new(&columns);
    for size in statistics.sizes.iter().take(listed) {
        let (share, cumulated) = (percent(size.share), percent(size.cumulated));
        let [size, requests, births, deaths] = [size.size.0, size.count, size.births, size.deaths].map(integer);
        table.row([size, requests, share, cumulated, births, deaths]);
    }
    table.print(arguments.format)
}

fn find_lower_bound(packer: Packer, arguments: &Inspect) -> LowerBound {
    let spinner = progress::spinner("searching for an offline placement");
    let effort = PlacementEffort { work: arguments.effort.saturating_mul(1_000_000), ..PlacementEffort::USUAL };
    let lower_bound = lower_bound(&packer.finish(String::new()), effort);
    spinner.finish_and_clear();
    lower_bound
}

/// The lower bound for programs, in place of the sizes.
fn lower_bound_table(origin: &Origin, lower_bound: &LowerBound) -> Table {
    let columns = [
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
    ];
    let mut table = Table::new(&columns);
    let [live, placed] = [lower_bound.live, lower_bound.placed].map(bytes);
    let [blocks, pairs, placements, work] =
        [lower_bound.blocks, lower_bound.pairs, lower_bound.placements, lower_bound.work].map(integer);
    let is_optimal = text(if lower_bound.is_optimal { "yes" } else { "no" });
    let (fragmentation, method) = (percent(lower_bound.fragmentation()), text(lower_bound.method.to_string()));
    let name = text(origin.name());
    table.row([name, live, placed, fragmentation, is_optimal, method, blocks, pairs, placements, work]);
    table
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

fn write_page(origin: &Origin, profile: &Profile, page: Output) -> Result<(), Failure> {
    let out = page.path().to_owned();
    page.put(inspection(origin, profile)).map_err(|error| Failure::writing(&out, &error))?;
    note!("wrote {}", out.display());
    Ok(())
}

fn summary(origin: &Origin, profile: &Profile) {
    let statistics = &profile.statistics;
    let Statistics { allocations, frees, reallocations, threads, .. } = statistics;
    say!("{}", console::name(&origin.name()));
    for (name, value) in &origin.settings {
        say!("  {}={}", console::name(name), console::name(value));
    }
    say!(
        "{allocations} allocations, {frees} frees, {reallocations} reallocations on {threads} {}{}",
        if *threads == 1 { "thread" } else { "threads" },
        match statistics.duration.0 {
            0 => String::new(),
            _ => format!(" over {}", statistics.duration),
        }
    );
    say!(
        "at most {} in {} blocks live at once; {} requested in all; {} blocks never freed",
        statistics.requested_peak,
        statistics.blocks_peak,
        statistics.requested_total,
        statistics.blocks_left
    );
    let lives = &statistics.lifetimes;
    match statistics.duration.0 {
        0 => say!("half of the blocks live at most {} events, 99% at most {}", lives.events.p50, lives.events.p99),
        _ => say!(
            "half of the blocks live at most {} ({} events), 99% at most {} ({} events)",
            lives.time.p50,
            lives.events.p50,
            lives.time.p99,
            lives.events.p99
        ),
    }
    say!("live bytes  {}", sparkline(&profile.curve));
    for fact in heapsmith_report::findings(origin, profile) {
        say!("{fact}");
    }
    for site in profile.sites.iter().take(SITES) {
        let SiteShare { requested, requests, share, live_at_peak, live_at_end, name, .. } = site;
        let name = innermost(name);
        say!(
            "  {requested:>9} in {requests} requests ({:.1}%), {live_at_peak} of the peak, {live_at_end} never freed, by {name}",
            share * 100.0
        );
    }
}

/// The innermost frames of a site; a page lists all.
fn innermost(name: &str) -> String {
    let frames: Vec<&str> = name.split(" < ").collect();
    let more = if frames.len() > FRAMES { " < …" } else { "" };
    console::name(&frames[..frames.len().min(FRAMES)].join(" < ")).into_owned() + more
}

/// Finds functions and lines for the sites that are shown; what then has one name is one site only within them.
fn name_sites(origin: &Origin, profile: &mut Profile) {
    let mut symbols = Symbols::new(&origin.modules);
    for site in profile.sites.iter_mut().take(NAMED) {
        site.name = symbols.name(&site.name);
    }
}

/// Live bytes over the trace's events, a character for each stretch.
fn sparkline(curve: &LiveCurve) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let last = curve.points.last().map_or(0, |point| point.event);
    let mut highest = [None; WIDTH];
    for point in &curve.points {
        let place = point.event as usize * WIDTH / (last as usize + 1);
        highest[place] = highest[place].max(Some(point.live.0));
    }
    let max = curve.points.iter().map(|point| point.live.0).max().unwrap_or(0).max(1);
    let bar = |live: u64| BARS[((live as f64 / max as f64) * 7.0).round() as usize];
    highest.iter().flatten().map(|&live| bar(live)).collect()
}
