//! Figures that are promised together are measured together: what is shown next to a region, and what is limited, holds in a
//! replay in exactly that region.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use heapsmith_trace::Bytes;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).args(arguments).output().expect("the command starts")
}

fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn rows(output: &Output) -> Vec<Value> {
    serde_json::from_str(&told(output)).expect("JSON")
}

fn pick(rows: &[Value]) -> Value {
    rows.iter().find(|row| row["note"] == "pick").expect("a pick").clone()
}

fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// A trace: a file of the repository or of the data next to it, or a workload, and what makes a trace of the file.
type Input = (&'static str, &'static str);

/// What the repository has, and workloads that need no file.
const OWN: &[Input] = &[
    ("samples/ftp.pcap.xz", "drr"),
    ("samples/ftp.pcap.xz", "easyport"),
    ("samples/web.pcap.xz", "drr"),
    ("samples/web.pcap.xz", "easyport"),
    ("samples/mixed.pcapng.xz", "drr"),
    ("samples/mixed.pcapng.xz", "easyport"),
    ("samples/web.log.xz", "url"),
    ("samples/java/antlr.parquet", "java"),
    ("samples/java/drools.parquet", "java"),
    ("samples/java/h2.parquet", "java"),
    ("samples/java/javac.parquet", "java"),
    ("samples/java/lz4.parquet", "java"),
    ("samples/java/sunflow.parquet", "java"),
    ("samples/java/sunflow-2.parquet", "java"),
    ("samples/perl/perfect.parquet", ""),
    ("workload:modem", ""),
    ("workload:random-half", ""),
    ("workload:sizes", ""),
    ("workload:every-other", ""),
    ("workload:treeadd", ""),
    ("workload:bisort", ""),
    ("workload:perimeter", ""),
    ("workload:voronoi", ""),
    ("workload:health", ""),
    ("workload:cfrac", ""),
];

/// What is next to it, in `../shared/data`.
const SHARED: &[Input] = &[
    ("pcap/auckland-20000125.pcap.xz", "drr"),
    ("pcap/http-browsing-20130502.pcap.xz", "drr"),
    ("pcap/industrial-mb2-20121112.pcap.xz", "drr"),
    ("pcap/ftp-download-2019.pcap.xz", "drr"),
    ("pcap/ftp-cwd-navigation-2016.pcap.xz", "drr"),
    ("pcap/ftp-ipv6-nasa-1998.pcap.xz", "drr"),
    ("pcap/wlan-80211-home-20220727.pcap.xz", "drr"),
    ("pcap/wlan-probe-requests-20231214.pcap.xz", "drr"),
    ("pcap/bellcore-pAug89-first100k.TL.xz", "easyport"),
    ("urls/nasa_19950701.tsv.xz", "url"),
    ("urls/nasa_19950801.tsv.xz", "url"),
    ("urls/kasztp-48k-urls.txt.xz", "url"),
    ("alloc/fleetbench/TCMALLOC_0.csv", "distribution"),
    ("alloc/fleetbench/TCMALLOC_7.csv", "distribution"),
    ("alloc/heaptrack/heaptrack.heaptrack_gui.99454.xz", ""),
    ("alloc/android/surfaceflinger.txt.xz", ""),
    ("alloc/offline/minimalloc-A.csv", ""),
    ("alloc/offline/minimalloc-K.csv", ""),
    ("alloc/wee_alloc/cpp-demangle.trace", ""),
    ("alloc/wee_alloc/dogfood.trace.xz", ""),
    ("alloc/wee_alloc/ffmpeg.trace", ""),
    ("alloc/wee_alloc/find.trace", ""),
    ("alloc/wee_alloc/gcc-hello.trace.xz", ""),
    ("alloc/wee_alloc/grep-recursive.trace", ""),
    ("alloc/wee_alloc/source-map.trace", ""),
];

/// Designs with lists, which are full where the region is and are given back in one operation; with a threshold, whose
/// blocks are joined then; and without.
const LISTS: &str = "[[family]]\nname = \"lists\"\n\
    heap = [\"list(order=lifo)\", \"list(order=address)\", \"list(order=address, coalesce>=64)\", \"tlsf\"]\n\
    [family.levels]\nfreelists = [0, 2, 16, 64]\n";

/// An input as arguments; none where it is not there.
fn arguments(from: &Path, (file, workload): Input, limit: &str) -> Option<Vec<String>> {
    let path = from.join(file);
    if !file.starts_with("workload:") && !path.exists() {
        println!("SKIPPED: no {file} in {}", from.display());
        return None;
    }
    let path = if file.starts_with("workload:") { file.to_owned() } else { path.to_str()?.to_owned() };
    let read = if workload.is_empty() { vec![] } else { vec!["--as", workload] };
    let read = read.into_iter().chain(["--limit", limit]);
    Some([path].into_iter().chain(read.map(str::to_owned)).collect())
}

/// Explores an input, asks for a region and a maximum that one of its designs has together, and replays what is emitted in
/// that region.
fn keeps_both(input: &[String], more: &[&str]) {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    std::fs::write(dir.join("lists.toml"), LISTS).expect("a file");
    let input: Vec<&str> = input.iter().map(String::as_str).collect();
    let quick = ["--space", "lists.toml", "--rounds", "0", "--no-peers", "--prefer", "memory", "-o", "out"];
    let explore = [&["explore"], &input[..], &quick, &["--format", "json"], more].concat();
    let smallest = whole(&pick(&rows(&heapsmith(dir, &explore)))["min_region"]);
    let region = (smallest + smallest / 10).to_string();
    let ask = |more: &[&str]| {
        let asked = [&["pick", "out", "--format", "json", "--max-region", &region], more].concat();
        pick(&rows(&heapsmith(dir, &asked)))
    };
    let max = whole(&ask(&["--prefer", "memory"])["max_in_region"]);
    for preference in ["speed", "balanced"] {
        let found = ask(&["--max-op", &max.to_string(), "--prefer", preference]);
        let emitted = heapsmith(dir, &["emit", "out", "--lang", "c", "-o", preference]);
        told(&emitted);
        let said = String::from_utf8_lossy(&emitted.stderr).into_owned();
        let heap = said.lines().find_map(|line| line.strip_prefix("the pick of out: ")).expect("a pick");
        assert_eq!(found["heap"], heap, "{input:?}");
        let replay = [&["replay"], &input[..], &["--heap", heap, "--region", &region, "--format", "json"]].concat();
        let there = rows(&heapsmith(dir, &replay)).remove(0);
        assert_eq!(there["failed"], 0, "{input:?}: {heap} refuses in {region} bytes");
        assert_eq!(found["max_in_region"], there["accesses_max"], "{input:?}: {heap} in {region} bytes");
        assert!(
            whole(&there["accesses_max"]) <= max,
            "{input:?}: {heap} has {} accesses in {region} bytes, of {max}",
            there["accesses_max"]
        );
    }
}

fn all_inputs(limit: &str) -> Vec<Vec<String>> {
    let shared = root().join("../shared/data");
    let own = OWN.iter().filter_map(|input| arguments(&root(), *input, limit));
    own.chain(SHARED.iter().filter_map(|input| arguments(&shared, *input, limit))).collect()
}

#[test]
fn a_region_and_a_maximum_that_are_asked_for_are_kept() {
    let some = OWN.iter().step_by(4).filter_map(|input| arguments(&root(), *input, "2500"));
    some.for_each(|input| keeps_both(&input, &["--robust", "off"]));
}

#[test]
#[ignore = "takes four minutes of processors: `cargo xtask nightly whole`"]
fn a_region_and_a_maximum_that_are_asked_for_are_kept_on_all_inputs() {
    all_inputs("20000").iter().for_each(|input| keeps_both(input, &[]));
}

/// The buffer of `examples/firmware`, and a named heap with a list for every size.
const FRAMES: Input = ("samples/web.pcap.xz", "easyport");

#[test]
fn the_smallest_region_of_a_named_heap_is_shown_with_what_it_does_there() {
    let dir = tempfile::tempdir().expect("a folder");
    let input = arguments(&root(), FRAMES, "6000").expect("a sample");
    let input: Vec<&str> = input.iter().map(String::as_str).collect();
    let replay = |more: &[&str]| {
        let arguments = [&["replay"], &input[..], &["--heap", "windows-xp", "--format", "json"], more].concat();
        rows(&heapsmith(dir.path(), &arguments)).remove(0)
    };
    let shown = replay(&["--min-region"]);
    let there = replay(&["--region", &shown["min_region"].to_string()]);
    assert_eq!((&shown["min_region"], whole(&shown["accesses_max"])), (&Value::from(181_792), 35));
    assert_eq!(
        (whole(&there["failed"]), whole(&there["accesses_max"])),
        (0, 1_255),
        "its lists are given back at once"
    );
    assert_eq!(shown["max_in_region"], there["accesses_max"], "{shown}");
    assert!(there["max_in_region"].is_null(), "no region was looked for");
}

#[test]
fn the_page_draws_what_is_done_in_the_region_that_was_asked_for() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("one.toml"), "[[family]]\nname = \"one\"\nheap = [\"windows-xp\"]\n")
        .expect("a file");
    let input = arguments(&root(), FRAMES, "6000").expect("a sample");
    let input: Vec<&str> = input.iter().map(String::as_str).collect();
    let usual = ["--space", "one.toml", "--rounds", "0", "--max-region", "181792", "-o", "out"];
    told(&heapsmith(dir.path(), &[&["explore"], &input[..], &usual].concat()));
    let page = std::fs::read_to_string(dir.path().join("out/report.html")).expect("a page");
    let replay = |more: &[&str]| {
        let arguments = [&["replay"], &input[..], &["--heap", "windows-xp", "--format", "json"], more].concat();
        Bytes(whole(&rows(&heapsmith(dir.path(), &arguments)).remove(0)["footprint_peak"]))
    };
    let (there, large) = (replay(&["--region", "181792"]), replay(&[]));
    assert!(large.0 > 181_792, "{large}");
    for shown in ["The pick needs {} (", "the pick needs <strong>{}</strong>", "footprint at most {}"] {
        let [told, wrong] = [there, large].map(|bytes| page.contains(&shown.replace("{}", &bytes.to_string())));
        assert!(told && !wrong, "{shown}: {there}, and {large} in a large region");
    }
    assert!(page.contains("(which was asked for)"));
    let map = ["--heap", "windows-xp", "--region", "181792", "--map", "map.html"];
    told(&heapsmith(dir.path(), &[&["replay"], &input[..], &map].concat()));
    let map = std::fs::read_to_string(dir.path().join("map.html")).expect("a map");
    assert!(map.contains(&format!("footprint at most {there}")), "a map is of that region, too");
}

#[test]
fn an_exploration_confined_to_the_region_of_a_named_heap_does_not_pick_its_trap() {
    let dir = tempfile::tempdir().expect("a folder");
    const XP: &str = "freelists(8..=1024 step 8) list(order=fifo, fit=first, split=always, coalesce=immediate) align=8";
    let space = format!("[[family]]\nname = \"two\"\nheap = [\"{XP}\", \"tlsf\"]\n");
    std::fs::write(dir.path().join("two.toml"), space).expect("a file");
    let input = arguments(&root(), FRAMES, "6000").expect("a sample");
    let input: Vec<&str> = input.iter().map(String::as_str).collect();
    let usual = ["--space", "two.toml", "--rounds", "0", "--no-peers", "--format", "json", "--prefer", "speed"];
    let explore =
        |limits: &[&str]| pick(&rows(&heapsmith(dir.path(), &[&["explore"], &input[..], &usual, limits].concat())));
    assert_eq!(explore(&[])["heap"], XP, "it takes fewest accesses");
    let confined = explore(&["--max-region", "181792", "--max-op", "60"]);
    assert_ne!(confined["heap"], XP);
    assert!(whole(&confined["max_in_region"]) <= 60, "{confined}");
}

#[test]
fn what_is_shown_next_to_the_ram_to_reserve_holds_in_that_region() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("lists.toml"), LISTS).expect("a file");
    let input = arguments(&root(), OWN[0], "2500").expect("a sample");
    let input: Vec<&str> = input.iter().map(String::as_str).collect();
    let usual = ["--space", "lists.toml", "--rounds", "0", "--no-peers", "--format", "json"];
    for limits in [&[][..], &["--max-region", "128K"], &["--max-region", "124K", "--max-op", "40"]] {
        let pick = pick(&rows(&heapsmith(dir.path(), &[&["explore"], &input[..], &usual, limits].concat())));
        let region = pick["region"].to_string();
        let heap = pick["heap"].as_str().expect("a heap");
        let large =
            rows(&heapsmith(dir.path(), &[&["replay"], &input[..], &["--heap", heap, "--format", "json"]].concat()));
        let reserved = whole(&large[0]["footprint_peak"]).next_multiple_of(8);
        assert_eq!(region, if limits.is_empty() { reserved.to_string() } else { bytes(limits[1]).to_string() });
        assert!(whole(&pick["min_region"]) <= reserved);
        let replay = [&["replay"], &input[..], &["--heap", heap, "--region", &region, "--format", "json"]].concat();
        let there = rows(&heapsmith(dir.path(), &replay)).remove(0);
        assert_eq!(there["failed"], 0, "{pick}");
        assert_eq!(pick["max_in_region"], there["accesses_max"]);
        assert_eq!(pick["accesses_per_op"], there["accesses_per_op"]);
        assert!(pick["max"] == there["accesses_max"], "what is shown is what holds there: {pick}");
        assert!(limits.len() < 4 || whole(&pick["max"]) <= 40, "{pick}");
    }
}

fn bytes(text: &str) -> u64 {
    text.strip_suffix('K').expect("KiB").parse::<u64>().expect("a number") << 10
}
