//! Which layers go together, and before which pools.
//!
//! | layer | place |
//! |---|---|
//! | `regions` | before everything else |
//! | `reserve`, `guard`, `zero` | before any pool, in any order among themselves |
//! | `spans` | directly before a pool that takes any block back at any time, or before its free lists |
//! | `freelists` | directly before a pool that gives any block back at any time |
//!
//! A layer retains blocks: for later requests, in a quarantine, or one for its
//! own words. A stack wants them back last in first out, and a bump that starts
//! over when it is empty never would. A pool whose blocks have a largest size
//! must have room in one for the words of a layer.

use std::mem::discriminant;

use super::{Check, Fault, Place};
use crate::ast::{Flush, FreeLists, Guard, Layer, Order, Spec};
use crate::build::{largest_of_spans, spans_in_words};
use crate::problem::Problem;

/// The layer's word.
pub(crate) fn word(layer: &Layer) -> &'static str {
    match layer {
        Layer::Regions(_) => "regions",
        Layer::FreeLists(_) => "freelists",
        Layer::Guard(_) => "guard",
        Layer::Reserve(_) => "reserve",
        Layer::Spans(_) => "spans",
        Layer::Zero => "zero",
    }
}

/// Whether `layer`, the one of this number, can be in its place.
pub(super) fn check(spec: &Spec, number: usize, layer: &Layer) -> Check {
    let place = Place::Layer(number);
    let fault = |problem| Err(Fault::new(place, problem));
    let outer = &spec.layers[..number];
    if outer.iter().any(|outer| discriminant(outer) == discriminant(layer)) {
        return fault(Problem::SecondLayer(word(layer)));
    }
    if let (Layer::Regions(_), [.., outer]) = (layer, outer) {
        return fault(Problem::RegionsInside(word(outer)));
    }
    if let (Layer::FreeLists(_), Some(inner)) = (layer, spec.layers.get(number + 1)) {
        return fault(Problem::FreeListsOutside(word(inner)));
    }
    match (layer, spec.layers.get(number + 1)) {
        (Layer::Spans(_), Some(inner)) if !matches!(inner, Layer::FreeLists(_)) => {
            return fault(Problem::SpansOutside(word(inner)));
        }
        (Layer::Spans(_), _) if !spec.pool.is_general() => {
            let why = "it gives spans back at any time, and large requests of any size go to the pool";
            return fault(Problem::LayerBefore { layer: word(layer), why });
        }
        _ => {}
    }
    match layer {
        Layer::Guard(guard) if guard.quarantine > Guard::MAX_QUARANTINE => {
            return Err(Fault::new(Place::Quarantine, Problem::QuarantineAbove(guard.quarantine.into())));
        }
        Layer::FreeLists(FreeLists { flush: Flush::Bounded(blocks), .. })
            if !(1..=FreeLists::MAX_FLUSH).contains(blocks) =>
        {
            return Err(Fault::new(Place::Flush, Problem::FlushOutside((*blocks).into())));
        }
        Layer::FreeLists(FreeLists { magazine: Some(places), .. })
            if !(1..=FreeLists::MAX_MAGAZINE).contains(places) =>
        {
            return Err(Fault::new(Place::Magazine, Problem::MagazineOutside((*places).into())));
        }
        Layer::FreeLists(FreeLists { magazine: Some(_), order: Order::Fifo, .. }) => {
            return Err(Fault::new(Place::Magazine, Problem::MagazineInOrder).or(["order=lifo"]));
        }
        Layer::Reserve(reserve) if !(1..=99).contains(&reserve.high) => {
            return Err(Fault::new(Place::ReserveHigh, Problem::ReserveOutside(reserve.high)));
        }
        _ => {}
    }
    match spec.pool.refuses(layer) {
        Some(why) => fault(Problem::LayerBefore { layer: word(layer), why }),
        None => Ok(()),
    }
}

/// Free lists need blocks that stay where they are, with headers.
pub(super) fn check_free_lists(spec: &Spec) -> Check {
    let place = spec.layers.iter().position(|layer| matches!(layer, Layer::FreeLists(_))).map(Place::Layer);
    match (place, spec.pool.refuses_free_lists()) {
        (Some(place), Some(problem)) => Err(Fault::new(place, problem)),
        _ => Ok(()),
    }
}

/// Whether a pool that serves no request above a size has blocks for the words of the layers, and for a
/// byte between them. Word and alignment have been found right.
pub(super) fn check_room(spec: &Spec) -> Check {
    let room_for = |size| spec.pool.room_for(spec, size);
    let Some(max) = spec.pool.max_request().and_then(room_for) else { return Ok(()) };
    for (number, layer) in spec.layers.iter().enumerate().rev() {
        if room_for(min_below(spec, &spec.layers[number..])).is_none_or(|min| min > max) {
            let why = "its largest block holds less than the layer's own words and a byte";
            return Err(Fault::new(Place::Layer(number), Problem::LayerBefore { layer: word(layer), why }));
        }
    }
    Ok(())
}

/// Whether a span holds a block of its largest class. Word and alignment have been found right.
pub(super) fn check_spans(spec: &Spec) -> Check {
    for (number, layer) in spec.layers.iter().enumerate() {
        let Layer::Spans(spans) = layer else { continue };
        let largest = spans_in_words(spec, spans).last().map_or(0, |&(_, high)| high);
        if largest > largest_of_spans(spec, spans) {
            let class = largest as u64 * u64::from(spec.word.bytes());
            return Err(Fault::new(Place::Layer(number), Problem::ClassBeyondSpan { span: spans.span, class }));
        }
    }
    Ok(())
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
        // The layer's own block; behind it requests are what they were.
        Layer::Spans(spans) => {
            let words = if spans.empty.kept() > 0 { 2 } else { 1 };
            let rings = spans_in_words(spec, spans).len() as u64 * (1 + spec.threads.owners() as u64);
            size.max((4 + words * rings) * word)
        }
        Layer::Regions(_) | Layer::FreeLists(_) | Layer::Zero => size,
    })
}
