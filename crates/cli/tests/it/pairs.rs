//! Options that change what is picked, two by two: every pair of their values is part of an exploration, whose pick is
//! aligned, confined and bounded as it was asked for, in `replay` and in `bound` as well.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use heapsmith_spec::{Check, Spec, Target};
use serde_json::Value;

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).args(arguments).output().expect("the command starts")
}

/// An option and its values; an empty value leaves it out.
type Choice = (&'static str, &'static [&'static str]);

const CHOICES: [Choice; 9] = [
    ("--target", &["network-2006", "cortex-m", "host"]),
    ("--align", &["", "4", "8", "16"]),
    ("--check", &["", "off", "header"]),
    ("--prefer", &["balanced", "memory", "speed", "bounded"]),
    ("--max-region", &["", "136K"]),
    ("--max-op", &["", "120"]),
    ("--robust", &["on", "off"]),
    ("--search", &["exhaustive", "halving"]),
    ("--jobs", &["1", "3"]),
];

/// A value for each option, by its number.
type Row = [usize; CHOICES.len()];

/// Two options and a value of each.
type Pair = [(usize, usize); 2];

fn pairs() -> Vec<Pair> {
    let values = |option: usize| (0..CHOICES[option].1.len()).map(move |value| (option, value));
    let of = |first: usize| (first + 1..CHOICES.len()).map(move |second| (first, second));
    let both = (0..CHOICES.len()).flat_map(of);
    both.flat_map(|(first, second)| values(first).flat_map(move |one| values(second).map(move |other| [one, other])))
        .collect()
}

/// Rows that have every pair: each begins with a pair that none before has, and takes what covers most of the others.
fn rows() -> Vec<Row> {
    let (mut open, mut rows) = (pairs(), Vec::new());
    while let Some(&[one, other]) = open.first() {
        let mut chosen: Vec<(usize, usize)> = vec![one, other];
        for (option, (_, values)) in CHOICES.iter().enumerate() {
            if chosen.iter().any(|(taken, _)| *taken == option) {
                continue;
            }
            let covers = |value: &usize| {
                let has = |at: &(usize, usize)| *at == (option, *value) || chosen.contains(at);
                open.iter().filter(|pair| pair.iter().all(has)).count()
            };
            let best = (0..values.len()).rev().max_by_key(covers).expect("an option has values");
            chosen.push((option, best));
        }
        chosen.sort_unstable();
        open.retain(|pair| !pair.iter().all(|at| chosen.contains(at)));
        rows.push(std::array::from_fn(|option| chosen[option].1));
    }
    rows
}

#[test]
fn the_rows_have_every_pair_and_are_few() {
    let rows = rows();
    for [one, other] in pairs() {
        assert!(rows.iter().any(|row| row[one.0] == one.1 && row[other.0] == other.1), "{one:?} with {other:?}");
    }
    assert!(rows.len() <= 24, "{} rows", rows.len());
}

/// Beginning of a sample, as `drr` sees it: 2,500 events.
fn input() -> [String; 5] {
    let sample: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/ftp.pcap.xz");
    [sample.to_str().expect("a plain path"), "--as", "drr", "--limit", "2500"].map(str::to_owned)
}

/// Designs with lists and thresholds, two that have bounds, lists that are flushed in parts, and magazines.
const SPACE: &str = "[[family]]\nname = \"lists\"\nheap = [\"list(order=lifo)\", \"list(order=address)\", \"tlsf\", \
    \"list(order=address, coalesce>=64)\"]\n[family.levels]\nfreelists = [0, 2, 16]\n\
    [[family]]\nname = \"flushed in parts\"\nheap = [\"freelists(8..=1024 step 8, flush=bounded(4)) tlsf\", \
    \"freelists(16..=64 step 8, flush=bounded(4)) list(order=address)\"]\n\
    [[family]]\nname = \"magazines\"\nheap = [\"freelists(8..=1024 step 8, magazine=8) tlsf\", \
    \"freelists(16..=64 step 8, magazine=3) list(order=address)\"]\n";

/// What is asked: each option with its value.
struct Asked(Row);

impl Asked {
    fn value(&self, option: &str) -> Option<&'static str> {
        let place = CHOICES.iter().position(|(name, _)| *name == option).expect("an option");
        Some(CHOICES[place].1[self.0[place]]).filter(|value| !value.is_empty())
    }

    fn options(&self) -> Vec<&'static str> {
        CHOICES.iter().flat_map(|(name, _)| self.value(name).map(|value| [*name, value])).flatten().collect()
    }

    fn target(&self) -> &'static Target {
        Target::named(self.value("--target").expect("a target")).expect("a target")
    }

    /// What every heap of the space can check.
    fn check(&self) -> Check {
        match self.value("--check") {
            Some("off") => Check::Off,
            Some(_) => Check::Header,
            None => self.target().check,
        }
    }

    fn alignment(&self) -> u32 {
        let target = self.target();
        self.value("--align").map_or(target.alignment.unwrap_or(4), |align| align.parse().expect("a number"))
    }
}

fn json(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The pick of an exploration, if there is one that meets what is asked.
fn explored(dir: &Path, asked: &Asked) -> Option<Value> {
    std::fs::write(dir.join("space.toml"), SPACE).expect("a file");
    let input = input();
    let input: Vec<&str> = input.iter().map(String::as_str).collect();
    let usual = ["--space", "space.toml", "--rounds", "0", "--no-peers", "--format", "json", "-o", "out"];
    let output = heapsmith(dir, &[&["explore"], &input[..], &usual, &asked.options()].concat());
    if output.status.code() == Some(1) {
        let why = String::from_utf8_lossy(&output.stderr);
        assert!(why.contains(": nearest ") || why.contains("no design"), "{why}");
        return None;
    }
    json(&output).into_iter().find(|row| row["note"] == "pick")
}

/// Replays a pick as it was asked for, and asks for its bound.
fn holds(dir: &Path, asked: &Asked, pick: &Value) {
    let heap = pick["heap"].as_str().expect("a heap");
    let spec: Spec = heap.parse().expect("a spec");
    assert_eq!((spec.alignment, spec.check), (asked.alignment(), asked.check()), "{heap}");
    let region = asked.value("--max-region").map_or_else(|| pick["region"].to_string(), str::to_owned);
    let input = input();
    let input: Vec<&str> = input.iter().map(String::as_str).collect();
    let replay = |more: &[&str]| {
        let arguments = [&["replay"], &input[..], &["--heap", heap, "--verify", "--format", "json"], more].concat();
        json(&heapsmith(dir, &arguments)).remove(0)
    };
    let there = replay(&["--region", &region]);
    assert_eq!(there["failed"], 0, "{heap} in {region}");
    assert_eq!(pick["max_in_region"], there["accesses_max"], "{heap} in {region}");
    let shown = if asked.value("--max-region").is_some() { there } else { replay(&[]) };
    assert_eq!(
        (&pick["max"], &pick["fragmentation"]),
        (&shown["accesses_max"], &shown["fragmentation"]),
        "{heap}: what is explored is what is replayed"
    );
    if let Some(max) = asked.value("--max-op") {
        assert!(whole(&shown["accesses_max"]) <= max.parse().expect("a number"), "{heap}: {shown}");
    }
    let live = shown["requested_peak"].to_string();
    let bound = json(&heapsmith(dir, &["bound", heap, "--max-live", &live, "--max-size", "2048", "--format", "json"]));
    let is_bounded = asked.value("--prefer") == Some("bounded");
    assert!(!is_bounded || bound[0]["worst_case_allocate"].is_u64(), "{heap} has no proven bound");
    assert!(!is_bounded || pick["proven_bytes"].is_u64(), "{heap}: what is proven is said: {pick}");
    if let Some(proven) = pick["proven_bytes"].as_u64() {
        assert!(proven >= whole(&pick["region"]) || asked.value("--max-region").is_some(), "{heap}: {pick}");
        assert!(whole(&pick["proven_accesses"]) >= whole(&pick["max"]), "{heap}: {pick}");
    }
    if let Some(proven) = bound[0]["bound"].as_u64() {
        assert!(proven >= whole(&shown["footprint_peak"]), "{heap}: bound {proven}, and {shown}");
    }
}

#[test]
fn every_pair_of_options_gives_a_pick_that_is_as_it_was_asked_for() {
    let mut found = 0;
    for row in rows() {
        let asked = Asked(row);
        println!("{}", asked.options().join(" "));
        let dir = tempfile::tempdir().expect("a folder");
        let Some(pick) = explored(dir.path(), &asked) else { continue };
        holds(dir.path(), &asked, &pick);
        found += 1;
    }
    assert!(found > rows().len() / 2, "{found} picks of {} questions", rows().len());
}
