//! The table of the catalogue.

use heapsmith_explore::{Catalogued, Objective, dominates};
use heapsmith_spec::entry;

use crate::html::{Cell, Table, code, escape, paragraph, section as wrap};
use crate::number::{listed, plural, thousands};
use crate::sections::front::{floor_sentence, numbers, spec, time_heading};
use crate::study::{Study, footprint, fragmentation};

/// The section.
pub fn section(study: &Study<'_>) -> String {
    let mut entries: Vec<&Catalogued> = study.exploration.catalogue.iter().collect();
    entries.sort_by(|a, b| {
        let by = |entry: &Catalogued| (entry.objectives.failed > 0, fragmentation(&entry.objectives));
        by(a).0.cmp(&by(b).0).then(by(a).1.total_cmp(&by(b).1))
    });
    let time = time_heading(study);
    let columns = ["name", "fragmentation", "footprint", "accesses", "p99", "worst", time.as_str(), "refused", "spec"];
    let caption = "The catalogue on the same traces, the tightest first. What each follows stands under its spec.";
    let mut table = Table::new(caption, &columns).sortable();
    for entry in &entries {
        let mut cells = vec![Cell::html(code(&entry.name))];
        let timing = study.catalogue_timing(&entry.name);
        cells.extend(numbers(&entry.objectives, footprint(&entry.measures), timing));
        let failed = entry.objectives.failed;
        cells.push(Cell::number(thousands(failed), failed as f64));
        cells.push(Cell::wide(format!("{}{}", spec(&entry.spec), source(&entry.name))));
        table.row(if failed > 0 { "refuses" } else { "" }, cells);
    }
    wrap("catalogue", "The catalogue", &(sentence(study, &entries) + &table.render()))
}

fn source(name: &str) -> String {
    entry(name).map_or(String::new(), |entry| format!("<br><span class=\"note\">{}</span>", escape(entry.source)))
}

fn sentence(study: &Study<'_>, entries: &[&Catalogued]) -> String {
    const OVER: [Objective; 2] = [Objective::Fragmentation, Objective::Accesses];
    let front = || study.exploration.staircase.iter().map(|&index| study.point(index));
    let unbeaten = |entry: &&&Catalogued| {
        let point = &entry.objectives;
        point.failed == 0 && !front().any(|design| dominates(design, point, &OVER))
    };
    let on_it = |entry: &&Catalogued| {
        front().any(|design| OVER.iter().all(|&over| design.get(over) == entry.objectives.get(over)))
    };
    let (level, better): (Vec<&Catalogued>, Vec<&Catalogued>) =
        entries.iter().filter(unbeaten).copied().partition(|entry| on_it(&entry));
    let named = |entries: &[&Catalogued]| {
        listed(&entries.iter().map(|entry| code(&entry.name)).collect::<Vec<_>>())
    };
    let mut outcome = match (level.as_slice(), better.as_slice()) {
        ([], []) => "For each, a design on the front is no worse in fragmentation and accesses, and better in one.".to_owned(),
        (level, []) => format!("On the front itself: {}. Every other is beaten by a design on the front.", named(level)),
        ([], better) => format!("No design of the space beats {}: it lies beyond the front.", named(better)),
        (level, better) => {
            format!("On the front itself: {}; beyond it, beaten by no design: {}.", named(level), named(better))
        }
    };
    if better.len() > 1 && level.is_empty() {
        outcome = format!("Beyond the front, beaten by no design: {}.", named(&better));
    }
    let refusing = entries.iter().filter(|entry| entry.objectives.failed > 0).count() as u64;
    let refusing = match refusing {
        0 => String::new(),
        some => format!(" {} refused requests and cannot be compared.", plural(some, "allocator", "allocators")),
    };
    paragraph(&format!("{outcome}{refusing}{}", floor_sentence(study)))
}
