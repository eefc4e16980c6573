//! Table 3: the size of the allocators as machine code.

use heapsmith_emit::size::{Size, TARGETS, Target, size};
use heapsmith_emit::{File, Name, Request, SizeError, c};
use heapsmith_output::Scratch;
use heapsmith_report::chart::{Bars, Measured, Scale};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::{ALLOCATORS, Allocator};
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
    differs: "The C that this project emits, compiled at -Os for ARM's Cortex-M3 and M0+, for which the paper's processor and \
              compiler are not named. What is emitted also resizes blocks, checks the heap and gives statistics.",
    samples: &[],
    run,
};

/// Text, data and sum in the paper.
const PAPER: [[u64; 3]; 4] = [[2721, 72, 2793], [3193, 72, 3265], [2753, 72, 2825], [3225, 72, 3297]];

#[derive(Debug, Serialize)]
struct Row {
    allocator: &'static str,
    /// Lines of C that are neither empty nor comment.
    lines: u64,
    target: &'static str,
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
        for target in &TARGETS {
            // A compiler's sizes are its own: where only what is the same everywhere is wanted, none is asked.
            let found = match setting.is_whole() {
                true => compiled(target, &name, scratch.path(), &mut missing)?,
                false => None,
            };
            let [paper_text, _, paper_sum] = PAPER[number];
            rows.push(Row {
                allocator: allocator.name,
                lines,
                target: target.name,
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
    let request = Request { spec: resolve(allocator.spec)?, name: name.clone(), figures: None };
    let mut lines = 0;
    for File { name, text } in c::emit(&request)? {
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
    name: &Name,
    dir: &std::path::Path,
    missing: &mut Vec<String>,
) -> Result<Option<Size>, ExperimentError> {
    let source = dir.join(format!("{}.c", name.lower()));
    match size(target, &source, &dir.join("heap.o")) {
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

/// The target in the name of a claim: `m3`.
fn short(target: &Target) -> String {
    target.name.trim_start_matches("Cortex-").trim_end_matches('+').to_lowercase()
}

/// The sums of the four allocators for a target.
fn sums(rows: &[Row], target: &str) -> Option<[u64; 4]> {
    let sums: Option<Vec<u64>> = rows.iter().filter(|row| row.target == target).map(|row| row.sum).collect();
    sums?.try_into().ok()
}

fn outcome(rows: &[Row], missing: &[String]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let lines: Vec<u64> = ALLOCATORS
        .iter()
        .filter_map(|known| rows.iter().find(|row| row.allocator == known.name).map(|row| row.lines))
        .collect();
    if let [first_slow, first_fast, best_slow, best_fast] = lines[..] {
        outcome.state(
            "004:fast-free-is-larger",
            format!("{first_fast} lines of C against {first_slow} for first fit, {best_fast} against {best_slow} for best fit"),
            first_fast > first_slow && best_fast > best_slow,
        );
    }
    let mut words = Vec::new();
    for target in TARGETS.iter().filter(|target| target.name.starts_with("Cortex")) {
        let Some(sums @ [first_slow, first_fast, best_slow, best_fast]) = sums(rows, target.name) else {
            continue;
        };
        let more = |fast: u64, slow: u64| fast as i64 - slow as i64;
        outcome.state(
            format!("004:fast-free-costs-{}", short(target)),
            format!("{} and {} bytes", more(first_fast, first_slow), more(best_fast, best_slow)),
            [more(first_fast, first_slow), more(best_fast, best_slow)].iter().all(|more| (100..1000).contains(more)),
        );
        outcome.state(
            format!("004:size-limit-{}", short(target)),
            format!("{} bytes", listed(&sums.map(|sum| sum.to_string()))),
            sums.iter().all(|&sum| sum <= 3300),
        );
        let min = sums.iter().copied().min().unwrap_or(0);
        words.push(format!("{} to {} bytes for {}", min, sums.iter().max().unwrap_or(&0), target.name));
    }
    outcome.found = match words[..] {
        [] => format!("The C has {} lines.", listed(&lines.iter().map(u64::to_string).collect::<Vec<_>>())),
        _ => format!("The four allocators take {}, with resizing, checking and statistics.", listed(&words)),
    };
    for text in missing {
        outcome.found.push_str(&format!(" Not measured: {text}."));
    }
    outcome.tables.push(shown(rows));
    draw(&mut outcome, rows);
    Ok(outcome)
}

fn shown(rows: &[Row]) -> Shown {
    let columns =
        ["allocator", "lines of C", "target", "text", "data", "bss", "sum", "the paper's text", "the paper's sum"];
    let mut shown = Shown::new("Bytes of the compiled allocators", columns);
    for row in rows {
        shown.row([
            row.allocator.into(),
            row.lines.into(),
            row.target.into(),
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
    let mut series: Vec<Measured> = TARGETS
        .iter()
        .filter_map(|target| Some(Measured::new(target.name, sums(rows, target.name)?.map(|sum| sum as f64))))
        .collect();
    series.push(Measured::new("the paper", PAPER.map(|columns| columns[2] as f64)));
    let bars = Bars {
        title: "Size of the allocators".into(),
        y: "bytes of text, data and bss".into(),
        names: ALLOCATORS.iter().map(|known| known.name.to_owned()).collect(),
        series,
        stacked: false,
        scale: Scale::Linear,
        line: Some(("3.3 KB".to_owned(), 3300.0)),
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
