//! Explorations read back from their stores.

use std::collections::BTreeMap;
use std::path::Path;

use crate::coverage::Coverage;
use crate::exploration::Exploration;
use crate::objective::Objectives;
use crate::question::Question;
use crate::robust::Robust;
use crate::space::Space;
use crate::store::{Store, StoreError};

impl Exploration {
    /// What the finished exploration in a folder found.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unfinished`] where it was interrupted, or is under way; those of [`Store::open`].
    pub fn open(dir: &Path) -> Result<Exploration, StoreError> {
        let store = Store::open(&dir.join(Store::FILE))?;
        Exploration::load(&store)
    }

    /// What a store answers, and its question.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unfinished`] where no question was answered yet; the store cannot be read, or makes no sense.
    pub fn load(store: &Store) -> Result<Exploration, StoreError> {
        let (question, coverage) = store.answered()?;
        let mut exploration = Exploration::counted(store, question, &coverage, &store.chosen()?, None)?;
        exploration.timings = store.timings()?;
        exploration.pages = store.pages()?;
        exploration.evaluated = store.evaluated()?;
        exploration.learn(&store.finalists()?);
        exploration.take_confined();
        exploration.settle();
        exploration.learn_robust(store)?;
        Ok(exploration)
    }

    /// What replays counted of the `chosen` designs, for a question: nothing that is measured of finalists, timed or
    /// evaluated, which runs before may have left in the store. Designs are those of `space`, or read from the store.
    pub(crate) fn counted(
        store: &Store,
        question: Question,
        coverage: &Coverage,
        chosen: &[u32],
        space: Option<&Space>,
    ) -> Result<Exploration, StoreError> {
        let families = store.families()?;
        let rows = store.rows(&families, chosen, space)?;
        let designs = store.designs()?;
        let mut exploration = Exploration {
            space: store.space()?,
            command: store.command()?,
            traces: store.traces()?,
            processor_time: store.processor_time()?,
            threads: store.threads()?,
            front: Vec::new(),
            front_2d: Vec::new(),
            question,
            pruned: designs - rows.len(),
            designs,
            search: coverage.search,
            families,
            points: rows.iter().map(|row| Objectives::of(&row.measures)).collect(),
            rows,
            catalogue: store.catalogue()?,
            baselines: store.baselines()?,
            regions: BTreeMap::new(),
            reserves: store.reserves()?,
            target: store.target()?,
            timings: Vec::new(),
            pages: Vec::new(),
            evaluated: Vec::new(),
            robust: Robust::default(),
            programs: store.programs()?,
            confined: store.confined()?,
        };
        exploration.settle();
        Ok(exploration)
    }
}
