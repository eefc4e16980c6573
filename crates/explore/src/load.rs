//! Explorations read back from their stores.

use std::path::Path;

use crate::exploration::Exploration;
use crate::goal::Goal;
use crate::objective::Objectives;
use crate::search::Strategy;
use crate::store::{Store, StoreError};

impl Exploration {
    /// What the finished exploration in a folder found.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unfinished`] where it was interrupted, or is under way; those of [`Store::open`].
    pub fn open(dir: &Path) -> Result<Exploration, StoreError> {
        let store = Store::open(&dir.join(Store::FILE))?;
        store.verify_finished()?;
        Exploration::load(&store)
    }

    /// What the last run of a store found, and what it was asked for.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or makes no sense.
    pub fn load(store: &Store) -> Result<Exploration, StoreError> {
        let mut exploration = Exploration::counted(store, store.goal()?, store.search()?)?;
        exploration.timings = store.timings()?;
        exploration.pages = store.pages()?;
        exploration.evaluated = store.evaluated()?;
        exploration.learn(&store.finalists()?);
        exploration.settle();
        Ok(exploration)
    }

    /// What replays counted for a run that looks for `goal`: nothing that is measured of finalists, timed or evaluated, which
    /// runs before may have left in the store.
    pub(crate) fn counted(store: &Store, goal: Goal, search: Strategy) -> Result<Exploration, StoreError> {
        let families = store.families()?;
        let rows = store.rows(&families)?;
        let designs = store.designs()?;
        let mut exploration = Exploration {
            space: store.space()?,
            command: store.command()?,
            traces: store.traces()?,
            front: Vec::new(),
            front_2d: Vec::new(),
            goal,
            pruned: designs - rows.len(),
            designs,
            search,
            families,
            points: rows.iter().map(|row| Objectives::of(&row.measures)).collect(),
            rows,
            catalogue: store.catalogue()?,
            timings: Vec::new(),
            pages: Vec::new(),
            evaluated: Vec::new(),
        };
        exploration.settle();
        Ok(exploration)
    }
}
