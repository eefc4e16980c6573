//! Table 3: the size of the allocators as machine code.

use heapsmith_emit::size::{Size, TARGETS, Target, size_at};
use heapsmith_emit::{File, Name, Request, SizeError, c};
use heapsmith_output::Scratch;
use heapsmith_report::chart::{Bars, Measured};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::{ALLOCATORS, Allocator};
use crate::answer::{Agreement, Answer};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, MODEMS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, listed};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "004-table-3",
    paper: &MODEMS,
    place: "Table 3",
    title: "size of the allocators as machine code",
    claim: "The allocators take 2,793 and 3,265 bytes (first fit, slow and fast free), 2,825 and 3,297 bytes (best fit), 72 \
            of them data: fast free costs 472 bytes, best fit 32, and none takes more than 3.3 KB (Peintner et al. in their \
            Table 3, section 5.3).",
    differs: "The C that this project emits, compiled for ARM's Cortex-M3 and M0+ at -Os and, as an ablation, without \
              optimisation, as the paper names neither processor nor compiler nor level. What is emitted also resizes blocks, \
              checks the heap and gives statistics.",
    samples: &[],
    run,
};

/// Levels of optimisation: the one for small programs, and none.
const LEVELS: [&str; 2] = ["-Os", "-O0"];
/// Within this share of the paper's, sizes agree.
const SIZE: f64 = 0.3;

/// Text, data and sum in the paper.
const PAPER: [[u64; 3]; 4] = [[2721, 72, 2793], [3193, 72, 3265], [2753, 72, 2825], [3225, 72, 3297]];

#[derive(Debug, Serialize)]
struct Row {
    allocator: &'static str,
    /// Lines of C that are neither empty nor comment.
    lines: u64,
    target: &'static str,
    level: &'static str,
    text: Option<u64>,
    data: Option<u64>,
    bss: Option<u64>,
    sum: Option<u64>,
    paper_text: u64,
    paper_sum: u64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let scratch = Scratch::new()?;
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for (number, allocator) in ALLOCATORS.iter().enumerate() {
        setting.step(number, ALLOCATORS.len(), allocator.name)?;
        let name = Name::new(&format!("modem{number}"))?;
        let lines = write(allocator, &name, &scratch)?;
        for (target, level) in targets().flat_map(|target| LEVELS.map(|level| (target, level))) {
            // A compiler's sizes are its own: where only what is the same everywhere is wanted, none is asked.
            let found = match setting.is_whole() {
                true => compiled(target, level, &name, scratch.path(), &mut missing)?,
                false => None,
            };
            let [paper_text, _, paper_sum] = PAPER[number];
            rows.push(Row {
                allocator: allocator.name,
                lines,
                target: target.name,
                level,
                text: found.map(|size| size.text),
                data: found.map(|size| size.data),
                bss: found.map(|size| size.bss),
                sum: found.map(|size| size.text + size.data + size.bss),
                paper_text,
                paper_sum,
            });
        }
    }
    outcome(&rows, &missing)
}

/// Writes the C of an allocator; gives its lines.
fn write(allocator: &Allocator, name: &Name, scratch: &Scratch) -> Result<u64, ExperimentError> {
    let request = Request::new(resolve(allocator.spec)?, name.clone());
    let mut lines = 0;
    for File { name, text, .. } in c::emit(&request)? {
        lines += if name.ends_with(".c") { code_lines(&text) } else { 0 };
        scratch.write(name, text)?;
    }
    Ok(lines)
}

/// Lines that are neither empty nor comment.
fn code_lines(text: &str) -> u64 {
    let mut in_comment = false;
    let mut lines = 0;
    for line in text.lines().map(str::trim) {
        let begins = line.starts_with("/*");
        lines += u64::from(!(line.is_empty() || in_comment || begins || line.starts_with("//")));
        in_comment = (in_comment || begins) && !line.ends_with("*/");
    }
    lines
}

/// The size for a target; none if its compiler is not there, which is remembered.
fn compiled(
    target: &Target,
    level: &str,
    name: &Name,
    dir: &std::path::Path,
    missing: &mut Vec<String>,
) -> Result<Option<Size>, ExperimentError> {
    let source = dir.join(format!("{}.c", name.lower()));
    match size_at(target, level, &source, &dir.join("heap.o")) {
        Ok(size) => Ok(Some(size)),
        Err(error @ SizeError::Missing { .. }) => {
            let text = format!("{}: {error}", target.name);
            if !missing.contains(&text) {
                missing.push(text);
            }
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The sums of the four allocators for a target at a level.
fn sums(rows: &[Row], target: &str, level: &str) -> Option<[u64; 4]> {
    let own = rows.iter().filter(|row| row.target == target && row.level == level);
    own.map(|row| row.sum).collect::<Option<Vec<u64>>>()?.try_into().ok()
}

/// The processors that are compared: the host, and two of firmware.
fn targets() -> impl Iterator<Item = &'static Target> {
    TARGETS.iter().filter(|target| ["host", "Cortex-M0+", "Cortex-M3"].contains(&target.name))
}

/// A processor that firmware runs on, a level of optimisation, and the sums of the four allocators.
type Compiled = (&'static str, &'static str, [u64; 4]);

fn outcome(rows: &[Row], missing: &[String]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let small = targets().filter(|target| target.name.starts_with("Cortex"));
    let both = small.flat_map(|target| LEVELS.map(|level| (target.name, level)));
    let all: Vec<Compiled> =
        both.filter_map(|(target, level)| Some((target, level, sums(rows, target, level)?))).collect();
    larger(&mut outcome, rows, &all);
    if !all.is_empty() {
        sizes(&mut outcome, &all);
        variables(&mut outcome, rows);
    }
    let optimised = || all.iter().filter(|(_, level, _)| *level == LEVELS[0]).flat_map(|(.., sums)| sums);
    outcome.found = match optimised().min().zip(optimised().max()) {
        None => format!("The C has {} lines.", listed(&lines(rows).iter().map(u64::to_string).collect::<Vec<_>>())),
        Some((min, max)) => format!(
            "The four allocators take {min} to {max} bytes at {}, with resizing, checking and statistics.",
            LEVELS[0]
        ),
    };
    for text in missing {
        outcome.found.push_str(&format!(" Not measured: {text}."));
    }
    outcome.tables.push(shown(rows));
    draw(&mut outcome, rows);
    Ok(outcome)
}

/// Lines of C of each allocator.
fn lines(rows: &[Row]) -> Vec<u64> {
    let of = |known: &Allocator| rows.iter().find(|row| row.allocator == known.name).map(|row| row.lines);
    ALLOCATORS.iter().filter_map(of).collect()
}

/// Whether fast free is the larger program: in bytes where there is a compiler, and in lines.
fn larger(outcome: &mut Outcome, rows: &[Row], all: &[Compiled]) {
    let [first_slow, first_fast, best_slow, best_fast] = lines(rows)[..] else { return };
    let in_bytes = all.iter().all(|(.., sums)| sums[1] > sums[0] && sums[3] > sums[2]);
    outcome.state(
        "004:fast-free-is-larger",
        format!(
            "{first_fast} lines of C against {first_slow} for first fit, {best_fast} against {best_slow} for best fit"
        ),
        in_bytes && first_fast > first_slow && best_fast > best_slow,
    );
}

/// The paper's bytes, for each processor and level as a reading.
fn sizes(outcome: &mut Outcome, all: &[Compiled]) {
    let each = |of: &dyn Fn(&[u64; 4]) -> String| {
        let words = all.iter().map(|(target, level, sums)| format!("{} for {target} at {level}", of(sums)));
        words.collect::<Vec<_>>().join("; ")
    };
    let near =
        |found: u64, paper: u64| Agreement::of(found as f64, paper as f64, SIZE * paper as f64) == Agreement::Agrees;
    let fast = |sums: &[u64; 4]| [sums[1].saturating_sub(sums[0]), sums[3].saturating_sub(sums[2])];
    let statement = outcome.state(
        "004:fast-free-costs",
        each(&|sums| format!("{} and {} bytes", fast(sums)[0], fast(sums)[1])),
        Answer::of_readings(all.iter().map(|(.., sums)| fast(sums).iter().all(|&more| near(more, 472)))),
    );
    statement.with("bytes", fast(&all[0].2)[0] as f64);
    let best = |sums: &[u64; 4]| [sums[2].saturating_sub(sums[0]), sums[3].saturating_sub(sums[1])];
    let statement = outcome.state(
        "004:best-fit-costs",
        each(&|sums| format!("{} and {} bytes", best(sums)[0], best(sums)[1])),
        Answer::of_readings(all.iter().map(|(.., sums)| best(sums).iter().all(|&more| near(more, 32)))),
    );
    statement.with("bytes", best(&all[0].2)[0] as f64);
    let words = |sums: &[u64; 4]| format!("{} bytes", listed(&sums.map(|sum| sum.to_string())));
    let statement = outcome.state(
        "004:sizes-of-code",
        each(&words),
        Answer::of_readings(
            all.iter().map(|(.., sums)| sums.iter().zip(PAPER).all(|(&sum, paper)| near(sum, paper[2]))),
        ),
    );
    for (allocator, sum) in ALLOCATORS.iter().zip(all[0].2) {
        statement.with(allocator.name, sum as f64);
    }
    let largest = |sums: &[u64; 4]| sums.iter().max().copied().unwrap_or(0);
    outcome.state(
        "004:size-limit",
        each(&|sums| format!("at most {} bytes", largest(sums))),
        Answer::of_readings(all.iter().map(|(.., sums)| largest(sums) <= 3300)),
    );
}

/// The paper's bytes of data and bss, which are the same for all four.
fn variables(outcome: &mut Outcome, rows: &[Row]) {
    let small = rows.iter().filter(|row| row.target.starts_with("Cortex"));
    let own: Vec<(u64, u64)> = small.filter_map(|row| row.data.zip(row.bss)).collect();
    let data = own.iter().map(|&(data, _)| data).max().unwrap_or(0);
    let bss = own.iter().map(|&(_, bss)| bss).max().unwrap_or(0);
    let agrees = |data: u64| Agreement::of(data as f64, 72.0, SIZE * 72.0) == Agreement::Agrees;
    outcome
        .state(
            "004:data-and-bss",
            format!("at most {data} bytes of data and {bss} of bss, for two processors at two levels"),
            Answer::of_readings(own.iter().map(|&(data, bss)| agrees(data) && bss == 0)),
        )
        .with("data", data as f64)
        .with("bss", bss as f64);
}

fn shown(rows: &[Row]) -> Shown {
    let columns = [
        "allocator",
        "lines of C",
        "target",
        "level",
        "text",
        "data",
        "bss",
        "sum",
        "the paper's text",
        "the paper's sum",
    ];
    let mut shown = Shown::new("Bytes of the compiled allocators", columns);
    for row in rows {
        shown.row([
            row.allocator.into(),
            row.lines.into(),
            row.target.into(),
            row.level.into(),
            row.text.into(),
            row.data.into(),
            row.bss.into(),
            row.sum.into(),
            row.paper_text.into(),
            row.paper_sum.into(),
        ]);
    }
    shown
}

fn draw(outcome: &mut Outcome, rows: &[Row]) {
    let mut series: Vec<Measured> = targets()
        .filter_map(|target| {
            Some(Measured::new(target.name, sums(rows, target.name, LEVELS[0])?.map(|sum| sum as f64)))
        })
        .collect();
    series.push(Measured::new("the paper", PAPER.map(|columns| columns[2] as f64)));
    let bars = Bars {
        title: "Size of the allocators".into(),
        y: "bytes of text, data and bss".into(),
        names: ALLOCATORS.iter().map(|known| known.name.to_owned()).collect(),
        series,
        line: Some(("3.3 KB".to_owned(), 3300.0)),
        ..Bars::default()
    };
    outcome.draw("", "Bytes of the four allocators, compiled for small processors", bars.svg());
}

#[cfg(test)]
mod tests {
    use super::code_lines;

    #[test]
    fn comments_and_empty_lines_are_no_lines_of_code() {
        assert_eq!(code_lines("/* a\n * b\n */\n\n// c\nint d; /* e */\n/* f */\n}\n"), 2);
    }
}
