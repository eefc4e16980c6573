//! The verdicts of a check as a table.

use heapsmith_check::{Outcome, Report};

use crate::args::Format;
use crate::failure::Failure;
use crate::table::{self, Item, Table, none};

/// The table, within this many columns, and a last line with their numbers.
pub fn text(report: &Report, columns: Option<usize>) -> Result<String, Failure> {
    let mut table = Table::new(&["verdict", "figure", "heap", "trace", "measured", "base", "allowed"])
        .naming(&["figure", "heap", "trace"]);
    for verdict in &report.verdicts {
        let unit = verdict.figure.measure().unit();
        let shown = |value: Option<f64>| value.map_or_else(none, |value| table::shown(value, unit.brief(value)));
        table.row([
            cell(match verdict.outcome {
                Outcome::Passed => "ok",
                Outcome::Failed(_) => "FAILED",
                Outcome::Impossible(_) => "ERROR",
            }),
            cell(&verdict.figure.to_string()),
            verdict.heap.as_deref().map_or_else(none, cell),
            cell(&verdict.trace),
            shown(verdict.value),
            shown(verdict.base),
            cell(&verdict.allowed()),
        ]);
    }
    let (failed, impossible, all) = (report.failed().count(), report.impossible().count(), report.verdicts.len());
    let mut lines = table.text(Format::Table, columns)?;
    lines.push_str(&format!("{} of {all} assertions hold", all - failed - impossible));
    for (number, what) in [(failed, "failed"), (impossible, "could not be evaluated")] {
        if number > 0 {
            lines.push_str(&format!(", {number} {what}"));
        }
    }
    lines.push('\n');
    Ok(lines)
}

fn cell(value: &str) -> Item {
    table::text(value)
}
