//! Figure 3 and Table IV in cycles of a processor that has the unit.

use std::collections::BTreeMap;

use heapsmith_report::chart::{Bars, Measured};
use serde::Serialize;

use super::programs::{PROGRAMS, PointerProgram};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, HYBRID};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, listed, percent};

/// The beginnings of the recorded programs on the core, as `cargo xtask hardware programs` wrote them.
const RECORDED: &str = include_str!("../../../../hardware/results/recorded.csv");

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "003-cycles",
    paper: &HYBRID,
    place: "Figure 3, Table IV",
    title: "the savings in cycles",
    claim: "The hybrid allocator takes 58.9% off memory management on average, and makes programs 12.7% faster (Li et al. 2006, \
            Figure 3 and Table IV).",
    differs: "The first 1,000 events of the nine recorded programs are played on VexRiscv, simulated from its Verilog, with the \
              unit as an instruction: one instruction at a time, in order, with caches of 4 KB and one way, and 6 cycles for each \
              access behind them. The paper's processor issues four, with caches of 16 KB and four ways for data (Table II). Each count \
              is the mean over four places of the heap's instructions. What the programs do besides is not played, so programs are \
              as much faster as follows from the paper's share of memory management. The counts are kept in hardware/results, where \
              `cargo xtask hardware programs` writes them anew.",
    samples: &[],
    run,
};

/// Cycles and instructions of a program's requests and frees.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Managing {
    cycles: f64,
    instructions: f64,
}

impl Managing {
    fn cycles_an_instruction(self) -> f64 {
        self.cycles / self.instructions
    }
}

/// One program with each search.
#[derive(Debug)]
struct Played {
    program: &'static PointerProgram,
    bit: Managing,
    word: Managing,
    tree: Managing,
    unit: Managing,
    ideal: Managing,
}

impl Played {
    /// What a search takes off memory management bit by bit, in cycles.
    fn saved(&self, by: Managing) -> f64 {
        1.0 - by.cycles / self.bit.cycles
    }

    /// The same in instructions.
    fn instructions_saved(&self, by: Managing) -> f64 {
        1.0 - by.instructions / self.bit.instructions
    }

    /// How much faster the program is, spending in memory management what the paper says.
    fn speed_up(&self, by: Managing) -> f64 {
        1.0 / (1.0 - self.program.share * self.saved(by))
    }
}

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    by_bit: f64,
    by_word: f64,
    by_tree: f64,
    by_unit: f64,
    by_ideal_unit: f64,
    unit_saves: f64,
    unit_saves_instructions: f64,
    ideal_unit_saves: f64,
    word_saves: f64,
    speed_up_at_papers_share: f64,
    paper_saves: f64,
    paper_speed_up: f64,
}

/// Every count by program and search; a line that is none is left out, and then its program is.
fn counts() -> BTreeMap<(&'static str, &'static str), Managing> {
    let lines = RECORDED.lines().filter(|line| !line.starts_with('#')).skip(1);
    let count = |line: &'static str| {
        let row: Vec<&str> = line.split(',').collect();
        let number = |at: usize| row.get(at)?.parse().ok();
        Some(((*row.first()?, *row.get(1)?), Managing { cycles: number(4)?, instructions: number(5)? }))
    };
    lines.filter_map(count).collect()
}

/// The programs of which every search was played, in the paper's order.
fn played() -> Vec<Played> {
    let counts = counts();
    let of = |program: &'static PointerProgram| {
        let by = |search| counts.get(&(program.name, search)).copied();
        let [bit, word, tree] = [by("bit")?, by("word")?, by("tree")?];
        Some(Played { program, bit, word, tree, unit: by("unit")?, ideal: by("ideal")? })
    };
    PROGRAMS.iter().filter_map(of).collect()
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    setting.step(0, 1, "cycles as they were counted")?;
    outcome(&played())
}

fn row(played: &Played) -> Row {
    Row {
        program: played.program.name,
        by_bit: played.bit.cycles,
        by_word: played.word.cycles,
        by_tree: played.tree.cycles,
        by_unit: played.unit.cycles,
        by_ideal_unit: played.ideal.cycles,
        unit_saves: played.saved(played.unit),
        unit_saves_instructions: played.instructions_saved(played.unit),
        ideal_unit_saves: played.saved(played.ideal),
        word_saves: played.saved(played.word),
        speed_up_at_papers_share: played.speed_up(played.unit),
        paper_saves: played.program.paper_improvement(),
        paper_speed_up: played.program.paper_speed_up(),
    }
}

fn outcome(all: &[Played]) -> Result<Outcome, ExperimentError> {
    let rows: Vec<Row> = all.iter().map(row).collect();
    let mut outcome = Outcome::new(&rows)?;
    let over = |of: &dyn Fn(&Played) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
    let mean = |of: fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / rows.len().max(1) as f64;
    let (unit, ideal, word) =
        (mean(|row| row.unit_saves), mean(|row| row.ideal_unit_saves), mean(|row| row.word_saves));
    let (instructions, paper) = (mean(|row| row.unit_saves_instructions), mean(|row| row.paper_saves));
    outcome.state(
        "003:unit-saves-cycles",
        format!(
            "{} of the cycles, {} of the instructions; the paper has {} for these programs. An instruction takes {:.2} cycles on \
             average with the search bit by bit, {:.2} with the unit",
            percent(unit),
            percent(instructions),
            percent(paper),
            over(&|played| played.bit.cycles_an_instruction()),
            over(&|played| played.unit.cycles_an_instruction()),
        ),
        (unit - paper).abs() <= 0.1,
    );
    let lost = |by: fn(&Played) -> Managing| -> Vec<&str> {
        all.iter().filter(|played| by(played).cycles >= played.word.cycles).map(|played| played.program.name).collect()
    };
    let (slower, ideally) = (lost(|played| played.unit), lost(|played| played.ideal));
    let without = |names: &[&str]| if names.is_empty() { String::new() } else { format!(", not {}", listed(names)) };
    outcome.state(
        "003:unit-takes-fewer-cycles-than-words",
        format!("in {} of {}{}", all.len() - slower.len(), all.len(), without(&slower)),
        slower.is_empty(),
    );
    outcome.state(
        "003:ideal-unit-takes-fewer-cycles-than-words",
        format!("in {} of {}{}", all.len() - ideally.len(), all.len(), without(&ideally)),
        ideally.is_empty(),
    );
    let (faster, papers) = (mean(|row| row.speed_up_at_papers_share) - 1.0, mean(|row| row.paper_speed_up) - 1.0);
    outcome.state(
        "003:speed-up-in-cycles",
        format!("{} at the paper's shares; the paper has {} for these programs", percent(faster), percent(papers)),
        (faster - papers).abs() <= 0.05,
    );
    outcome.found = format!(
        "On a core with the unit, memory management takes {} fewer cycles than with a search bit by bit, {} fewer with a unit that holds \
         every bitmap, and {} fewer with a search by word, which needs no unit.",
        percent(unit),
        percent(ideal),
        percent(word),
    );
    outcome.tables.push(shown(&rows));
    outcome.draw("", "What each search takes off the cycles of memory management, and the paper's unit", chart(&rows));
    Ok(outcome)
}

fn shown(rows: &[Row]) -> Shown {
    let columns = [
        "program",
        "bit by bit",
        "by word",
        "by tree",
        "unit",
        "ideal unit",
        "unit saves",
        "of instructions",
        "ideal unit saves",
        "by word saves",
        "speed-up at the paper's share",
        "the paper's saving",
        "the paper's speed-up",
    ];
    let mut shown = Shown::new("Thousands of cycles of memory management in the first 1,000 events", columns);
    let thousands = |cycles: f64| Value::Number(cycles / 1e3);
    for row in rows {
        shown.row([
            row.program.into(),
            thousands(row.by_bit),
            thousands(row.by_word),
            thousands(row.by_tree),
            thousands(row.by_unit),
            thousands(row.by_ideal_unit),
            Value::Share(row.unit_saves),
            Value::Share(row.unit_saves_instructions),
            Value::Share(row.ideal_unit_saves),
            Value::Share(row.word_saves),
            format!("{:.3}", row.speed_up_at_papers_share).into(),
            Value::Share(row.paper_saves),
            format!("{:.2}", row.paper_speed_up).into(),
        ]);
    }
    shown
}

fn chart(rows: &[Row]) -> String {
    type Series = (&'static str, fn(&Row) -> f64);
    let series: [Series; 4] = [
        ("unit", |row| row.unit_saves),
        ("ideal unit", |row| row.ideal_unit_saves),
        ("by word", |row| row.word_saves),
        ("the paper's unit", |row| row.paper_saves),
    ];
    let bars = Bars {
        title: "Memory management in cycles".into(),
        y: "percent less than bit by bit".into(),
        names: rows.iter().map(|row| row.program.to_owned()).collect(),
        series: series
            .into_iter()
            .map(|(name, of)| Measured::new(name, rows.iter().map(|row| of(row) * 100.0)))
            .collect(),
        ..Bars::default()
    };
    bars.svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_was_played_with_every_search() {
        let all = played();
        assert_eq!(all.len(), PROGRAMS.len());
        assert_eq!(counts().len(), PROGRAMS.len() * 5);
        assert!(all.iter().all(|played| played.bit.cycles > played.bit.instructions));
    }
}
