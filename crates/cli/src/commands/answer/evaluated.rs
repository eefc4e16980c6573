//! The choice on traces that it was not made for.

use heapsmith_explore::Evaluated;

use crate::console::say;
use crate::table::{Table, heap, number, percent, text};

pub fn table(evaluated: &[Evaluated]) -> Table {
    let columns = [
        "trace",
        "heap_of",
        "fragmentation",
        "accesses_per_op",
        "from_front",
        "footprint_regret",
        "accesses_regret",
        "heap",
    ];
    let mut table = Table::new(&columns);
    for row in evaluated {
        let name = if row.failed > 0 { format!("{} (refuses)", row.name) } else { row.name.clone() };
        table.row([
            text(&row.trace),
            text(&name),
            percent(row.fragmentation),
            number(row.accesses, 2),
            percent(row.distance),
            percent(rounded(row.footprint_regret)),
            percent(rounded(row.accesses_regret)),
            heap(&row.heap),
        ]);
    }
    table
}

/// A share that reads as 0 is 0, and not one below.
fn rounded(share: f64) -> f64 {
    if share.abs() < 0.0005 { 0.0 } else { share }
}

/// Where the pick is overfitted, and why.
pub fn warnings(evaluated: &[Evaluated]) {
    for row in evaluated {
        if let Some(reason) = &row.warning {
            say!(
                "  warning: overfitted: on {} the distance of the pick to the front is {:.1}%: {reason}",
                row.trace,
                row.distance * 100.0
            );
        }
    }
}
