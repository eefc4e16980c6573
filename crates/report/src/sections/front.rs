//! The table of the front.

use heapsmith_explore::{Objective, Objectives, Retimed};
use heapsmith_trace::Bytes;

use crate::html::{Cell, Section, Table, code, paragraph, section as wrap};
use crate::number::{count, listed, percent, plural, thousands};
use crate::study::{Study, accesses, footprint, fragmentation};

/// Rows of the second table; more than this nobody reads.
const MAX: usize = 200;

/// The section.
pub fn section(study: &Study<'_>) -> Section {
    let front = &study.exploration.front;
    let steps = &study.exploration.front_2d;
    let mut body = paragraph(&format!(
        "No design beats these in both fragmentation and accesses; they are on {}. “Equal” counts the designs whose \
         every measure is the same. A click on a heading sorts.{}",
        plural(steps.len() as u64, "place", "places"),
        null_sentence(study),
    ));
    body.push_str(&table(study, "The front over fragmentation and accesses.", steps).render());
    let others = others(study);
    if !others.is_empty() {
        let caption = match others.len() {
            shown if shown > MAX => format!("The first {MAX} of {}, by fragmentation.", thousands(shown as u64)),
            _ => "By fragmentation.".to_owned(),
        };
        body.push_str(&format!(
            "<details><summary>{} more that none beats in all of {} ({} designs in all)</summary>\n{}</details>\n",
            thousands(others.len() as u64),
            listed(
                &study
                    .exploration
                    .question
                    .goal
                    .objectives
                    .iter()
                    .map(|objective| objective.words().to_owned())
                    .collect::<Vec<_>>()
            ),
            thousands(front.len() as u64),
            table(study, &caption, &others[..others.len().min(MAX)]).render(),
        ));
    }
    wrap("front", "The front", &body)
}

/// One design of each place of the front over the chosen objectives that the first table does not show.
fn others(study: &Study<'_>) -> Vec<usize> {
    let same = |a: usize, b: usize| {
        study
            .exploration
            .question
            .goal
            .objectives
            .iter()
            .all(|&objective| study.point(a).get(objective) == study.point(b).get(objective))
    };
    let mut others: Vec<usize> = Vec::new();
    for &index in &study.exploration.front {
        let shown = study.exploration.front_2d.iter().chain(&others).any(|&other| same(index, other));
        if !shown {
            others.push(index);
        }
    }
    others.sort_by(|&a, &b| fragmentation(study.point(a)).total_cmp(&fragmentation(study.point(b))));
    others
}

/// What an unreliable time is, and what to do.
const UNRELIABLE: &str = "its rounds disagree by more than a tenth, so it decides nothing; measure on a quiet machine, or \
                              with more --rounds";

/// The values to compare a time with.
pub fn null_sentence(study: &Study<'_>) -> String {
    let Some(null_allocator) = study.null_allocator() else { return " Times were not measured.".to_owned() };
    let unreliable = study.exploration.timings.iter().any(|timing| !timing.ns.is_reliable());
    let note = if unreliable { format!(" An unreliable time: {UNRELIABLE}.") } else { String::new() };
    format!(" The same loop on the null allocator takes {null_allocator:.1} ns.{note}")
}

/// The cell of a time: sorted last where it is unreliable or was not measured. `events` is how many there are.
pub fn time_cell(timing: Option<&Retimed>, events: u64) -> Cell {
    let Some(time) = timing else { return Cell::number("–", f64::MAX) };
    let cut = if time.events < events { format!("<br>first {} events", thousands(time.events)) } else { String::new() };
    Cell::number(format!("{}{cut}", time.ns), time.ns.reliable().unwrap_or(f64::MAX))
}

/// The heading of the times, with that of the null allocator.
pub fn time_heading(study: &Study<'_>) -> String {
    study.null_allocator().map_or("ns/op".to_owned(), |null_allocator| format!("ns/op<br>(null {null_allocator:.1})"))
}

fn table(study: &Study<'_>, caption: &str, designs: &[usize]) -> Table {
    let time = time_heading(study);
    let mut columns =
        vec!["design", "fragmen&shy;tation", "footprint", "accesses", "p99", "max", time.as_str(), "equal", "spec"];
    let by_cost = study.exploration.work() == Objective::Cost;
    if by_cost {
        columns.insert(COST, "cost");
    }
    let mut table = Table::new(caption, &columns).sortable();
    for &index in designs {
        let row = &study.exploration.rows[index];
        let mut cells = vec![Cell::number(row.design.number.to_string(), row.design.number.into())];
        cells.extend(numbers(
            study,
            study.point(index),
            footprint(study.exploration.measures_of(index)),
            study.exploration.timing(index),
        ));
        let alike = study.exploration.alike(index);
        cells.push(Cell::number(thousands(alike as u64), alike as f64));
        cells.push(Cell::wide(spec(&row.design.spec.to_string())));
        if by_cost {
            cells.insert(COST, cost_cell(study.point(index).get(Objective::Cost)));
        }
        table.row(if index == study.pick { "pick" } else { "" }, cells);
    }
    table
}

/// The place of the cost, after the accesses.
const COST: usize = 4;

/// The cell of a counted cost: sorted last where it was not counted.
fn cost_cell(cost: f64) -> Cell {
    if cost.is_finite() { Cell::number(count(cost), cost) } else { Cell::number("–", f64::MAX) }
}

/// A spec in monospace; a long one is folded.
pub fn spec(text: &str) -> String {
    let short = crate::spec_text::shortened(text);
    if short == text {
        return code(text);
    }
    format!("<details><summary>{}</summary>{}</details>", code(&short), code(text))
}

/// The cells that designs and allocators of the catalogue have in common.
pub fn numbers(study: &Study<'_>, point: &Objectives, footprint: Bytes, timing: Option<&Retimed>) -> Vec<Cell> {
    let whole = |objective| Cell::number(count(point.get(objective)), point.get(objective));
    vec![
        Cell::number(percent(fragmentation(point)), fragmentation(point)),
        Cell::number(footprint.to_string(), footprint.0 as f64),
        Cell::number(count(accesses(point)), accesses(point)),
        whole(Objective::P99),
        whole(Objective::MaxOp),
        time_cell(timing, study.exploration.events()),
    ]
}
