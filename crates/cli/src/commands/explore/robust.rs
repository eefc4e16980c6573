//! How the choice holds on traces that it was not made for.
//!
//! ```text
//!   --holdout TRACE   choose on all traces given,      evaluate on TRACE
//!   --holdout each    choose on all but one, in turn,  evaluate on that one
//!   --perturb N       choose on all traces given,      evaluate on N changed copies of each
//! ```
//!
//! Each trace that is evaluated on is explored by itself, for its front and its pick by the oracle. Every exploration has a
//! folder inside that of the whole, so an interrupted run goes on.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use heapsmith_explore::{Evaluated, Exploration, Preference, Store, Strategy, Sweep, evaluate as evaluate_on, sweep};
use heapsmith_spec::{Spec, catalogue};
use heapsmith_trace::{Cuts, Jitter, PackedTrace, Perturbation, Share, Stretch, perturb};

use super::{command, jobs, space};
use crate::args::Explore;
use crate::failure::Failure;
use crate::{input, progress};

/// A choice and the trace that it is evaluated on.
struct Trial<'t> {
    /// The traces that it is made for.
    chosen_on: Vec<PackedTrace>,
    /// The trace.
    evaluated_on: &'t PackedTrace,
    /// The name of its folder.
    folder: String,
}

/// Evaluates the choice as the arguments ask for.
pub fn evaluate(
    arguments: &Explore,
    exploration: &Exploration,
    traces: &[PackedTrace],
    preference: Preference,
    stop: &AtomicBool,
    dir: &Path,
) -> Result<Vec<Evaluated>, Failure> {
    let (each, named): (Vec<_>, Vec<_>) = arguments.holdout.iter().partition(|path| path.as_os_str() == "each");
    if !each.is_empty() && traces.len() < 2 {
        return Err(Failure::wrong_use("--holdout each holds out every trace in turn: name two traces or more"));
    }
    let held =
        named.iter().map(|path| input::stream_packed(path, &arguments.reading)).collect::<Result<Vec<_>, _>>()?;
    let mut trials: Vec<Trial<'_>> = Vec::new();
    for (number, evaluated_on) in traces.iter().enumerate().filter(|_| !each.is_empty()) {
        let others = traces.iter().enumerate().filter(|(other, _)| *other != number);
        let chosen_on = others.map(|(_, trace)| trace.clone()).collect();
        trials.push(Trial { chosen_on, evaluated_on, folder: format!("without-{}", number + 1) });
    }
    for (number, evaluated_on) in held.iter().enumerate() {
        trials.push(Trial { chosen_on: Vec::new(), evaluated_on, folder: format!("held-out-{}", number + 1) });
    }
    let changed: Vec<PackedTrace> = traces.iter().flat_map(|trace| perturbed(trace, arguments.perturb)).collect();
    for (number, evaluated_on) in changed.iter().enumerate() {
        trials.push(Trial { chosen_on: Vec::new(), evaluated_on, folder: format!("perturbed-{}", number + 1) });
    }
    let also = fixed(arguments);
    let mut evaluated = Vec::new();
    for (number, trial) in trials.iter().enumerate() {
        eprintln!("evaluating on {} ({} of {})", trial.evaluated_on.name, number + 1, trials.len());
        let dir = dir.join(&trial.folder);
        let one = std::slice::from_ref(trial.evaluated_on);
        let oracle = explored(arguments, one, stop, &dir.join("oracle"))?;
        let own;
        let (choice, chosen_on) = match trial.chosen_on.as_slice() {
            [] => (exploration, traces),
            chosen_on => {
                own = explored(arguments, chosen_on, stop, &dir)?;
                (&own, chosen_on)
            }
        };
        let heaps = choice.evaluated_heaps(preference, &also);
        evaluated.extend(evaluate_on(&oracle, trial.evaluated_on, chosen_on, &heaps, preference)?);
    }
    Ok(evaluated)
}

/// Copies of a trace as it might have been, with three kinds of change in turn.
fn perturbed(trace: &PackedTrace, copies: u32) -> Vec<PackedTrace> {
    let kinds = [
        Perturbation { jitter: Some(Jitter::Requests(Share::percent(10))), ..Perturbation::default() },
        Perturbation { stretch: Some(Stretch(Share::percent(20))), ..Perturbation::default() },
        Perturbation { shuffle: Some(Cuts::Parts(10)), ..Perturbation::default() },
    ];
    let copy = |(seed, kind): (u32, &Perturbation)| perturb(trace, *kind, u64::from(seed) + 1);
    (0..copies).zip(kinds.iter().cycle()).map(copy).collect()
}

/// The designs of the catalogue that were made for the workload, by the paper's recommendation.
fn fixed(arguments: &Explore) -> Vec<(String, Spec)> {
    let workload = arguments.reading.input_format.as_deref().unwrap_or_default();
    let wanted = format!("network-{workload}");
    let own = catalogue().iter().filter(|entry| entry.name == wanted);
    own.filter_map(|entry| Some((entry.name.to_owned(), entry.spec.parse().ok()?))).collect()
}

/// Explores some traces in a folder; designs that can reach no front are cut short.
fn explored(
    arguments: &Explore,
    traces: &[PackedTrace],
    stop: &AtomicBool,
    dir: &Path,
) -> Result<Exploration, Failure> {
    fs::create_dir_all(dir).map_err(|error| Failure::writing(dir, &error))?;
    let space = space(&arguments.space, traces)?;
    let mut store = Store::begin(&dir.join(Store::FILE), &space, traces, &command())?;
    let search = arguments.search.search(&space, traces);
    let job = Sweep {
        space: &space,
        traces,
        jobs: jobs(arguments),
        stop,
        search,
        goal: arguments.goal.goal(),
        prune: search == Strategy::Exhaustive,
    };
    let bar = progress::sweep_bar(space.designs.len() as u64);
    let swept = sweep(&job, &mut store, &mut |at| progress::show(&bar, at));
    bar.finish_and_clear();
    swept?;
    Ok(Exploration::load(&store)?)
}
