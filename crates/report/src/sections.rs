//! The sections of the page, in its order.

mod all;
pub mod answer;
mod catalogue;
mod designs;
mod effects;
mod finding;
mod front;
mod glossary;
mod hold_out;
mod limits;
mod live;
mod map;
mod method;
pub mod over_time;
mod peers;
mod rivals;
mod room;
pub mod sizes;
mod why;

use crate::ReportError;
use crate::html::Section;
use crate::study::Study;

/// Every section below the answer.
pub fn all(study: &Study<'_>) -> Result<Vec<Section>, ReportError> {
    let sections = [
        study.input.race.map(|race| crate::race::of_exploration(study.exploration, race)),
        Some(designs::section(study)),
        Some(why::section(study)),
        Some(live::section(study)?),
        map::section(study)?,
        Some(sizes::section(study)),
        Some(effects::section(study)),
        finding::section(study),
        limits::section(study),
        hold_out::section(study),
        Some(front::section(study)),
        Some(all::section(study)),
        Some(catalogue::section(study)),
        peers::section(study),
        Some(method::section(study)),
        Some(glossary::section()),
    ];
    Ok(sections.into_iter().flatten().collect())
}
