//! Table I: gates and longest path of the hybrid unit and of Chang's allocator.

use std::ops::Range;

use heapsmith_report::chart::{Axis, Chart, Mark, Series};

use super::gates::{Fitted, Gates, gates, growth};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, HYBRID};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "003-table-1",
    paper: &HYBRID,
    place: "Table I",
    title: "complexity compared with Chang's allocator",
    claim: "The hybrid unit takes O(P/S) gates and O(lg P/S) delays, whatever the memory's size: for eight sizes of objects \
            in pages of 4096 bytes 502 AND and 502 OR gates, twenty thousand gates in all and 16 gate delays. Chang's \
            allocator takes O(M/S lg M/S) gates and O(lg M/S) delays: for 2 GB several hundred million gates and 108 \
            delays (Li et al. 2006, Table I, sections III and IV-A).",
    differs: "Both are written in SystemVerilog here (hardware/rtl), proved against plain descriptions and simulated; gates are \
              counted by yosys for 2 to 256 leaves, Chang's to 4096, and the counts are kept in hardware/results, where `cargo \
              xtask hardware gates` writes them anew. The paper shows no flipper and no way of a bitmap in and out, so these are \
              ours; it does not say what a gate is: here of two inputs, multiplexers and inverters counted.",
    samples: &[],
    run,
};

/// Leaves of the paper's unit.
const LEAVES: u64 = 256;
/// AND gates, and as many OR gates, of the paper's trees.
const TREES: u64 = 502;

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    setting.step(0, 1, "gates as they were counted")?;
    outcome(&gates(), &growth())
}

/// What was counted of a unit.
fn of<'g>(gates: &'g [Gates], unit: &'g str, stage: &'g str) -> impl Iterator<Item = &'g Gates> + Clone {
    gates.iter().filter(move |row| row.unit == unit && row.stage == stage)
}

/// The same for one number of leaves.
fn one<'g>(gates: &'g [Gates], unit: &'g str, stage: &'g str, leaves: u64) -> Option<&'g Gates> {
    of(gates, unit, stage).find(|row| row.leaves == leaves)
}

fn fitted<'f>(fits: &'f [Fitted], unit: &str, stage: &str, of: &str, law: &str) -> Option<&'f Fitted> {
    fits.iter().find(|fit| fit.unit == unit && fit.stage == stage && fit.of == of && fit.law == law)
}

fn outcome(gates: &[Gates], fits: &[Fitted]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(gates)?;
    trees(&mut outcome, gates);
    one_pair(&mut outcome, gates);
    laws(&mut outcome, fits);
    example(&mut outcome, gates, fits);
    let r2 = |unit: &str, law: &str| fitted(fits, unit, "written", "gates", law).map_or(0.0, |fit| fit.r2);
    let both = |stage: &str| one(gates, "page_unit", stage, LEAVES).map_or((0, 0), |row| (row.gates, row.path));
    let (written, mapped) = (both("written"), both("mapped"));
    outcome.found = format!(
        "The unit for eight sizes has {} gates as written and {} as synthesised, with 510 flip-flops; its longest path has {} and \
         {} gates. The trees are the paper's {TREES} and {TREES} gates, but the root of the OR-tree is the complement of the \
         AND-tree's (proved), so one of them is not needed; most gates are in the flippers, the decoders and the way of the bitmap \
         in and out, and the path goes on from the trees through decoder and flipper. Chang's interconnection grows as M/S lg M/S \
         if each leaf has its own selector, as it is described; built from the root down, with what leaves have in common built \
         once, it grows as M/S (R² of a straight line {:.5}).",
        thousands(written.0),
        thousands(mapped.0),
        written.1,
        mapped.1,
        r2("chang_allocator_shared", "n"),
    );
    outcome.tables.push(counts(gates));
    outcome.tables.push(growths(fits));
    outcome.tables.push(taken_away(fits));
    outcome.draw("", "Gates as synthesised, by leaves: P/S of the hybrid unit, M/S of Chang's allocator", chart(gates));
    Ok(outcome)
}

/// The paper's arithmetic.
fn trees(outcome: &mut Outcome, gates: &[Gates]) {
    let sum = |unit: &str, of_row: fn(&Gates) -> u64| of(gates, unit, "written").map(of_row).sum::<u64>();
    let (and, or) = (sum("and_tree", |row| row.and), sum("or_tree", |row| row.or));
    outcome.state(
        "003:trees-of-502-gates",
        format!("{and} AND and {or} OR gates, and {} multiplexers for the addresses", sum("and_tree", |row| row.mux)),
        and == TREES && or == TREES,
    );
    let path = |unit: &str| one(gates, unit, "written", LEAVES).map_or(0, |row| row.path);
    let (tree, other, whole) = (path("and_tree"), path("or_tree"), path("page_unit"));
    outcome.state(
        "003:path-of-16-gates",
        format!(
            "{whole} in the whole unit: {tree} in the AND-tree with its multiplexers, which are passed while the tree is, then \
             multiplexer, decoder and flipper; the OR-tree's {other} lie next to it. 16 is one tree after the other"
        ),
        whole <= 16,
    );
}

/// The paper's future work: pages with as many objects each, so that one pair of trees serves all sizes.
fn one_pair(outcome: &mut Outcome, gates: &[Gates]) {
    let of_unit = |unit: &str| one(gates, unit, "written", LEAVES).map_or(0, |row| row.gates);
    let (pair, all) = (of_unit("object_unit"), of_unit("page_unit"));
    outcome.state(
        "003:one-pair-of-trees",
        format!("{} gates for one unit of {LEAVES} leaves, {} for eight sizes", thousands(pair), thousands(all)),
        0 < pair && pair < all,
    );
}

/// How gates and paths grow.
fn laws(outcome: &mut Outcome, fits: &[Fitted]) {
    let r2 = |unit: &str, of: &str, law: &str| fitted(fits, unit, "written", of, law).map_or(0.0, |fit| fit.r2);
    let unit = r2("page_unit", "gates", "n");
    outcome.state("003:unit-gates-grow-linearly", format!("R² {unit:.5}"), unit > 0.99);
    let path = r2("page_unit", "path", "lg n");
    outcome.state("003:unit-path-grows-logarithmically", format!("R² {path:.5}"), path > 0.95);
    let (linear, direct) = (r2("chang_allocator", "gates", "n"), r2("chang_allocator", "gates", "n lg n"));
    let shared = [r2("chang_allocator_shared", "gates", "n"), r2("chang_allocator_shared", "gates", "n lg n")];
    let mapped =
        ["n", "n lg n"].map(|law| fitted(fits, "chang_allocator", "mapped", "gates", law).map_or(0.0, |fit| fit.r2));
    outcome.state(
        "003:chang-gates-grow-linearithmically",
        format!(
            "with a selector for each leaf R² {direct:.5} for n lg n and {linear:.5} for n; with shared selectors {:.5} and {:.5}, and \
             the synthesiser shares by itself: {:.5} and {:.5}",
            shared[1], shared[0], mapped[1], mapped[0]
        ),
        direct > linear && shared[1] > shared[0],
    );
    let path = r2("chang_allocator", "path", "lg n");
    outcome.state("003:chang-path-grows-logarithmically", format!("R² {path:.5}"), path > 0.95);
}

/// Leaves of Chang's trees for 2 GB in units of 16 bytes.
const LEAVES_OF_2GB: f64 = (1_u64 << 27) as f64;
/// What the paper says of the gates for them.
const SEVERAL_HUNDRED_MILLION: Range<f64> = 2e8..1e9;

/// Gates for 2 GB by a line of least squares.
fn for_2gb(fits: &[Fitted], unit: &str, stage: &str, law: &str) -> f64 {
    let of_law = if law == "n" { LEAVES_OF_2GB } else { LEAVES_OF_2GB * LEAVES_OF_2GB.log2() };
    let value = |fit: &Fitted| fit.at_2gb.unwrap_or(fit.slope * of_law + fit.constant);
    fitted(fits, unit, stage, "gates", law).map_or(f64::NAN, value)
}

/// Chang's allocator for 2 GB, with more and more of it taken away.
fn taken_away(fits: &[Fitted]) -> Shown {
    let mut shown = Shown::new("Chang's allocator for 2 GB, with parts taken away", ["what is left", "million gates"]);
    for (left, units, stage, law) in [
        ("all, a selector for each leaf", &["chang_allocator"][..], "written", "n lg n"),
        ("all, what selectors have in common built once", &["chang_allocator_shared"], "written", "n"),
        ("the same, as synthesised", &["chang_allocator_shared"], "mapped", "n"),
        ("the interconnection alone, as synthesised", &["chang_interconnection"], "mapped", "n"),
        ("the two trees alone", &["or_tree", "and_tree"], "written", "n"),
        ("the OR-tree alone", &["or_tree"], "written", "n"),
    ] {
        let gates: f64 = units.iter().map(|unit| for_2gb(fits, unit, stage, law)).sum();
        shown.row([left.into(), Value::from(digits(gates / 1e6))]);
    }
    shown
}

/// 2 GB in units of 16 bytes.
fn example(outcome: &mut Outcome, gates: &[Gates], fits: &[Fitted]) {
    let (direct, shared) = (
        for_2gb(fits, "chang_allocator", "written", "n lg n"),
        for_2gb(fits, "chang_allocator_shared", "written", "n"),
    );
    outcome.state(
        "003:chang-takes-millions-of-gates",
        format!("{} million, or {} million with shared selectors", digits(direct / 1e6), digits(shared / 1e6)),
        SEVERAL_HUNDRED_MILLION.contains(&direct),
    );
    let trees: f64 = ["or_tree", "and_tree"].iter().map(|tree| for_2gb(fits, tree, "written", "n")).sum();
    outcome.state(
        "003:chang-trees-alone-take-millions",
        format!("{} million, with the AND-tree's multiplexers", digits(trees / 1e6)),
        SEVERAL_HUNDRED_MILLION.contains(&trees),
    );
    let unit = one(gates, "page_unit", "written", LEAVES);
    let (count, registers) = unit.map_or((0, 0), |unit| (unit.gates, unit.flip_flops));
    outcome.state(
        "003:unit-takes-20000-gates",
        format!("{} gates and {registers} flip-flops: fewer", thousands(count)),
        count <= 20_000,
    );
    let chang = fitted(fits, "chang_allocator", "written", "path", "lg n").and_then(|fit| fit.at_2gb).unwrap_or(0.0);
    let own = unit.map_or(0, |unit| unit.path);
    outcome.state(
        "003:chang-path-of-108-gates",
        format!("{chang:.0} by the line of least squares, {:.1} times the unit's {own}", chang / own.max(1) as f64),
        chang > 2.0 * own as f64,
    );
}

/// The largest of each unit.
fn counts(gates: &[Gates]) -> Shown {
    let columns = ["unit", "leaves", "stage", "AND", "OR", "NOT", "XOR", "MUX", "flip-flops", "gates", "longest path"];
    let mut shown = Shown::new("Gates of two inputs, as written and as synthesised", columns);
    for row in gates.iter().filter(|row| row.leaves == LEAVES || row.leaves == 4096) {
        let numbers = [row.and, row.or, row.not, row.xor, row.mux, row.flip_flops, row.gates, row.path];
        let names = [row.unit.replace('_', " ").into(), row.leaves.into(), row.stage.clone().into()];
        shown.row(names.into_iter().chain(numbers.map(Value::from)));
    }
    shown
}

fn growths(fits: &[Fitted]) -> Shown {
    let columns = ["unit", "stage", "of", "law", "slope", "constant", "R²", "for 2 GB"];
    let mut shown = Shown::new("Lines of least squares: slope · law + constant, n = P/S or M/S", columns);
    for fit in fits.iter().filter(|fit| fit.unit == "page_unit" || fit.unit.starts_with("chang_allocator")) {
        shown.row([
            fit.unit.replace('_', " ").into(),
            fit.stage.clone().into(),
            fit.of.clone().into(),
            fit.law.clone().into(),
            fit.slope.into(),
            fit.constant.into(),
            format!("{:.5}", fit.r2).into(),
            fit.at_2gb.into(),
        ]);
    }
    shown
}

fn chart(gates: &[Gates]) -> String {
    let series = |unit: &'static str, name: &str| {
        let points = of(gates, unit, "mapped").map(|row| (row.leaves as f64, row.gates as f64));
        Series::new(name, Mark::LineAndDots, points)
    };
    let chart = Chart {
        title: "Gates of the units".into(),
        x: Axis::logarithmic("leaves"),
        y: Axis::logarithmic("gates"),
        series: vec![
            series("page_unit", "hybrid unit, all sizes"),
            series("chang_allocator", "Chang's, a selector a leaf"),
            series("chang_allocator_shared", "Chang's, shared selectors"),
        ],
    };
    chart.svg()
}
