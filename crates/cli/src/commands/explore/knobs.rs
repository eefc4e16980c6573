//! `heapsmith explore --space knobs`: the knobs of the reference allocators that are installed.
//!
//! ```text
//!   trace ─▶ search of each allocator's knobs, by plays ─▶ table, knobs.csv ─▶ one line of environment
//!                                    │   ▲
//!                                    ▼   │ of a search that was interrupted
//!                               plays-ALLOCATOR.csv
//! ```
//!
//! A program that asks how large its blocks are requests other sizes on each allocator, so the knobs of one are searched on what was
//! recorded on it (`record --peer`), where there is such a trace.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_explore::{Lock, Store};
use heapsmith_output::ResultsFolder;
use heapsmith_peers::{Configured, Deployed};
use heapsmith_player::{Found, Kept, Origin, Played, Player, Program, Search, Tried, WORTH, search};
use heapsmith_trace::{Bytes, Nanoseconds, Trace, plural};

use crate::args::{Explore, Format};
use crate::commands::plays;
use crate::console::{self, note, say};
use crate::failure::Failure;
use crate::quoted::quoted;
use crate::table::{Table, bytes, heap, integer, none, shown, text};
use crate::{fit, input, interrupt, progress};

/// The name of the space.
pub const SPACE: &str = "knobs";

/// The table in its folder.
const FILE: &str = "knobs.csv";

/// Whether the knobs are what is to be explored.
pub fn is_asked(arguments: &Explore) -> bool {
    arguments.space.as_deref() == Some(Path::new(SPACE))
}

pub fn run(arguments: &Explore) -> Result<(), Failure> {
    refuse(arguments)?;
    let allocators = allocators(arguments)?;
    let stop = interrupt::catch();
    let traces: Vec<Trace> =
        arguments.traces.iter().map(|path| input::trace(path, &arguments.reading)).collect::<Result<_, _>>()?;
    let dir = arguments.out.clone().unwrap_or_else(|| default_dir(&arguments.traces[0]));
    let claimed = ResultsFolder::claim(&dir, |dir| is_in(dir) || is_unfinished(dir) || Lock::is_alone(dir));
    let folder = claimed.map_err(|error| Failure::writing(&dir, &error))?;
    let lock = if arguments.wait { Lock::wait(&dir, stop)? } else { Some(Lock::take(&dir)?) };
    let Some(_lock) = lock else { return Err(Failure::interrupted("interrupted before the folder was free")) };
    let player = plays::player(arguments.pace)?;
    let mut all: Vec<Searched> = Vec::new();
    for allocator in allocators {
        let recorded = recorded_on(&traces, allocator);
        let found = searched(&player, &recorded, allocator, &folder, stop)?;
        all.push(Searched { found, program: Program::of(&recorded) });
    }
    let table = table(&all);
    let csv = table.text(Format::Csv, None)?;
    let written = folder.create(FILE).and_then(|output| output.put(csv));
    written.map_err(|error| Failure::writing(&dir.join(FILE), &error))?;
    answer(arguments, &all, &table, &dir)
}

/// Searches the knobs of an allocator with the plays that the folder keeps, and keeps there those that are made.
fn searched(
    player: &Player,
    recorded: &[&Trace],
    allocator: Deployed,
    folder: &ResultsFolder,
    stop: &AtomicBool,
) -> Result<Found, Failure> {
    let path = folder.path().join(plays_file(allocator));
    let written = |kept: &Kept| folder.create(plays_file(allocator)).and_then(|output| output.put(kept.to_string()));
    let kept = kept(&path)?;
    // Before the first play it is known that they can be kept.
    written(&kept).map_err(|error| Failure::writing(&path, &error))?;
    if !kept.is_empty() {
        let plays = plural(kept.len() as u64, "play", "plays");
        let (dir, name) = (quoted(folder.path()), allocator.name());
        note!("{dir} has {plays} of {name} already: those of these traces at this --pace are not made again");
    }
    let spinner = progress::spinner(&format!("playing on {}", allocator.name()));
    let watch = |configured: &Configured, played: usize, _: usize| {
        spinner.set_message(format!("play {}: {}", played + 1, fit::shortened(&configured.to_string(), 50)));
    };
    let (unwritten, count) = (RefCell::new(None), Cell::new(kept.len()));
    let keep = |kept: &Kept| {
        // An answer that was found before has not seen this play.
        let _ = std::fs::remove_file(folder.path().join(FILE));
        count.set(kept.len());
        let error = written(kept).err();
        let is_kept = error.is_none();
        *unwritten.borrow_mut() = error;
        is_kept
    };
    let searching = Search { player, traces: recorded, seed: 1, stop, watch: &watch, keep: &keep };
    let outcome = search(&searching, allocator, kept);
    spinner.finish_and_clear();
    if let Some(error) = unwritten.into_inner() {
        return Err(Failure::writing(&path, &error));
    }
    let interrupted = || match count.get() {
        0 => Failure::interrupted("interrupted before a play ended"),
        _ => Failure::interrupted(format!(
            "interrupted; {} keeps the plays so far, and the same command resumes from it",
            folder.path().display()
        )),
    };
    match outcome {
        // The child that played has the signal, too.
        _ if stop.load(Ordering::Relaxed) => Err(interrupted()),
        outcome => outcome?.ok_or_else(interrupted),
    }
}

/// The plays that a file keeps; none where it is not there.
fn kept(path: &Path) -> Result<Kept, Failure> {
    let unreadable =
        |why: &dyn Display| Failure::bad_input(format!("{}: {why}; remove it to play anew", path.display()));
    match path.metadata() {
        Ok(found) if found.is_file() => {
            let text = std::fs::read_to_string(path).map_err(|error| unreadable(&error))?;
            Kept::of(&text).map_err(|line| unreadable(&format!("line {line} is no play")))
        }
        // What else is there is refused where it would be written.
        _ => Ok(Kept::default()),
    }
}

/// The plays of an allocator in its folder.
fn plays_file(allocator: Deployed) -> String {
    format!("plays-{}.csv", allocator.name())
}

/// What was found of an allocator's knobs.
struct Searched {
    found: Found,
    program: Program,
}

impl Searched {
    fn best(&self) -> Option<&Tried> {
        self.found.best(self.program)
    }
}

/// The recordings of a program to play on an allocator: those on it, else those on the program's own, else all.
fn recorded_on(traces: &[Trace], allocator: Deployed) -> Vec<&Trace> {
    let on = |name: Option<&str>| traces.iter().filter(|trace| trace.origin.allocator() == name).collect::<Vec<_>>();
    let here = on(Some(allocator.name()));
    if !here.is_empty() {
        return here;
    }
    let own = on(None);
    let others = if own.is_empty() { traces.iter().collect() } else { own };
    if let Some(asking) = others.iter().find(|trace| trace.origin.asks_sizes()) {
        let name = allocator.name();
        note!(
            "{}: the program asks how large its blocks are, so it may request other sizes on {name}: heapsmith record --peer {name} \
             records it there, and explore takes both traces",
            asking.name()
        );
    }
    others
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
        if !named.contains(&configured.allocator()) {
            named.push(configured.allocator());
        }
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
fn table(all: &[Searched]) -> Table {
    let mut table =
        Table::new(&["allocator", "peak", "peak_change", "mean", "mean_change", "cpu_time", "cpu_change", "faults"])
            .hiding(&["tried_as", "wall_time", "refused", "environment", "cost", "answer"])
            .sparing(&["faults", "mean"]);
    for one in all {
        let Some(default) = one.found.tried.first() else { continue };
        let best = one.best();
        for tried in &one.found.tried {
            let is_answer = best.is_some_and(|best| best.configured == tried.configured);
            table.row(row(tried, default, one.program.processor_time, is_answer));
        }
    }
    table
}

fn row(tried: &Tried, default: &Tried, program: Option<Nanoseconds>, is_answer: bool) -> Vec<crate::table::Item> {
    let Played { peak, mean, faults, processors, clock, failed } = tried.played();
    let is_default = tried.origin == Origin::Default;
    let change = |figure: fn(&Played) -> f64| {
        let ratio = tried.change(default, figure);
        if is_default { none() } else { shown(ratio, percent(ratio)) }
    };
    let seconds = |nanoseconds: u64| shown(nanoseconds as f64 / 1e9, Nanoseconds(nanoseconds).to_string());
    let tried_as = match tried.origin {
        Origin::Default => "default",
        Origin::Knobs => "levels",
        Origin::GreenMalloc => "greenmalloc",
    };
    let cost = program.map_or_else(none, |_| crate::table::number(tried.cost(default, program), 6));
    let name = tried.configured.to_string();
    vec![
        crate::table::word(&name, &fit::shortened(&name, 34)),
        bytes(Bytes(peak)),
        change(|played| played.peak as f64),
        bytes(Bytes(mean)),
        change(|played| played.mean as f64),
        seconds(processors),
        change(|played| played.processors as f64),
        integer(faults),
        text(tried_as),
        seconds(clock),
        integer(failed),
        heap(&tried.configured.line()),
        cost,
        text(if is_answer { "yes" } else { "no" }),
    ]
}

fn percent(ratio: f64) -> String {
    format!("{:+.1}%", (ratio - 1.0) * 100.0)
}

/// The best line of environment of each allocator, and how to confirm it.
fn answer(arguments: &Explore, all: &[Searched], table: &Table, dir: &Path) -> Result<(), Failure> {
    if arguments.showing.format != Format::Table {
        return table.print(arguments.showing.format);
    }
    if arguments.showing.table {
        table.print(Format::Table)?;
    }
    for one in all {
        let Searched { found, program } = one;
        let Some(default) = found.tried.first() else { continue };
        let name = default.configured.allocator().name();
        let tried = format!("{} of its configurations in {} plays", found.configurations, found.plays);
        match one.best() {
            Some(best) => {
                say!("{name:<10} {}", best.configured.line());
                say!("{:<10} {}; {tried}", "", saved(best, default, program.processor_time));
            }
            None => {
                let worth = (1.0 - WORTH) * 100.0;
                say!("{name:<10} keep its defaults: no setting takes {worth:.0}% less memory, or less time, on");
                say!("{:<10} each trace and on each changed copy; {tried}", "");
            }
        }
        if let Some(drawn) = found.tried.iter().find(|tried| tried.origin == Origin::GreenMalloc) {
            say!("{:<10} GreenMalloc's tunables, the best draw: {}", "", saved(drawn, default, program.processor_time));
        }
    }
    say!("Table      {}", quoted(&dir.join(FILE)));
    let answers = all.iter().any(|one| one.best().is_some());
    let has_threads = all.iter().any(|one| one.program.has_threads);
    let runners_up = if answers && !has_threads { "" } else { " --runners-up 3" };
    if has_threads {
        note!("how threads wait for each other is not seen in plays: settings of arenas and caches are for the race");
    }
    note!("traces were played; the program itself decides:");
    console::note_command(&format!("heapsmith race --heap {}{runners_up} -- PROGRAM", quoted(dir)));
    Ok(())
}

/// What a configuration saves and costs, compared with the default.
fn saved(tried: &Tried, default: &Tried, program: Option<Nanoseconds>) -> String {
    let of = |figure: fn(&Played) -> f64| percent(tried.change(default, figure));
    let memory = format!("peak memory {}, mean {}", of(|played| played.peak as f64), of(|played| played.mean as f64));
    match program {
        Some(_) => format!("{memory}, {} of the program's time", percent(1.0 + tried.cost(default, program))),
        None => format!("{memory}, processor time {}", of(|played| played.processors as f64)),
    }
}

/// Whether a folder has what was found of knobs, and nothing else.
pub fn is_in(dir: &Path) -> bool {
    dir.join(FILE).exists() && !dir.join(Store::FILE).exists()
}

/// Whether a folder has a search of knobs that was interrupted.
pub fn is_unfinished(dir: &Path) -> bool {
    !dir.join(FILE).exists() && Deployed::ALL.iter().any(|&allocator| dir.join(plays_file(allocator)).exists())
}

/// What a folder proposes to race: of each allocator its defaults, the answer, and as many of the next as are asked for.
pub fn proposed(dir: &Path, runners_up: usize) -> Result<Vec<Configured>, Failure> {
    let rows = rows(dir)?;
    let mut all: Vec<Configured> = Vec::new();
    for default in rows.iter().filter(|row| row.get("tried_as") == "default") {
        let own = format!("{}(", default.get("allocator"));
        let of = |row: &&Row| row.get("allocator").starts_with(&own);
        let (answers, others): (Vec<_>, Vec<_>) = rows.iter().filter(of).partition(|row| row.get("answer") == "yes");
        let next = others.into_iter().filter(|row| row.get("tried_as") == "levels").take(runners_up);
        let proposed: Vec<_> = answers.into_iter().chain(next).collect();
        if !proposed.is_empty() {
            for row in [default].into_iter().chain(proposed) {
                let parsed = row.get("allocator").parse::<Configured>();
                all.push(parsed.map_err(|error| damaged(dir, &error))?);
            }
        }
    }
    if all.is_empty() {
        return Err(Failure::wrong_use(format!(
            "{} says to keep all defaults: --runners-up 3 races the three of each allocator that were closest",
            quoted(dir)
        )));
    }
    Ok(all)
}

/// What was played in a folder: each with its peak memory and its processor time.
pub fn played(dir: &Path) -> Result<Vec<(String, f64, f64)>, Failure> {
    let number = |row: &Row, column: &str| row.get(column).parse::<f64>().map_err(|error| damaged(dir, &error));
    let rows = rows(dir)?;
    rows.iter()
        .map(|row| Ok((row.get("allocator").to_owned(), number(row, "peak")?, number(row, "cpu_time")?)))
        .collect()
}

/// A row of the table, by its columns.
struct Row(HashMap<String, String>);

impl Row {
    fn get(&self, column: &str) -> &str {
        self.0.get(column).map_or("", String::as_str)
    }
}

fn rows(dir: &Path) -> Result<Vec<Row>, Failure> {
    let mut reader = csv::Reader::from_path(dir.join(FILE)).map_err(|error| damaged(dir, &error))?;
    let rows: Result<Vec<HashMap<String, String>>, _> = reader.deserialize().collect();
    Ok(rows.map_err(|error| damaged(dir, &error))?.into_iter().map(Row).collect())
}

fn damaged(dir: &Path, why: &dyn Display) -> Failure {
    Failure::bad_input(format!("{}: {why}", dir.join(FILE).display()))
}
