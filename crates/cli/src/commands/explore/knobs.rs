//! `heapsmith explore --space knobs`: the knobs of the reference allocators that are installed.
//!
//! ```text
//!   trace ─▶ search of each allocator's knobs, by plays ─▶ table, knobs.csv ─▶ one line of environment
//! ```

use std::path::{Path, PathBuf};

use heapsmith_output::ResultsFolder;
use heapsmith_peers::{Configured, Deployed};
use heapsmith_player::{Found, Origin, Played, Search, Tried, WORTH, search};
use heapsmith_trace::{Bytes, Nanoseconds};

use crate::args::{Explore, Format};
use crate::commands::plays;
use crate::console::{note, say};
use crate::failure::Failure;
use crate::quoted::{quoted, word};
use crate::table::{Table, bytes, heap, integer, none, shown, text};
use crate::{fit, input, interrupt, progress};

/// The name of the space.
pub const SPACE: &str = "knobs";

/// The table in its folder.
const FILE: &str = "knobs.csv";

/// What less memory may cost of the default's time.
const AS_LONG: f64 = 1.01;

/// Whether the knobs are what is to be explored.
pub fn is_asked(arguments: &Explore) -> bool {
    arguments.space == Path::new(SPACE)
}

pub fn run(arguments: &Explore) -> Result<(), Failure> {
    refuse(arguments)?;
    let allocators = allocators(arguments)?;
    let [path] = &arguments.traces[..] else {
        return Err(Failure::wrong_use("--space knobs plays one trace at a time: name one"));
    };
    let stop = interrupt::catch();
    let trace = input::trace(path, &arguments.reading)?;
    let dir = arguments.out.clone().unwrap_or_else(|| default_dir(path));
    let claimed = ResultsFolder::claim(&dir, |dir| dir.join(FILE).exists());
    let folder = claimed.map_err(|error| Failure::writing(&dir, &error))?;
    let player = plays::player(arguments.pace)?;
    let mut found: Vec<Found> = Vec::new();
    for allocator in allocators {
        let spinner = progress::spinner(&format!("playing on {allocator}"));
        let watch = |configured: &Configured, played: usize, _: usize| {
            spinner.set_message(format!("play {}: {}", played + 1, fit::shortened(&configured.to_string(), 50)));
        };
        let searching = Search { player: &player, trace: &trace, seed: 1, stop, watch: &watch };
        let outcome = search(&searching, allocator);
        spinner.finish_and_clear();
        match outcome? {
            Some(one) => found.push(one),
            None => return Err(Failure::interrupted("interrupted; nothing of the search is kept")),
        }
    }
    let table = table(&found);
    let csv = table.text(Format::Csv, None)?;
    let written = folder.create(FILE).and_then(|output| output.put(csv));
    written.map_err(|error| Failure::writing(&dir.join(FILE), &error))?;
    answer(arguments, &found, &table, &dir)
}

/// Options of other spaces.
fn refuse(arguments: &Explore) -> Result<(), Failure> {
    let options = [
        ("--holdout", !arguments.holdout.is_empty()),
        ("--perturb", arguments.perturb > 0),
        ("--prune", arguments.prune),
        ("--compare-search", arguments.compare_search),
        ("--target", arguments.target.is_some()),
        ("--align", arguments.align.is_some()),
        ("--open", arguments.open),
    ];
    match options.iter().find(|(_, is_used)| *is_used) {
        Some((option, _)) => Err(Failure::wrong_use(format!("{option} is of other spaces than knobs"))),
        None => Ok(()),
    }
}

/// Whose knobs are searched: those that were named, or all that are installed.
fn allocators(arguments: &Explore) -> Result<Vec<Deployed>, Failure> {
    let mut named = Vec::new();
    for text in &arguments.peer {
        let configured: Configured = text.parse().map_err(Failure::wrong_use)?;
        if configured.knobs().next().is_some() {
            return Err(Failure::wrong_use(format!("{configured}: its knobs are searched; name the allocator alone")));
        }
        named.push(configured.allocator());
    }
    if !named.is_empty() {
        return Ok(named);
    }
    let (here, absent): (Vec<Deployed>, Vec<Deployed>) =
        Deployed::ALL.into_iter().partition(|deployed| deployed.library().is_some());
    for deployed in absent {
        note!("{} is left out, as it is not installed ({})", deployed.name(), deployed.package());
    }
    Ok(here)
}

/// `knobs-server` for `server-812.parquet`.
fn default_dir(path: &Path) -> PathBuf {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    PathBuf::from(format!("knobs-{}", name.split('.').next().unwrap_or("trace")))
}

/// A row for each configuration that was played whole.
fn table(found: &[Found]) -> Table {
    let mut table =
        Table::new(&["allocator", "peak", "peak_change", "mean", "mean_change", "cpu_time", "cpu_change", "faults"])
            .hiding(&["tried_as", "wall_time", "refused", "environment", "answer"])
            .sparing(&["faults", "mean"]);
    for one in found {
        let Some(default) = one.tried.first() else { continue };
        let best = one.best(AS_LONG);
        for tried in &one.tried {
            let is_answer = best.is_some_and(|best| best.configured == tried.configured);
            table.row(row(tried, &default.played, tried.origin == Origin::Default, is_answer));
        }
    }
    table
}

fn row(tried: &Tried, default: &Played, is_default: bool, is_answer: bool) -> Vec<crate::table::Item> {
    let Played { peak, mean, faults, processors, clock, failed } = tried.played;
    let change = |own: u64, default: u64| {
        let ratio = own as f64 / default.max(1) as f64;
        if is_default { none() } else { shown(ratio, percent(ratio)) }
    };
    let seconds = |nanoseconds: u64| shown(nanoseconds as f64 / 1e9, Nanoseconds(nanoseconds).to_string());
    let tried_as = match tried.origin {
        Origin::Default => "default",
        Origin::Knobs => "levels",
        Origin::GreenMalloc => "greenmalloc",
    };
    let name = tried.configured.to_string();
    vec![
        crate::table::word(&name, &fit::shortened(&name, 34)),
        bytes(Bytes(peak)),
        change(peak, default.peak),
        bytes(Bytes(mean)),
        change(mean, default.mean),
        seconds(processors),
        change(processors, default.processors),
        integer(faults),
        text(tried_as),
        seconds(clock),
        integer(failed),
        heap(&tried.configured.line()),
        text(if is_answer { "yes" } else { "no" }),
    ]
}

fn percent(ratio: f64) -> String {
    format!("{:+.1}%", (ratio - 1.0) * 100.0)
}

/// The best line of environment of each allocator, and how to confirm it.
fn answer(arguments: &Explore, found: &[Found], table: &Table, dir: &Path) -> Result<(), Failure> {
    if arguments.showing.format != Format::Table {
        return table.print(arguments.showing.format);
    }
    if arguments.showing.table {
        table.print(Format::Table)?;
    }
    let mut confirm = String::from("heapsmith race");
    for one in found {
        let Some(default) = one.tried.first() else { continue };
        let name = default.configured.allocator().name();
        let tried = format!("{} of its configurations in {} plays", one.configurations, one.plays);
        match one.best(AS_LONG) {
            Some(best) => {
                say!("{name:<10} {}", best.configured.line());
                say!("{:<10} {}; {tried}", "", saved(best, default));
                confirm.push_str(&format!(" --peer {name} --peer {}", word(&bare(&best.configured))));
            }
            None => {
                let worth = (1.0 - WORTH) * 100.0;
                say!("{name:<10} keep its defaults: no setting takes {worth:.0}% less memory in the same time");
                say!("{:<10} beyond what plays differ by; {tried}", "");
            }
        }
        if let Some(drawn) = one.tried.iter().find(|tried| tried.origin == Origin::GreenMalloc) {
            say!("{:<10} GreenMalloc's tunables, the best draw: {}", "", saved(drawn, default));
        }
    }
    say!("Table      {}", quoted(&dir.join(FILE)));
    if confirm.contains("--peer") {
        note!("the trace was played; the program itself decides:");
        crate::console::note_command(&format!("{confirm} -- PROGRAM"));
    }
    Ok(())
}

/// What a configuration saves and costs, compared with the default.
fn saved(tried: &Tried, default: &Tried) -> String {
    let of = |figure: fn(&Played) -> u64| percent(figure(&tried.played) as f64 / figure(&default.played).max(1) as f64);
    format!(
        "peak memory {}, mean memory {}, processor time {}",
        of(|played| played.peak),
        of(|played| played.mean),
        of(|played| played.processors)
    )
}

/// `jemalloc(narenas=2)`.
fn bare(configured: &Configured) -> String {
    let text = configured.to_string();
    text.strip_prefix(heapsmith_peers::PREFIX).unwrap_or(&text).to_owned()
}
