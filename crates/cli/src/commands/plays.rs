//! Traces played with real threads on reference allocators with knobs: the child, and `replay` of them.

use std::io;
use std::process::ExitCode;

use heapsmith_peers::{Configured, Deployed, PREFIX};
use heapsmith_player::{PlayError, Played, Player, Scenario, play_child};
use heapsmith_trace::{Bytes, Nanoseconds, Trace};

use crate::args::Replay;
use crate::commands::pages;
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

/// Plays the traces on all that are named, and prints what was measured.
pub fn replay(arguments: &Replay) -> Result<(), Failure> {
    let configured = arguments.heap.iter().map(|named| named.parse::<Configured>());
    let configured = configured.collect::<Result<Vec<_>, _>>().map_err(Failure::wrong_use)?;
    let player = player(arguments.pace)?;
    let mut table =
        Table::new(&["trace", "allocator", "threads", "peak", "mean", "cpu_time", "wall_time", "faults", "refused"])
            .hiding(&["operations", "pace", "environment"])
            .sparing(&["refused", "threads"]);
    for path in &arguments.traces {
        let trace = input::trace(path, &arguments.reading)?;
        let scenario = Scenario::of(&trace, trace.events.len());
        for configured in &configured {
            let spinner = progress::spinner(&format!("{} on {configured}", trace.name()));
            let played = player.play(configured, &scenario);
            spinner.finish_and_clear();
            row(&mut table, &trace, configured, &scenario, &player, &played?);
        }
    }
    table.print(arguments.format)
}

fn row(
    table: &mut Table,
    trace: &Trace,
    configured: &Configured,
    scenario: &Scenario,
    player: &Player,
    played: &Played,
) {
    let seconds = |nanoseconds: u64| shown(nanoseconds as f64 / 1e9, Nanoseconds(nanoseconds).to_string());
    table.row([
        text(trace.name()),
        heap(&configured.to_string()),
        integer(scenario.threads() as u64),
        bytes(Bytes(played.peak)),
        bytes(Bytes(played.mean)),
        seconds(played.processors),
        seconds(played.clock),
        integer(played.faults),
        integer(played.failed),
        integer(scenario.operations() as u64),
        crate::table::number(player.pace(scenario), 6),
        text(configured.line()),
    ]);
}

impl From<PlayError> for Failure {
    fn from(error: PlayError) -> Failure {
        match error {
            PlayError::Child { .. } => Failure::job(error),
            PlayError::Absent { .. } | PlayError::System { .. } => Failure::environment(error),
        }
    }
}
