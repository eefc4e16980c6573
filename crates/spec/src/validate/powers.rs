//! Buddies and pages: sizes that are powers of two, and what cannot stand before these pools.

use super::sizes::Bounds;
use super::{Check, Fault, Place};
use crate::ast::{Buddy, Defragment, Layer, Pages, Pool, Spec, WordSize};
use crate::problem::Problem;

pub(super) fn check_pages(pages: &Pages, word: WordSize, bounds: &Bounds) -> Check {
    let allowed = || powers(Pages::MIN_PAGE, Pages::MAX_PAGE);
    if !allowed().any(|page| page == pages.page) {
        return Err(Fault::new(Place::Page, Problem::PageSize(pages.page)).or(allowed()));
    }
    // The directory takes the place of a page, and one page must be there to use.
    bounds.fits(Place::Page, pages.page * 2)?;
    let allowed = || powers(word.bytes().into(), pages.page / 2);
    if !allowed().any(|min| min == pages.min) {
        return Err(Fault::new(Place::MinObject, Problem::MinObject(pages.min)).or(allowed()));
    }
    Ok(())
}

/// Layers that keep blocks need headers in them, and blocks that stay where they are.
pub(super) fn check_layers(spec: &Spec) -> Check {
    for (index, layer) in spec.layers.iter().enumerate() {
        if !matches!(layer, Layer::FreeLists(_)) {
            continue;
        }
        let problem = match &spec.pool {
            Pool::Pages(_) => Problem::FreeListsBeforePages,
            Pool::Buddy(Buddy { defragment: Defragment::OnDemand, .. }) => Problem::FreeListsBeforeMovable,
            _ => continue,
        };
        return Err(Fault::new(Place::Layer(index), problem));
    }
    Ok(())
}

fn powers(min: u64, max: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(min), |power| Some(power * 2)).take_while(move |power| *power <= max)
}
