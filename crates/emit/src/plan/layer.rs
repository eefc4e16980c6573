//! The numbers of the layers before a pool.

use heapsmith_spec::build::lists_in_words;
use heapsmith_spec::{Ends, Layer, Spec};
use serde::Serialize;

use super::{C, SizesPlan};
use crate::EmitError;

/// A layer.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum LayerPlan {
    /// Free lists.
    FreeLists {
        /// Its template.
        file: &'static str,
        /// Freed blocks are put behind.
        fifo: bool,
        /// How many lists there are.
        lists: u64,
        /// The control word of the first head.
        at: u64,
        /// Which list serves a block.
        map: SizesPlan,
    },
}

/// The functions that do what a heap does: of the pool, or of the outermost layer that has a say in it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Operations {
    init: &'static str,
    allocate: &'static str,
    free: &'static str,
    resize: &'static str,
    usable: &'static str,
    check: &'static str,
    statistics: &'static str,
}

impl Operations {
    /// Those of a pool.
    pub(super) const POOL: Operations = Operations {
        init: "pool_init",
        allocate: "pool_allocate",
        free: "pool_free",
        resize: "pool_resize",
        usable: "pool_usable",
        check: "pool_check",
        statistics: "pool_statistics",
    };

    /// Those of a layer over these.
    fn under(self, layer: &LayerPlan) -> Operations {
        match layer {
            LayerPlan::FreeLists { .. } => {
                Operations { allocate: "freelists_allocate", free: "freelists_free", check: "freelists_check", ..self }
            }
        }
    }

    /// Those of the outermost of `layers`.
    pub(super) fn outermost(layers: &[LayerPlan]) -> Operations {
        layers.iter().fold(Operations::POOL, |below, layer| below.under(layer))
    }
}

/// The layers of a spec, innermost first, and the control words that they need from word `at` on.
pub(super) fn plans(spec: &Spec, at: u64) -> Result<(Vec<LayerPlan>, u64), EmitError> {
    let (mut plans, mut reserved) = (Vec::new(), 0);
    for layer in spec.layers.iter().rev() {
        let Layer::FreeLists(layer) = layer else {
            let part = Spec { layers: vec![layer.clone()], ..spec.clone() }.to_string();
            let part = part.split(' ').next().unwrap_or_default().to_owned();
            return Err(EmitError::NotYet { part, language: C });
        };
        let rows = lists_in_words(spec, layer);
        let fifo = layer.order == Ends::Fifo;
        let lists = rows.len() as u64;
        let map = SizesPlan::of("freelist", "free list", "holds", "FREELISTS", &rows);
        plans.push(LayerPlan::FreeLists { file: "layer/freelists.c", fifo, lists, at, map });
        reserved += lists * (1 + u64::from(fifo));
    }
    Ok((plans, reserved))
}
