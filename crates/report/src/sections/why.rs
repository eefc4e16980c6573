//! Why this pick: the rule in words, and what its neighbours trade.

use heapsmith_explore::Preference;

use crate::html::{code, paragraph, section as wrap};
use crate::number::{count, percent, plural};
use crate::spec_text::{levels, shortened};
use crate::study::{Study, accesses, fragmentation};

/// The section.
pub fn section(study: &Study<'_>) -> String {
    let families = &study.exploration.families;
    let design = &study.exploration.rows[study.pick].design;
    let alike = study.exploration.alike(study.pick) - 1;
    let mut body = paragraph(&rule(study));
    body.push_str(&paragraph(&format!(
        "It is design {:04}: {}. {}",
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
    wrap("why", "Why this pick", &body)
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
            "The candidates near the front were also replayed on changed copies of the trace. Of those that are near the \
             front of every copy the pick is the best in what is preferred (balanced: the product of footprint and accesses), \
             where the trace weighs as much as all copies; of designs within noise of it, it is the plainest."
        }
        Preference::Balanced => {
            "The pick is the knee of the front: the design farthest below the straight line between the two ends of \
             the front, with fragmentation and the logarithm of accesses scaled to the front."
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
        "<li><strong>{way}</strong>: the next design on the front ({:04}: {}) takes {} and does {}: {}</li>\n",
        design.number,
        levels(&study.exploration.families, design),
        change(memory, "memory"),
        change(work, "work"),
        code(&shortened(&design.spec.to_string())),
    )
}
