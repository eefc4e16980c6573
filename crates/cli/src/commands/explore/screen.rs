//! What an exploration shows while it runs: spinners and a bar on standard error, hidden where that is no terminal.

use std::error::Error;
use std::sync::atomic::AtomicBool;

use heapsmith_emit::{CodeError, CodeSize, InstructionCounter};
use heapsmith_explore::{Exploration, Objective, Observer, Progress, Stage, Strategy, Swept, Work};
use heapsmith_replay::{PagesError, Subject};
use heapsmith_report::thousands;
use heapsmith_spec::Spec;
use heapsmith_trace::PackedTrace;
use indicatif::ProgressBar;

use crate::commands::answer;
use crate::console::{error, note};
use crate::{progress, shipped};

/// The terminal, and what measures code.
pub struct Screen {
    /// Events of all traces.
    events: usize,
    shown: Option<ProgressBar>,
    /// Whether what is known is said before all is measured.
    early: bool,
    code_size: Option<CodeSize>,
    instructions: InstructionCounter,
}

impl Screen {
    /// Nothing is shown yet. The traces have this many events.
    pub fn new(events: usize, early: bool) -> Screen {
        Screen { events, early, shown: None, code_size: None, instructions: InstructionCounter::default() }
    }

    /// The compiler, which is named when it is first needed.
    fn code_size(&mut self) -> Result<&CodeSize, CodeError> {
        Ok(match &mut self.code_size {
            Some(code_size) => code_size,
            empty => {
                let code_size = CodeSize::new()?;
                note!("code size: text and data at -Os for {}", code_size.target().name);
                empty.insert(code_size)
            }
        })
    }
}

impl Observer for Screen {
    fn stage(&mut self, stage: Stage<'_>) {
        if let Some(bar) = self.shown.take() {
            bar.finish_and_clear();
        }
        self.shown = match stage {
            Stage::Idle => None,
            Stage::Sweep(designs) => Some(progress::sweep_bar(designs as u64)),
            Stage::HoldOut(trace, number, of) => {
                note!("evaluating on {trace} ({number} of {of})");
                None
            }
            Stage::Waiting => {
                note!("waiting for the exploration that is at work in the folder");
                None
            }
            Stage::Designs => Some(progress::spinner("making the designs")),
            Stage::Catalogue => Some(progress::work_bar("replaying the catalogue")),
            Stage::Finalists => Some(progress::spinner("measuring the finalists")),
            Stage::Robust(done, of) => {
                let at = format!("replaying the candidates on changed copies ({} of {of})", done + 1);
                Some(progress::spinner(&at))
            }
            Stage::Region => Some(progress::spinner("finding the smallest region of the pick")),
            Stage::Confined(bytes) => {
                let at = format!("replaying in a region of {} bytes", thousands(bytes));
                Some(progress::spinner(&at))
            }
            Stage::Baseline => Some(progress::spinner("replaying the baseline")),
            Stage::Shipping(heaps) => {
                Some(progress::spinner(&format!("compiling {heaps} heaps, to time them as they ship")))
            }
            Stage::Times => Some(progress::work_bar("timing, one at a time")),
            Stage::Pages => Some(progress::work_bar("measuring touched pages")),
            Stage::Instructions => Some(progress::work_bar("counting instructions")),
        };
    }

    fn progress(&mut self, at: Progress) {
        if let Some(bar) = &self.shown {
            progress::show(bar, at);
        }
    }

    fn work(&mut self, at: Work<'_>) {
        if let Some(bar) = &self.shown {
            progress::show_work(bar, at);
        }
    }

    fn swept(&mut self, swept: &Swept) {
        let Swept { designs, unique, replayed, search, seconds } = *swept;
        let rate = designs as f64 / seconds.max(1e-9);
        if replayed == 0 {
            note!("{designs} designs, {unique} unique designs: all that is asked for was replayed before");
        } else if search == Strategy::Halving {
            note!(
                "{designs} designs, {unique} unique designs, of which {replayed} were replayed whole, the others on slices \
                 of the traces; all in {seconds:.1} s: {rate:.0} designs/s (--search exhaustive replays all)"
            );
        } else {
            note!(
                "{designs} designs, {unique} unique designs, {replayed} replayed now in {seconds:.1} s: {:.0} designs/s, \
                 {:.1} ns an event",
                rate * replayed as f64 / unique.max(1) as f64,
                seconds * 1e9 / (replayed * self.events).max(1) as f64
            );
        }
    }

    fn answered(&mut self, exploration: &Exploration) {
        if self.early {
            answer::early(exploration);
        }
    }

    fn without_pages(&mut self, why: &PagesError) {
        error!("heapsmith: {why}");
    }

    fn without_instructions(&mut self, why: &(dyn Error + Send + Sync)) {
        note!("no instructions on an emulated Cortex-M3: {why}");
    }

    fn shipped(&mut self, subjects: Vec<Subject>, stop: &AtomicBool) -> Vec<Subject> {
        shipped::subjects(subjects, stop)
    }

    fn compiled(
        &mut self,
        what: Objective,
        spec: &Spec,
        traces: &[PackedTrace],
    ) -> Result<Option<f64>, Box<dyn Error + Send + Sync>> {
        Ok(match what {
            Objective::Instructions => self.instructions.of(spec, traces)?.map(|each| each.mean),
            Objective::MaxInstructions => self.instructions.of(spec, traces)?.map(|each| each.max),
            _ => self.code_size()?.of(spec)?.map(|bytes| bytes as f64),
        })
    }
}
