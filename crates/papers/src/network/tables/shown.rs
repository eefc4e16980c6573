//! Tables 3 to 5 as they are shown: averages, every input, bars.

use heapsmith_report::chart::{Bars, Measured, Scale};

use super::Row;
use crate::network::applications::Application;
use crate::network::readings::{Score, mean, median};
use crate::outcome::Outcome;
use crate::shown::{Shown, Value, listed};

pub(super) fn averages(rows: &[Row], scores: &[Score]) -> Shown {
    let columns = [
        "heap",
        "fragmentation, mean",
        "median",
        "of footprint, mean",
        "median",
        "accesses/op, mean",
        "median",
        "ns/op, mean",
        "spec",
    ];
    let mut shown =
        Shown::new("Means and medians over the inputs; fragmentation is without headers, as in the paper", columns);
    for score in scores {
        let own: Vec<&Row> = rows.iter().filter(|row| row.reading == score.reading && row.in_averages).collect();
        let middle = |of: fn(&Row) -> f64| score.fragmentation.map(|_| median(own.iter().map(|row| of(row))));
        let ns: Option<Vec<f64>> = own.iter().map(|row| row.ns_per_op).collect();
        shown.row([
            score.reading.as_str().into(),
            score.fragmentation.map(Value::Share).into(),
            middle(|row| row.fragmentation_without_headers).map(Value::Share).into(),
            score.footprint.map(Value::Share).into(),
            middle(|row| row.fragmentation_of_footprint).map(Value::Share).into(),
            score.accesses.into(),
            middle(|row| row.accesses_per_op).into(),
            ns.map(|ns| mean(ns.iter().copied())).into(),
            own.first().map(|row| row.spec.clone()).into(),
        ]);
    }
    shown
}

pub(super) fn shown(application: &Application, rows: &[Row]) -> Shown {
    let mut columns = vec!["heap".to_owned()];
    for input in application.all() {
        columns.push(format!("{}: fragmentation", input.name));
        columns.push("accesses/op".to_owned());
    }
    let beside: Vec<&str> = application.beside.iter().map(|input| input.name).collect();
    let caption = match beside.len() {
        0 => "Every input".to_owned(),
        _ => format!("Every input; {} are in no average", listed(&beside)),
    };
    let mut shown = Shown::new(caption, columns);
    for heap in names(rows) {
        let mut cells = vec![Value::from(heap)];
        for row in rows.iter().filter(|row| row.reading == heap) {
            let served = row.failed == 0;
            cells.push(served.then_some(Value::Share(row.fragmentation_without_headers)).into());
            cells.push(served.then_some(row.accesses_per_op).into());
        }
        shown.row(cells);
    }
    shown
}

pub(super) fn names(rows: &[Row]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&row.reading.as_str()) {
            names.push(&row.reading);
        }
    }
    names
}

/// The readings that the figures have: the first of each system, that of its documentation or section 5, and the
/// proposed.
const DRAWN: [&str; 8] = [
    "windows-ce",
    "windows-ce/documented",
    "windows-xp",
    "lea-2.7.2",
    "enea-ose",
    "enea-ose/searched",
    "uclinux",
    "proposed, pool by address",
];

pub(super) fn draw(outcome: &mut Outcome, application: &Application, rows: &[Row]) {
    let of = |heap: &str, value: fn(&Row) -> f64| -> Vec<f64> {
        let own = rows.iter().filter(|row| row.reading == heap);
        own.map(|row| if row.failed == 0 { value(row) } else { f64::NAN }).collect()
    };
    let bars = |title: &str, y: &str, scale: Scale, value: fn(&Row) -> f64| Bars {
        title: format!("{}: {title}", application.name),
        y: y.to_owned(),
        names: application.all().map(|input| input.name.to_owned()).collect(),
        series: DRAWN.iter().map(|&heap| Measured::new(heap, of(heap, value))).collect(),
        stacked: false,
        scale,
        line: None,
    };
    outcome.draw(
        "-fragmentation",
        format!("Fragmentation, without headers, of each allocator on each input of {}", application.name),
        bars("fragmentation", "percent over the bytes requested", Scale::Linear, |row| {
            row.fragmentation_without_headers * 100.0
        })
        .svg(),
    );
    outcome.draw(
        "-accesses",
        format!("Accesses an operation of each allocator on each input of {}", application.name),
        bars("cost", "accesses an operation", Scale::Logarithmic, |row| row.accesses_per_op).svg(),
    );
}
