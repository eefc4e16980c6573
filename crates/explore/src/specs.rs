//! Specs that are read from text once: many designs of a space are the same heap, and have the same text.

use std::collections::HashMap;

use heapsmith_spec::{Spec, SpecError};

/// The specs that were read, by their text.
#[derive(Debug, Default)]
pub(crate) struct Specs(HashMap<String, Spec>);

impl Specs {
    /// The spec of a text.
    ///
    /// # Errors
    ///
    /// Those of reading a spec.
    pub fn read(&mut self, text: String) -> Result<Spec, SpecError> {
        if let Some(spec) = self.0.get(&text) {
            return Ok(spec.clone());
        }
        let spec: Spec = text.parse()?;
        self.0.insert(text, spec.clone());
        Ok(spec)
    }
}
