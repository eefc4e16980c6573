//! `cargo xtask bench growth`: how the cost of an operation grows with the live blocks.

use std::process::ExitCode;

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
use heapsmith_spec::{Spec, WordSize, resolve};
use heapsmith_trial::{Churned, Wanted, churn_within, heaps, slope, wanted};
use indicatif::ProgressBar;

/// Live blocks, and the accesses after which a measurement stops. A search from block to block
/// misses the cache with 10⁵ of them, and takes a few seconds then; what is flat stays far below.
const LIVE: [(usize, u64); 4] =
    [(1_000, 1_000_000_000), (10_000, 1_000_000_000), (100_000, 50_000_000), (1_000_000, 400_000_000)];

fn main() -> ExitCode {
    let off = growth();
    if off.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("not as claimed: {}", off.join("; "));
    ExitCode::FAILURE
}

/// Prints the table, and returns the heaps that are not as claimed.
fn growth() -> Vec<String> {
    let heaps: Vec<(&str, Spec)> = heaps()
        .map(|heap| (heap, resolve(heap).unwrap_or_else(|error| panic!("{error}"))))
        .filter(|(_, spec)| spec.word != WordSize::Two)
        .collect();
    println!("Mean accesses of an operation with this many live blocks of 8 to 2047 bytes; a dash: stopped,");
    println!("as the heap is linear by nature. Heaps with words of two bytes do not hold 1,000 such blocks.");
    let mut table = table(&["heap", "10³", "10⁴", "10⁵", "10⁶", "slope", "p99.9", "worst", "wanted", "as claimed"]);
    let (bar, mut off) = (ProgressBar::new(heaps.len() as u64), Vec::new());
    for (heap, spec) in heaps {
        bar.set_message(heap);
        bar.inc(1);
        let points = points(&spec);
        let (slope, wanted) = (slope(&points), wanted(&spec));
        let holds = points.len() > 1 && wanted.holds(slope);
        let mut row = vec![heap.to_owned()];
        row.extend(
            (0..LIVE.len()).map(|at| points.get(at).map_or("-".to_owned(), |point| format!("{:.1}", point.mean))),
        );
        row.push(if points.len() > 1 { format!("{slope:.3}") } else { "-".to_owned() });
        row.extend(
            points
                .last()
                .map_or(["-".to_owned(), "-".to_owned()], |point| [point.p999.to_string(), point.max.to_string()]),
        );
        row.push(match wanted {
            Wanted::Flat => "< 0.1".to_owned(),
            Wanted::Linear => "about 1".to_owned(),
            Wanted::Nothing => "-".to_owned(),
        });
        row.push(
            if wanted == Wanted::Nothing {
                "-"
            } else if holds {
                "yes"
            } else {
                "NO"
            }
            .to_owned(),
        );
        if bar.is_hidden() {
            // No bar is visible: results are printed as they come.
            eprintln!("{}", row.join("  "));
        }
        table.add_row(row);
        if !holds {
            off.push(heap.to_owned());
        }
    }
    bar.finish_and_clear();
    println!("{table}");
    println!("p99.9 and worst: of one operation, at the most live blocks that were measured.");
    off
}

/// As many measurements as the budget allows.
fn points(spec: &Spec) -> Vec<Churned> {
    LIVE.into_iter().map_while(|(live, budget)| churn_within(spec, live, budget).ok().flatten()).collect()
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'))).set_header(header);
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}
