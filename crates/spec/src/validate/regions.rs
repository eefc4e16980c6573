//! Which regions a heap may have.

use super::{Check, Fault, OfRegion, Place};
use crate::ast::{NamedRegion, Regions, Spec};
use crate::problem::Problem;

/// Whether the regions of `spec` can be distinguished, and can each hold a heap of its word. The alignment has been found right.
pub(super) fn check(spec: &Spec) -> Check {
    let Some(Regions { regions }) = spec.regions() else { return Ok(()) };
    let fault = |problem| Err(Fault::new(Place::Layer(0), problem));
    if regions.is_empty() {
        return fault(Problem::Empty("regions"));
    }
    if regions.len() > Regions::MAX {
        return fault(Problem::TooManyRegions(regions.len()));
    }
    for (number, region) in regions.iter().enumerate() {
        one(spec, region, |part| Place::Region(number, part))?;
        if regions[..number].iter().any(|earlier| earlier.name == region.name) {
            return Err(Fault::new(Place::Region(number, OfRegion::Name), Problem::SecondRegion(region.name.clone())));
        }
    }
    Ok(())
}

fn one(spec: &Spec, region: &NamedRegion, place: impl Fn(OfRegion) -> Place) -> Check {
    let NamedRegion { name, size, cost, up_to } = region;
    if !is_name(name) {
        let fault = Fault::new(place(OfRegion::Name), Problem::RegionName(name.clone()));
        let lower = name.to_lowercase().replace(['-', '.'], "_");
        return Err(fault.or(Some(lower).filter(|lower| is_name(lower))));
    }
    let (limit, step) = (spec.max_region(), u64::from(spec.alignment));
    if *size > limit {
        let word = spec.word.bytes();
        return Err(Fault::new(place(OfRegion::Size), Problem::BeyondRegion { size: *size, word, limit }));
    }
    if *size == 0 || !size.is_multiple_of(step) {
        let (below, problem) = (size - size % step, Problem::RegionSize { size: *size, step });
        let near = [below, below + step].into_iter().filter(|size| (1..=limit).contains(size));
        return Err(Fault::new(place(OfRegion::Size), problem).or(near));
    }
    if !(1..=NamedRegion::MAX_COST).contains(cost) {
        return Err(Fault::new(place(OfRegion::Cost), Problem::RegionCost(*cost)));
    }
    if *up_to == Some(0) {
        return Err(Fault::new(place(OfRegion::UpTo), Problem::SizeZero));
    }
    Ok(())
}

/// Whether a name can be part of one in emitted code.
fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
    let holds = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    begins && name.len() <= NamedRegion::MAX_NAME && name.chars().all(holds)
}
