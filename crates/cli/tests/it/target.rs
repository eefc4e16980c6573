//! Where a heap will live, and what the user has today: what is explored is what is emitted, and the answer is relative.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name)
}

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).args(arguments).output().expect("the command starts")
}

/// Traffic as the workload drr sees it.
const TRAFFIC: [&str; 4] = ["--as", "drr", "--limit", "2500"];

/// Explores in the folder `out`.
fn explore(dir: &Path, input: &Path, more: &[&str]) -> Output {
    std::fs::write(dir.join("small.toml"), SMALL).expect("a file");
    let usual = ["--space", "small.toml", "--rounds", "0", "--no-peers", "--table", "-o", "out"];
    heapsmith(dir, &[&["explore", input.to_str().expect("a plain path")], &usual[..], more].concat())
}

fn explore_traffic(dir: &Path, more: &[&str]) -> Output {
    explore(dir, &sample("ftp.pcap.xz"), &[&TRAFFIC, more].concat())
}

const SMALL: &str =
    "[[family]]\nname = \"small\"\nheap = [\"list(order=address)\", \"tlsf\"]\n[family.levels]\nfreelists = [0, 4]\n";

fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}", errors(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The spec of a printed pick, what is said of it compared with the baseline, and the RAM to reserve.
fn pick(text: &str) -> [String; 3] {
    let own: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("The pick, design ")).collect();
    let reserve = text.lines().find_map(|line| line.strip_prefix("Reserve"));
    [own[1], own[2], reserve.expect("the RAM to reserve")].map(|line| line.trim().to_owned())
}

fn rows(output: &Output) -> Vec<Value> {
    serde_json::from_str(&told(output)).expect("JSON")
}

#[test]
fn a_pick_that_malloc_would_change_is_refused_and_the_target_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    told(&explore_traffic(dir.path(), &[]));
    for command in [&["emit", "out", "--lang", "so", "-o", "lib"][..], &["run", "--heap", "out", "--", "true"]] {
        let refused = heapsmith(dir.path(), command);
        assert_eq!(refused.status.code(), Some(2), "{command:?}: {}", errors(&refused));
        assert!(errors(&refused).contains("--target host"), "{command:?}: {}", errors(&refused));
    }
    assert!(!dir.path().join("lib").exists(), "nothing is written");
}

#[test]
fn what_is_emitted_for_the_host_is_what_was_measured_to_the_byte() {
    let dir = tempfile::tempdir().expect("a folder");
    let shown = pick(&told(&explore_traffic(dir.path(), &["--target", "host", "--prefer", "memory"])))[0].clone();
    assert!(shown.ends_with("align=16"), "{shown}");
    for lang in ["so", "c"] {
        let emitted = heapsmith(dir.path(), &["emit", "out", "--lang", lang, "--name", "own", "-o", lang]);
        told(&emitted);
        assert!(errors(&emitted).contains(&format!("the pick of out: {shown}")), "{}", errors(&emitted));
        let header = std::fs::read_to_string(dir.path().join(lang).join("own.h")).expect("a header");
        let lines = header.split_whitespace().filter(|word| *word != "*").collect::<Vec<_>>().join(" ");
        assert!(lines.contains(&shown), "{shown}: {header}");
        let input = sample("ftp.pcap.xz");
        let replay = ["replay", input.to_str().expect("text"), "--heap", &shown, "--format", "json"];
        let replayed = rows(&heapsmith(dir.path(), &[&replay[..], &TRAFFIC].concat()));
        let footprint = replayed[0]["footprint_peak"].as_u64().or(replayed[0]["footprint"].as_u64());
        let footprint = footprint.unwrap_or_else(|| panic!("a footprint: {replayed:?}"));
        assert!(header.contains(&format!("{footprint} bytes at the peak")), "{footprint}: {header}");
    }
}

#[test]
fn a_typed_heap_is_not_changed_for_malloc_and_a_name_of_the_catalogue_is() {
    let dir = tempfile::tempdir().expect("a folder");
    let typed = heapsmith(dir.path(), &["emit", "tlsf word=8", "--lang", "so", "-o", "typed"]);
    assert_eq!(typed.status.code(), Some(2));
    assert!(errors(&typed).contains("emit 'tlsf(second-level=5) word=8 align=16'"), "{}", errors(&typed));
    let named = heapsmith(dir.path(), &["emit", "lea-2.7.2", "--lang", "so", "-o", "named"]);
    told(&named);
    assert!(errors(&named).contains("align=16"), "{}", errors(&named));
}

#[test]
fn what_was_recorded_of_a_program_is_explored_for_the_host() {
    let dir = tempfile::tempdir().expect("a folder");
    let input = sample("ftp.pcap.xz");
    let import = ["import", input.to_str().expect("text"), "-o", "recorded.rep"];
    told(&heapsmith(dir.path(), &[&import[..], &TRAFFIC].concat()));
    told(&explore(dir.path(), Path::new("recorded.rep"), &[]));
    let heaps = |csv: &str| csv.lines().skip(1).map(|line| line.contains("align=16")).collect::<Vec<_>>();
    let csv = |dir: &Path| std::fs::read_to_string(dir.join("out/results.csv")).expect("a table");
    assert_eq!(heaps(&csv(dir.path())), [true; 4]);
    let traffic = tempfile::tempdir().expect("a folder");
    told(&explore_traffic(traffic.path(), &[]));
    assert_eq!(heaps(&csv(traffic.path())), [false; 4]);
    let other = explore_traffic(traffic.path(), &["--target", "host"]);
    assert_eq!(other.status.code(), Some(2), "a folder is of one target");
    assert!(errors(&other).contains("for the target network-2006"), "{}", errors(&other));
}

#[test]
fn firmware_targets_say_that_sizes_are_not_translated() {
    let dir = tempfile::tempdir().expect("a folder");
    let explored = explore_traffic(dir.path(), &["--target", "cortex-m"]);
    assert!(pick(&told(&explored))[0].ends_with("align=8 check=header"), "{}", told(&explored));
    assert!(errors(&explored).contains("warning: sizes are replayed as they were recorded"), "{}", errors(&explored));
    let baseline = "list(order=address, fit=first) align=8 check=header";
    assert!(pick(&told(&explored))[1].contains(baseline), "{}", told(&explored));
    let page = std::fs::read_to_string(dir.path().join("out/report.html")).expect("a page");
    assert!(page.contains("Warning: sizes are replayed as they were recorded"));
    let unknown = explore_traffic(dir.path(), &["--target", "z80"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(errors(&unknown).contains("host, cortex-m, riscv32, avr, network-2006"), "{}", errors(&unknown));
    // 2500 events hold more than an AVR has.
    let small = tempfile::tempdir().expect("a folder");
    assert_eq!(explore_traffic(small.path(), &["--target", "avr"]).status.code(), Some(1));
}

#[test]
fn what_is_emitted_for_firmware_checks_unless_it_is_asked_not_to() {
    let dir = tempfile::tempdir().expect("a folder");
    let stops = |dir: &Path| {
        told(&heapsmith(dir, &["emit", "out", "--lang", "c", "--name", "own", "-o", "c"]));
        std::fs::read_to_string(dir.join("c/own.h")).expect("a header").contains("OWN_ON_ERROR")
    };
    told(&explore_traffic(dir.path(), &["--target", "cortex-m"]));
    assert!(stops(dir.path()));
    let other = explore_traffic(dir.path(), &["--target", "cortex-m", "--check", "off"]);
    assert_eq!(other.status.code(), Some(2), "a folder is of one level");
    assert!(errors(&other).contains("for the target cortex-m"), "{}", errors(&other));
    let off = tempfile::tempdir().expect("a folder");
    let explored = explore_traffic(off.path(), &["--target", "cortex-m", "--check", "off"]);
    let [pick, baseline, _] = pick(&told(&explored));
    assert!(pick.ends_with("align=8") && !baseline.contains("check="), "{pick} and {baseline}");
    assert!(!stops(off.path()));
    // What is asked again is of the same target.
    told(&heapsmith(off.path(), &["pick", "out", "--prefer", "memory"]));
}

#[test]
fn less_alignment_is_asked_for_and_what_is_emitted_says_so() {
    let dir = tempfile::tempdir().expect("a folder");
    let spec = |output: &Output| pick(&told(output))[0].clone();
    let explored = explore_traffic(dir.path(), &["--target", "cortex-m", "--align", "4"]);
    assert!(!spec(&explored).contains("align="), "4 is the word's: {}", spec(&explored));
    assert!(errors(&explored).contains("aligned to 4 bytes, and cortex-m asks for 8"), "{}", errors(&explored));
    assert!(told(&explored).contains("list(order=address, fit=first)"), "{}", told(&explored));
    let page = std::fs::read_to_string(dir.path().join("out/report.html")).expect("a page");
    assert!(page.contains("Warning: payloads are aligned to 4 bytes"));
    let bounded = heapsmith(dir.path(), &["pick", "out", "--table", "--prefer", "bounded", "--max-region", "1M"]);
    let bounded = spec(&bounded);
    assert!(!bounded.contains("align="), "{bounded}");
    told(&heapsmith(dir.path(), &["emit", "out", "--lang", "c", "--name", "own", "-o", "c"]));
    let header = std::fs::read_to_string(dir.path().join("c/own.h")).expect("a header");
    assert!(header.contains("OWN_ASSERT_ALIGNED") && header.contains("4 bytes"), "{header}");
    let other = explore_traffic(dir.path(), &["--target", "cortex-m"]);
    assert_eq!(other.status.code(), Some(2), "a folder is of one alignment");
    assert!(errors(&other).contains("for the target cortex-m align=4"), "{}", errors(&other));
    told(&explore_traffic(dir.path(), &["--target", "cortex-m", "--align", "4"]));

    let host = tempfile::tempdir().expect("a folder");
    assert!(spec(&explore_traffic(host.path(), &["--target", "host", "--align", "8"])).ends_with("align=8"));
    let refused = heapsmith(host.path(), &["run", "--heap", "out", "--", "true"]);
    assert_eq!(refused.status.code(), Some(2), "malloc aligns to 16: {}", errors(&refused));
    for wrong in ["2", "12", "8192"] {
        let refused = explore_traffic(host.path(), &["--target", "host", "--align", wrong]);
        assert_eq!(refused.status.code(), Some(2), "{wrong}");
        assert!(errors(&refused).contains("a power of two from 4, its word, to 4096"), "{}", errors(&refused));
    }
}

#[test]
fn the_answer_is_relative_to_what_the_user_has() {
    let dir = tempfile::tempdir().expect("a folder");
    let first = pick(&told(&explore_traffic(dir.path(), &[])));
    assert!(first[1].contains("lea-2.7.2"), "the usual baseline: {first:?}");
    assert!(first[2].contains(" bytes of RAM"), "{first:?}");
    let own = first[0].clone();
    let kept = pick(&told(&heapsmith(dir.path(), &["pick", "out", "--table", "--baseline", &own])));
    assert_eq!(kept[0], own);
    assert!(kept[1].starts_with("Keep what you have: "), "{kept:?}");
    let changed = pick(&told(&heapsmith(dir.path(), &["pick", "out", "--table", "--baseline", "windows-ce"])));
    assert!(changed[1].starts_with("Change windows-ce for the pick, which "), "{changed:?}");
    let rows = rows(&heapsmith(dir.path(), &["pick", "out", "--format", "json"]));
    let of = |note: &str| rows.iter().find(|row| row["note"] == note).unwrap_or_else(|| panic!("{note}: {rows:?}"));
    assert_eq!(of("pick")["advice"], "change");
    assert!(of("pick")["min_region"].as_u64().is_some_and(|bytes| bytes > 0), "{rows:?}");
    assert!(of("pick")["work_saved"].as_f64().is_some_and(|share| share > 0.05), "{rows:?}");
    assert_eq!(of("baseline")["design"], "windows-ce");
    let page = || std::fs::read_to_string(dir.path().join("page.html")).expect("a page");
    told(&heapsmith(dir.path(), &["report", "out", "-o", "page.html"]));
    assert!(page().contains("Change windows-ce for the pick"), "the page has the question's baseline");
}

#[test]
fn an_allocator_of_another_alignment_is_shown_and_not_compared() {
    let dir = tempfile::tempdir().expect("a folder");
    let explored = explore_traffic(dir.path(), &["--target", "cortex-m", "--align", "16", "--baseline", "lea-2.7.2"]);
    let said = pick(&told(&explored))[1].clone();
    assert!(said.starts_with("No advice about lea-2.7.2: it aligns payloads to 8 bytes, and cortex-m"), "{said}");
    // Behind `malloc` it is aligned as `run` aligns it.
    let dir = tempfile::tempdir().expect("a folder");
    let text = told(&explore_traffic(dir.path(), &["--target", "host", "--baseline", "lea-2.7.2"]));
    assert!(text.contains("cost/op"), "a host ranks by it: {text}");
    assert!(pick(&text)[1].starts_with("Change lea-2.7.2 for the pick, which "), "{text}");
    let rows = rows(&heapsmith(dir.path(), &["pick", "out", "--format", "json"]));
    let baseline = rows.iter().find(|row| row["note"] == "baseline").expect("a baseline");
    assert!(baseline["heap"].as_str().is_some_and(|heap| heap.ends_with(" align=16")), "{baseline}");
    let peer = pick(&told(&heapsmith(dir.path(), &["pick", "out", "--table", "--prefer", "memory"])));
    assert_eq!(peer[1], "No advice about peer:libc: the memory of both is not known");
}
