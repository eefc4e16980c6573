//! The title, the pick and its numbers, and what it is like compared with the catalogue.

use heapsmith_explore::{Catalogued, Objective, Objectives, Preference, dominates};
use heapsmith_spec::Spec;

use crate::html::{code, escape, paragraph};
use crate::number::{count, listed, percent, plural, thousands};
use crate::sections::front::UNRELIABLE;
use crate::study::{Study, accesses, footprint, fragmentation};

/// Less than this share of a difference is none.
const SAME: f64 = 0.0005;

/// The opening of the page.
pub fn section(study: &Study<'_>) -> String {
    let spec = escape(&study.spec(study.pick));
    let heading = escape(&study.title());
    let designs = thousands(study.exploration.points.len() as u64);
    let point = study.point(study.pick);
    let lead = format!(
        "Of {designs} custom allocators, this one {}. It takes {} more memory than the program requests, at {} metadata \
         accesses per operation.",
        suits(study.input.preference),
        percent(fragmentation(point)),
        count(accesses(point)),
    );
    format!(
        "<header>\n<p class=\"kicker\">heapsmith exploration</p>\n<h1>{heading}</h1>\n</header>\n\
         <section id=\"pick\" aria-labelledby=\"pick-h\">\n<h2 id=\"pick-h\">The pick</h2>\n<p class=\"lead\">{lead}</p>\n\
         <div class=\"spec\"><code id=\"pick-spec\">{spec}</code>\
         <button type=\"button\" data-copy=\"pick-spec\" hidden>copy</button></div>\n{}{}{}</section>\n",
        answer(study),
        cards(study),
        comparison(study),
    )
}

/// A sentence with its capital.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether to change what there is, what has to be reserved, and what sizes leave open.
fn answer(study: &Study<'_>) -> String {
    let exploration = study.exploration;
    let verdict = exploration.verdict(study.pick, study.input.preference);
    let mut answer = format!("<p id=\"verdict\"><strong>{}.</strong></p>\n", escape(&verdict.words()));
    answer.push_str(&paragraph(&match exploration.min_region(study.pick) {
        Some(bytes) => format!(
            "RAM to reserve: <strong>{} bytes</strong>, the smallest region in which it serves every request.",
            thousands(bytes.0)
        ),
        None => {
            "The smallest region of this pick was not measured: <code>heapsmith pick</code> measures it.".to_owned()
        }
    }));
    if let Some((bytes, point)) = exploration.in_region(study.pick) {
        answer.push_str(&paragraph(&format!(
            "In a region of {} bytes it makes {} metadata accesses per operation, {} at the 99th percentile, and at most {}.",
            thousands(bytes.0),
            count(accesses(&point)),
            count(point.get(Objective::P99)),
            count(point.get(Objective::MaxOp))
        )));
    }
    if let Some(words) = exploration.holds_words(study.pick) {
        let overfitted = exploration.holds(study.pick).is_some_and(|holds| holds.is_overfitted());
        let id = if overfitted { "overfitted" } else { "holds" };
        answer.push_str(&format!("<p id=\"{id}\">{}.</p>\n", escape(&capital(&words))));
    }
    if let Some(untranslated) = exploration.target.untranslated() {
        answer.push_str(&paragraph(&format!("<span class=\"note\">Warning: {}.</span>", escape(&untranslated))));
    }
    answer
}

fn suits(preference: Preference) -> &'static str {
    match preference {
        Preference::Balanced => "is the best balance of memory and work for this trace",
        Preference::Speed => "does the least work for this trace",
        Preference::Memory => "takes the least memory for this trace",
        Preference::Bounded => "has the cheapest operation that is proven to be its most expensive one",
    }
}

fn cards(study: &Study<'_>) -> String {
    let point = study.point(study.pick);
    let measures = &study.exploration.rows[study.pick].measures;
    let requested = measures.iter().map(|m| m.requested_peak).sum::<heapsmith_trace::Bytes>();
    let mut cards = vec![
        ("fragmentation", percent(fragmentation(point)), "beyond the requested bytes".to_owned()),
        ("footprint", footprint(measures).to_string(), format!("{requested} requested at the peak")),
        ("metadata accesses/op", count(accesses(point)), "mean of words read and written".to_owned()),
        ("p99 accesses", count(point.get(Objective::P99)), "not exceeded by 99% of operations".to_owned()),
        ("max accesses", count(point.get(Objective::MaxOp)), "the most expensive operation".to_owned()),
    ];
    if let Some(timing) = study.exploration.timing(study.pick) {
        let null_allocator = format!("null allocator: {:.1} ns", timing.null_allocator);
        cards.push(match timing.ns.reliable() {
            Some(time) => ("time/op", format!("{time:.1} ns"), null_allocator),
            None => ("time/op", timing.ns.to_string(), format!("ns; {UNRELIABLE}")),
        });
    }
    let card = |(name, value, remark): (&str, String, String)| {
        format!("<div><dt>{name}</dt><dd>{value}<small>{remark}</small></dd></div>\n")
    };
    format!("<dl class=\"cards\">\n{}</dl>\n", cards.into_iter().map(card).collect::<String>())
}

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

fn comparison(study: &Study<'_>) -> String {
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
        "<p>It needs both less memory and fewer accesses than {} of the {} that serve this trace. Compared with the best of the \
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
