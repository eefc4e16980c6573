//! What heaps could still serve along a trace: holes between blocks, seen as the request that no longer fits.

use heapsmith_replay::{Moment, ReplayOptions, over_time, replay};
use heapsmith_trace::Bytes;

use super::over_time::{Clock, Scale, drawn, stretch};
use crate::ReportError;
use crate::figure::{Axis, Hover, Mark, Plot, Series, colour, embed};
use crate::html::{code, paragraph};
use crate::number::listed;
use crate::span::Span;
use crate::study::{Studied, Study};

/// Max moments in the figure: each has its own replay.
const MOMENTS: usize = 60;
/// Moments at least, however long the trace.
const MIN: usize = 8;
/// Events that are replayed for a heap, and accesses, as far as that leaves the least.
const EVENTS: usize = 12_000_000;
const ACCESSES: u64 = 500_000_000;

/// The figure of a trace with what it says.
pub fn figure(study: &Study<'_>, studied: &Studied<'_>, number: usize) -> Result<String, ReportError> {
    let trace = &studied.packed;
    let mut region = study.region(studied)?;
    let heaps = drawn(study);
    let footprints = heaps.iter().map(|heap| {
        let measures = replay(&heap.spec, trace, &mut region, ReplayOptions::MEASURE)?;
        Ok((measures.footprint_peak.0.next_multiple_of(8), measures.accesses.total))
    });
    let (footprints, accesses): (Vec<u64>, Vec<u64>) =
        footprints.collect::<Result<Vec<_>, ReportError>>()?.into_iter().unzip();
    let (size, which) = match study.exploration.asked_region() {
        Some(bytes) => (Bytes(bytes), "which was asked for"),
        None => (Bytes(footprints.into_iter().max().unwrap_or(0)), "the largest footprint of these heaps"),
    };
    let affordable = 2 * ACCESSES / accesses.into_iter().max().unwrap_or(0).max(1);
    let count = (2 * EVENTS / trace.events.len().max(1)).min(affordable as usize).clamp(MIN, MOMENTS);

    let clock = Clock::of(studied.trace);
    let scale = Scale::of(size);
    let at = |moment: &Moment| clock.packed.get(moment.event as usize).copied().unwrap_or(0.0);
    let mut series = Vec::new();
    let mut min = Vec::new();
    for (place, heap) in heaps.iter().enumerate() {
        let moments = over_time(&heap.spec, trace, &mut region, size, count)?;
        if place == 0 {
            let room = |moment: &Moment| (at(moment), scale.apply(Bytes(size.0 - moment.bytes.requested.0)));
            series.push(Series::new("not requested", colour::GREY, Mark::Area, moments.iter().map(room)));
        }
        let largest = |moment: &Moment| (at(moment), scale.apply(moment.bytes.largest_request));
        series.push(Series::new(&heap.name, heap.colour, Mark::Steps, moments.iter().map(largest)));
        let smallest = moments.iter().map(|moment| moment.bytes.largest_request).min().unwrap_or_default();
        min.push((heap.name.as_str(), smallest));
    }
    let places = || series.iter().flat_map(|series: &Series| &series.points);
    let x = Axis::of(clock.title, stretch(places().map(|point| point.0)));
    let top = places().map(|point| point.1).fold(0.0, f64::max);
    let y = Axis::of(&format!("bytes ({})", scale.unit), Span::from_zero(top)).in_unit(scale.unit);
    let plot = Plot { series, hover: Hover::Column, ..Plot::new(format!("plot-room-{number}"), 340, x, y) };
    let description =
        "Line chart of the largest request that the pick and catalogue allocators would serve along the trace";
    let caption = format!(
        "The largest request that would succeed at {count} moments, in a region of {size} ({which}). “Not requested”: total free memory, the limit for a perfect compacting allocator."
    );
    Ok(sentence(size, count, &min) + &embed(&plot, description, &caption))
}

fn sentence(size: Bytes, count: usize, min: &[(&str, Bytes)]) -> String {
    let Some(((_, pick), others)) = min.split_last() else { return String::new() };
    let other = |(name, bytes): &(&str, Bytes)| format!("{bytes} with {}", code(name.trim_start_matches("today: ")));
    paragraph(&format!(
        "Free memory only helps if it is contiguous. In a {size} region the largest request that succeeded at all {count} \
         moments was {pick} with the pick, {}.",
        listed(&others.iter().map(other).collect::<Vec<_>>()),
    ))
}
