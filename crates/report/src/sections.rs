//! The sections of the page, in its order.

mod catalogue;
mod designs;
mod effects;
mod finding;
mod front;
mod headline;
mod hold_out;
mod limits;
mod live;
mod method;
pub mod over_time;
mod peers;
mod room;
pub mod sizes;
mod view;
mod why;

use crate::ReportError;
use crate::study::Study;

/// Every section, as HTML.
pub fn all(study: &Study<'_>) -> Result<Vec<String>, ReportError> {
    Ok(vec![
        headline::section(study),
        why::section(study),
        designs::section(study),
        limits::section(study),
        live::section(study)?,
        sizes::section(study),
        effects::section(study),
        finding::section(study),
        front::section(study),
        hold_out::section(study),
        catalogue::section(study),
        peers::section(study),
        method::section(study),
    ])
}
