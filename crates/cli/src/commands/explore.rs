//! `heapsmith explore`: thousands of designs, the front, the pick and the why.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use heapsmith_explore::{
    Exploration, Objective, Preference, Space, Store, Strategy, Sweep, SweepError, effects, finding, measure_catalogue,
    sweep, write_csv, write_parquet,
};
use heapsmith_peers::Peer;
use heapsmith_replay::TimingEffort;
use heapsmith_report::PageInput;
use heapsmith_trace::{PackedTrace, Trace};
use heapsmith_workload::PREFIX;

use crate::args::{Explore, Format, SpaceName, StrategyName};
use crate::commands::{pages, report};
use crate::failure::Failure;
use crate::{input, interrupt, progress};

mod answer;
mod code_size;
mod robust;

pub fn run(arguments: &Explore) -> Result<(), Failure> {
    if let Some(name) = &arguments.print_space {
        print!("{}", Space::own_text(name).unwrap_or_default());
        return Ok(());
    }
    let stop = interrupt::catch()?;
    let traces = arguments
        .traces
        .iter()
        .map(|path| input::trace(path, &arguments.reading))
        .collect::<Result<Vec<Trace>, _>>()?;
    let packed = traces.iter().map(input::packed).collect::<Result<Vec<PackedTrace>, _>>()?;
    packed.iter().for_each(input::announce);

    let dir = arguments.out.clone().unwrap_or_else(|| default_dir(arguments));
    let space = space(&arguments.space, &packed)?;
    let mut store = begin(&dir, &space, &traces, &packed)?;
    let elapsed = replay_all(arguments, &space, &packed, &mut store, stop, &dir)?;

    let mut exploration = Exploration::load(&store)?;
    if arguments.compare_search {
        let whole = Explore { search: StrategyName::Exhaustive, prune: false, ..arguments.clone() };
        replay_all(&whole, &space, &packed, &mut store, stop, &dir)?;
        let found = std::mem::replace(&mut exploration, Exploration::load(&store)?);
        answer::agreement(&found, &exploration);
    }
    let preference = Preference::from(arguments.prefer);
    let by_time = exploration.goal.asks_for(Objective::Time);
    if by_time {
        // The pick depends on times, so everything is timed before it, and in one go: only such times compare.
        let also: Vec<usize> = exploration.finalists().into_iter().chain(recommended(&exploration)).collect();
        measure(arguments, &mut exploration, &mut store, &packed, &also)?;
    }
    measure_finalists(arguments, &mut exploration, &mut store, &packed, stop)?;
    let Some(pick) = exploration.pick(preference) else { return Err(answer::nothing(&exploration)) };
    let family = exploration.classic().unwrap_or(usize::from(exploration.rows[pick].design.family));
    let effects = effects(&exploration, family);
    let finding = finding(&exploration, &effects);
    if arguments.rounds > 0 && !by_time {
        let also: Vec<usize> = recommended(&exploration).into_iter().chain([pick]).collect();
        measure(arguments, &mut exploration, &mut store, &packed, &also)?;
    }
    let evaluated = robust::evaluate(arguments, &exploration, &packed, preference, stop, &dir)?;
    exploration.set_evaluated(&mut store, evaluated)?;
    let lines = report::lines(&packed);
    write_tables(&exploration, &dir)?;
    let page = PageInput { exploration: &exploration, traces: &traces, lines: &lines, preference, elapsed };
    report::write(&page, &dir.join(report::PAGE))?;
    let answer = answer::Answer { exploration: &exploration, lines: &lines, preference, pick, family };
    answer.print(&effects, &finding, arguments.format)?;
    if arguments.format == Format::Table {
        answer::next_steps(&dir);
    }
    Ok(())
}

/// The space of this name for some traces.
fn space(name: &SpaceName, packed: &[PackedTrace]) -> Result<Space, Failure> {
    let (name, text) = match name {
        SpaceName::Own(name) => (name.clone(), Space::own_text(name).unwrap_or_default().to_owned()),
        SpaceName::File(path) => {
            let text = fs::read_to_string(path).map_err(|error| {
                Failure::wrong_use(format!(
                    "{} cannot be read as a space: {error}; name classic, wide, or a file in the form that `heapsmith \
                     explore --print-space wide` prints",
                    path.display()
                ))
            })?;
            (path.display().to_string(), text)
        }
    };
    let spinner = progress::spinner("making the designs");
    let space = Space::of(&name, &text, packed).map_err(|error| Failure::wrong_use(format!("{name}: {error}")));
    spinner.finish_and_clear();
    space
}

/// The designs that the paper recommends.
fn recommended(exploration: &Exploration) -> Vec<usize> {
    let rows = exploration.rows.iter().enumerate();
    rows.filter(|(_, row)| exploration.families.is_recommended(&row.design)).map(|(index, _)| index).collect()
}

/// Measures the smallest regions and code sizes of the finalists, where the goal asks for them.
fn measure_finalists(
    arguments: &Explore,
    exploration: &mut Exploration,
    store: &mut Store,
    packed: &[PackedTrace],
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let goal = &exploration.goal;
    if !goal.asks_for(Objective::MinRegion) && !goal.asks_for(Objective::CodeSize) {
        return Ok(());
    }
    let spinner = progress::spinner("measuring the finalists");
    let mut compiler = code_size::Compiler::new()?;
    let outcome = exploration.measure_finalists(store, packed, jobs(arguments), stop, &mut |spec| compiler.size(spec));
    spinner.finish_and_clear();
    outcome
}

/// Threads to replay on.
fn jobs(arguments: &Explore) -> usize {
    arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Times the front and everything beside it, and measures its memory by pages.
fn measure(
    arguments: &Explore,
    exploration: &mut Exploration,
    store: &mut Store,
    packed: &[PackedTrace],
    also: &[usize],
) -> Result<(), Failure> {
    let peers: Vec<Peer> = if arguments.no_peers { Vec::new() } else { Peer::built().collect() };
    let named = exploration.named(also, &peers);
    let effort = TimingEffort::rounds(arguments.rounds.max(1) as usize);
    let spinner = progress::spinner("timing the front and the peers, one at a time");
    exploration.retime(store, packed, &named, effort)?;
    spinner.finish_and_clear();
    if arguments.no_peers {
        return Ok(());
    }
    let spinner = progress::spinner("measuring memory by pages, each in a child process");
    let outcome = exploration.measure_pages(store, packed, &named, effort, &pages::command()?);
    spinner.finish_and_clear();
    match outcome.map_err(Failure::from) {
        Err(failure) if failure.code() == Failure::ENVIRONMENT => {
            eprintln!("heapsmith: {}", failure.message());
            Ok(())
        }
        outcome => outcome,
    }
}

/// `explore-ftp-drr` for `samples/ftp.pcap.xz` as drr.
fn default_dir(arguments: &Explore) -> PathBuf {
    let first = arguments.traces.first().and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
    let first = first.as_deref().map_or("trace", |name| name.strip_prefix(PREFIX).unwrap_or(name));
    let stem = first.split('.').next().unwrap_or("trace").to_owned();
    let more = if arguments.traces.len() > 1 { format!("-and-{}", arguments.traces.len() - 1) } else { String::new() };
    let workload = arguments.reading.input_format.as_ref().map_or_else(String::new, |name| format!("-{name}"));
    PathBuf::from(format!("explore-{stem}{more}{workload}"))
}

/// Opens the store in `dir`, and keeps the traces beside it.
fn begin(dir: &Path, space: &Space, traces: &[Trace], packed: &[PackedTrace]) -> Result<Store, Failure> {
    fs::create_dir_all(dir).map_err(|error| Failure::writing(dir, &error))?;
    let probe = dir.join(".writable");
    File::create(&probe).and_then(|_| fs::remove_file(&probe)).map_err(|error| Failure::writing(dir, &error))?;
    Store::begin_in(dir, space, packed, &command(), |number, path| Ok(traces[number].write(path)?))
}

/// The command as it was typed.
fn command() -> String {
    let quoted = |word: String| {
        let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=:,%+".contains(c));
        if plain && !word.is_empty() { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("heapsmith".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Replays the catalogue and every design; returns the seconds that the designs took, if none was done before.
fn replay_all(
    arguments: &Explore,
    space: &Space,
    packed: &[PackedTrace],
    store: &mut Store,
    stop: &AtomicBool,
    dir: &Path,
) -> Result<Option<f64>, Failure> {
    let spinner = progress::spinner("replaying the allocators of the catalogue");
    measure_catalogue(store, packed)?;
    spinner.finish_and_clear();
    let search = arguments.search.search(space, packed);
    let bar = progress::sweep_bar(space.designs.len() as u64);
    let start = Instant::now();
    let job = Sweep {
        space,
        traces: packed,
        jobs: jobs(arguments),
        stop,
        search,
        goal: arguments.goal.goal(),
        prune: arguments.prune,
    };
    let swept = sweep(&job, store, &mut |at| progress::show(&bar, at));
    bar.finish_and_clear();
    let elapsed = start.elapsed().as_secs_f64();
    match swept {
        Ok(replayed) => {
            answer::speed(space, packed, search, replayed, elapsed);
            let whole = search == Strategy::Halving || replayed == space.unique().count();
            Ok(whole.then_some(elapsed))
        }
        Err(SweepError::Interrupted) => Err(Failure::interrupted(format!(
            "interrupted; what was done is kept in {}, and the same command goes on from it",
            dir.display()
        ))),
        Err(error) => Err(error.into()),
    }
}

/// The results as CSV and Parquet.
fn write_tables(exploration: &Exploration, dir: &Path) -> Result<(), Failure> {
    let csv = dir.join("results.csv");
    let written = File::create(&csv).and_then(|file| write_csv(exploration, std::io::BufWriter::new(file)));
    written.map_err(|error| Failure::writing(&csv, &error))?;
    let parquet = dir.join("results.parquet");
    write_parquet(exploration, &parquet).map_err(|error| Failure::writing(&parquet, &error))
}
