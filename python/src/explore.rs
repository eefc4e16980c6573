//! An exploration, on this machine's cores or with its replays done elsewhere.
//!
//! ```text
//!   options ─▶ Plan ─▶ heapsmith_explore::run ─▶ results.sqlite, results.csv, results.parquet
//!                        │          ▲
//!                        │ noted    │ replays: threads here, or
//!                        ▼          │ answers(designs, traces) ─▶ batches of integers ◀─ measure_batch (any process)
//!                      progress     └────────────────────────────────┘
//! ```
//!
//! The course is that of the command, and so is the store: one is gone on with by the other. A batch's answer is integers,
//! eight bytes each: for every design its number, then [`Measures::COLUMNS`] on every trace.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_emit::{CodeSize, InstructionCounter};
use heapsmith_explore::{
    Baseline, Constraint, Design, Goal, HoldOut, Measured, Objective, Observer, Plan, Progress, Question, Space, Stage,
    Store, Strategy, SweepError, Swept, Take, TimingPlan, Workers, replay_within, run, run_on,
};
use heapsmith_replay::{Measures, Region};
use heapsmith_spec::{Spec, Target, resolve};
use heapsmith_trace::{PackedTrace, TraceError, TraceWriter};
use heapsmith_workload::is_recorded;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{Outcome, Raised};
use crate::explored::preference;
use crate::packed::Packed;
use crate::trace::{Trace, packed};
use crate::wait::{Patience, unlocked};

/// What the command's options say, as items of a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted<'py> {
    /// The name of one of our own spaces, or of a file; the usual one of the target.
    space: Option<PathBuf>,
    objectives: Vec<String>,
    limits: Vec<(String, f64)>,
    prefer: String,
    target: Option<String>,
    baseline: Option<String>,
    robust: bool,
    search: Option<String>,
    compare_search: bool,
    prune: bool,
    jobs: usize,
    rounds: usize,
    peers: bool,
    holdout: Vec<Bound<'py, PyAny>>,
    holdout_each: bool,
    perturb: u32,
    wait: bool,
    command: String,
}

impl Wanted<'_> {
    fn question(&self) -> Outcome<Question> {
        let objective = |name: &String| name.parse::<Objective>().map_err(Raised::usage);
        let constraint = |(name, max): &(String, f64)| Ok(Constraint { objective: objective(name)?, max: *max });
        let goal = Goal {
            objectives: self.objectives.iter().map(objective).collect::<Outcome<_>>()?,
            constraints: self.limits.iter().map(constraint).collect::<Outcome<_>>()?,
        };
        let baseline = self.baseline.as_deref().map(|name| name.parse::<Baseline>()).transpose();
        let baseline = baseline.map_err(|error| Raised::usage(error.to_string()))?;
        Ok(Question { preference: preference(&self.prefer)?, goal, baseline, robust: self.robust })
    }
}

/// Explores traces in a folder; `noted` is called with designs done, designs in all, and places on the front so far.
/// With `answers`, which is called with designs and traces and gives an iterator of lists of answers, designs are replayed
/// elsewhere. Gives how many heaps were replayed on whole traces.
#[pyfunction]
pub fn explore(
    py: Python<'_>,
    traces: Vec<Bound<'_, PyAny>>,
    dir: PathBuf,
    wanted: Wanted<'_>,
    noted: Option<Py<PyAny>>,
    answers: Option<Py<PyAny>>,
) -> Outcome<usize> {
    let question = wanted.question()?;
    let search = wanted.search.as_deref().map(str::parse::<Strategy>).transpose().map_err(Raised::usage)?;
    let holdout = HoldOut {
        each: wanted.holdout_each,
        held: packed(&wanted.holdout)?,
        perturbed: wanted.perturb,
        also: Vec::new(),
    };
    let packed = packed(&traces)?;
    let wholes: Vec<Py<Trace>> =
        traces.into_iter().filter_map(|trace| trace.cast_into().ok()).map(Bound::unbind).collect();
    let target = match &wanted.target {
        Some(name) => Target::named(name).map_err(Raised::usage)?,
        None => Target::usual(wholes.iter().any(|trace| is_recorded(trace.get().origin()))),
    };
    let space = wanted.space.as_deref().unwrap_or(Path::new(Space::usual(target)));
    let (space, text) = Space::text_of(space).map_err(Raised::usage)?;
    let timing = TimingPlan::rounds(wanted.rounds, wanted.peers && target.peers);
    let Wanted { compare_search, prune, jobs, wait, command, .. } = wanted;
    let done = unlocked(py, |patience| {
        let stop = AtomicBool::new(false);
        let plan = Plan {
            space: (&space, &text),
            target,
            question,
            search,
            compare_search,
            prune,
            jobs,
            timing,
            holdout,
            command: &command,
            wait,
            ..Plan::new(&dir, &packed, &stop)
        };
        let mut write = |number: usize, path: &Path| -> Result<(), TraceError> {
            wholes[number].get().write_to(TraceWriter::create(path)?)
        };
        let (noted, instructions) = (noted.as_ref(), InstructionCounter::default());
        let mut told = Told { patience, noted, stop: &stop, replayed: 0, code_size: None, instructions };
        let found = match answers {
            Some(answers) => run_on(&plan, &mut Elsewhere { answers }, &mut write, &mut told),
            None => run(&plan, &mut write, &mut told),
        };
        found.map(|_| told.replayed)
    });
    Ok(done??)
}

/// Reports the progress to Python, and stops at Ctrl-C.
struct Told<'t> {
    patience: &'t mut Patience,
    noted: Option<&'t Py<PyAny>>,
    stop: &'t AtomicBool,
    replayed: usize,
    code_size: Option<CodeSize>,
    instructions: InstructionCounter,
}

impl Observer for Told<'_> {
    fn stage(&mut self, _stage: Stage<'_>) {
        self.stop.fetch_or(self.patience.is_over(), Ordering::Relaxed);
    }

    fn progress(&mut self, at: Progress) {
        self.patience.tell(self.noted, (at.designs, at.total, at.front));
        self.stop.fetch_or(self.patience.is_over(), Ordering::Relaxed);
    }

    fn swept(&mut self, swept: &Swept) {
        self.replayed += swept.replayed;
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
            _ => {
                let code_size = match &mut self.code_size {
                    Some(code_size) => code_size,
                    empty => empty.insert(CodeSize::new()?),
                };
                code_size.of(spec)?.map(|bytes| bytes as f64)
            }
        })
    }
}

/// Workers that Python drives.
struct Elsewhere {
    answers: Py<PyAny>,
}

impl Workers for Elsewhere {
    fn replay(
        &mut self,
        designs: &[&Design],
        traces: &[PackedTrace],
        max: f64,
        take: &mut Take<'_>,
    ) -> Result<(), SweepError> {
        if designs.is_empty() {
            return Ok(());
        }
        let raised = |error: PyErr| SweepError::Workers(Box::new(error));
        let specs: Vec<(u32, String)> = designs.iter().map(|design| (design.number, design.spec.to_string())).collect();
        let shared: Vec<Packed> = traces.iter().map(|trace| Packed::new(trace.clone())).collect();
        let batches = Python::attach(|py| Ok(self.answers.bind(py).call1((specs, shared, max))?.try_iter()?.unbind()));
        let batches = batches.map_err(raised)?;
        loop {
            let next = Python::attach(|py| {
                let next = batches.bind(py).clone().next();
                next.map(|batch| batch?.extract::<Vec<Vec<u8>>>()).transpose()
            });
            let Some(answers) = next.map_err(raised)? else { return Ok(()) };
            take(rows(&answers, traces.len()).map_err(raised)?)?;
        }
    }
}

/// The rows of some answers, on this many traces.
fn rows(answers: &[Vec<u8>], traces: usize) -> PyResult<Vec<Measured>> {
    let width = 8 * (1 + traces * Measures::COLUMNS.len());
    if answers.iter().any(|answer| !answer.len().is_multiple_of(width)) {
        let text = "a batch came back with rows of another length: is another heapsmith on a worker?";
        return Err(PyRuntimeError::new_err(text));
    }
    Ok(answers.iter().flat_map(|answer| answer.chunks_exact(width)).map(row).collect())
}

/// A design's number, and its measures on every trace; none if they are all 0, as of a design that was stopped.
fn row(bytes: &[u8]) -> Measured {
    let integer = |bytes: &[u8]| u64::from_le_bytes(std::array::from_fn(|byte| bytes[byte]));
    let integers: Vec<u64> = bytes.chunks_exact(8).map(integer).collect();
    let measures = integers[1..].chunks_exact(Measures::COLUMNS.len()).filter_map(Measures::from_row);
    let measures: Vec<Measures> = measures.collect();
    let is_stopped = measures.iter().all(|measures| *measures == Measures::default());
    (integers[0] as u32, if is_stopped { Vec::new() } else { measures })
}

/// How many unique designs have their results in the store of a folder; 0 where there is none.
#[pyfunction]
pub fn replayed(dir: PathBuf) -> Outcome<usize> {
    let file = dir.join(Store::FILE);
    Ok(if file.exists() { Store::open(&file)?.done()?.len() } else { 0 })
}

/// The unique designs of a space for some traces: number and spec, and how many designs of the space each represents.
#[pyfunction]
pub fn unique_designs(traces: Vec<Bound<'_, PyAny>>, space: PathBuf) -> Outcome<Vec<(u32, String, usize)>> {
    let (name, text) = Space::text_of(&space).map_err(Raised::usage)?;
    let space = Space::of(&name, &text, &packed(&traces)?).map_err(|error| Raised::usage(error.to_string()))?;
    let mut weights = vec![0; space.designs.len()];
    space.designs.iter().for_each(|design| weights[design.same_as as usize] += 1);
    let unique = space.unique().map(|design| (design.number, design.spec.to_string(), weights[design.number as usize]));
    Ok(unique.collect())
}

/// Replays designs on traces: the work of one batch, in any process. A design that takes more accesses an operation than
/// `max` is stopped.
#[pyfunction]
#[pyo3(signature = (traces, designs, max = f64::INFINITY))]
pub fn measure_batch<'py>(
    py: Python<'py>,
    traces: Vec<Bound<'py, PyAny>>,
    designs: Vec<(u32, String)>,
    max: f64,
) -> Outcome<Bound<'py, PyBytes>> {
    let traces = packed(&traces)?;
    let parsed = designs.iter().map(|(number, text)| Ok((*number, resolve(text)?)));
    let designs = parsed.collect::<Outcome<Vec<(u32, Spec)>>>()?;
    let bytes = unlocked(py, |patience| {
        let mut regions = traces.iter().map(Region::for_trace).collect::<Result<Vec<_>, _>>()?;
        let mut bytes = Vec::new();
        for (number, spec) in &designs {
            if patience.is_over() {
                break;
            }
            bytes.extend(u64::from(*number).to_le_bytes());
            let mut each = replay_within(spec, &traces, &mut regions, max)?;
            each.resize(traces.len(), Measures::default());
            for measures in each {
                bytes.extend(measures.to_row().into_iter().flat_map(u64::to_le_bytes));
            }
        }
        Ok::<_, heapsmith_replay::ReplayError>(bytes)
    })??;
    Ok(PyBytes::new(py, &bytes))
}
