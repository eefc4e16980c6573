//! What replays counted, by design and by allocator of the catalogue.

use heapsmith_replay::Measures;

use crate::objective::Objectives;
use crate::space::Design;

/// A design with its measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The design.
    pub design: Design,
    /// Its measures on each trace.
    pub measures: Vec<Measures>,
}

/// An allocator of the catalogue with its measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Catalogued {
    /// Its name.
    pub name: String,
    /// Its spec.
    pub spec: String,
    /// Its measures on each trace.
    pub measures: Vec<Measures>,
    /// Its values in the objectives.
    pub objectives: Objectives,
}
