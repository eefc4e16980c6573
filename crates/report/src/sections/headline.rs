//! The title, the pick and its numbers, and what it is like beside the catalogue.

use heapsmith_explore::{Catalogued, Objective, Objectives, Preference, dominates};

use crate::html::{code, escape};
use crate::number::{count, percent, plural, thousands};
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
        "Of {designs} custom allocators, this one {}. It takes {} more memory than the program asks for, at {} metadata \
         accesses an operation.",
        suits(study.input.preference),
        percent(fragmentation(point)),
        count(accesses(point)),
    );
    format!(
        "<header>\n<p class=\"kicker\">heapsmith exploration</p>\n<h1>{heading}</h1>\n</header>\n\
         <section id=\"pick\" aria-labelledby=\"pick-h\">\n<h2 id=\"pick-h\">The pick</h2>\n<p class=\"lead\">{lead}</p>\n\
         <div class=\"spec\"><code id=\"pick-spec\">{spec}</code>\
         <button type=\"button\" data-copy=\"pick-spec\" hidden>copy</button></div>\n{}{}</section>\n",
        cards(study),
        comparison(study),
    )
}

fn suits(preference: Preference) -> &'static str {
    match preference {
        Preference::Balanced => "is the best balance of memory and work for this traffic",
        Preference::Speed => "does the least work for this traffic",
        Preference::Memory => "takes the least memory for this traffic",
        Preference::Bounded => "has the cheapest worst operation on this traffic",
    }
}

fn cards(study: &Study<'_>) -> String {
    let point = study.point(study.pick);
    let measures = &study.exploration.rows[study.pick].measures;
    let requested = measures.iter().map(|m| m.requested_peak).sum::<heapsmith_trace::Bytes>();
    let mut cards = vec![
        ("fragmentation", percent(fragmentation(point)), "beyond what is asked for".to_owned()),
        ("footprint", footprint(measures).to_string(), format!("{requested} asked for at the peak")),
        ("accesses / operation", count(accesses(point)), "metadata words, on average".to_owned()),
        ("p99 accesses", count(point.get(Objective::P99)), "99% of operations do not exceed".to_owned()),
        ("worst accesses", count(point.get(Objective::Worst)), "the worst single operation".to_owned()),
    ];
    if let Some(timing) = study.exploration.timing(study.pick) {
        let floor = format!("floor {:.1} ns: a heap that does nothing", timing.floor);
        cards.push(("time / operation", format!("{:.1} ns", timing.ns_per_op), floor));
    }
    let card = |(name, value, remark): (&str, String, String)| {
        format!("<div><dt>{name}</dt><dd>{value}<small>{remark}</small></dd></div>\n")
    };
    format!("<dl class=\"cards\">\n{}</dl>\n", cards.into_iter().map(card).collect::<String>())
}

/// The catalogue, served whole, that no other of the catalogue beats: the pick's rivals.
fn rivals<'s>(study: &'s Study<'_>) -> Vec<&'s Catalogued> {
    const OVER: [Objective; 2] = [Objective::Fragmentation, Objective::Accesses];
    let served: Vec<&Catalogued> = serving(study).collect();
    let beaten = |entry: &Catalogued| served.iter().any(|other| dominates(&other.objectives, &entry.objectives, &OVER));
    let mut rivals: Vec<&Catalogued> = served.iter().copied().filter(|entry| !beaten(entry)).collect();
    rivals.sort_by(|a, b| fragmentation(&a.objectives).total_cmp(&fragmentation(&b.objectives)));
    rivals.dedup_by(|a, b| a.objectives == b.objectives);
    rivals
}

fn serving<'s>(study: &'s Study<'_>) -> impl Iterator<Item = &'s Catalogued> {
    study.exploration.catalogue.iter().filter(|entry| entry.objectives.failed == 0)
}

fn comparison(study: &Study<'_>) -> String {
    let rivals = rivals(study);
    if rivals.is_empty() {
        return String::new();
    }
    let pick = study.point(study.pick);
    let better = |entry: &&Catalogued| {
        let other = &entry.objectives;
        fragmentation(pick) < fragmentation(other) && accesses(pick) < accesses(other)
    };
    let (beaten, of) = (serving(study).filter(better).count(), serving(study).count());
    let systems = ["windows-ce", "windows-xp", "lea-2.7.2", "enea-ose", "uclinux"];
    let others = systems.iter().filter_map(|name| {
        let entry = serving(study).find(|entry| entry.name == *name)?;
        let known = rivals.iter().any(|rival| rival.name == entry.name);
        (!known).then(|| line(pick, entry))
    });
    let lines: String = rivals.iter().map(|entry| line(pick, entry)).collect();
    let others: String = others.collect();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!("<p>And the operating systems' that another of the catalogue beats in both:</p>\n<ul>\n{others}</ul>\n")
    };
    format!(
        "<p>It needs both less memory and fewer accesses than {beaten} of the {} that serve this traffic. Beside the ones \
         that no other of the catalogue beats in both, it needs:</p>\n<ul>\n{lines}</ul>\n{others}",
        plural(of as u64, "catalogue allocator", "catalogue allocators"),
    )
}

fn line(pick: &Objectives, entry: &Catalogued) -> String {
    let other = &entry.objectives;
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
    format!("<li>{memory} {}, with {work}</li>\n", code(&entry.name))
}
