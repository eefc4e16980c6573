//! The question that a store answers.

use std::path::Path;

use super::{Lock, Store, StoreError, seal};
use crate::coverage::Coverage;
use crate::question::Question;

impl Store {
    /// Keeps a question and what answers it: which unique designs were covered, and how. All of it replaces what was
    /// answered before, or nothing does. What was evaluated for another question is forgotten.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn answer(&mut self, question: &Question, coverage: &Coverage, chosen: &[u32]) -> Result<(), StoreError> {
        let same = self.question()?.is_some_and(|before| before == *question);
        self.commit(|db| {
            db.execute("DELETE FROM chosen", [])?;
            chosen.iter().try_for_each(|&design| seal::insert(db, "chosen", [design]))?;
            if !same {
                db.execute("DELETE FROM evaluated", [])?;
            }
            for (key, value) in [("question", question.to_string()), ("coverage", coverage.to_string())] {
                seal::insert(db, "meta", [key.to_owned(), value])?;
            }
            Ok(())
        })
    }

    /// The question that is answered; none if no exploration came to its end yet.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or makes no sense.
    pub fn question(&self) -> Result<Option<Question>, StoreError> {
        let question = self.meta("question")?;
        question.map(|text| text.parse().map_err(|error| self.damaged(error))).transpose()
    }

    /// The question that is answered, and what was covered for it.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unfinished`] where none is answered yet says how far it is, and whether it goes on.
    pub fn answered(&self) -> Result<(Question, Coverage), StoreError> {
        match (self.question()?, self.meta("coverage")?) {
            (Some(question), Some(coverage)) => Ok((question, coverage.parse().map_err(|error| self.damaged(error))?)),
            _ => {
                let dir = self.path.parent().unwrap_or(Path::new(".")).to_owned();
                let running = self.lock.is_none() && Lock::is_held(&dir);
                Err(StoreError::Unfinished { running, done: self.covered()?, designs: self.designs()?, dir })
            }
        }
    }

    /// The unique designs whose results answer the question.
    pub(crate) fn chosen(&self) -> Result<Vec<u32>, StoreError> {
        self.run(|db| {
            let mut statement = db.prepare("SELECT design FROM chosen ORDER BY design")?;
            statement.query_map([], |row| row.get(0))?.collect()
        })
    }
}
