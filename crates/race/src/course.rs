//! The course of a race: a trial, then rounds in which every entrant has one run.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use heapsmith_launch::Ended;
use heapsmith_trace::Draws;

use crate::entrant::{Entrant, Kind};
use crate::launch::{self, LaunchError, Launcher, Outcome, Task};
use crate::printed::Printed;
use crate::result::{Left, MIN_ROUNDS, Race, Raced, Run};

/// How long a race goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rounds {
    /// This many rounds.
    Exactly(u32),
    /// Until the interval of every processor time and peak is within this share of its ratio, and six rounds at least, or the time is over.
    Until {
        /// Half of an interval's width.
        tight: f64,
        /// The time that it may take, without the trial.
        budget: Duration,
    },
}

/// A race that is to be run.
pub struct Plan<'a> {
    /// What is run.
    pub task: &'a Task,
    /// On what; the first is the baseline.
    pub entrants: &'a [Entrant],
    /// For how long.
    pub rounds: Rounds,
    /// Draws orders and resamples.
    pub seed: u64,
    /// Whether only exit codes are compared.
    pub ignores_output: bool,
    /// A private folder.
    pub folder: &'a Path,
    /// Set when the user stops it.
    pub stop: &'static AtomicBool,
    /// An interrupted race of the same plan, which is continued.
    pub earlier: Option<Race>,
}

/// What happens in a race.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// The entrant that runs now.
    pub entrant: &'a Entrant,
    /// Its round, counted from 1; none in the trial.
    pub round: Option<u32>,
    /// The rounds that were asked for; none where intervals or the time decide.
    pub of: Option<u32>,
}

/// What a race tells while it runs.
pub trait Kept {
    /// An entrant's run begins.
    fn turn(&mut self, turn: Turn<'_>);
    /// What is to be said, as that an entrant leaves the race.
    fn remark(&mut self, remark: &str);
    /// Keeps what there is so far.
    ///
    /// # Errors
    ///
    /// Why it cannot be kept.
    fn keep(&mut self, race: &Race) -> Result<(), String>;
}

/// Why there is no race.
#[derive(Debug, thiserror::Error)]
pub enum RaceError {
    /// The program does not run as it is.
    #[error("the program fails as it is: {0}")]
    Baseline(String),
    /// The system refused.
    #[error("{0}")]
    System(String),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

/// How long the baseline's trial may take, and how much longer the others.
const LIMIT: Duration = Duration::from_secs(3600);
const SLOWER: u32 = 20;
const GRACE: Duration = Duration::from_secs(30);

/// Runs a race to its end.
///
/// # Errors
///
/// [`RaceError`]; what was measured before is kept.
pub fn race(plan: &Plan<'_>, kept: &mut dyn Kept) -> Result<Race, RaceError> {
    launch::adopt();
    let launcher = Launcher { task: plan.task, folder: plan.folder, stop: plan.stop };
    let raced = |entrant: &Entrant| Raced { name: entrant.name.clone(), kind: entrant.kind.clone(), left: None };
    let mut race = plan.earlier.clone().unwrap_or_else(|| Race {
        command: plan.task.command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        load: plan.task.served.as_ref().map(|served| served.load.clone()),
        seed: plan.seed,
        output_compared: !plan.ignores_output && plan.task.served.is_none(),
        is_finished: false,
        entrants: plan.entrants.iter().map(raced).collect(),
        runs: Vec::new(),
    });
    let right = trial(plan, &launcher, &mut race, kept)?;
    kept.keep(&race).map_err(RaceError::System)?;
    let first = race.runs.iter().map(|run| run.round + 1).max().unwrap_or(0);
    let began = Instant::now();
    let mut round = first;
    while !is_over(plan, &race, round, began) {
        for entrant in order(plan, &race, round) {
            let of = match plan.rounds {
                Rounds::Exactly(rounds) => Some(rounds),
                Rounds::Until { .. } => None,
            };
            kept.turn(Turn { entrant: &plan.entrants[entrant], round: Some(round + 1), of });
            match launcher.launch(&plan.entrants[entrant], right.limit, false) {
                Ok(outcome) => take(plan, &mut race, (round, entrant), outcome, &right, kept)?,
                Err(error) => leave(plan, &mut race, entrant, failed(error)?, kept)?,
            }
            kept.keep(&race).map_err(RaceError::System)?;
        }
        round += 1;
    }
    race.is_finished = true;
    kept.keep(&race).map_err(RaceError::System)?;
    Ok(race)
}

/// What every run is held against.
struct Right {
    ended: Ended,
    printed: Printed,
    limit: Duration,
}

/// A run of each entrant that is not measured: caches get warm, outputs are compared, and it is seen whose `malloc` serves.
fn trial(plan: &Plan<'_>, launcher: &Launcher<'_>, race: &mut Race, kept: &mut dyn Kept) -> Result<Right, RaceError> {
    let mut right: Option<Right> = None;
    for (number, entrant) in plan.entrants.iter().enumerate() {
        if entrant.unless_own && is_own(&race.entrants[0].kind, entrant) {
            race.entrants[number].left = Some(Left::Same);
        }
        if race.entrants[number].left.is_some() {
            continue;
        }
        kept.turn(Turn { entrant, round: None, of: None });
        let limit = right.as_ref().map_or(LIMIT, |right| right.limit);
        let outcome = match launcher.launch(entrant, limit, true) {
            Ok(outcome) => outcome,
            Err(error) => {
                leave(plan, race, number, failed(error)?, kept)?;
                continue;
            }
        };
        let Some(right) = &right else {
            let found = begun(plan, launcher, race, outcome, kept)?;
            right = Some(found);
            continue;
        };
        if let Some(left) = left(race, &outcome, right) {
            leave(plan, race, number, left, kept)?;
        }
    }
    right.ok_or_else(|| RaceError::System("there is no entrant".to_owned()))
}

/// What the baseline's trial says: its end, its output, and whether that is the same again.
fn begun(
    plan: &Plan<'_>,
    launcher: &Launcher<'_>,
    race: &mut Race,
    outcome: Outcome,
    kept: &mut dyn Kept,
) -> Result<Right, RaceError> {
    let failure = match outcome.ended {
        _ if plan.task.served.is_some() => None,
        Ended::Code(0) => None,
        Ended::Code(code) => Some(format!(
            "it ended with exit code {code}{}. Race one that is right to as a script that ends with 0: sh -c 'PROGRAM || true'",
            said(&outcome)
        )),
        Ended::Signal(signal) => Some(format!("signal {signal} ended it{}", said(&outcome))),
    };
    if let Some(failure) = failure {
        return Err(RaceError::Baseline(failure));
    }
    if let Kind::AsIs { library } = &mut race.entrants[0].kind
        && let Some(serving) = outcome.serving.last()
    {
        *library = Some(serving.display().to_string());
        race.entrants[0].name = format!("as it is ({})", short_name(serving));
    }
    let limit = Duration::from_secs_f64(outcome.clock) * SLOWER + GRACE;
    if race.output_compared {
        let again = launcher.launch(&plan.entrants[0], limit, false);
        let again = again.or_else(|error| Err(RaceError::Baseline(failed(error)?.words().to_owned())))?;
        let difference = again.printed.difference(&outcome.printed);
        if let Some(difference) = difference.map_err(|error| RaceError::System(error.to_string()))? {
            race.output_compared = false;
            kept.remark(&format!("the output differs from run to run ({difference}): only exit codes are compared"));
        }
    }
    Ok(Right { ended: outcome.ended, printed: outcome.printed, limit })
}

/// `libc` of `/lib/x86_64-linux-gnu/libc.so.6`.
fn short_name(library: &Path) -> String {
    let name = library.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    name.split(".so").next().unwrap_or_default().to_owned()
}

/// Whether an entrant is the library that serves the program as it is.
fn is_own(baseline: &Kind, entrant: &Entrant) -> bool {
    let Kind::AsIs { library: Some(own) } = baseline else { return false };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    entrant.preload.as_deref().is_some_and(|library| real(library) == real(Path::new(own)))
}

/// Why an entrant leaves the race after a run.
fn left(race: &Race, outcome: &Outcome, right: &Right) -> Option<Left> {
    outcome.no_effect.clone().map(Left::NoEffect).or_else(|| wrong(race, outcome, right).map(Left::Wrong))
}

/// What a run that gave nothing says of its entrant.
fn failed(error: LaunchError) -> Result<Left, RaceError> {
    match error {
        LaunchError::Interrupted => Err(RaceError::Interrupted),
        LaunchError::TooLong(limit) => {
            Ok(Left::Wrong(format!("it ran for over {} s, {SLOWER} times as long as the baseline", limit.as_secs())))
        }
        LaunchError::Other(why) => Ok(Left::Wrong(why)),
    }
}

/// What a run said at its end, after what is said of it.
fn said(outcome: &Outcome) -> String {
    outcome.last_error.as_ref().map_or_else(String::new, |line| format!("; it said: {line}"))
}

/// What is wrong with a run.
fn wrong(race: &Race, outcome: &Outcome, right: &Right) -> Option<String> {
    if outcome.ended != right.ended {
        let how = |ended: Ended| match ended {
            Ended::Code(code) => format!("exit code {code}"),
            Ended::Signal(signal) => format!("signal {signal}"),
        };
        return Some(format!(
            "it ended with {} and not with {}{}",
            how(outcome.ended),
            how(right.ended),
            said(outcome)
        ));
    }
    if !race.output_compared {
        return None;
    }
    match outcome.printed.difference(&right.printed) {
        Ok(difference) => difference.map(|difference| format!("its output is wrong: {difference}")),
        Err(error) => Some(format!("its output cannot be read: {error}")),
    }
}

/// Takes a run, or what is wrong with it.
fn take(
    plan: &Plan<'_>,
    race: &mut Race,
    (round, entrant): (u32, usize),
    outcome: Outcome,
    right: &Right,
    kept: &mut dyn Kept,
) -> Result<(), RaceError> {
    if let Some(left) = left(race, &outcome, right) {
        return leave(plan, race, entrant, left, kept);
    }
    let Outcome { processors, clock, peak, mean, load, .. } = outcome;
    race.runs.push(Run { round, entrant, processors, clock, peak, mean, load });
    Ok(())
}

/// An entrant leaves the race; without the baseline there is none.
fn leave(plan: &Plan<'_>, race: &mut Race, entrant: usize, left: Left, kept: &mut dyn Kept) -> Result<(), RaceError> {
    if entrant == 0 {
        return Err(RaceError::Baseline(left.words().to_owned()));
    }
    kept.remark(&format!("{} leaves the race: {}", plan.entrants[entrant].name, left.words()));
    race.entrants[entrant].left = Some(left);
    Ok(())
}

fn is_over(plan: &Plan<'_>, race: &Race, round: u32, began: Instant) -> bool {
    let alone = race.entrants.iter().skip(1).all(|raced| raced.left.is_some()) && race.entrants.len() > 1;
    match plan.rounds {
        Rounds::Exactly(rounds) => round >= rounds || alone,
        Rounds::Until { tight, budget } => {
            let is_tight = round as usize >= MIN_ROUNDS && race.widest().is_some_and(|widest| widest <= tight);
            is_tight || began.elapsed() >= budget || alone
        }
    }
}

/// The entrants that are still in the race, in the order of a round.
fn order(plan: &Plan<'_>, race: &Race, round: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..plan.entrants.len()).filter(|&at| race.entrants[at].left.is_none()).collect();
    let mut draws = Draws::new(plan.seed ^ (u64::from(round) << 32));
    for last in (1..order.len()).rev() {
        order.swap(last, draws.below(last as u64 + 1) as usize);
    }
    order
}
