//! `heapsmith explore`: thousands of designs, the front, the pick and the main effects.

use std::path::{Path, PathBuf};

use heapsmith_explore::{HoldOut, Plan, Preference, Question, RunError, Space, SweepError, TimingPlan, asked};
use heapsmith_output::Output;
use heapsmith_peers::Peer;
use heapsmith_report::PageInput;
use heapsmith_spec::Target;
use heapsmith_trace::{Operation, PackedEvent, PackedTrace, Trace, plural};
use heapsmith_workload::{PREFIX, is_recorded};

use crate::args::{Explore, PACE};
use crate::commands::answer::{self, Answer, Page};
use crate::commands::{pages, report};
use crate::console::{self, note};
use crate::failure::Failure;
use crate::quoted::word;
use crate::{input, interrupt, open};

mod counted;
pub mod knobs;
mod programs;
mod purge;
mod regions;
pub mod screen;
mod threads;

use screen::Screen;

pub fn run(arguments: &Explore) -> Result<(), Failure> {
    if let Some(name) = &arguments.print_space {
        console::hand_over(Space::own_text(name).unwrap_or_default().as_bytes());
        return Ok(());
    }
    if knobs::is_asked(arguments) {
        return knobs::run(arguments);
    }
    if !arguments.peer.is_empty() || arguments.pace != PACE {
        return Err(Failure::wrong_use("--peer and --pace are of --space knobs"));
    }
    let stop = interrupt::catch();
    let traces = arguments
        .traces
        .iter()
        .map(|path| input::trace(path, &arguments.reading))
        .collect::<Result<Vec<Trace>, _>>()?;
    let packed = traces.iter().map(input::packed).collect::<Result<Vec<PackedTrace>, _>>()?;
    packed.iter().for_each(input::announce);

    let dir = arguments.out.clone().unwrap_or_else(|| default_dir(arguments));
    let (preference, command) = (Preference::from(arguments.prefer), command());
    let recorded = traces.iter().any(|trace| is_recorded(&trace.origin));
    let usual = arguments.target.unwrap_or_else(|| Target::usual(recorded));
    let target = arguments.align.map_or(Ok(usual), |align| usual.with_alignment(align)).map_err(Failure::wrong_use)?;
    let target = arguments.check.map_or(target, |level| target.with_check(level.into()));
    let space = arguments.space.as_deref().unwrap_or(Path::new(Space::usual(target)));
    let (name, text) = Space::text_of(space).map_err(|error| no_space(space, error))?;
    if !target.malloc {
        packed.iter().for_each(note_empty);
    }
    target.untranslated().iter().chain(&target.lowered()).for_each(|what| note!("warning: {what}"));
    regions::verify(arguments, target)?;
    let plan = Plan {
        space: (&name, &text),
        target,
        question: arguments.goal.question(preference),
        search: arguments.search.search(),
        compare_search: arguments.compare_search,
        prune: arguments.prune,
        jobs: jobs(arguments.jobs),
        timing: timing(arguments, target)?,
        holdout: holdout(arguments)?,
        command: &command,
        wait: arguments.wait,
        ..Plan::new(&dir, &packed, stop)
    };
    let events = packed.iter().map(|trace| trace.events.len()).sum();
    let mut screen = Screen::new(events, plan.timing.rounds > 0);
    let found = heapsmith_explore::run(&plan, &mut |number, path| traces[number].write(path), &mut screen);
    let found = found.map_err(|error| failure(error, &dir, &plan.question))?;
    let exploration = &found.exploration;
    if let Some((agreement, whole)) = &found.agreement {
        answer::agreement(agreement, *whole, exploration.rows.len());
    }
    if let Some((mean, max, designs)) = exploration.instructions_ranked() {
        note!(
            "accesses rank the instructions of {designs} designs on an emulated Cortex-M3 with a correlation of {mean:.2}, \
             those of their most expensive operations with {max:.2} (Spearman; --table)"
        );
    }
    let Some(pick) = found.pick else { return Err(answer::nothing(&found, &dir)) };
    let lines = report::lines(&packed);
    let folder = &dir.to_string_lossy();
    let race = heapsmith_race::read(&dir).map_err(Failure::bad_input)?;
    let (elapsed, race) = (found.seconds, race.as_ref());
    let page = PageInput { exploration, traces: &traces, lines: &lines, folder, preference, elapsed, race };
    let out = dir.join(report::PAGE);
    report::write(&page, Output::create(&out).map_err(|error| Failure::writing(&out, &error))?)?;
    Answer::new(exploration, &lines, preference, pick).print(arguments.showing, &dir, Page::At(&out))?;
    regions::run(arguments, exploration, pick, &packed, &dir, stop)?;
    programs::run(arguments, exploration, pick, target, &traces)?;
    if arguments.open { open::page(&out) } else { Ok(()) }
}

/// Says what is replayed where a program asks for nothing: emitted functions return NULL there, and a `malloc` need not.
fn note_empty(trace: &PackedTrace) {
    let is_empty = |event: &&PackedEvent| event.operation != Operation::Free && event.size == 0;
    let empty = trace.events.iter().filter(is_empty).count() as u64;
    if empty > 0 {
        let requests = plural(empty, "request asks", "requests ask");
        note!("{}: {requests} for 0 bytes: replayed as 1 byte; emitted functions return NULL there", trace.name);
    }
}

/// A space that cannot be read: a file where it has a path or an ending, else a name that is none.
fn no_space(space: &Path, error: String) -> Failure {
    let is_file = space.extension().is_some() || space.components().count() > 1;
    if is_file { Failure::bad_input(error) } else { Failure::wrong_use(error) }
}

/// What stopped an exploration.
pub fn failure(error: RunError, dir: &Path, question: &Question) -> Failure {
    match error {
        RunError::Sweep(SweepError::Interrupted) if asked(dir).is_ok_and(|kept| kept == *question) => {
            Failure::interrupted(format!(
                "interrupted; {} keeps the answer, and the same command measures what follows it",
                dir.display()
            ))
        }
        RunError::Sweep(SweepError::Interrupted) => Failure::interrupted(format!(
            "interrupted; {} keeps the results so far, and the same command resumes from it",
            dir.display()
        )),
        error => error.into(),
    }
}

/// Threads to replay on: every processor where nothing is said.
pub fn jobs(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Rounds of timing for programs of this machine.
const ROUNDS: u32 = 5;

/// What is timed at the end, and measured by pages.
fn timing(arguments: &Explore, target: &Target) -> Result<TimingPlan, Failure> {
    let peers: Vec<Peer> = if arguments.no_peers || !target.peers { Vec::new() } else { Peer::built().collect() };
    let command = if peers.is_empty() { None } else { Some(pages::command()?) };
    let rounds = arguments.rounds.unwrap_or(if target.peers { ROUNDS } else { 0 }) as usize;
    Ok(TimingPlan { rounds, peers, command, instructions: arguments.rounds != Some(0) })
}

/// What the choice is evaluated on.
fn holdout(arguments: &Explore) -> Result<HoldOut, Failure> {
    let (each, named): (Vec<_>, Vec<_>) = arguments.holdout.iter().partition(|path| path.as_os_str() == "each");
    let held = named.iter().map(|path| input::stream_packed(path, &arguments.reading));
    Ok(HoldOut {
        each: !each.is_empty(),
        held: held.collect::<Result<_, _>>()?,
        perturbed: arguments.perturb,
        also: HoldOut::made_for(arguments.reading.input_format.as_deref().unwrap_or_default()),
    })
}

/// `explore-ftp-drr` for `samples/ftp.pcap.xz` as drr, `explore-tclsh8.6-17` for `tclsh8.6-17.parquet`.
fn default_dir(arguments: &Explore) -> PathBuf {
    let first = arguments.traces.first().and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
    let first = first.as_deref().map_or("trace", |name| name.strip_prefix(PREFIX).unwrap_or(name));
    let stem = without_endings(first);
    let more = if arguments.traces.len() > 1 { format!("-and-{}", arguments.traces.len() - 1) } else { String::new() };
    let workload = arguments.reading.input_format.as_ref().map_or_else(String::new, |name| format!("-{name}"));
    PathBuf::from(format!("explore-{stem}{more}{workload}"))
}

/// A file's name without what says what is in it: endings that begin with a letter and have no sign.
fn without_endings(name: &str) -> &str {
    let is_ending = |ending: &str| {
        ending.starts_with(|first: char| first.is_ascii_alphabetic()) && ending.chars().all(char::is_alphanumeric)
    };
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && is_ending(ending) => without_endings(stem),
        _ => name,
    }
}

/// The command as it was typed.
fn command() -> String {
    let words = std::env::args_os().skip(1).map(|typed| word(&typed.to_string_lossy()));
    std::iter::once("heapsmith".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_after_a_file_without_its_endings() {
        for (file, stem) in [
            ("ftp.pcap.xz", "ftp"),
            ("tclsh8.6-16875.parquet", "tclsh8.6-16875"),
            ("python3.12-40.parquet", "python3.12-40"),
            ("trace", "trace"),
            (".parquet", ".parquet"),
        ] {
            assert_eq!(without_endings(file), stem);
        }
    }
}
