//! `heapsmith inspect`: what is in a trace.

use heapsmith_trace::{LiveCurve, Statistics, Trace};

use crate::args::{Format, Inspect};
use crate::failure::Failure;
use crate::input;
use crate::table::{Table, integer, percent};

/// Sizes that are listed for people; programs get all.
const LISTED: usize = 12;
/// Characters of the live curve.
const WIDTH: usize = 72;

pub fn run(arguments: &Inspect) -> Result<(), Failure> {
    let trace = input::trace(&arguments.trace, &arguments.reading)?;
    let statistics = Statistics::of(&trace)?;
    if arguments.format == Format::Table {
        summary(&trace, &statistics)?;
    }
    let listed = if arguments.format == Format::Table { LISTED } else { usize::MAX };
    let mut table = Table::new(&["size", "requests", "share", "cumulated"]);
    for size in statistics.sizes.iter().take(listed) {
        table.row([integer(size.size.0), integer(size.count), percent(size.share), percent(size.cumulated)]);
    }
    table.print(arguments.format)
}

fn summary(trace: &Trace, statistics: &Statistics) -> Result<(), Failure> {
    let Statistics { allocations, frees, reallocations, .. } = statistics;
    println!("{}", trace.name());
    for (name, value) in &trace.origin.settings {
        println!("  {name}={value}");
    }
    println!("{allocations} allocations, {frees} frees, {reallocations} reallocations over {}", statistics.duration);
    println!(
        "at most {} in {} blocks live at once; {} requested in all; {} blocks never freed",
        statistics.requested_peak, statistics.blocks_peak, statistics.requested_total, statistics.blocks_left
    );
    println!(
        "{} distinct sizes; the two most popular make up {:.1}% of the requests",
        statistics.distinct_sizes(),
        statistics.top_share(2) * 100.0
    );
    let lives = &statistics.lifetimes;
    println!(
        "half of the blocks live {} or less ({} events), 99% live {} or less",
        lives.time.p50, lives.events.p50, lives.time.p99
    );
    println!("live bytes  {}", sparkline(trace)?);
    Ok(())
}

/// Live bytes over the trace's events, a character for each stretch.
fn sparkline(trace: &Trace) -> Result<String, Failure> {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let curve = LiveCurve::of(trace, WIDTH)?;
    let most = curve.points.iter().map(|point| point.live.0).max().unwrap_or(0).max(1);
    let bar = |live: u64| BARS[((live as f64 / most as f64) * 7.0).round() as usize];
    Ok(curve.points.iter().map(|point| bar(point.live.0)).collect())
}
