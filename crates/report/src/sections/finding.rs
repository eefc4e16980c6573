//! The 2006 paper's finding, put to the test.

use heapsmith_explore::{NEAR, Recommended};

use crate::html::{Cell, Section, Table, code, paragraph, section as wrap};
use crate::number::{count, percent};
use crate::spec_text::{factor_name, shortened};
use crate::study::{Study, accesses, fragmentation};

/// The section; none where the program is not of the kind that the finding is about.
pub fn section(study: &Study<'_>) -> Option<Section> {
    if !study.is_of_a_network() {
        return None;
    }
    let mut body = paragraph(
        "Mamagkakis et al. (2006, §5) found that the best allocators of three network applications share two or three \
         free lists, first fit, full splitting and full coalescing, and that splitting counts most for fragmentation.",
    );
    body.push_str(&verdict(study));
    if !study.finding.recommended.is_empty() {
        body.push_str(&table(study));
    }
    Some(wrap("finding", "The paper’s finding, tested", &body))
}

fn verdict(study: &Study<'_>) -> String {
    let recommended = &study.finding.recommended;
    if recommended.is_empty() {
        return paragraph("<span class=\"verdict\">This space does not contain the recommended designs.</span>");
    }
    let holding = recommended.iter().filter(|design| design.holds()).count();
    let (class, outcome) = match holding {
        0 => (
            "no",
            format!(
                "The finding does not hold here: neither design is on the front or within a distance of {}.",
                percent(NEAR)
            ),
        ),
        all if all == recommended.len() => {
            ("yes", "The finding holds here: the recommended designs lie on or near the front.".to_owned())
        }
        _ => (
            "yes",
            "The finding holds here in part: not every recommended design lies on or near the front.".to_owned(),
        ),
    };
    let each = |design: &Recommended| format!("With {} free lists: {}.", design.lists, distance(design));
    let each: Vec<String> = recommended.iter().map(each).collect();
    let split = leader(&study.finding.fragmentation);
    paragraph(&format!("<span class=\"verdict {class}\">{outcome}</span> {} {split}", each.join(" ")))
}

/// Which factor explains the most of the variance of fragmentation; nothing where designs were cut short.
fn leader(shares: &[(String, f64)]) -> String {
    let Some((name, max)) = shares.first() else { return String::new() };
    if name == "split" {
        return format!(
            "Splitting does explain more of the variance of fragmentation than any other factor: {}.",
            percent(*max)
        );
    }
    let share = shares.iter().find(|(name, _)| name == "split").map_or(0.0, |(_, share)| *share);
    let leader = factor_name(name);
    format!(
        "Not splitting ({}) but {leader} ({}) explains the most of the variance of fragmentation.",
        percent(share),
        percent(*max)
    )
}

fn distance(design: &Recommended) -> String {
    match (design.on_front, design.distance) {
        (true, short) if short <= 0.0 => "on the front".to_owned(),
        (true, short) => {
            format!(
                "on the front over all chosen objectives, and {} from it in memory and accesses alone",
                percent(short)
            )
        }
        (false, short) if short <= 0.0 => "level with the front in memory or accesses, but beaten".to_owned(),
        (false, short) if short < 0.0005 => "less than 0.1% from the front in memory and accesses".to_owned(),
        (false, short) => format!("{} from the front in memory and accesses", percent(short)),
    }
}

fn table(study: &Study<'_>) -> String {
    let mut table = Table::new(
        "The recommended designs. Distance: the smallest factor by which both footprint and accesses would have to shrink \
         to reach the front.",
        &["free lists", "fragmentation", "accesses", "distance", "on the front", "spec"],
    );
    for design in &study.finding.recommended {
        let point = study.point(design.index);
        table.row(
            "",
            vec![
                Cell::number(design.lists.to_string(), design.lists.into()),
                Cell::number(percent(fragmentation(point)), fragmentation(point)),
                Cell::number(count(accesses(point)), accesses(point)),
                Cell::number(percent(design.distance), design.distance),
                Cell::text(if design.on_front { "yes" } else { "no" }),
                Cell::wide(code(&shortened(&study.spec(design.index)))),
            ],
        );
    }
    let pick = study.point(study.pick);
    table.row(
        "pick",
        vec![
            Cell::html("the pick"),
            Cell::number(percent(fragmentation(pick)), fragmentation(pick)),
            Cell::number(count(accesses(pick)), accesses(pick)),
            Cell::number("–", 0.0),
            Cell::text(if study.exploration.front.binary_search(&study.pick).is_ok() { "yes" } else { "no" }),
            Cell::wide(code(&shortened(&study.spec(study.pick)))),
        ],
    );
    table.render()
}
