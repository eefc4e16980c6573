//! `cargo xtask bench growth`: how the cost of an operation grows with the live blocks.

use std::process::ExitCode;

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
use heapsmith_spec::{Spec, WordSize, resolve};
use heapsmith_trial::{Churned, Memory, Wanted, churn_within, every_other, heaps, on, slope, wanted};
use indicatif::ProgressBar;

/// Live blocks, and the accesses after which a measurement is given up. A search from block to block
/// misses the cache with 10⁵ of them, and takes a few seconds then; what is flat stays far below.
const LIVE: [(usize, u64); 4] =
    [(1_000, 1_000_000_000), (10_000, 1_000_000_000), (100_000, 50_000_000), (1_000_000, 400_000_000)];

fn main() -> ExitCode {
    let off = growth();
    println!();
    contrived();
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
    println!("Mean accesses of an operation with so many live blocks of 8 to 2047 bytes; a dash: given up,");
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
                .map_or(["-".to_owned(), "-".to_owned()], |point| [point.p999.to_string(), point.most.to_string()]),
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
            // Nobody sees a bar: what is known is told as it comes.
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

/// Prints the contrived case of Donahue et al. 2001, section 3.1.
fn contrived() {
    println!(
        "Every other object freed, then a larger one asked for (Donahue et al. 2001, section 3.1): accesses of that"
    );
    println!(
        "request. The paper's list took 72 times the time of its buddy system (Figure 8); it does not say of what"
    );
    println!("size the heap was. Its section 2.4 speaks of 16 MB and 16 bytes, which is 2^20 objects.");
    let mut table = table(&["objects", "heap", "list", "knuth", "estranged", "list : knuth", "list : estranged"]);
    for power in (6..=20).step_by(2) {
        let objects = 1_usize << power;
        let bytes = (16 << power) + (1 << 16);
        let mut memory = Memory::new(bytes);
        let costs = ["list(order=address, fit=first)", "buddy(knuth)", "buddy(estranged)"].map(|heap| {
            let spec = resolve(heap).unwrap_or_else(|error| panic!("{error}"));
            on(&spec, &mut memory, bytes, |heap| every_other(heap, objects)).ok().flatten()
        });
        let [Some(list), Some(knuth), Some(estranged)] = costs else {
            println!("2^{power} objects do not fit");
            continue;
        };
        let ratio = |buddy: u64| format!("{:.0}", list as f64 / buddy as f64);
        table.add_row([
            format!("2^{power}"),
            format!("{} KiB", (16 << power) / 1024),
            list.to_string(),
            knuth.to_string(),
            estranged.to_string(),
            ratio(knuth),
            ratio(estranged),
        ]);
    }
    println!("{table}");
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'))).set_header(header);
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}
