//! Traces played with real threads, on reference allocators with knobs and on heaps: the child, and `replay` of them.

use std::io;
use std::process::ExitCode;

use heapsmith_peers::{Configured, Deployed, PREFIX};
use heapsmith_player::{PlayError, Played, Player, Scenario, Served, play_child};
use heapsmith_spec::{Delay, Spec, resolve};
use heapsmith_trace::{Bytes, Nanoseconds, Trace};

use crate::args::{PACE, Replay, Serving};
use crate::commands::pages;
use crate::commands::run::serving;
use crate::console::{self, error};
use crate::failure::Failure;
use crate::table::{Table, bytes, heap, integer, shown, text};
use crate::{input, progress};

/// What this process is, when it was run as such a child.
pub fn child(arguments: &[String]) -> ExitCode {
    let code = match play_child(arguments, &mut io::stdin().lock()) {
        Ok(result) => {
            console::hand_over(result.as_bytes());
            0
        }
        Err(why) => {
            error!("{why}");
            1
        }
    };
    ExitCode::from(console::exit_code(code))
}

/// What plays, each time for at most this many seconds.
pub fn player(seconds: f64) -> Result<Player, Failure> {
    Ok(Player { command: pages::command()?, seconds })
}

/// Whether a heap that was named is a reference allocator of the system's, played in a process of its own: one with knobs,
/// and one that is not built in.
pub fn is_played(named: &str) -> bool {
    let Some(name) = named.trim().strip_prefix(PREFIX) else { return false };
    name.contains('(') || name == Deployed::Tcmalloc.name()
}

/// Whether memory of a heap goes back after a time.
fn waits_for_time(named: &str) -> bool {
    resolve(named).is_ok_and(|spec| matches!(spec.purged().delay(), Some(Delay::Milliseconds(_))))
}

/// Plays the traces on all that are named, and prints what was measured.
pub fn replay(arguments: &Replay) -> Result<(), Failure> {
    let subjects = arguments.heap.iter().map(|named| Subject::named(named, arguments.threaded.is_some()));
    let subjects = subjects.collect::<Result<Vec<_>, _>>()?;
    let player = player(arguments.pace())?;
    let mut table =
        Table::new(&["trace", "allocator", "threads", "peak", "mean", "cpu_time", "wall_time", "faults", "refused"])
            .hiding(&["operations", "pace", "environment"])
            .sparing(&["refused", "threads"]);
    for path in &arguments.traces {
        let trace = input::trace(path, &arguments.reading)?;
        let scenario = Scenario::of(&trace, trace.events.len());
        let plays = in_turns(&player, &subjects, &scenario, &trace.name(), arguments.plays().into())?;
        for (subject, plays) in subjects.iter().zip(&plays) {
            row(&mut table, &trace, subject, &scenario, &player, plays);
        }
    }
    table.print(arguments.format)
}

/// The median plays of each, which take turns, so that what else the machine does falls on all.
fn in_turns(
    player: &Player,
    subjects: &[Subject],
    scenario: &Scenario,
    trace: &str,
    times: usize,
) -> Result<Vec<Played>, PlayError> {
    let mut plays: Vec<Vec<Played>> = vec![Vec::new(); subjects.len()];
    for _ in 0..times {
        for (subject, plays) in subjects.iter().zip(&mut plays) {
            let spinner = progress::spinner(&format!("{trace} on {}", subject.served.name));
            let played = player.play(&subject.served, scenario);
            spinner.finish_and_clear();
            plays.push(played?);
        }
    }
    Ok(plays.iter().map(|plays| Played::median(plays)).collect())
}

/// What a heap and a reference allocator take where the threads of a trace play its first events as fast as they go, medians of some plays;
/// nothing of what is no reference allocator that is installed.
pub fn next_to(spec: &Spec, peer: &str, trace: &Trace, events: usize, times: usize) -> Result<Vec<Played>, Failure> {
    let Ok(other) = Subject::named(peer, false) else { return Ok(Vec::new()) };
    let subjects = [Subject::named(&spec.to_string(), true)?, other];
    let scenario = Scenario::of(trace, events.min(trace.events.len()));
    Ok(in_turns(&player(0.0)?, &subjects, &scenario, &trace.name(), times)?)
}

/// What a trace is played on, and how a program would be run on it.
struct Subject {
    served: Served,
    line: String,
}

impl Subject {
    /// A reference allocator with its knobs; where heaps are played too, a spec or a name.
    fn named(named: &str, takes_heaps: bool) -> Result<Subject, Failure> {
        if takes_heaps && !named.trim().starts_with(PREFIX) {
            let spec = resolve(named)?.for_malloc()?;
            // The one whose ways to share are counted, also where a compiled one could serve.
            let asked = serving::Asked { library: Some(Serving::BuiltIn), built_in: None };
            let library = serving::library(asked, &spec, None)?;
            let environment = vec![("HEAPSMITH_HEAP".to_owned(), spec.to_string())];
            let line = format!("heapsmith run --heap '{spec}' --library built-in --");
            return Ok(Subject { served: Served { name: named.to_owned(), library, environment }, line });
        }
        let configured = named.parse::<Configured>().map_err(Failure::wrong_use)?;
        Ok(Subject { served: Served::by(&configured)?, line: configured.line() })
    }
}

fn row(table: &mut Table, trace: &Trace, subject: &Subject, scenario: &Scenario, player: &Player, played: &Played) {
    let seconds = |nanoseconds: u64| shown(nanoseconds as f64 / 1e9, Nanoseconds(nanoseconds).to_string());
    table.row([
        text(trace.name()),
        heap(&subject.served.name),
        integer(scenario.threads() as u64),
        bytes(Bytes(played.peak)),
        bytes(Bytes(played.mean)),
        seconds(played.processors),
        seconds(played.clock),
        integer(played.faults),
        integer(played.failed),
        integer(scenario.operations() as u64),
        crate::table::number(player.pace(scenario), 6),
        text(&subject.line),
    ]);
}

impl Replay {
    /// How long a play takes at most by the times of the trace; by threads that are timed, as fast as they go, unless a heap waits for
    /// time.
    fn pace(&self) -> f64 {
        let is_timed = self.threaded.is_some() && !self.heap.iter().any(|named| waits_for_time(named));
        self.pace.unwrap_or(if is_timed { 0.0 } else { PACE })
    }

    /// Plays on each allocator.
    fn plays(&self) -> u16 {
        if self.threaded.is_some() { self.rounds } else { 1 }
    }
}

impl From<PlayError> for Failure {
    fn from(error: PlayError) -> Failure {
        match error {
            PlayError::Child { .. } => Failure::job(error),
            PlayError::Trace(error) => error.into(),
            PlayError::Absent { .. } | PlayError::System { .. } => Failure::environment(error),
        }
    }
}
