//! How the page was made, and what its numbers mean.

use heapsmith_explore::Strategy;

use crate::html::{Cell, Section, Table, code, escape, section as wrap};
use crate::number::{plural, thousands};
use crate::study::Study;

/// The section.
pub fn section(study: &Study<'_>) -> Section {
    let body = facts(study) + &traces(study) + MEASURES + SOURCES;
    wrap("method", "How this was made", &body)
}

fn facts(study: &Study<'_>) -> String {
    let exploration = study.exploration;
    let mut facts = Vec::new();
    if !exploration.command.is_empty() {
        facts.push(("command", format!("<code id=\"command\">{}</code>", escape(&exploration.command))));
    }
    facts.push(("version", format!("heapsmith {}", env!("CARGO_PKG_VERSION"))));
    facts.push((
        "space",
        format!(
            "{}: {}, of which {} are unique on these traces and were replayed",
            escape(&exploration.space),
            plural(exploration.rows.len() as u64, "design", "designs"),
            thousands(study.unique_designs() as u64),
        ),
    ));
    if exploration.pruned > 0 {
        let told = match exploration.search {
            Strategy::Exhaustive => {
                "cut short, as they could no longer reach a front: a finished design was at least as good in every objective"
            }
            Strategy::Halving => {
                "left out after a slice of the trace, on which others were nearer to the front \
                 (<code>--search exhaustive</code> replays all)"
            }
        };
        facts.push((
            "not replayed on whole traces",
            format!("{}, {told}", plural(exploration.pruned as u64, "design", "designs")),
        ));
    }
    if let Some(seconds) = study.input.elapsed {
        facts.push(("time of the sweep", format!("{seconds:.1} s")));
    }
    if let Some(timing) = exploration.timings.first() {
        let rounds = plural(timing.rounds.into(), "round", "rounds");
        let form = exploration.timed_as().unwrap_or_default();
        let what = format!(
            "median of {rounds} or more, one at a time, interleaved, {form}. What takes ten times as long as the slowest of the \
             front is timed on the begin of the traces"
        );
        facts.push(("times", what));
    }
    let fact = |(name, value): (&str, String)| format!("<dt>{name}</dt><dd>{value}</dd>\n");
    format!("<dl class=\"facts\">\n{}</dl>\n", facts.into_iter().map(fact).collect::<String>())
}

fn traces(study: &Study<'_>) -> String {
    let columns = ["trace", "fingerprint", "events", "allocations", "frees", "reallocations", "peak", "made with"];
    let mut table = Table::new("The traces.", &columns);
    for studied in &study.traces {
        let (statistics, origin) = (&studied.statistics, &studied.trace.origin);
        let number = |value: u64| Cell::number(thousands(value), value as f64);
        let settings: Vec<String> = origin.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        table.row(
            "",
            vec![
                Cell::text(&studied.packed.name),
                Cell::html(code(&format!("{:016x}", studied.packed.fingerprint))),
                number(statistics.events),
                number(statistics.allocations),
                number(statistics.frees),
                number(statistics.reallocations),
                Cell::number(statistics.requested_peak.to_string(), statistics.requested_peak.0 as f64),
                Cell::text(&settings.join(" ")),
            ],
        );
    }
    table.render()
}

const MEASURES: &str = "<h3>What the numbers are</h3>\n<ul>\n\
    <li><strong>Fragmentation</strong> = largest footprint ÷ peak live bytes, as requested − 1 (Mamagkakis et al. \
    2006, §3); the mean over the traces. The <strong>footprint</strong> is the region up to its highest block, headers and \
    holes included, at its largest. <em>Internal</em> fragmentation is the part of used blocks beyond the requests in them at \
    peak live bytes; <em>external</em> fragmentation is the rest of the largest footprint. Their sum is the fragmentation.</li>\n\
    <li><strong>Mean footprint</strong> is the footprint after each operation, averaged over the operations. <strong>Retained \
    memory</strong> is the part of it beyond the requested bytes that are live: what the heap holds and the program does not \
    use. <em>Over time</em> they are averaged over the times of the trace, with 2 ns for each access of the heap. All are in \
    bytes.</li>\n\
    <li><strong>Accesses</strong> are the words of metadata that the allocator reads or writes while it serves the trace. They \
    are the same on every machine. p99: 99% of the operations need at most this many. Max: the most expensive \
    operation. With several traces, the mean is over all operations, p99 and max are those of the worst trace.</li>\n\
    <li><strong>Time</strong> depends on the machine. Compare it with the null allocator: the same loop without an \
    allocator. A time is the median of interleaved rounds, in each of which the trace is played twice and timed the second time, \
    as reference allocators that serve the whole process cannot be emptied. It is unreliable where the 95% interval of that median (from order \
    statistics) is wider than a tenth of it, also after up to three times as many rounds more.</li>\n\
    <li><strong>Equal designs</strong> have the same value in every measure: their levels lead to the same decisions on these traces.</li>\n</ul>\n";

const SOURCES: &str = "<h3>Sources</h3>\n<ul>\n\
    <li>S. Mamagkakis, C. Baloukas, D. Atienza, F. Catthoor, D. Soudris, A. Thanailakis: Reducing memory fragmentation in \
    network applications with dynamic memory allocators optimized for performance. Computer Communications 29 (2006) \
    2612–2620.</li>\n\
    <li>R. A. Fisher: Statistical Methods for Research Workers, 1925 (analysis of variance).</li>\n\
    <li>Colours: M. Okabe and K. Ito, 2008.</li>\n</ul>\n";
