//! The page of `compare`: what changed from one exploration to another.
//!
//! ```text
//!   Comparison ──▶ whether each old pick is still right ┐
//!             ├──▶ picks, then and now (figure, table)  ┴─▶ page: one HTML file, no network
//!             └──▶ traces, front, what else differs
//! ```

use heapsmith_explore::{Choice, Comparison, Load, Objective, PickChange, TraceChange};

use crate::document::Page;
use crate::figure::{Axis, Mark, Plot, Series, Symbol, colour, embed};
use crate::html::{Cell, Section, Table, code, escape, paragraph, section};
use crate::number::{count, percent, relative, thousands};
use crate::span::Span;
use crate::spec_text::shortened;

/// A pick on the traces that it is shown on, by the name that the terminal has for it.
type Measured = (&'static str, fn(&PickChange) -> Option<&Choice>);

const MEASURED: [Measured; 3] = [
    ("old, then", |pick| pick.old.as_ref()),
    ("old, now", |pick| pick.old_on_new.as_ref()),
    ("new", |pick| pick.new.as_ref()),
];

/// The page of two explorations, as the text of an HTML file; `old` and `new` are their folders.
pub fn comparison(old: &str, new: &str, comparison: &Comparison) -> String {
    let title = format!("{old} and {new}");
    let header = format!(
        "<p class=\"kicker\">heapsmith compare</p>\n<h1>{} → {}</h1>\n{}",
        escape(old),
        escape(new),
        incomparable(comparison)
    );
    let mut sections = vec![picks(comparison), traces(comparison), front(comparison)];
    if !comparison.differences.is_empty() {
        sections.push(section("differences", "What else differs", &list(&comparison.differences)));
    }
    Page { title: &title, header, answer: answer(comparison).html(), sections: &sections }.html()
}

fn incomparable(comparison: &Comparison) -> String {
    let why = |line: &String| format!("<p class=\"note\">Not comparable: {}</p>\n", escape(line));
    comparison.incomparable.iter().map(why).collect()
}

fn list(lines: &[String]) -> String {
    let items: String = lines.iter().map(|line| format!("<li>{}</li>\n", escape(line))).collect();
    format!("<ul>\n{items}</ul>\n")
}

/// Whether each old pick is still right.
fn answer(comparison: &Comparison) -> Section {
    let line =
        |pick: &PickChange| format!("<li><b>{}</b>: {}</li>\n", pick.preference.name(), escape(&pick.sentence()));
    let lines: String = comparison.picks.iter().map(line).collect();
    section("answer", "Is the old pick still right?", &format!("<ul>\n{lines}</ul>\n"))
}

fn picks(comparison: &Comparison) -> Section {
    let caption =
        "For each preference the old pick on the old traces (then) and on the new ones (now), and the new pick.";
    let columns = ["prefer", "pick", "fragmentation", "accesses per operation", "p99", "max", "heap"];
    let mut table = Table::new(caption.to_owned(), &columns).sortable();
    for pick in &comparison.picks {
        for (name, of) in MEASURED {
            let Some(choice) = of(pick) else { continue };
            let values = [Objective::Fragmentation, Objective::Accesses, Objective::P99, Objective::MaxOp];
            let head = [Cell::text(pick.preference.name()), Cell::text(name)];
            let row = head.into_iter().chain(values.map(|objective| value(choice, objective)));
            table.row("", row.chain([Cell::wide(code(&shortened(&choice.spec.to_string())))]).collect());
        }
    }
    section("picks", "Picks", &(figure(comparison) + &table.render()))
}

fn value(choice: &Choice, objective: Objective) -> Cell {
    let value = choice.objectives.get(objective);
    if !value.is_finite() {
        return Cell::text("–");
    }
    Cell::number(if objective.is_share() { percent(value) } else { count(value) }, value)
}

fn figure(comparison: &Comparison) -> String {
    const MARKS: [(&str, Symbol, f64); 3] = [
        (colour::GREY, Symbol::Circle, 22.0),
        (colour::BLUE, Symbol::Diamond, 17.0),
        (colour::VERMILION, Symbol::Star, 12.0),
    ];
    let at = |choice: &Choice| {
        let of = |objective| choice.objectives.get(objective);
        (of(Objective::Accesses), of(Objective::Fragmentation) * 100.0)
    };
    let series: Vec<Series> = MEASURED
        .into_iter()
        .zip(MARKS)
        .map(|((name, of), (colour, symbol, size))| {
            let found: Vec<(&PickChange, &Choice)> =
                comparison.picks.iter().filter_map(|pick| Some((pick, of(pick)?))).collect();
            let said = found.iter().map(|(pick, choice)| said(pick, name, choice)).collect::<Vec<_>>();
            let points: Vec<_> = found.iter().map(|(_, choice)| at(choice)).collect();
            Series::new(name, colour, Mark::Symbols(symbol, size), points).saying(said)
        })
        .collect();
    let places = || series.iter().flat_map(|series| &series.points);
    let span = |values: Vec<f64>| Span::of(&values, &[], &[]);
    let x = Axis::of("metadata accesses per operation", span(places().map(|place| place.0).collect()));
    let y = Axis::of("fragmentation (%)", span(places().map(|place| place.1).collect())).in_unit("%");
    let plot = Plot { series, ..Plot::new("plot-picks", 380, x, y) };
    let description = "Fragmentation over accesses per operation of the old picks, then and now, and of the new picks";
    embed(
        &plot,
        description,
        "Less is better on both axes. From circle to diamond the traces changed, from diamond to star the pick.",
    )
}

fn said(pick: &PickChange, name: &str, choice: &Choice) -> String {
    format!("{}: {name}<br>{}", pick.preference.name(), code(&shortened(&choice.spec.to_string())))
}

fn traces(comparison: &Comparison) -> Section {
    let columns = ["trace", "peak live, old", "peak live, new", "change", "operations, old", "operations, new"];
    let mut table = Table::new("What the traces ask of any heap.".to_owned(), &columns);
    for TraceChange { name, old, new } in &comparison.traces {
        let bytes = |load: &Option<Load>| {
            load.map_or_else(
                || Cell::text("–"),
                |load| Cell::number(load.requested_peak.to_string(), load.requested_peak.0 as f64),
            )
        };
        let operations = |load: &Option<Load>| {
            load.map_or_else(
                || Cell::text("–"),
                |load| Cell::number(thousands(load.operations), load.operations as f64),
            )
        };
        let change = match (old, new) {
            (Some(old), Some(new)) => relative(old.requested_peak.0 as f64, new.requested_peak.0 as f64),
            (Some(_), None) => "only in the old".to_owned(),
            _ => "only in the new".to_owned(),
        };
        let row = [Cell::text(name), bytes(old), bytes(new), Cell::text(&change), operations(old), operations(new)];
        table.row("", row.into());
    }
    section("traces", "Traces", &table.render())
}

fn front(comparison: &Comparison) -> Section {
    let front = &comparison.front;
    let counts = [front.old, front.new, front.both].map(|count| thousands(count as u64));
    let [old, new, both] = counts;
    let said = paragraph(&format!("The old front has {old} heaps, the new one {new}; {both} are on both."));
    let columns = ["lowest", "old", "new", "change"];
    let mut table = Table::new("The lowest value of each objective on the front.".to_owned(), &columns);
    for &(objective, old, new) in &front.best {
        let shown = |value: f64| Cell::number(escape(&objective.shown(value)), value);
        table.row("", vec![Cell::text(objective.words()), shown(old), shown(new), Cell::text(&relative(old, new))]);
    }
    section("front", "Front", &(said + &table.render()))
}
