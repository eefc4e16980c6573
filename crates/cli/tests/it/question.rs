//! The question of a folder: who emits, runs or reports answers it, and it outlives what nothing meets.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name)
}

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).args(arguments).output().expect("the command starts")
}

/// Explores the beginning of a sample in the folder `out`.
fn explore(dir: &Path, more: &[&str]) -> Output {
    std::fs::write(dir.join("small.toml"), SMALL).expect("a file");
    let input = sample("ftp.pcap.xz");
    let traffic = ["--as", "drr", "--limit", "2500", "--space", "small.toml"];
    let quick = ["--rounds", "0", "--no-peers", "--table", "-o", "out"];
    heapsmith(dir, &[&["explore", input.to_str().expect("a plain path")], &traffic[..], &quick, more].concat())
}

/// Designs that differ in memory and in work.
const SMALL: &str = "[[family]]\nname = \"small\"\nheap = [\"list(order=lifo)\", \"list(order=address)\", \"tlsf\"]\n\
                     [family.levels]\nfreelists = [0, 2, 16]\nword = [4, 8]\n";

fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The pick that an exploration prints.
fn shown(text: &str) -> String {
    let after = text.lines().skip_while(|line| !line.starts_with("The pick, design ")).nth(1);
    after.unwrap_or_else(|| panic!("no pick: {text}")).trim().to_owned()
}

/// The pick that `emit` writes.
fn emitted(dir: &Path, more: &[&str]) -> String {
    let output = heapsmith(dir, &[&["emit", "out", "--lang", "c", "-o", "source"], more].concat());
    told(&output);
    let said = errors(&output);
    let pick = said.lines().find_map(|line| line.strip_prefix("the pick of out: "));
    pick.unwrap_or_else(|| panic!("no pick: {said}")).to_owned()
}

/// The pick of the page that `report` writes.
fn reported(dir: &Path) -> String {
    told(&heapsmith(dir, &["report", "out", "-o", "page.html"]));
    let page = std::fs::read_to_string(dir.join("page.html")).expect("a page");
    let (_, spec) = page.split_once("id=\"pick-spec\">").expect("a pick");
    spec.split('<').next().expect("text").to_owned()
}

#[test]
fn what_is_emitted_and_reported_is_the_pick_that_was_asked_for() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut picks = Vec::new();
    for preference in ["memory", "speed", "bounded", "balanced"] {
        let pick = shown(&told(&explore(dir.path(), &["--prefer", preference])));
        assert_eq!(emitted(dir.path(), &[]), pick, "{preference}");
        assert_eq!(reported(dir.path()), pick, "{preference}");
        picks.push(pick);
    }
    picks.sort();
    picks.dedup();
    assert!(picks.len() > 1, "the preferences have picks of their own: {picks:?}");
}

#[test]
fn another_preference_for_one_call_leaves_the_question() {
    let dir = tempfile::tempdir().expect("a folder");
    let memory = shown(&told(&explore(dir.path(), &["--prefer", "memory"])));
    let speed = emitted(dir.path(), &["--prefer", "speed"]);
    assert_ne!(speed, memory);
    assert_eq!(emitted(dir.path(), &[]), memory);
}

#[test]
fn objectives_and_constraints_are_part_of_the_question() {
    let dir = tempfile::tempdir().expect("a folder");
    let free = shown(&told(&explore(dir.path(), &["--prefer", "memory"])));
    let bound = shown(&told(&explore(dir.path(), &["--prefer", "memory", "--max-accesses", "4"])));
    assert_ne!(free, bound, "the constraint excludes the smallest design");
    assert_eq!(emitted(dir.path(), &[]), bound);
}

#[test]
fn a_constraint_that_nothing_meets_harms_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let memory = shown(&told(&explore(dir.path(), &["--prefer", "memory"])));
    let csv = || std::fs::read(dir.path().join("out/results.csv")).expect("a table");
    let before = csv();
    let missed = explore(dir.path(), &["--max-region", "10K"]);
    assert_eq!(missed.status.code(), Some(1));
    let why = errors(&missed);
    assert!(why.contains("smallest region of at most 10240 bytes: nearest "), "{why}");
    assert!(why.contains("out still answers the question before: --prefer memory"), "{why}");
    assert_eq!(emitted(dir.path(), &[]), memory);
    assert_eq!(reported(dir.path()), memory);
    assert!(csv() == before, "the table is that of the question before");
    let again = heapsmith(dir.path(), &["pick", "out", "--table", "--max-region", "1M", "--prefer", "memory"]);
    assert_eq!(shown(&told(&again)), memory);
}

#[test]
fn a_first_exploration_that_nothing_meets_can_be_asked_otherwise() {
    let dir = tempfile::tempdir().expect("a folder");
    assert_eq!(explore(dir.path(), &["--max-region", "10K", "--max-op", "1"]).status.code(), Some(1));
    let none = heapsmith(dir.path(), &["emit", "out", "--lang", "c", "-o", "source"]);
    let why = errors(&none);
    assert!(
        why.contains("out has no pick: no design meets every constraint") && why.contains("at most 10240"),
        "{why}"
    );
    assert!(!why.contains("finished"), "{why}");
    let pick = shown(&told(&heapsmith(dir.path(), &["pick", "out", "--table", "--prefer", "speed"])));
    assert_eq!(emitted(dir.path(), &[]), pick);
}

/// Questions that folders are asked, as options.
const QUESTIONS: [&[&str]; 6] = [
    &["--prefer", "memory"],
    &["--prefer", "bounded"],
    &["--prefer", "speed", "--max-fragmentation", "20"],
    &["--objectives", "fragmentation,min_region"],
    &["--max-region", "1M", "--max-accesses", "12"],
    &["--objectives", "external,accesses", "--prefer", "balanced"],
];

#[test]
fn what_is_picked_later_is_what_exploring_anew_would_answer() {
    let second = sample("web.pcap.xz");
    let more: [&[&str]; 2] = [&[], &[second.to_str().expect("a plain path")]];
    for traces in more {
        let asked = tempfile::tempdir().expect("a folder");
        told(&explore(asked.path(), traces));
        // One question where not everything is tried, as `cargo xtask nightly` does.
        let many = if std::env::var_os("HEAPSMITH_WHOLE").is_some() { QUESTIONS.len() } else { 1 };
        for question in QUESTIONS.into_iter().take(many) {
            let anew = tempfile::tempdir().expect("a folder");
            let expected = told(&explore(anew.path(), &[traces, question].concat()));
            let found = told(&heapsmith(asked.path(), &[&["pick", "out", "--table"], question].concat()));
            assert_eq!(shown(&found), shown(&expected), "{question:?}");
            assert_eq!(emitted(asked.path(), &[]), shown(&expected), "{question:?}: `emit` follows");
            assert_eq!(reported(asked.path()), shown(&expected), "{question:?}: `report` follows");
            let table = |dir: &Path| std::fs::read(dir.join("out/results.csv")).expect("a table");
            assert!(table(asked.path()) == table(anew.path()), "{question:?}: the tables agree");
        }
    }
}

#[test]
fn what_was_left_out_for_another_goal_is_not_answered() {
    let dir = tempfile::tempdir().expect("a folder");
    let pick = shown(&told(&explore(dir.path(), &["--prune"])));
    let refused = heapsmith(dir.path(), &["pick", "out", "--objectives", "external,accesses"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("without --prune"), "{}", errors(&refused));
    assert_eq!(emitted(dir.path(), &[]), pick, "the question before is answered");
    told(&heapsmith(dir.path(), &["pick", "out", "--prefer", "memory"]));
    told(&explore(dir.path(), &["--search", "halving"]));
    let refused = heapsmith(dir.path(), &["pick", "out", "--objectives", "fragmentation,accesses"]);
    assert!(errors(&refused).contains("the search looked for designs by"), "{}", errors(&refused));
}

#[test]
fn a_folder_without_an_exploration_is_not_touched() {
    let dir = tempfile::tempdir().expect("a folder");
    let refused = heapsmith(dir.path(), &["pick", "."]);
    assert_eq!(refused.status.code(), Some(3), "{}", errors(&refused));
    assert_eq!(std::fs::read_dir(dir.path()).expect("the folder").count(), 0);
}

#[test]
fn a_baseline_that_touches_no_page_is_not_compared_by_memory() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("one.csv"), "action,id,size\na,1,100\n").expect("a file");
    let said = told(&heapsmith(dir.path(), &["explore", "one.csv", "--target", "host", "-o", "out"]));
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!words.contains("inf%") && words.contains("the memory of both is not known"), "{said}");
}

#[test]
fn looking_at_an_answer_writes_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let explored = told(&explore(dir.path(), &[]));
    let files = || {
        let each = std::fs::read_dir(dir.path().join("out")).expect("a folder").map(|file| {
            let path = file.expect("a file").path();
            (std::fs::metadata(&path).and_then(|data| data.modified()).expect("a time"), path)
        });
        each.collect::<std::collections::BTreeSet<_>>()
    };
    let before = files();
    let looked = told(&heapsmith(dir.path(), &["pick", "out", "--table"]));
    assert_eq!(shown(&looked), shown(&explored));
    assert_eq!(files(), before);
}

#[test]
fn requests_for_nothing_are_said_to_be_replayed_as_blocks() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("none.csv"), "action,id,size\na,1,0\na,2,8\nf,1,\na,3,0\n").expect("a file");
    std::fs::write(dir.path().join("small.toml"), SMALL).expect("a file");
    let said = |target: &str| {
        let usual = ["--space", "small.toml", "--rounds", "0", "--no-peers", "-o", target, "--target", target];
        let explored = heapsmith(dir.path(), &[&["explore", "none.csv"], &usual[..]].concat());
        told(&explored);
        errors(&explored).contains("2 requests ask for 0 bytes: replayed as 1 byte")
    };
    assert!(said("cortex-m") && !said("host"));
}

#[test]
fn no_proof_is_claimed_in_a_region_where_a_heap_gives_back_what_it_keeps() {
    let dir = tempfile::tempdir().expect("a folder");
    let events: Vec<String> = (0..40)
        .flat_map(|round| (0..30).map(move |at| (round, at)))
        .flat_map(|(round, at)| {
            let (id, size) = (round * 30 + at, 16 + (at * 7 + round * 13) % 240);
            [format!("a,{id},{size}"), if at % 3 == 0 { String::new() } else { format!("f,{id},") }]
        })
        .filter(|line| !line.is_empty())
        .collect();
    std::fs::write(dir.path().join("t.csv"), format!("action,id,size\n{}\n", events.join("\n"))).expect("a file");
    let explored = |heap: &str| {
        let space = format!("[[family]]\nname = \"one\"\nheap = [\"{heap}\"]\n");
        std::fs::write(dir.path().join("one.toml"), space).expect("a file");
        let usual = ["--target", "cortex-m", "--space", "one.toml", "--rounds", "0", "--prefer", "bounded"];
        let out = format!("out-{}", heap.len());
        let region = ["--max-region", "70000", "-o", &out];
        heapsmith(dir.path(), &[&["explore", "t.csv"], &usual[..], &region].concat())
    };
    let lists = explored("freelists(16..=256 step 16) list(order=address)");
    assert!(!lists.status.success() && errors(&lists).contains("give back what they keep"), "{}", errors(&lists));
    // What keeps nothing back does the same in a full region, until it refuses.
    let plain = told(&explored("tlsf"));
    assert!(plain.contains("accesses/op at most"), "{plain}");
}
