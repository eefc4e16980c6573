//! `heapsmith reproduce`: the papers' tables and figures, done again.

use std::time::Instant;

use heapsmith_output::Refusal;
use heapsmith_papers::{
    Cause, Claim, Experiment, ExperimentError, Extent, Folder, FolderError, Outcome, ProgressStep, Setting, Whose,
    claims, experiments, named,
};
use indicatif::ProgressBar;

use crate::args::{Format, Reproduce};
use crate::commands::pages;
use crate::console::note;
use crate::failure::Failure;
use crate::table::{Table, number, text};
use crate::{interrupt, progress};

pub fn run(arguments: &Reproduce) -> Result<(), Failure> {
    let chosen = chosen(&arguments.names)?;
    if arguments.list {
        return list(&chosen, arguments.format);
    }
    if arguments.claims {
        return register(&arguments.names, &chosen, arguments.format);
    }
    let chosen = runnable(chosen, arguments)?;
    let samples = chosen.iter().flat_map(|experiment| experiment.samples);
    for path in samples.map(|sample| arguments.samples.join(sample)) {
        if !path.exists() {
            return Err(ExperimentError::NoSample { path }.into());
        }
    }
    let stop = interrupt::catch();
    let folder = Folder::open(&arguments.out)?;
    let bar = progress::experiments_bar(chosen.len());
    let mut show = |step: &ProgressStep| {
        let base = bar.position() / progress::STEPS * progress::STEPS;
        bar.set_position(base + ((step.done * progress::STEPS as f64) as u64).min(progress::STEPS - 1));
        bar.set_message(step.doing.clone());
    };
    let jobs = arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let mut setting = Setting::new(&arguments.samples, arguments.seed, jobs, Extent::Whole, stop, &mut show);
    let mut table = Table::new(&["name", "seconds", "conclusion", "found"]);
    let command = pages::command()?;
    setting.command = Some(&command);
    setting.inputs = arguments.inputs.as_deref();
    let ended = all(&chosen, &mut setting, &folder, &bar, &mut table);
    bar.finish_and_clear();
    // Whatever ended it: what was finished is shown.
    table.print(arguments.format)?;
    ended?;
    let written = folder.pages()?;
    if arguments.format == Format::Table {
        written.iter().for_each(|page| note!("wrote {}", page.display()));
    }
    Ok(())
}

/// What can be run: without public captures, the experiment that reads them is left out, unless it is all that is asked.
fn runnable(mut chosen: Vec<&'static Experiment>, arguments: &Reproduce) -> Result<Vec<&'static Experiment>, Failure> {
    if let Some(path) = arguments.inputs.as_ref().filter(|path| !path.is_dir()) {
        return Err(ExperimentError::NoFolder { path: path.clone() }.into());
    }
    if arguments.inputs.is_none() {
        let before = chosen.len();
        chosen.retain(|experiment| !experiment.reads_inputs());
        if chosen.is_empty() {
            return Err(ExperimentError::NoInputs.into());
        }
        if chosen.len() < before && arguments.format == Format::Table {
            note!("000-public-captures is left out: it needs --inputs DIR");
        }
    }
    Ok(chosen)
}

/// Does one after the other, and keeps each as soon as it is done.
fn all(
    chosen: &[&'static Experiment],
    setting: &mut Setting<'_>,
    folder: &Folder,
    bar: &ProgressBar,
    table: &mut Table,
) -> Result<(), Failure> {
    for (done, experiment) in chosen.iter().enumerate() {
        bar.set_position(done as u64 * progress::STEPS);
        bar.set_prefix(experiment.name);
        let start = Instant::now();
        let outcome: Outcome = (experiment.run)(setting)?;
        folder.keep(experiment, &outcome)?;
        // The pages at once, so that they are right whatever ends the process.
        folder.pages()?;
        let seconds = start.elapsed().as_secs_f64();
        table.row([
            text(experiment.name),
            number(seconds, 1),
            text(outcome.verdict().words()),
            text(outcome.found.clone()),
        ]);
    }
    Ok(())
}

/// The experiments of these names, each once, in the order of the papers.
fn chosen(names: &[String]) -> Result<Vec<&'static Experiment>, Failure> {
    if names.is_empty() {
        return Ok(experiments());
    }
    let mut wanted = Vec::new();
    for name in names {
        let found = named(name);
        if found.is_empty() {
            let known: Vec<&str> = experiments().iter().map(|experiment| experiment.name).collect();
            return Err(Failure::wrong_use(format!("there is no experiment {name:?}; there are {}", known.join(", "))));
        }
        wanted.extend(found.iter().map(|experiment| experiment.name));
    }
    Ok(experiments().into_iter().filter(|experiment| wanted.contains(&experiment.name)).collect())
}

fn list(chosen: &[&'static Experiment], format: Format) -> Result<(), Failure> {
    let mut table = Table::new(&["name", "place", "about"]).hiding(&["paper", "citation", "claim", "differs"]);
    for experiment in chosen {
        let paper = experiment.paper;
        table.row(
            [
                experiment.name,
                experiment.place,
                experiment.title,
                paper.title,
                paper.citation,
                experiment.claim,
                experiment.differs,
            ]
            .map(text),
        );
    }
    table.print(format)
}

/// The claims of the papers; where experiments are named, those that they test.
fn register(names: &[String], chosen: &[&'static Experiment], format: Format) -> Result<(), Failure> {
    let is_chosen = |test: &str| chosen.iter().any(|experiment| experiment.name == test);
    let is_named = |claim: &&Claim| {
        names.is_empty()
            || names.iter().any(|name| name == claim.paper())
            || claim.test.as_deref().is_some_and(is_chosen)
    };
    let mut table = Table::new(&["claim", "verdict", "cause", "says"])
        .hiding(&["place", "kind", "ours", "measure", "test", "ablation", "why"]);
    for claim in claims().iter().filter(is_named) {
        let maybe = |value: &Option<String>| text(value.clone().unwrap_or_default());
        table.row([
            text(claim.name.clone()),
            text(claim.verdict.name()),
            text(claim.cause.map_or("", Cause::words)),
            text(claim.says.clone()),
            text(claim.place.clone()),
            text(claim.kind.words()),
            text(if claim.of == Whose::Ours { "yes" } else { "no" }),
            maybe(&claim.measure),
            maybe(&claim.test),
            maybe(&claim.ablation),
            maybe(&claim.why),
        ]);
    }
    table.print(format)
}

impl From<ExperimentError> for Failure {
    fn from(error: ExperimentError) -> Failure {
        match error {
            ExperimentError::NoSample { .. } => Failure::bad_input(error),
            ExperimentError::NoInputs | ExperimentError::NoFolder { .. } => Failure::wrong_use(error),
            ExperimentError::NoCapture { .. } | ExperimentError::OtherSample { .. } => Failure::bad_input(error),
            ExperimentError::Load(error) => error.into(),
            ExperimentError::Trace(error) => error.into(),
            ExperimentError::Replay(error) => error.into(),
            ExperimentError::Pages(error) => error.into(),
            ExperimentError::Spec(error) => error.into(),
            ExperimentError::Subject(error) => error.into(),
            ExperimentError::Store(error) => error.into(),
            ExperimentError::Sweep(error) => error.into(),
            ExperimentError::Emit(error) => error.into(),
            ExperimentError::Size(error) => error.into(),
            ExperimentError::Scratch(_) => Failure::environment(error),
            ExperimentError::Csv(_) => Failure::job(error),
            ExperimentError::Interrupted => Failure::interrupted(error),
        }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Failure {
        match &error {
            FolderError::Write { source, .. } if Refusal::of(source).is_some() => Failure::wrong_use(error),
            FolderError::Write { .. } | FolderError::Read { .. } => Failure::environment(error),
            FolderError::Damaged { .. } => Failure::bad_input(error),
        }
    }
}
