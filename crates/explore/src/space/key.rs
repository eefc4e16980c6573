//! Which designs are the same heap on some traces.
//!
//! Levels become bytes; where two levels fall between the same two request sizes, the designs decide alike. A key is
//! the spec with every number that requests are compared with moved to the next number that decides otherwise.

use heapsmith_spec::build::{format, lists_in_words, words_for};
use heapsmith_spec::{Coalescing, Layer, Spec, Splitting};

use super::requests::Requests;

/// What decides a heap's addresses on some traces.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    lists: Vec<(usize, usize)>,
    spec: Spec,
}

impl Key {
    pub fn of(spec: &Spec, requests: &Requests) -> Key {
        // Spans ask the pool for other sizes than the traces do.
        if spec.layers.iter().any(|layer| matches!(layer, Layer::Spans(_))) {
            return Key { lists: Vec::new(), spec: spec.clone() };
        }
        let mut key = spec.clone();
        let mut lists = Vec::new();
        for layer in &mut key.layers {
            if let Layer::FreeLists(layer) = layer {
                lists = lists_in_words(spec, layer);
                layer.sizes.clear();
            }
        }
        // No block of a program is smaller than that of its least request.
        let min_block = words_for(spec, requests.min()).unwrap_or_else(|| format(spec).min);
        if let Some(factors) = key.pool.factors_mut() {
            if let Splitting::From(min) = factors.split {
                factors.split = match requests.min_from(min) {
                    0 => Splitting::Always,
                    u64::MAX => Splitting::Never,
                    min => Splitting::From(min),
                };
            }
            let format = format(spec);
            let words = factors.smallest_remainder(format, spec.word);
            let matters = factors.split != Splitting::Never && words > format.min;
            factors.remainder = if matters { words as u64 } else { 0 };
            if let Coalescing::From(min) = factors.coalesce {
                let words = min.div_ceil(u64::from(spec.word.bytes())) as usize + 1;
                factors.coalesce =
                    if words > min_block { Coalescing::From(words as u64) } else { Coalescing::Immediate };
            }
        }
        Key { lists, spec: key }
    }
}
