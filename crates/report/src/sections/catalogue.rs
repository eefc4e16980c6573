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
        cells.push(Cell::html(format!("{}{}", spec(&entry.spec), source(&entry.name))));
        table.row(if failed > 0 { "refuses" } else { "" }, cells);
    }
    wrap("catalogue", "The catalogue", &(sentence(study, &entries) + &table.render()))
}

fn source(name: &str) -> String {
    entry(name).map_or(String::new(), |entry| format!("<br><span class=\"note\">{}</span>", escape(entry.source)))
}

fn sentence(study: &Study<'_>, entries: &[&Catalogued]) -> String {
    const OVER: [Objective; 2] = [Objective::Fragmentation, Objective::Accesses];
    let unbeaten = |entry: &&&Catalogued| {
        let front = &study.exploration.staircase;
        entry.objectives.failed == 0
            && !front.iter().any(|&index| dominates(study.point(index), &entry.objectives, &OVER))
    };
    let names: Vec<String> = entries.iter().filter(unbeaten).map(|entry| code(&entry.name)).collect();
    let outcome = match names.as_slice() {
        [] => "For each there is a design on the front that is no worse in fragmentation and accesses and better in \
               one."
            .to_owned(),
        names => format!("No design of the space beats {} in fragmentation and accesses.", listed(names)),
    };
    let refusing = entries.iter().filter(|entry| entry.objectives.failed > 0).count() as u64;
    let refusing = match refusing {
        0 => String::new(),
        some => format!(" {} refused requests and cannot be compared.", plural(some, "allocator", "allocators")),
    };
    paragraph(&format!("{outcome}{refusing}{}", floor_sentence(study)))
}
