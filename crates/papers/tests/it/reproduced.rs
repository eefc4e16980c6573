//! What each experiment counts, pinned: run small and without times it is the same on every machine.
//!
//! `INSTA_UPDATE=always cargo test -p heapsmith-papers` takes what is found now; look at the difference before.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use heapsmith_papers::{Experiment, ExperimentError, Extent, Folder, Outcome, Setting, claim, experiments, named};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

/// Public captures, which are no part of the project.
fn captures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data")
}

fn counted(experiment: &Experiment) -> Outcome {
    let (stop, samples, captures) = (AtomicBool::new(false), samples(), captures());
    let mut last = 0.0;
    let mut progress = |step: &heapsmith_papers::ProgressStep| {
        assert!((last..=1.0).contains(&step.done), "{}: {step:?} after {last}", experiment.name);
        last = step.done;
    };
    let mut setting = Setting::new(&samples, 1, 2, Extent::Counted, &stop, &mut progress);
    setting.inputs = Some(&captures);
    let outcome = (experiment.run)(&mut setting);
    outcome.unwrap_or_else(|error| panic!("{}: {error}", experiment.name))
}

/// What is pinned: every statement, what was found, the tables, and how much data there is.
fn pinned(experiment: &Experiment) -> String {
    let outcome = counted(experiment);
    let mut text = format!("{}: {}\n{}\n", experiment.name, outcome.verdict().words(), outcome.found);
    for statement in &outcome.statements {
        let claim = claim(&statement.claim).unwrap_or_else(|| panic!("{} is no claim", statement.claim));
        assert_eq!(claim.test.as_deref(), Some(experiment.name), "{}", claim.name);
        let _ = write!(text, "\n{}: {}\n  {}\n", statement.claim, statement.answer.name(), statement.found);
        for (name, value) in &statement.values {
            let _ = writeln!(text, "  {name}: {value:.3}");
        }
    }
    for table in &outcome.tables {
        let _ = write!(text, "\n{}\n{}\n", table.caption, table.columns.join(" | "));
        for row in &table.rows {
            assert_eq!(row.len(), table.columns.len(), "{}: {row:?}", experiment.name);
            let _ = writeln!(text, "{}", row.iter().map(|value| value.shown()).collect::<Vec<_>>().join(" | "));
        }
    }
    let mut lines = outcome.csv.lines();
    let _ =
        write!(text, "\n{}\n{} rows, {} figures\n", lines.next().unwrap_or(""), lines.count(), outcome.figures.len());
    assert!(!outcome.statements.is_empty() && !outcome.found.is_empty() && !outcome.figures.is_empty());
    for figure in &outcome.figures {
        assert!(figure.svg.trim_end().ends_with("</svg>") && !figure.svg.contains("NaN"), "{}", figure.caption);
    }
    text
}

macro_rules! pin {
    ($($(#[$attribute:meta])? $test:ident = $name:literal,)+) => {
        /// Every experiment that is pinned here.
        const PINNED: &[&str] = &[$($name),+];

        $(#[test]
        $(#[$attribute])?
        fn $test() {
            let [experiment] = named($name)[..] else { panic!("one experiment has this name") };
            if experiment.reads_inputs() && !captures().exists() {
                eprintln!("{}: not tested, as {} is not there", experiment.name, captures().display());
                return;
            }
            insta::assert_snapshot!($name, pinned(experiment));
        })+
    };
}

pin! {
    table_1_of_paper_000 = "000-table-1",
    figure_2_of_paper_000 = "000-figure-2",
    #[ignore = "takes ten seconds: `cargo xtask nightly whole`"]
    table_2_of_paper_000 = "000-table-2",
    figure_3_of_paper_000 = "000-figure-3",
    figure_4_of_paper_000 = "000-figure-4",
    table_3_of_paper_000 = "000-table-3",
    table_4_of_paper_000 = "000-table-4",
    table_5_of_paper_000 = "000-table-5",
    #[ignore = "takes ten seconds: `cargo xtask nightly whole`"]
    systems_of_paper_000 = "000-systems",
    #[ignore = "takes half a minute: `cargo xtask nightly whole`"]
    sensitivity_of_paper_000 = "000-sensitivity",
    #[ignore = "reads public captures where they are there: `cargo xtask nightly whole`"]
    public_captures_of_paper_000 = "000-public-captures",
    figure_18_of_paper_001 = "001-figure-18",
    originals_of_paper_001 = "001-originals",
    figures_19_to_24_of_paper_001 = "001-figures-19-24",
    searches_of_paper_001 = "001-searches",
    space_of_paper_001 = "001-space",
    large_requests_of_paper_001 = "001-large-requests",
    patterns_of_paper_001 = "001-patterns",
    bins_of_paper_001 = "001-bins",
    figure_7_of_paper_002 = "002-figure-7",
    figure_8_of_paper_002 = "002-figure-8",
    figure_9_of_paper_002 = "002-figure-9",
    figure_9_causes_of_paper_002 = "002-figure-9-causes",
    figure_10_of_paper_002 = "002-figure-10",
    figure_11_of_paper_002 = "002-figure-11",
    defragmentation_of_paper_002 = "002-defragmentation",
    pause_of_paper_002 = "002-pause",
    internal_fragmentation_of_paper_002 = "002-internal-fragmentation",
    mechanisms_of_paper_002 = "002-mechanisms",
    step_5_of_paper_002 = "002-step-5",
    constant_time_of_paper_002 = "002-constant-time",
    table_1_of_paper_003 = "003-table-1",
    table_3_of_paper_003 = "003-table-3",
    table_4_of_paper_003 = "003-table-4",
    figure_3_of_paper_003 = "003-figure-3",
    cycles_of_paper_003 = "003-cycles",
    search_by_size_of_paper_003 = "003-search-by-size",
    phkmalloc_of_paper_003 = "003-phkmalloc",
    locality_of_paper_003 = "003-locality",
    mechanisms_of_paper_004 = "004-mechanisms",
    table_1_of_paper_004 = "004-table-1",
    workload_of_paper_004 = "004-workload",
    table_2_of_paper_004 = "004-table-2",
    table_3_of_paper_004 = "004-table-3",
    lists_of_paper_004 = "004-lists",
    scale_of_paper_004 = "004-scale",
    overload_of_paper_004 = "004-overload",
    processor_of_paper_004 = "004-processor",
}

#[test]
fn every_experiment_is_pinned_and_belongs_to_its_paper() {
    let all: Vec<&str> = experiments().iter().map(|experiment| experiment.name).collect();
    assert_eq!(all, PINNED);
    for experiment in experiments() {
        assert!(experiment.name.starts_with(&format!("{}-", experiment.paper.number)), "{}", experiment.name);
        assert!(experiment.claim.contains("et al. "), "{} cites nobody", experiment.name);
    }
}

#[test]
fn a_number_names_a_paper_and_a_part_of_a_name_names_nothing() {
    assert_eq!(named("001").len(), experiments().iter().filter(|one| one.paper.number == "001").count());
    assert_eq!(named("001-figure-18").len(), 1);
    assert!(named("00").is_empty() && named("").is_empty() && named("001-figure-1").is_empty());
}

#[test]
fn an_experiment_that_is_to_stop_stops_and_one_without_its_samples_says_what_to_do() {
    let (stop, dir) = (AtomicBool::new(true), tempfile::tempdir().expect("a folder"));
    for experiment in experiments() {
        let (samples, mut progress) = (samples(), |_: &heapsmith_papers::ProgressStep| {});
        let mut setting = Setting::new(&samples, 1, 1, Extent::Counted, &stop, &mut progress);
        assert!(matches!((experiment.run)(&mut setting), Err(ExperimentError::Interrupted)), "{}", experiment.name);
    }
    let stop = AtomicBool::new(false);
    for experiment in experiments().iter().filter(|experiment| !experiment.samples.is_empty()) {
        let mut progress = |_: &heapsmith_papers::ProgressStep| {};
        let mut setting = Setting::new(dir.path(), 1, 1, Extent::Counted, &stop, &mut progress);
        let error = (experiment.run)(&mut setting).expect_err("there are no samples");
        assert!(error.to_string().contains("--samples"), "{}: {error}", experiment.name);
    }
}

#[test]
fn the_pages_show_what_the_folder_holds() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = Folder::open(dir.path()).expect("it can be written");
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).expect(name);
    let keep = |name: &str| {
        let outcome = counted(named(name)[0]);
        folder.keep(named(name)[0], &outcome).expect("it is kept");
        folder.pages().expect("pages");
        outcome
    };
    keep("002-figure-8");
    assert!(!read("papers.md").contains("001-figure-18"));
    let mut outcome = keep("001-figure-18");
    let (md, html) = (read("papers.md"), read("papers.html"));
    for page in [&md, &html] {
        let (first, second) = (page.find("001-figure-18.csv"), page.find("002-figure-8.csv"));
        assert!(first.is_some() && first < second, "in the order of the papers");
    }
    assert!(md.contains("(papers/001-figure-18.svg)") && html.contains("<svg"));
    assert_eq!(read("papers/001-figure-18.csv"), outcome.csv);
    // A figure that the experiment does not have any more goes; one that it has comes.
    outcome.figures[0].suffix = "-other".to_owned();
    folder.keep(named("001-figure-18")[0], &outcome).expect("it is kept");
    assert!(dir.path().join("papers/001-figure-18-other.svg").exists());
    assert!(!dir.path().join("papers/001-figure-18.svg").exists());
}

#[test]
fn a_kept_outcome_of_another_version_says_what_to_do() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = Folder::open(dir.path()).expect("it can be written");
    std::fs::write(dir.path().join("papers/001-figure-18.json"), "{}").expect("a file");
    let error = folder.pages().expect_err("it is no outcome");
    assert!(error.to_string().contains("remove it"), "{error}");
}
