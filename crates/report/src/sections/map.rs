//! Where blocks are over time, of the baseline and of the pick.

use heapsmith_replay::block_lives;

use super::over_time::drawn;
use crate::ReportError;
use crate::html::{Section, section as wrap};
use crate::map::{Mapped, sampled};
use crate::study::Study;

/// The section: the first trace on the baseline, or on what is drawn in its place, and on the pick.
pub fn section(study: &Study<'_>) -> Result<Option<Section>, ReportError> {
    let Some(studied) = study.traces.first() else { return Ok(None) };
    let mut region = study.region(studied)?;
    let all = drawn(study);
    let (Some(first), Some(pick)) = (all.first(), all.last()) else { return Ok(None) };
    let pair = if all.len() > 1 { vec![first, pick] } else { vec![pick] };
    let heaps = pair.into_iter().map(|heap| {
        let blocks = block_lives(&heap.spec, &studied.packed, &mut region)?;
        Ok(Mapped { name: heap.name.clone(), spec: heap.spec.to_string(), blocks })
    });
    let heaps = heaps.collect::<Result<Vec<Mapped>, ReportError>>()?;
    Ok(Some(wrap("map", "Heap map", &sampled(&heaps))))
}
