//! Seeded changes of random programs: every regression is caught, and nothing that changes nothing is flagged.

use heapsmith_check::{Base, Report, Saved};
use heapsmith_trace::{Draws, Trace};

use crate::program::{Block, Program, SHORT, rewritten};
use crate::versions::Versions;

/// Programs that each kind of change is tried on.
const SEEDS: u64 = 40;

const HEAPS: &str = "
[trace.a]
file = \"a\"
[heap.first]
spec = \"first-fit\"
[heap.best]
spec = \"best-fit\"
[heap.two-level]
spec = \"tlsf\"
";

/// Every figure, none of which may be worse than the base by more than a share.
fn assertions(tolerance: &str) -> String {
    let plain = [
        "min_region",
        "requested_peak",
        "never_freed",
        "footprint_peak",
        "fragmentation",
        "accesses_per_op",
        "accesses_p99",
        "accesses_max",
        "bound",
        "accesses_bound",
        "drift",
    ];
    let assertion = |measure: &str, more: &str| format!("[[assert]]\nmeasure = \"{measure}\"\n{more}\n");
    let grows = format!("max_growth = \"{tolerance}\"");
    let mut text: String = plain.iter().map(|measure| assertion(measure, &grows)).collect();
    for at in ["at = \"worst\"\nmoments = 5", "at = \"end\""] {
        text.push_str(&assertion("largest_request", &format!("region = \"1M\"\n{at}\nmax_drop = \"{tolerance}\"")));
    }
    HEAPS.to_owned() + &text
}

/// What the growth of figures may not exceed, so that noise of the heap's own is no regression.
const TOLERANCE: &str = "2%";

fn folder() -> Base {
    Base::Folder("base".into())
}

/// Fails unless the regression is caught, by the figure that it is sure to make worse too.
fn is_caught(kind: &str, seed: u64, before: &Program, now: &Program, figure: &str) {
    let report = Versions::both(&now.trace(), &before.trace()).check(&assertions(TOLERANCE), &folder());
    let failed: Vec<_> = report.failed().collect();
    assert!(failed.iter().any(|verdict| verdict.figure.to_string() == figure), "{kind} of seed {seed}: {report:#?}");
    for verdict in failed {
        let sentence = verdict.outcome.sentence().expect("a sentence");
        let numbers = sentence.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()).count();
        assert!(
            sentence.starts_with("heap.toml:") && sentence.contains(figure_name(verdict)) && numbers >= 3,
            "{sentence}"
        );
    }
}

fn figure_name(verdict: &heapsmith_check::Verdict) -> &str {
    verdict.figure.measure().name()
}

#[test]
fn larger_sizes_are_caught() {
    for seed in 0..SEEDS {
        let before = Program::random(seed);
        let mut draws = Draws::new(seed);
        let more = draws.between(5, 50);
        let blocks = before.0.iter().map(|block| Block { size: block.size + block.size * more / 100 + 1, ..*block });
        is_caught("larger sizes", seed, &before, &Program(blocks.collect()), "requested_peak");
    }
}

#[test]
fn a_leak_is_caught() {
    for seed in 0..SEEDS {
        let (before, mut draws) = (Program::random(seed), Draws::new(seed));
        let leaks = draws.below(before.0.len() as u64) as usize;
        let mut now = before.clone();
        // One block is enough.
        now.0[leaks].death = None;
        is_caught("a leak", seed, &before, &now, "never_freed");
    }
}

#[test]
fn longer_lifetimes_are_caught() {
    for seed in 0..SEEDS {
        let before = Program::random(seed);
        let longer = |block: &Block| Block { death: block.death.map(|death| death + (death - block.birth)), ..*block };
        let now = Program(before.0.iter().map(longer).collect());
        is_caught("longer lifetimes", seed, &before, &now, "requested_peak");
    }
}

#[test]
fn a_burst_is_caught() {
    for seed in 0..SEEDS {
        let (before, mut draws) = (Program::random(seed), Draws::new(seed));
        let mut now = before.clone();
        let (at, size) = (draws.below(before.moments()), draws.between(100, 1000));
        let number = before.peak() * 11 / 10 / size + 1;
        // Between two moments of the program.
        let moment = |index: u64| (at / 1000 * 1000 + 500) * 1000 + index;
        now.0.iter_mut().for_each(|block| {
            block.birth *= 1000;
            block.death = block.death.map(|death| death * 1000);
        });
        now.0.extend((0..number).map(|index| Block {
            size,
            birth: moment(index),
            death: Some(moment(number + index)),
        }));
        is_caught("a burst", seed, &before, &now, "requested_peak");
    }
}

/// The same blocks, live at the same times: long-lived ones allocated between short-lived ones, which leave holes that
/// nothing later fits into.
#[test]
fn another_order_that_leaves_holes_is_caught() {
    for seed in 0..SEEDS {
        let before = Program::random(seed);
        let start = before.0.iter().filter(|block| block.size == SHORT).count();
        let mut births: Vec<u64> = before.0[..2 * start].iter().map(|block| block.birth).collect();
        births.sort_unstable();
        let mut now = before.clone();
        for index in 0..start {
            now.0[index].birth = births[2 * index];
            now.0[start + index].birth = births[2 * index + 1];
        }
        assert_eq!(now.peak(), before.peak(), "the program holds no more");
        is_caught("another order", seed, &before, &now, "footprint_peak");
    }
}

fn passes(report: &Report, seed: u64) {
    let failed: Vec<_> = report.verdicts.iter().filter_map(|verdict| verdict.outcome.sentence()).collect();
    assert!(failed.is_empty() && !report.verdicts.is_empty(), "seed {seed}: {failed:#?}");
}

#[test]
fn a_trace_that_is_written_anew_is_never_flagged() {
    for seed in 0..2 * SEEDS {
        let trace = Program::random(seed % SEEDS).trace();
        let other = rewritten(&trace, seed);
        assert_ne!(other.events, trace.events);
        // With no room at all.
        passes(&Versions::both(&other, &trace).check(&assertions("0%"), &folder()), seed);
    }
}

#[test]
fn a_trace_in_a_file_is_the_one_that_was_written() {
    let dir = tempfile::tempdir().expect("a folder");
    for seed in 0..5 {
        let trace = Program::random(seed).trace();
        let path = dir.path().join(format!("{seed}.parquet"));
        trace.write(&path).expect("a file");
        let read = Trace::read(&path).expect("the file");
        passes(&Versions::both(&read, &trace).check(&assertions("0%"), &folder()), seed);
    }
}

/// Saved figures are as good a base as the trace itself, and every figure is its own absolute limit.
#[test]
fn saved_figures_flag_nothing_that_did_not_change() {
    for seed in 0..SEEDS {
        let trace = Program::random(seed).trace();
        let first = Versions::of(&trace).check(&assertions("0%"), &folder());
        let saved = Saved::parse(&first.figures.to_json()).expect("saved figures");
        let mut versions = Versions::of(&rewritten(&trace, seed));
        passes(&versions.check(&assertions("0%"), &Base::Saved(saved)), seed);
        let mut text = HEAPS.replace("[heap.best]\nspec = \"best-fit\"\n[heap.two-level]\nspec = \"tlsf\"\n", "");
        for verdict in
            first.verdicts.iter().filter(|verdict| verdict.heap.as_deref().is_none_or(|heap| heap == "first"))
        {
            let (measure, value) = (verdict.figure.measure(), verdict.value.expect("a value"));
            if measure.name() != "largest_request" && value >= 0.0 {
                text.push_str(&format!(
                    "[[assert]]\nmeasure = \"{}\"\nmax = {value:?}\nmin = {value:?}\n",
                    measure.name()
                ));
            }
        }
        passes(&versions.check(&text, &Base::None), seed);
    }
}

#[test]
fn the_same_check_gives_the_same_reports() {
    let (before, now) = (Program::random(1).trace(), Program::random(2).trace());
    let report = |_| Versions::both(&now, &before).check(&assertions(TOLERANCE), &folder());
    let [one, two] = [0, 1].map(report);
    assert_eq!(heapsmith_check::junit(&one), heapsmith_check::junit(&two));
    assert_eq!(heapsmith_check::sarif(&one), heapsmith_check::sarif(&two));
    assert_eq!(one, two);
}
