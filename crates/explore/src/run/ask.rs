//! Another question to a folder that was explored.
//!
//! The answer is the one that exploring anew with this question would give, from what was replayed before. What the folder
//! cannot know (designs that were left out for another goal) is refused, and it goes on to answer the question before.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::answering::Answering;
use super::observer::Observer;
use super::plan::TimingPlan;
use super::{Found, RunError};
use crate::exploration::Exploration;
use crate::export::write_tables;
use crate::folder::Folder;
use crate::question::Question;
use crate::store::{Store, StoreError};
use crate::traces::Traces;

/// A question, and how what is missing for its answer is measured.
#[derive(Debug)]
pub struct Ask<'a> {
    /// The folder of a finished exploration.
    pub dir: &'a Path,
    /// The question.
    pub question: Question,
    /// Threads to replay on.
    pub jobs: usize,
    /// How times are measured, where the question asks for them.
    pub timing: TimingPlan,
    /// Set it to stop: what is done is kept.
    pub stop: &'a AtomicBool,
}

/// The question that a folder answers.
///
/// # Errors
///
/// Those of [`Exploration::open`].
pub fn asked(dir: &Path) -> Result<Question, StoreError> {
    Ok(Store::open(&dir.join(Store::FILE))?.answered()?.0)
}

/// Answers a question from what was explored, and makes it the question of the folder where a design meets it. Designs are
/// replayed only for what was never measured of them: smallest regions of new finalists, times and pages of a pick next to a reference
/// allocator that has them.
///
/// # Errors
///
/// [`RunError::Unknown`] where the folder cannot know the answer; [`RunError`] says what else stopped it.
pub fn ask(ask: &Ask<'_>, observer: &mut dyn Observer) -> Result<Found, RunError> {
    let mut store = Folder::take_explored(ask.dir)?.reopen()?;
    let (_, coverage) = store.answered()?;
    coverage.answers(&ask.question.goal).map_err(RunError::Unknown)?;
    let chosen = store.chosen()?;
    let mut exploration = Exploration::counted(&store, ask.question.clone(), &coverage, &chosen, None)?;
    (exploration.timings, exploration.pages) = (store.timings()?, store.pages()?);
    let traces = Traces::kept(ask.dir.to_owned(), exploration.traces.len());
    let Ask { jobs, stop, .. } = *ask;
    // Peers that were not measured are not measured for another question either.
    let mut timing = ask.timing.clone();
    timing.peers.retain(|peer| exploration.timing_of(&peer.to_string()).is_some());
    let mut answering = Answering { traces: &traces, jobs, stop, timing: &timing, observer };
    answering.decide(&mut exploration, &mut store)?;
    let pick = exploration.picked();
    if pick.is_some_and(|pick| exploration.is_unmeasured(pick)) {
        let also: Vec<usize> = exploration.recommended().chain(pick).collect();
        answering.measure(&mut exploration, &mut store, &also)?;
    }
    let kept = pick.is_some();
    if kept {
        store.answer(&ask.question, &coverage, &chosen)?;
        exploration.evaluated = store.evaluated()?;
        write_tables(&exploration, ask.dir).map_err(|(path, source)| RunError::Write { path, source })?;
        observer.answered(&exploration);
    }
    Ok(Found { exploration, pick, agreement: None, seconds: None, kept })
}
