//! Which layers go together, and before which pools.
//!
//! | layer | stands |
//! |---|---|
//! | `reserve`, `guard`, `zero` | before any pool, in any order among themselves |
//! | `freelists` | directly before a pool that gives any block back at any time |
//!
//! A layer keeps blocks: for later requests, in a quarantine, or one for its
//! own words. A stack wants them back last in first out, and a bump that starts
//! over when it is empty never would. A pool whose blocks have a largest size
//! must have room in one for the words of a layer.

use std::mem::discriminant;

use super::{Check, Fault, Place};
use crate::ast::{Classes, Guard, Layer, Pool, Reclaim, Sizes, Spec};
use crate::build;
use crate::problem::Problem;

/// The layer's word.
pub(crate) fn word(layer: &Layer) -> &'static str {
    match layer {
        Layer::FreeLists(_) => "freelists",
        Layer::Guard(_) => "guard",
        Layer::Reserve(_) => "reserve",
        Layer::Zero => "zero",
    }
}

/// Whether `layer`, the one of this number, can stand where it stands.
pub(super) fn check(spec: &Spec, number: usize, layer: &Layer) -> Check {
    let place = Place::Layer(number);
    let fault = |problem| Err(Fault::new(place, problem));
    let outer = &spec.layers[..number];
    if outer.iter().any(|outer| discriminant(outer) == discriminant(layer)) {
        return fault(Problem::SecondLayer(word(layer)));
    }
    if let (Layer::FreeLists(_), Some(inner)) = (layer, spec.layers.get(number + 1)) {
        return fault(Problem::FreeListsOutside(word(inner)));
    }
    match layer {
        Layer::Guard(guard) if guard.quarantine > Guard::MAX_QUARANTINE => {
            return Err(Fault::new(Place::Quarantine, Problem::QuarantineAbove(guard.quarantine.into())));
        }
        Layer::Reserve(reserve) if !(1..=99).contains(&reserve.high) => {
            return Err(Fault::new(Place::ReserveHigh, Problem::ReserveOutside(reserve.high)));
        }
        _ => {}
    }
    match why_not_before(layer, &spec.pool) {
        Some(why) => fault(Problem::LayerBefore { layer: word(layer), why }),
        None => Ok(()),
    }
}

/// Why the layer cannot stand before that pool.
fn why_not_before(layer: &Layer, pool: &Pool) -> Option<&'static str> {
    let keeps = match layer {
        Layer::FreeLists(_) => true,
        Layer::Guard(guard) => guard.quarantine > 0,
        Layer::Reserve(_) | Layer::Zero => false,
    };
    match pool {
        Pool::Stack if keeps => Some("a stack takes blocks back last in first out, and not later"),
        Pool::Bump(_) | Pool::Fixed(_) if matches!(layer, Layer::FreeLists(_)) => {
            Some("its lists are for pools that search, split or coalesce")
        }
        Pool::Bump(bump) if bump.reclaim == Reclaim::Empty && (keeps || matches!(layer, Layer::Reserve(_))) => {
            Some("reclaim=empty waits for the last block, and the layer keeps one")
        }
        _ => None,
    }
}

/// Whether a pool that serves no request above a size has blocks for the words of the layers, and for a
/// byte between them. Word and alignment have been found right.
pub(super) fn check_room(spec: &Spec) -> Check {
    let max = match &spec.pool {
        Pool::Fixed(size) => Some(*size),
        Pool::Classes(Classes { sizes, beyond: None }) => sizes.last().and_then(Sizes::span).map(|(_, max)| max),
        Pool::Tlsf(tlsf) => tlsf.largest,
        _ => None,
    };
    let Some(max) = max.and_then(|size| block(spec, size)) else { return Ok(()) };
    for (number, layer) in spec.layers.iter().enumerate().rev() {
        if block(spec, min_below(spec, &spec.layers[number..])).is_none_or(|min| min > max) {
            let why = "its largest block holds less than the layer's own words and a byte";
            return Err(Fault::new(Place::Layer(number), Problem::LayerBefore { layer: word(layer), why }));
        }
    }
    Ok(())
}

/// Words of the block for a request; a fixed block has no header.
fn block(spec: &Spec, size: u64) -> Option<usize> {
    match spec.pool {
        Pool::Fixed(_) => usize::try_from(size.div_ceil(spec.alignment.into())).ok(),
        _ => build::words_for(spec, size),
    }
}

/// The largest request that `layers` pass on for their own words and for a request of a byte.
fn min_below(spec: &Spec, layers: &[Layer]) -> u64 {
    let (word, alignment) = (u64::from(spec.word.bytes()), u64::from(spec.alignment));
    layers.iter().fold(1, |size, layer| match layer {
        Layer::Reserve(_) => size.max(word),
        Layer::Guard(guard) => {
            let own = if guard.quarantine > 0 { 3 * word } else { 0 };
            let guarded = (3 * word).next_multiple_of(alignment) + size.next_multiple_of(word) + word;
            guarded.max(own)
        }
        Layer::FreeLists(_) | Layer::Zero => size,
    })
}
