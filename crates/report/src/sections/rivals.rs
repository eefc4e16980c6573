//! The pick compared with the allocators of the catalogue.

use heapsmith_explore::{Catalogued, Objective, Objectives, dominates};
use heapsmith_spec::Spec;

use crate::html::code;
use crate::number::{count, listed, percent, plural};
use crate::study::{Study, accesses, fragmentation};

/// Less than this share of a difference is none.
const SAME: f64 = 0.0005;

/// Allocators of the catalogue that measure the same, by name.
struct Rival<'s> {
    names: Vec<&'s str>,
    point: &'s Objectives,
}

/// The allocators of the catalogue that serve the traffic, the tightest first.
fn serving<'s>(study: &'s Study<'_>) -> Vec<Rival<'s>> {
    let mut rivals: Vec<Rival<'s>> = Vec::new();
    let target = study.exploration.target;
    // What gives less alignment than the target asks for pays less for it: it is in the table, and not compared.
    let compared = |entry: &&Catalogued| {
        let alignment = entry.spec.parse().map_or(0, |spec: Spec| spec.alignment);
        entry.is_compared() && target.compares(alignment)
    };
    for entry in study.exploration.catalogue.iter().filter(compared) {
        match rivals.iter_mut().find(|rival| rival.point == &entry.objectives) {
            Some(rival) => rival.names.push(&entry.name),
            None => rivals.push(Rival { names: vec![&entry.name], point: &entry.objectives }),
        }
    }
    rivals.sort_by(|a, b| fragmentation(a.point).total_cmp(&fragmentation(b.point)));
    rivals
}

/// What the pick needs compared with the allocators of the catalogue.
pub fn comparison(study: &Study<'_>) -> String {
    const OVER: [Objective; 2] = [Objective::Fragmentation, Objective::Accesses];
    const SYSTEMS: [&str; 5] = ["windows-ce", "windows-xp", "lea-2.7.2", "enea-ose", "uclinux"];
    let all = serving(study);
    if all.is_empty() {
        return String::new();
    }
    let pick = study.point(study.pick);
    let is_beaten = |rival: &&Rival<'_>| all.iter().any(|other| dominates(other.point, rival.point, &OVER));
    let (behind, ahead): (Vec<&Rival<'_>>, Vec<&Rival<'_>>) = all.iter().partition(is_beaten);
    let is_system = |rival: &&&Rival<'_>| rival.names.iter().any(|name| SYSTEMS.contains(name));
    let items =
        |rivals: &mut dyn Iterator<Item = &&Rival<'_>>| -> String { rivals.map(|rival| line(pick, rival)).collect() };
    let systems = items(&mut behind.iter().filter(is_system));
    let others = match systems.is_empty() {
        true => String::new(),
        false => format!(
            "<p>Compared with the remaining operating-system allocators, which one above matches or beats in both:</p>\n<ul>\n{systems}</ul>\n"
        ),
    };
    let better = all
        .iter()
        .filter(|rival| fragmentation(pick) < fragmentation(rival.point) && accesses(pick) < accesses(rival.point));
    let count =
        |rivals: &mut dyn Iterator<Item = &Rival<'_>>| rivals.map(|rival| rival.names.len() as u64).sum::<u64>();
    format!(
        "<p>The pick needs both less memory and fewer accesses than {} of the {} that serve this trace. Compared with the best of the \
         catalogue, it needs:</p>\n<ul>\n{}</ul>\n{others}",
        count(&mut better.into_iter()),
        plural(count(&mut all.iter()), "catalogue allocator", "catalogue allocators"),
        items(&mut ahead.iter()),
    )
}

fn line(pick: &Objectives, rival: &Rival<'_>) -> String {
    let other = rival.point;
    let memory = (1.0 + fragmentation(pick)) / (1.0 + fragmentation(other)) - 1.0;
    let memory = match memory {
        _ if memory.abs() < SAME => "as much memory as".to_owned(),
        _ if memory < 0.0 => format!("<strong>{} less memory</strong> than", percent(-memory)),
        _ => format!("{} more memory than", percent(memory)),
    };
    let work = accesses(pick) / accesses(other).max(f64::MIN_POSITIVE);
    let work = match work {
        _ if (work - 1.0).abs() < SAME => "as many accesses".to_owned(),
        _ if work < 1.0 => format!("<strong>{} of its accesses</strong>", percent(work)),
        _ if work < 10.0 => format!("{work:.2} times its accesses"),
        _ => format!("{} times its accesses", count(work)),
    };
    let names: Vec<String> = rival.names.iter().map(|name| code(name)).collect();
    format!("<li>{memory} {}, with {work}</li>\n", listed(&names))
}
