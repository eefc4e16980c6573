//! The pick: its numbers, the rule that chose it, and what its neighbours on the front trade.

use heapsmith_explore::{Objective, Preference};

use crate::html::{Section, code, escape, paragraph, section as wrap};
use crate::number::{count, percent, plural, thousands};
use crate::spec_text::{capitalized, levels, shortened};
use crate::study::{Study, accesses, footprint, fragmentation};

/// The section.
pub fn section(study: &Study<'_>) -> Section {
    let families = &study.exploration.families;
    let design = &study.exploration.rows[study.pick].design;
    let alike = study.exploration.alike(study.pick) - 1;
    let mut body = cards(study);
    body.push_str(&in_its_region(study));
    body.push_str(&holds(study));
    body.push_str(&paragraph(&rule(study)));
    body.push_str(&paragraph(&format!(
        "It is design {}: {}. {}",
        design.number,
        levels(families, design),
        match alike {
            0 => "No other design has the same measures.".to_owned(),
            _ => format!(
                "{} {} the same in every measure: on this trace their levels lead to the same decisions.",
                plural(alike as u64, "other design", "other designs"),
                if alike == 1 { "measures" } else { "measure" },
            ),
        },
    )));
    let (tighter, faster) = neighbours(study);
    body.push_str("<ul>\n");
    body.push_str(&trade(study, tighter, "Less memory", "Nothing in the space takes less memory."));
    body.push_str(&trade(study, faster, "Less work", "Nothing in the space takes fewer accesses."));
    body.push_str("</ul>\n");
    wrap("why", "The pick and its neighbours", &body)
}

fn cards(study: &Study<'_>) -> String {
    let point = study.point(study.pick);
    let measures = study.exploration.measures_of(study.pick);
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
            None => ("time/op", "unreliable".to_owned(), format!("{:.1} to {:.1} ns", timing.ns.low, timing.ns.high)),
        });
    }
    let card = |(name, value, remark): (&str, String, String)| {
        format!("<div><dt>{name}</dt><dd>{value}<small>{remark}</small></dd></div>\n")
    };
    format!("<dl class=\"cards\">\n{}</dl>\n", cards.into_iter().map(card).collect::<String>())
}

/// What the pick does in the region that is promised.
fn in_its_region(study: &Study<'_>) -> String {
    let Some((bytes, point)) = study.exploration.in_region(study.pick) else { return String::new() };
    paragraph(&format!(
        "In a region of {} bytes it makes {} metadata accesses per operation, {} at the 99th percentile, and at most {}.",
        thousands(bytes.0),
        count(accesses(&point)),
        count(point.get(Objective::P99)),
        count(point.get(Objective::MaxOp))
    ))
}

/// How the pick holds on changed copies; one that does not is announced in the answer.
fn holds(study: &Study<'_>) -> String {
    let Some(words) = study.exploration.holds_words(study.pick) else { return String::new() };
    match study.exploration.holds(study.pick).is_some_and(|holds| holds.is_overfitted()) {
        true => String::new(),
        false => format!("<p id=\"holds\">{}.</p>\n", escape(&capitalized(&words))),
    }
}

fn rule(study: &Study<'_>) -> String {
    let front = &study.exploration.front_2d;
    let ends = match (front.first(), front.last()) {
        (Some(&first), Some(&last)) => format!(
            "The front ranges from {} fragmentation at {} accesses per operation to {} at {}, over {}.",
            percent(fragmentation(study.point(first))),
            count(accesses(study.point(first))),
            percent(fragmentation(study.point(last))),
            count(accesses(study.point(last))),
            plural(front.len() as u64, "place", "places"),
        ),
        _ => String::new(),
    };
    let robust = study.exploration.question.robust;
    let rule = match study.input.preference {
        Preference::Bounded => {
            "The pick has the fewest accesses in the most expensive operation that is proven for every program with as many \
             live bytes in requests of these sizes; among equals, the smallest proven footprint. Designs without a proof are \
             left out."
        }
        _ if robust => {
            "The candidates near the front were also replayed on changed copies of the trace. The pick is near the front of \
             every copy. Of the candidates that are, it is the best in the preferred objective (balanced: the least product \
             of footprint and accesses); the trace weighs as much as all copies together. Among designs within noise of the \
             best, the pick is the plainest."
        }
        Preference::Balanced => {
            "The pick is the knee of the front: the design farthest below the straight line between the two ends of \
             the front, with fragmentation and the logarithm of accesses scaled to the front (<code>--robust off</code>)."
        }
        Preference::Speed => "The pick has the fewest accesses per operation; among equals, the lowest fragmentation.",
        Preference::Memory => "The pick has the lowest fragmentation; among equals, the fewest accesses.",
    };
    format!("{rule} {ends}")
}

/// The designs of the front next to the pick: the loosest that is tighter, and the slowest that is faster.
fn neighbours(study: &Study<'_>) -> (Option<usize>, Option<usize>) {
    let pick = study.point(study.pick);
    let front = &study.exploration.front_2d;
    let tighter = front.iter().rev().find(|&&index| fragmentation(study.point(index)) < fragmentation(pick));
    let faster = front.iter().find(|&&index| accesses(study.point(index)) < accesses(pick));
    (tighter.copied(), faster.copied())
}

fn trade(study: &Study<'_>, neighbour: Option<usize>, way: &str, none: &str) -> String {
    let Some(index) = neighbour else { return format!("<li>{way}: {}</li>\n", none.to_lowercase()) };
    let (pick, other) = (study.point(study.pick), study.point(index));
    let memory = (1.0 + fragmentation(other)) / (1.0 + fragmentation(pick)) - 1.0;
    let work = accesses(other) / accesses(pick).max(f64::MIN_POSITIVE) - 1.0;
    let change = |share: f64, of: &str| match share {
        _ if share.abs() < 0.0005 => format!("as much {of}"),
        _ if share < 0.0 => format!("{} less {of}", percent(-share)),
        _ => format!("{} more {of}", percent(share)),
    };
    let design = &study.exploration.rows[index].design;
    format!(
        "<li><strong>{way}</strong>: the next design on the front ({}: {}) takes {} and does {}: {}</li>\n",
        design.number,
        levels(&study.exploration.families, design),
        change(memory, "memory"),
        change(work, "work"),
        code(&shortened(&design.spec.to_string())),
    )
}
