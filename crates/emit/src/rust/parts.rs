//! What the template of a heap in Rust writes.

use serde::Serialize;

use crate::composition::{Composition, InOne, Map, PolicyText};
use crate::literal::lines;
use crate::plan::{self, Bounds};
use crate::{EmitError, Extra, Figures, Request};

/// All that the template writes.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Parts {
    name: String,
    camel: String,
    version: &'static str,
    spec_lines: Vec<String>,
    figures: Option<Figures>,
    promise: Bounds,
    word: u32,
    alignment: u32,
    uses: Vec<String>,
    policy: Option<PolicyText>,
    bin_map: Option<String>,
    maps: Vec<Map>,
    r#type: String,
    in_one: Option<InOne>,
    body: Vec<String>,
}

impl Parts {
    pub(super) fn of(request: &Request) -> Result<Parts, EmitError> {
        let spec = &request.spec;
        let mut made = Composition::new(spec, request.name.camel());
        plan::compose(&mut made)?;
        for layer in spec.layers.iter().rev() {
            made.layer(layer);
        }
        if request.extras.contains(&Extra::Counters) {
            made.count();
        }
        made.body.push("Ok(heap)".to_owned());
        Ok(Parts {
            name: request.name.lower().to_owned(),
            camel: made.camel,
            version: env!("CARGO_PKG_VERSION"),
            spec_lines: lines(&spec.to_string(), 100),
            figures: request.figures.clone(),
            promise: Bounds::of(spec),
            word: spec.word.bytes(),
            alignment: spec.alignment,
            uses: made.uses.into_iter().map(str::to_owned).collect(),
            policy: made.policy,
            bin_map: made.bin_map,
            maps: made.maps,
            r#type: made.ty,
            in_one: made.in_one,
            body: made.body,
        })
    }
}
