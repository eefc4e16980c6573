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
    /// Whether it was replayed on all events of the traces. What is very slow is counted on a stretch of them.
    pub is_whole: bool,
}

impl Catalogued {
    /// Whether it may be compared with designs: it was replayed whole, and served every request.
    pub fn is_compared(&self) -> bool {
        self.is_whole && self.objectives.failed == 0
    }

    /// Events that it was replayed on, of all traces.
    pub fn events(&self) -> u64 {
        self.measures.iter().map(|measures| measures.operations).sum()
    }
}
