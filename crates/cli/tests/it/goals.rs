//! What is wanted of a design, spaces that users write, and traces that the choice is not made for.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name)
}

/// Explores the beginning of a sample in a folder.
fn explore(dir: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).arg("explore").arg(sample("ftp.pcap.xz"));
    command.args(["--as", "drr", "--rounds", "0", "--no-peers", "--table", "--out", "out"]).args(more);
    if !more.contains(&"--limit") {
        command.args(["--limit", "2500"]);
    }
    command.output().expect("the command starts")
}

fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn refused(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

/// Eight designs of two structures.
const SMALL: &str = "[[family]]\nname = \"small\"\nheap = [\"list(order=lifo)\", \"tlsf\"]\n[family.levels]\n\
                     freelists = [0, 2]\nword = [4, 8]\n";

#[test]
fn a_space_that_a_user_writes_is_explored() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("small.toml"), SMALL).expect("a file");
    let told = told(&explore(dir.path(), &["--space", "small.toml"]));
    assert!(told.contains("factor") && told.contains("pool ") && told.contains("word "), "{told}");
    let csv = std::fs::read_to_string(dir.path().join("out/results.csv")).expect("a table");
    assert_eq!(csv.lines().count(), 9, "a heading and eight designs");
    let heading = csv.lines().next().expect("a heading");
    assert!(heading.starts_with("number,pool,freelists,word,operations,"), "{heading}");
    assert!(csv.contains("tlsf(second-level=5)"));
    let page = std::fs::read_to_string(dir.path().join("out/report.html")).expect("a page");
    assert!(page.contains("8 designs"));
}

#[test]
fn a_space_that_is_wrong_is_told_with_what_may_stand_there() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("wrong.toml"), SMALL.replace("lifo", "size")).expect("a file");
    let (code, error) = refused(&explore(dir.path(), &["--space", "wrong.toml"]));
    assert_eq!(code, Some(2));
    assert!(
        error.contains("wrong.toml: the family \"small\" makes \"list(order=size) word=4\"") && error.contains("lifo"),
        "{error}"
    );
    let (code, error) = refused(&explore(dir.path(), &["--space", "nowhere.toml"]));
    assert_eq!(code, Some(3));
    assert!(error.contains("--print-space wide"), "{error}");
    assert_eq!(refused(&explore(dir.path(), &["--space", "wied"])).0, Some(2), "no file, but a name");
    let printed = Command::new(env!("CARGO_BIN_EXE_heapsmith")).args(["explore", "--print-space", "wide"]).output();
    let printed = told(&printed.expect("the command starts"));
    assert!(printed.contains("[[family]]") && printed.contains("name = \"two-level\""), "{printed}");
}

#[test]
fn constraints_are_kept_and_those_that_nothing_keeps_are_named() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("small.toml"), SMALL).expect("a file");
    let free = explore(dir.path(), &["--space", "small.toml", "--format", "json", "--objectives", "fragmentation,max"]);
    let rows = |text: &str| text.matches("\"design\"").count();
    assert!(rows(&told(&free)) > 0);
    let bound =
        ["--space", "small.toml", "--max-op", "40", "--max-region", "1M", "--objectives", "fragmentation,code_size"];
    let kept = told(&explore(dir.path(), &bound));
    assert!(kept.contains("the Pareto front over fragmentation, code size"), "{kept}");
    assert!(kept.contains("max accesses of at most 40:") && kept.contains("smallest region of at most"), "{kept}");
    let (code, error) = refused(&explore(dir.path(), &["--space", "small.toml", "--max-region", "1K"]));
    assert_eq!(code, Some(1));
    assert!(
        error.contains("no design meets every constraint\n  smallest region of at most 1024 bytes: nearest "),
        "{error}"
    );
    let (code, error) = refused(&explore(dir.path(), &["--objectives", "beauty"]));
    assert_eq!(code, Some(2));
    assert!(
        error.contains(
            "choose of fragmentation, internal, external, accesses, p99, max, footprint_mean, retained, footprint_over_time, \
             retained_over_time, cost, min_region"
        ),
        "{error}"
    );
}

#[test]
fn times_that_decide_are_kept_so_the_page_made_again_has_the_same_pick() {
    let dir = tempfile::tempdir().expect("a folder");
    let objectives = ["--limit", "1500", "--objectives", "fragmentation,ns", "--rounds", "1"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    // Timed as they are built in: to compile all finalists takes half a minute.
    command.current_dir(dir.path()).env("CC", "no-compiler").arg("explore").arg(sample("ftp.pcap.xz"));
    told(&command.args(["--as", "drr", "--no-peers", "--out", "out"]).args(objectives).output().expect("it starts"));
    let page = || std::fs::read_to_string(dir.path().join("out/report.html")).expect("a page");
    let pick = |page: &str| {
        let (_, spec) = page.split_once("id=\"pick-spec\">").expect("a pick");
        spec.split('<').next().expect("text").to_owned()
    };
    let first = pick(&page());
    let mut again = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    told(&again.current_dir(dir.path()).args(["report", "out"]).output().expect("it starts"));
    assert_eq!(pick(&page()), first);
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn the_pick_is_evaluated_on_traces_as_they_might_have_been() {
    let dir = tempfile::tempdir().expect("a folder");
    let told = told(&explore(dir.path(), &["--perturb", "3"]));
    for change in ["jitter=each=10%", "stretch=20%", "shuffle=10"] {
        let rows = told.lines().filter(|line| line.contains(change) && line.contains("oracle"));
        assert_eq!(rows.count(), 1, "{change}: {told}");
    }
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn each_trace_is_held_out_in_turn_and_the_papers_designs_stand_beside_the_pick() {
    let dir = tempfile::tempdir().expect("a folder");
    let second = sample("web.pcap.xz");
    let told = told(&explore(dir.path(), &["--holdout", "each", second.to_str().expect("a plain path")]));
    for heap in ["pick", "2006, 2 lists", "2006, 3 lists", "network-drr", "oracle"] {
        assert_eq!(
            told.lines().filter(|line| line.contains("drr of") && line.contains(heap)).count(),
            2,
            "{heap}: {told}"
        );
    }
    let page = std::fs::read_to_string(dir.path().join("out/report.html")).expect("a page");
    assert!(page.contains("Hold-out traces"));
    // The same command again replays nothing and says the same.
    let again = explore(dir.path(), &["--holdout", "each", second.to_str().expect("a plain path")]);
    assert_eq!(String::from_utf8_lossy(&again.stdout), told);
    let (code, error) = refused(&explore(&dir.path().join("out"), &["--holdout", "each"]));
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("name two traces or more"), "{error}");
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn a_search_is_compared_with_replaying_every_design() {
    let dir = tempfile::tempdir().expect("a folder");
    let told = told(&explore(dir.path(), &["--limit", "6000", "--search", "halving", "--compare-search"]));
    assert!(told.contains("hypervolume ratio") && told.contains("over all chosen objectives: recall"), "{told}");
}

#[test]
fn the_same_command_gives_the_same_table_again_whatever_was_measured_before() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("small.toml"), SMALL).expect("a file");
    let table = || std::fs::read(dir.path().join("out/results.csv")).expect("a table");
    let asked = ["--space", "small.toml", "--objectives", "fragmentation,accesses,min_region"];
    told(&explore(dir.path(), &asked));
    let first = table();
    told(&explore(dir.path(), &["--space", "small.toml", "--objectives", "fragmentation,max", "--max-region", "1M"]));
    for _ in 0..2 {
        told(&explore(dir.path(), &asked));
        assert!(table() == first);
    }
}

#[test]
fn one_exploration_at_a_time_works_in_a_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("small.toml"), SMALL).expect("a file");
    told(&explore(dir.path(), &["--space", "small.toml"]));
    let out = dir.path().join("out");
    let lock = heapsmith_explore::Lock::take(&out).expect("nobody explores");
    let (code, error) = refused(&explore(dir.path(), &["--space", "small.toml"]));
    assert_eq!(code, Some(4));
    assert!(error.contains("out is being explored by another process") && error.contains("--wait"), "{error}");
    let report = |out: &Path| Command::new(env!("CARGO_BIN_EXE_heapsmith")).arg("report").arg(out).output();
    assert!(report(&out).expect("the command starts").status.success(), "who reads needs no lock");
    drop(lock);
    told(&explore(dir.path(), &["--space", "small.toml"]));
}
