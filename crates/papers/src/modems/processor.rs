//! Future work: the allocators on a processor, in instructions instead of words of metadata.

use std::fmt::Write;

use heapsmith_emit::{SizeError, cortex_m3};
use heapsmith_output::Scratch;
use heapsmith_replay::{Region, min_region};
use heapsmith_report::chart::{Bars, Measured};
use heapsmith_spec::resolve;
use heapsmith_trace::Operation;
use serde::Serialize;

use super::ALLOCATORS;
use super::responses::Run;
use super::runs::PAPER;
use crate::answer::{Agreement, Answer};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, MODEMS};
use crate::outcome::Outcome;
use crate::played::{self, Cost, NAME};
use crate::setting::Setting;
use crate::shown::{Shown, digits, listed};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "004-processor",
    paper: &MODEMS,
    place: "Section 6, processor",
    title: "ablation: instructions on an emulated Cortex-M3",
    claim: "The next step is to evaluate the allocators in the embedded system itself (Peintner et al. in section 6); the \
            response times of Table 2 are those of its processor.",
    differs: "The C that this project emits, at -Os, on an emulated Cortex-M3, each heap in the smallest region that serves \
              the calibrated run. The emulator counts instructions and knows no cycles; caches and waiting for memory are \
              not in it. The paper's processor is not named.",
    samples: &[],
    run,
};

/// The paper's columns, in µs: allocation, freeing.
const TIMES: [[f64; 2]; 4] = [[2.80, 1.28], [2.89, 0.24], [2.72, 1.42], [3.24, 0.36]];
/// Within this share of the paper's, a ratio agrees.
const RATIO: f64 = 0.15;
/// The bit of an event near the maximum of live blocks, above the sizes.
const NEAR_MAX: u64 = 1 << 15;

/// Instructions of an allocator on the run.
#[derive(Debug, Serialize)]
struct Row {
    allocator: &'static str,
    region: u64,
    events: usize,
    allocate: Option<f64>,
    max_allocate: Option<f64>,
    free: Option<f64>,
    max_free: Option<f64>,
    allocate_near_max: Option<f64>,
    free_near_max: Option<f64>,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let run = Run::new(&PAPER.trace(setting, setting.seed)?)?;
    let mut region = Region::for_trace(&run.trace)?;
    let (mut rows, mut missing) = (Vec::new(), None);
    for (number, allocator) in ALLOCATORS.iter().enumerate() {
        setting.step(number, ALLOCATORS.len(), allocator.name)?;
        let Some(size) = min_region(&resolve(allocator.spec)?, &run.trace, &mut region)? else { continue };
        let scratch = Scratch::new()?;
        let sources =
            played::write(&scratch, allocator.spec, include_str!("processor/player.c"), &defines(&run, size.0))?;
        // The emulator is a program of its own, which a test does without.
        let printed = match setting.is_whole() {
            true => cortex_m3::run(scratch.path(), &sources.iter().map(String::as_str).collect::<Vec<_>>()),
            false => Ok(String::new()),
        };
        let costs = match printed {
            Ok(text) => costs(&text),
            Err(error @ SizeError::Missing { .. }) => {
                missing = Some(error.to_string());
                None
            }
            Err(error) => return Err(error.into()),
        };
        let value = |kind: usize, of: fn(&Cost) -> f64| costs.as_ref().map(|costs| of(&costs[kind]));
        rows.push(Row {
            allocator: allocator.name,
            region: size.0,
            events: run.trace.events.len(),
            allocate: value(0, |cost| cost.mean),
            max_allocate: value(0, |cost| cost.max),
            free: value(1, |cost| cost.mean),
            max_free: value(1, |cost| cost.max),
            allocate_near_max: value(2, |cost| cost.mean),
            free_near_max: value(3, |cost| cost.mean),
        });
    }
    outcome(&rows, missing)
}

/// What the player has to know of the heap and the run.
fn defines(run: &Run, region: u64) -> String {
    let mut events = String::new();
    for (event, near_max) in run.trace.events.iter().zip(&run.near_max) {
        let size = if event.operation == Operation::Allocate { event.size } else { 0 };
        let number = u64::from(event.slot) << 16 | if *near_max { NEAR_MAX } else { 0 } | size;
        let _ = write!(events, "{number}U,");
    }
    let slots = run.trace.slots;
    format!(
        "#define ALLOCATE {NAME}_allocate\n#define FREE {NAME}_free\n#define REGION {region}U\n\
         #define SLOTS {slots}U\n#define EVENTS {events}"
    )
}

/// What the player printed: how many requests were refused, and then operations, ticks and the most ticks of one, by
/// kind. None if requests were refused or it printed something else.
fn costs(text: &str) -> Option<Vec<Cost>> {
    let mut lines = text.lines();
    if lines.next()? != "0" {
        return None;
    }
    let costs: Vec<Cost> = lines.map(Cost::read).collect::<Option<_>>()?;
    (costs.len() == 4).then_some(costs)
}

fn outcome(rows: &[Row], missing: Option<String>) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let events = rows.first().map_or(0, |row| row.events);
    outcome.state(
        "004:programs-for-a-processor",
        format!("{} programs of {events} operations, each in the region of Table 1", rows.len()),
        rows.len() == ALLOCATORS.len(),
    );
    let readings: Option<[Vec<[f64; 2]>; 2]> = (|| {
        let whole: Option<Vec<_>> = rows.iter().map(|row| Some([row.allocate?, row.free?])).collect();
        let near_max: Option<Vec<_>> =
            rows.iter().map(|row| Some([row.allocate_near_max?, row.free_near_max?])).collect();
        Some([whole?, near_max?])
    })();
    outcome.found = match (&readings, missing) {
        (Some([whole, near_max]), _) => {
            ratios(&mut outcome, whole, near_max);
            let words = |of: usize| listed(&whole.iter().map(|row| digits(row[of])).collect::<Vec<_>>());
            format!("An allocation takes {} instructions, a free {}.", words(0), words(1))
        }
        (None, Some(missing)) => format!("Not measured: {missing}."),
        (None, None) => "The programs are written; the emulator was not asked.".to_owned(),
    };
    outcome.tables.push(shown(rows));
    draw(&mut outcome, rows);
    Ok(outcome)
}

/// The paper's ratios, over the run and near the maximum of blocks.
fn ratios(outcome: &mut Outcome, whole: &[[f64; 2]], near_max: &[[f64; 2]]) {
    let near = |found: f64, paper: f64| Agreement::of(found, paper, RATIO * paper) == Agreement::Agrees;
    let frees = |of: &[[f64; 2]]| [of[0][1] / of[1][1], of[2][1] / of[3][1]];
    let paper = frees(&TIMES);
    let agrees = |of: &[[f64; 2]]| frees(of).into_iter().zip(paper).all(|(found, paper)| near(found, paper));
    let words = |of: &[[f64; 2]]| listed(&frees(of).map(digits));
    let found = format!("{} times over the run, {} near the maximum of blocks", words(whole), words(near_max));
    let statement =
        outcome.state("004:free-ratio-in-instructions", found, Answer::of_readings([agrees(whole), agrees(near_max)]));
    statement.with("first fit", frees(whole)[0]).with("best fit", frees(whole)[1]);
    let totals = |of: &[[f64; 2]]| of.iter().map(|row| (row[0] + row[1]) / (of[1][0] + of[1][1])).collect::<Vec<f64>>();
    let paper = totals(&TIMES);
    let agrees = |of: &[[f64; 2]]| totals(of).into_iter().zip(&paper).all(|(found, &paper)| near(found, paper));
    let words = |of: &[[f64; 2]]| listed(&totals(of).into_iter().map(digits).collect::<Vec<_>>());
    let found = format!("{} over the run, {} near the maximum of blocks", words(whole), words(near_max));
    let statement = outcome.state(
        "004:total-ratios-in-instructions",
        found,
        Answer::of_readings([agrees(whole), agrees(near_max)]),
    );
    for (allocator, found) in ALLOCATORS.iter().zip(totals(whole)) {
        statement.with(allocator.name, found);
    }
    let fastest = |of: &[[f64; 2]]| totals(of).iter().all(|&total| total >= 1.0);
    let sums = |of: &[[f64; 2]]| listed(&of.iter().map(|row| digits(row[0] + row[1])).collect::<Vec<_>>());
    outcome.state(
        "004:first-fast-is-fastest-on-a-processor",
        format!(
            "both together take {} instructions over the run, {} near the maximum of blocks",
            sums(whole),
            sums(near_max)
        ),
        Answer::of_readings([fastest(whole), fastest(near_max)]),
    );
}

fn shown(rows: &[Row]) -> Shown {
    let columns = [
        "allocator",
        "region, bytes",
        "allocation",
        "max",
        "near the maximum of blocks",
        "free",
        "max",
        "near the maximum of blocks",
    ];
    let mut shown = Shown::new("Instructions on an emulated Cortex-M3, on average and at most", columns);
    for row in rows {
        shown.row([
            row.allocator.into(),
            row.region.into(),
            row.allocate.into(),
            row.max_allocate.into(),
            row.allocate_near_max.into(),
            row.free.into(),
            row.max_free.into(),
            row.free_near_max.into(),
        ]);
    }
    shown
}

fn draw(outcome: &mut Outcome, rows: &[Row]) {
    let bars = Bars {
        title: "Instructions of an operation".into(),
        y: "instructions on a Cortex-M3".into(),
        names: rows.iter().map(|row| row.allocator.to_owned()).collect(),
        series: vec![
            Measured::new("allocation", rows.iter().map(|row| row.allocate.unwrap_or(0.0))),
            Measured::new("free", rows.iter().map(|row| row.free.unwrap_or(0.0))),
        ],
        stacked: true,
        ..Bars::default()
    };
    outcome.draw("", "What allocating and freeing a block takes on a processor", bars.svg());
}

#[cfg(test)]
mod tests {
    use super::costs;

    #[test]
    fn what_the_player_printed_is_instructions() {
        let found = costs("0\n10 320 64\n5 16 16\n0 0 0\n1 32 32\n").expect("four kinds");
        assert_eq!((found[0].mean, found[0].max, found[1].mean, found[3].mean), (10.0, 20.0, 1.0, 10.0));
        assert!(costs("1\n10 320 64\n5 16 16\n0 0 0\n1 32 32\n").is_none(), "a request was refused");
        assert!(costs("fault\n").is_none());
    }
}
