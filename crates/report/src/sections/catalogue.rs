//! The table of the catalogue.

use heapsmith_explore::{Catalogued, Objective, dominates};
use heapsmith_spec::entry;

use crate::html::{Cell, Section, Table, code, escape, paragraph, section as wrap};
use crate::number::{listed, plural, thousands};
use crate::sections::front::{null_sentence, numbers, spec, time_heading};
use crate::sections::rivals::comparison;
use crate::study::{Study, footprint, fragmentation};

/// The section.
pub fn section(study: &Study<'_>) -> Section {
    let mut entries: Vec<&Catalogued> = study.exploration.catalogue.iter().collect();
    entries.sort_by(|a, b| {
        let by = |entry: &Catalogued| (!entry.is_compared(), fragmentation(&entry.objectives));
        by(a).0.cmp(&by(b).0).then(by(a).1.total_cmp(&by(b).1))
    });
    let time = time_heading(study);
    let columns = ["name", "fragmen&shy;tation", "footprint", "accesses", "p99", "max", time.as_str(), "spec"];
    let caption = "The catalogue on the same traces, the tightest first. Its source is under its spec.";
    let mut table = Table::new(caption, &columns).sortable();
    for entry in &entries {
        let mut cells = vec![Cell::html(code(&entry.name))];
        let timing = study.catalogue_timing(&entry.name);
        cells.extend(numbers(study, &entry.objectives, footprint(&entry.measures), timing));
        let failed = entry.objectives.failed;
        let refused = match failed {
            0 => String::new(),
            some => format!("<br>refused {}", plural(some, "request", "requests")),
        };
        let stretch = match entry.is_whole {
            true => String::new(),
            false => format!("<br>counted on the first {} events only: too slow for all", thousands(entry.events())),
        };
        cells.push(Cell::wide(format!("{}{}{refused}{stretch}", spec(&entry.spec), source(&entry.name))));
        table.row(if entry.is_compared() { "" } else { "refuses" }, cells);
    }
    wrap("catalogue", "The catalogue", &(comparison(study) + &sentence(study, &entries) + &table.render()))
}

fn source(name: &str) -> String {
    entry(name).map_or(String::new(), |entry| format!("<br><span class=\"note\">{}</span>", escape(entry.source)))
}

fn sentence(study: &Study<'_>, entries: &[&Catalogued]) -> String {
    const OVER: [Objective; 2] = [Objective::Fragmentation, Objective::Accesses];
    let front = || study.exploration.front_2d.iter().map(|&index| study.point(index));
    let unbeaten = |entry: &&&Catalogued| {
        let point = &entry.objectives;
        entry.is_compared() && !front().any(|design| dominates(design, point, &OVER))
    };
    let on_it = |entry: &&Catalogued| {
        front().any(|design| OVER.iter().all(|&over| design.get(over) == entry.objectives.get(over)))
    };
    let (level, better): (Vec<&Catalogued>, Vec<&Catalogued>) =
        entries.iter().filter(unbeaten).copied().partition(on_it);
    let named = |entries: &[&Catalogued]| listed(&entries.iter().map(|entry| code(&entry.name)).collect::<Vec<_>>());
    let outcome = match (level.as_slice(), better.as_slice()) {
        ([], []) => {
            "For each, a design on the front is no worse in fragmentation and accesses, and better in one.".to_owned()
        }
        (level, []) => {
            format!("On the front itself: {}. Every other is beaten by a design on the front.", named(level))
        }
        ([], better) => format!("Beyond the front, beaten by no design: {}.", named(better)),
        (level, better) => {
            format!("On the front itself: {}; beyond it, beaten by no design: {}.", named(level), named(better))
        }
    };
    let refusing = entries.iter().filter(|entry| entry.objectives.failed > 0).count() as u64;
    let refusing = match refusing {
        0 => String::new(),
        some => format!(" {} refused requests and cannot be compared.", plural(some, "allocator", "allocators")),
    };
    let slow = entries.iter().filter(|entry| !entry.is_whole).count() as u64;
    let slow = match slow {
        0 => String::new(),
        some => format!(
            " {} too slow for the whole trace, counted on its begin and not compared.",
            plural(some, "allocator is", "allocators are")
        ),
    };
    paragraph(&format!("{outcome}{refusing}{slow}{}", null_sentence(study)))
}
