//! Which layers go together, and before which pools.
//!
//! | layer | stands |
//! |---|---|
//! | `reserve`, `guard`, `zero` | before any pool, in any order among themselves |
//! | `freelists` | directly before a pool that gives any block back at any time |
//!
//! A layer keeps blocks: for later requests, in a quarantine, or one for its
//! own words. A stack wants them back last in first out, and a bump that starts
//! over when it is empty never would.

use std::mem::discriminant;

use super::{Check, Fault, Place};
use crate::ast::{Guard, Layer, Pool, Reclaim, Spec};
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
    match why_not_before(layer, &spec.pool, spec) {
        Some(why) => fault(Problem::LayerBefore { layer: word(layer), why }),
        None => Ok(()),
    }
}

/// Why the layer cannot stand before that pool.
fn why_not_before(layer: &Layer, pool: &Pool, spec: &Spec) -> Option<&'static str> {
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
        Pool::Fixed(size) if matches!(layer, Layer::Guard(_)) && *size < least_fixed(spec) => {
            Some("the words of a guard leave no room in blocks of that size")
        }
        _ => None,
    }
}

/// Bytes of the smallest fixed block that a guard can use: what stands before the payload, a word, a canary.
fn least_fixed(spec: &Spec) -> u64 {
    let word = u64::from(spec.word.bytes());
    (3 * word).next_multiple_of(spec.alignment.max(1).into()) + 2 * word
}
