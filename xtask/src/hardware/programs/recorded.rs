//! Recorded programs on the core: the first events of each, in memory next to a program that does what they say.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::heaps::{Heap, Mark};
use super::{Counted, Machine, Run, TREE};
use crate::hardware::source::text;
use crate::run::{output, root};

/// Recordings of `samples`, in the order of the paper's tables.
const RECORDED: [(&str, &str); 9] = [
    ("cfrac", "programs/cfrac.parquet"),
    ("espresso", "programs/espresso.parquet"),
    ("parser", "programs/parser.parquet"),
    ("perl", "perl/perfect.parquet"),
    ("treeadd", "programs/treeadd.parquet"),
    ("voronoi", "programs/voronoi.parquet"),
    ("bisort", "programs/bisort.parquet"),
    ("perimeter", "programs/perimeter.parquet"),
    ("health", "programs/health.parquet"),
];
/// Events of a recording that are played.
const EVENTS: u64 = 1_000;
/// Places of the heap's instructions behind the program's, in bytes: counts are means over them. Caches have one way of 4 KB, in which a few
/// lines that are in each other's way can cost more than a search.
const PADS: [u32; 4] = [0, 1024, 2048, 3072];

/// What is played of a recording.
pub struct Trace {
    name: &'static str,
    events: u64,
    path: PathBuf,
}

/// Makes what is played.
pub fn traces(machine: &Machine, command: &str) -> Result<Vec<Trace>, String> {
    let trace = |(name, file): (&'static str, &str)| {
        let csv = machine.folder.join(format!("{name}.csv"));
        let (from, limit) = (text(&root().join("samples").join(file)), EVENTS.to_string());
        output(command, &["import", &from, "--quiet", "--limit", &limit, "--out", &text(&csv)])?;
        let path = machine.folder.join(format!("{name}.trace"));
        Ok(Trace { name, events: write(&csv, &path)?, path })
    };
    RECORDED.into_iter().map(trace).collect()
}

/// Plays every trace on every heap; all have to answer the same addresses, but for the tree, whose directory is larger.
pub fn table(machine: &Machine, traces: &[Trace], heaps: &[Heap], logs: &mut Vec<String>) -> Result<String, String> {
    let mut table = format!(
        "# the first {EVENTS} events of each of samples/programs and of samples/perl, played on the core;\n\
         # means over {} places of the heap's instructions\n\
         program,search,events,operations,managing,managing_instructions,exchanges,exchanging\n",
        PADS.len()
    );
    for Trace { name, events, path } in traces {
        let mut wanted = None;
        for (heap, run) in heaps.iter().zip(side_by_side(machine, path, heaps)) {
            let (counted, log) = run?;
            logs.extend(log);
            if heap.name != TREE && *wanted.get_or_insert(counted.result) != counted.result {
                return Err(format!("{name} has other addresses by {}", heap.name));
            }
            let Counted { operations, managing, of_them, exchanges, exchanging, .. } = counted;
            let line =
                format!("{name},{},{events},{operations},{managing},{of_them},{exchanges},{exchanging}", heap.name);
            eprintln!("xtask: {line}");
            writeln!(table, "{line}").expect("text");
        }
    }
    Ok(table)
}

/// Plays a trace on every heap at once; gives what each counted, and its logs.
fn side_by_side(machine: &Machine, trace: &Path, heaps: &[Heap]) -> Vec<Result<(Counted, Vec<String>), String>> {
    let play = |heap: Heap| {
        let mut log = Vec::new();
        let run = |pad| Run { program: "recorded", heap, mark: Mark::On, trace: Some(trace), pad };
        let counted =
            PADS.into_iter().map(|pad| machine.run(&run(pad), Some(&mut log))).collect::<Result<Vec<_>, _>>()?;
        log.truncate(1);
        Ok((mean(&counted)?, log))
    };
    std::thread::scope(|scope| {
        let started: Vec<_> = heaps.iter().map(|&heap| scope.spawn(move || play(heap))).collect();
        started.into_iter().map(|run| run.join().unwrap_or(Err("the run panicked".to_owned()))).collect()
    })
}

/// The mean of runs that differ in where instructions lie.
fn mean(runs: &[Counted]) -> Result<Counted, String> {
    let first = runs.first().ok_or("nothing was run")?;
    if runs.iter().any(|run| run.result != first.result) {
        return Err("where the heap's instructions lie changes what it answers".to_owned());
    }
    let of = |of: fn(&Counted) -> u64| runs.iter().map(of).sum::<u64>() / runs.len() as u64;
    Ok(Counted {
        result: first.result,
        cycles: of(|run| run.cycles),
        instructions: of(|run| run.instructions),
        operations: of(|run| run.operations),
        managing: of(|run| run.managing),
        of_them: of(|run| run.of_them),
        exchanges: of(|run| run.exchanges),
        exchanging: of(|run| run.exchanging),
    })
}

/// Writes a trace as the program reads it (`core/programs/recorded.c`); gives how many events it has.
fn write(csv: &Path, to: &Path) -> Result<u64, String> {
    let table = fs::read_to_string(csv).map_err(|error| format!("cannot read {}: {error}", text(csv)))?;
    let mut played = Played::default();
    for line in table.lines().skip(1) {
        played.event(line).ok_or_else(|| format!("{}: an event that the core cannot play: {line}", text(csv)))?;
    }
    played.words.push(0);
    let bytes: Vec<u8> = played.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(to, bytes).map_err(|error| format!("cannot write {}: {error}", text(to)))?;
    Ok(played.events)
}

/// Events as words. A block's number is one that no live block has.
#[derive(Default)]
struct Played<'t> {
    words: Vec<u32>,
    events: u64,
    live: HashMap<&'t str, u32>,
    unused: Vec<u32>,
}

impl<'t> Played<'t> {
    /// A line of the table.
    fn event(&mut self, line: &'t str) -> Option<()> {
        let fields: Vec<&str> = line.split(',').collect();
        let [_, _, action, id, size, alignment, ..] = fields[..] else { return None };
        match action {
            "allocate" => {
                let number = self.unused.pop().unwrap_or(self.live.len() as u32);
                self.live.insert(id, number);
                // An object is aligned to its size, rounded up to a power of two; a block of no bytes is one of one.
                let size: u32 = size.parse::<u32>().ok()?.max(1);
                self.words.extend([number << 2 | 1, size.max(alignment.parse().ok()?)]);
            }
            "free" => {
                let number = self.live.remove(id)?;
                self.unused.push(number);
                self.words.push(number << 2 | 2);
            }
            "reallocate" => self.words.extend([self.live.get(id)? << 2 | 3, size.parse::<u32>().ok()?.max(1)]),
            _ => return None,
        }
        self.events += 1;
        Some(())
    }
}
