//! `heapsmith race`: a program on what it has, on heaps and on reference allocators, in turns.
//!
//! ```text
//!   --heap, --peer ─▶ entrants ─┐
//!   program, --load ─▶ task ────┴─▶ heapsmith_race::race ─▶ race.json after every run ─▶ table, answer, race.html
//! ```

mod answer;
mod entrants;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use heapsmith_explore::Store;
use heapsmith_output::{Output, ResultsFolder, Scratch};
use heapsmith_race::{FILE, Kept, Left, Plan, Race, RaceError, Rounds, Served, Task, Turn};
use heapsmith_trace::plural;
use indicatif::ProgressBar;

use crate::args;
use crate::commands::explore::knobs;
use crate::console::{error, note};
use crate::failure::Failure;
use crate::quoted::quoted;
use crate::{fit, interrupt, open, progress};

/// The page of a race in its folder.
pub const PAGE: &str = "race.html";

/// Half of an interval's width from which on it is tight.
const TIGHT: f64 = 0.005;

/// Time of a race where nothing is said.
const BUDGET: Duration = Duration::from_secs(300);

pub fn run(arguments: &args::Race) -> Result<u8, Failure> {
    let entrants = entrants::of(arguments)?;
    let dir = folder(arguments);
    let claimed = ResultsFolder::claim(&dir, |dir| dir.join(FILE).exists() || is_explored(dir));
    claimed.map_err(|error| Failure::writing(&dir, &error))?;
    let task = Task {
        command: arguments.command.clone(),
        input: arguments.input.clone(),
        served: arguments.load.as_ref().map(|load| Served {
            load: load.clone(),
            ready: arguments.ready.clone(),
            stop: arguments.stop.clone(),
        }),
    };
    if let Some(input) = &task.input
        && let Err(error) = std::fs::File::open(input)
    {
        return Err(Failure::bad_input(format!("cannot read {}: {error}", input.display())));
    }
    let rounds = match arguments.runs {
        Some(runs) => Rounds::Exactly(runs),
        None => Rounds::Until { tight: TIGHT, budget: arguments.budget.unwrap_or(BUDGET) },
    };
    let scratch = Scratch::new().map_err(|error| Failure::scratch(&error))?;
    let mut plan = Plan {
        task: &task,
        entrants: &entrants,
        rounds,
        seed: arguments.seed,
        ignores_output: arguments.ignore_output,
        folder: scratch.path(),
        stop: interrupt::catch(),
        earlier: None,
    };
    plan.earlier = earlier(&plan, &dir)?;
    let mut screen = Screen { dir: &dir, spinner: progress::spinner("racing") };
    let outcome = heapsmith_race::race(&plan, &mut screen);
    screen.spinner.finish_and_clear();
    let race = outcome.map_err(|error| failure(error, &dir))?;
    let page = dir.join(PAGE);
    let written = Output::create(&page).and_then(|output| output.put(heapsmith_report::race(&race)));
    written.map_err(|error| Failure::writing(&page, &error))?;
    answer::print(&race, arguments.format, &dir)?;
    if arguments.open {
        open::page(&page)?;
    }
    Ok(code(&race))
}

/// The exit code of a race that came to its end.
fn code(race: &Race) -> u8 {
    let left = || race.entrants.iter().filter_map(|raced| raced.left.as_ref());
    if left().any(|left| matches!(left, Left::Wrong(_))) {
        1
    } else if left().any(|left| matches!(left, Left::NoEffect(_))) {
        Failure::ENVIRONMENT
    } else {
        0
    }
}

/// Whether a folder is one of `explore`.
fn is_explored(dir: &Path) -> bool {
    dir.join(Store::FILE).exists() || knobs::is_in(dir)
}

/// Where results go.
fn folder(arguments: &args::Race) -> PathBuf {
    let explored = || arguments.heap.iter().map(Path::new).find(|dir| is_explored(dir));
    let program = Path::new(&arguments.command[0]).file_name().unwrap_or(OsStr::new("program"));
    let own = || PathBuf::from(format!("race-{}", program.to_string_lossy()));
    arguments.out.clone().or_else(|| explored().map(Path::to_owned)).unwrap_or_else(own)
}

/// An interrupted race of the same program and entrants.
fn earlier(plan: &Plan<'_>, dir: &Path) -> Result<Option<Race>, Failure> {
    let found = heapsmith_race::read(dir).map_err(Failure::bad_input)?;
    let is_same = |race: &Race| {
        let words = plan.task.command.iter().map(|word| word.to_string_lossy());
        // The first is named by what serves the program.
        let kinds = race.entrants.iter().zip(plan.entrants).skip(1).all(|(raced, entrant)| raced.kind == entrant.kind);
        !race.is_finished
            && race.command.iter().map(String::as_str).eq(words.collect::<Vec<_>>().iter().map(|word| &**word))
            && race.load == plan.task.served.as_ref().map(|served| served.load.clone())
            && race.seed == plan.seed
            && race.entrants.len() == plan.entrants.len()
            && kinds
    };
    let continued = found.filter(is_same);
    if let Some(race) = continued.as_ref().filter(|race| !race.runs.is_empty()) {
        note!("{} has {} of this race already", dir.display(), plural(race.runs.len() as u64, "run", "runs"));
    }
    Ok(continued)
}

fn failure(error: RaceError, dir: &Path) -> Failure {
    match error {
        RaceError::Interrupted => Failure::interrupted(format!(
            "interrupted; {} keeps the runs so far, and the same command continues",
            dir.display()
        )),
        error => Failure::environment(error),
    }
}

/// What is seen and kept while a race runs.
struct Screen<'a> {
    dir: &'a Path,
    spinner: ProgressBar,
}

impl Kept for Screen<'_> {
    fn turn(&mut self, turn: Turn<'_>) {
        let round = match (turn.round, turn.of) {
            (None, _) => "trial".to_owned(),
            (Some(round), Some(of)) => format!("round {round} of {of}"),
            (Some(round), None) => format!("round {round}"),
        };
        self.spinner.set_message(format!("{round}: {}", fit::shortened(&turn.entrant.name, 50)));
    }

    fn remark(&mut self, remark: &str) {
        self.spinner.suspend(|| error!("heapsmith: {remark}"));
    }

    fn keep(&mut self, race: &Race) -> Result<(), String> {
        let path = self.dir.join(FILE);
        let kept = Output::create(&path).and_then(|output| output.put(heapsmith_race::text(race)));
        kept.map_err(|error| format!("cannot write {}: {error}", quoted(&path)))
    }
}
