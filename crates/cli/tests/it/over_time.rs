//! The lower bound, perturbed traces, and heaps over time and over many passes, through the command.

use std::path::Path;
use std::process::{Command, Output};

use crate::browser::{Browser, Screen};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_heapsmith"))
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", "160")
        .output();
    command.expect("the command runs")
}

/// Standard output of what has to work.
fn heapsmith(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn json(folder: &Path, arguments: &[&str]) -> Vec<serde_json::Value> {
    serde_json::from_str(&heapsmith(folder, &[arguments, &["--format", "json"]].concat())).expect("JSON")
}

/// Blocks of three sizes, freed in turns; every tenth is never freed.
fn trace(folder: &Path) {
    let mut text = String::from("action,id,size\n");
    for id in 0..200_u64 {
        text += &format!("allocate,{id},{}\n", [24, 66, 500][id as usize % 3]);
        if id >= 7 && (id - 7) % 10 != 0 {
            text += &format!("free,{},\n", id - 7);
        }
    }
    std::fs::write(folder.join("trace.csv"), text).expect("a file");
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    trace(folder.path());
    folder
}

#[test]
fn moments_of_a_trace_are_a_table() {
    let folder = folder();
    let arguments = ["replay", "trace.csv", "--heap", "list(order=address, fit=first)", "--over-time=8"];
    insta::assert_snapshot!(heapsmith(folder.path(), &arguments));
    let rows = json(folder.path(), &["replay", "trace.csv", "--heap", "list", "--heap", "tlsf", "--over-time"]);
    assert_eq!(rows.len(), 400);
    assert!(rows.iter().all(|row| row["footprint"].as_u64() >= row["requested"].as_u64()));
    let larger = ["replay", "trace.csv", "--heap", "list", "--heap", "tlsf", "--over-time", "--region", "64K"];
    let more = json(folder.path(), &larger);
    assert!(rows.iter().zip(&more).all(|(row, more)| {
        more["largest_request"].as_u64() > row["largest_request"].as_u64() && more["footprint"] == row["footprint"]
    }));
}

#[test]
fn a_trace_is_looped_and_drift_is_told() {
    let folder = folder();
    let heaps = ["--heap", "list(order=address, fit=first)", "--heap", "bump"];
    let arguments = [&["replay", "trace.csv", "--loop", "20"], &heaps[..]].concat();
    insta::assert_snapshot!(heapsmith(folder.path(), &arguments));
    let rows = json(folder.path(), &[&arguments[..], &["--leaked", "free"]].concat());
    assert_eq!(rows[0]["drift"], 0);
    assert_eq!(rows[1]["settles"], "no");
    assert_eq!(rows[0]["footprint_peaks"].as_array().map(Vec::len), Some(20));
}

#[test]
fn what_looks_over_time_measures_nothing_else() {
    let folder = folder();
    for wrong in [&["--over-time", "--time"][..], &["--loop", "3", "--verify"], &["--leaked", "free"], &["--loop", "1"]]
    {
        let output = run(folder.path(), &[&["replay", "trace.csv", "--heap", "list"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_lower_bound_has_two_lines() {
    let folder = folder();
    let told = heapsmith(folder.path(), &["inspect", "trace.csv", "--lower-bound"]);
    let lines: Vec<&str> = told.lines().skip_while(|line| !line.starts_with("lower bound")).take(2).collect();
    insta::assert_snapshot!(lines.join("\n"));
    let rows = json(folder.path(), &["inspect", "trace.csv", "--lower-bound"]);
    assert!(rows[0]["offline"].as_u64() >= rows[0]["peak_live"].as_u64() && rows[0]["peak_live"].as_u64() > Some(0));
    assert!(!heapsmith(folder.path(), &["inspect", "trace.csv"]).contains("lower bound"));
}

#[test]
fn lists_of_lifetimes_have_a_lower_bound_and_are_replayed() {
    let folder = folder();
    let buffers = "id,lower,upper,size\n0,0,10,100\n1,5,20,50\n2,10,30,100\n3,20,40,50\n";
    std::fs::write(folder.path().join("buffers.csv"), buffers).expect("a file");
    let lower_bound = &json(folder.path(), &["inspect", "buffers.csv", "--lower-bound"])[0];
    assert_eq!(
        (&lower_bound["peak_live"], &lower_bound["offline"], &lower_bound["is_optimal"]),
        (&150.into(), &150.into(), &"yes".into())
    );
    heapsmith(folder.path(), &["replay", "buffers.csv", "--heap", "tlsf", "--verify"]);
}

#[test]
fn a_perturbed_trace_is_told_reproduced_and_replayed() {
    let folder = folder();
    let all = ["--jitter", "each=20%", "--stretch", "50%", "--shuffle", "4", "--perturb-seed", "5"];
    let told = heapsmith(folder.path(), &[&["inspect", "trace.csv"], &all[..]].concat());
    for setting in ["jitter=each=20%", "stretch=50%", "shuffle=4", "perturb-seed=5"] {
        assert!(told.contains(setting), "{told}");
    }
    assert!(told.contains("200 allocations, 173 frees"), "{told}");
    assert_eq!(heapsmith(folder.path(), &[&["inspect", "trace.csv"], &all[..]].concat()), told);
    let other = [&["inspect", "trace.csv"], &all[..7], &["6"]].concat();
    assert_ne!(heapsmith(folder.path(), &other), told);
    heapsmith(folder.path(), &[&["replay", "trace.csv", "--heap", "list", "--verify"], &all[..]].concat());
    let output = run(folder.path(), &["inspect", "trace.csv", "--shuffle", "marks"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("no marks"), "{error}");
}

#[test]
fn wrong_shares_are_wrong_use() {
    let folder = folder();
    for wrong in [["--jitter", "10"], ["--jitter", "each=0%"], ["--stretch", "200%"], ["--shuffle", "1"]] {
        let output = run(folder.path(), &[&["inspect", "trace.csv"], &wrong[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn maps_and_counters_hold_every_block() {
    let folder = folder();
    let two = ["--heap", "list(order=address, fit=first)", "--heap", "tlsf"];
    let written = ["replay", "trace.csv", "--map", "map.html", "--perfetto", "trace.json"];
    heapsmith(folder.path(), &[&written[..], &two].concat());
    let page = std::fs::read_to_string(folder.path().join("map.html")).expect("a page");
    assert_eq!(page.matches("<canvas").count(), 2);
    assert!(page.contains("400 blocks") && page.contains("Map of tlsf: 200 blocks"), "of each heap 200");
    let text = std::fs::read_to_string(folder.path().join("trace.json")).expect("counters");
    let counters: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let counters = counters["traceEvents"].as_array().expect("events");
    let last = |name: &str| {
        let own = counters.iter().filter(|event| event["pid"] == 2 && event["name"] == name);
        own.max_by_key(|event| event["ts"].as_u64()).map(|event| event["args"][name].clone())
    };
    let left = (0..200_u64).filter(|id| *id >= 193 || id % 10 == 0);
    let bytes: u64 = left.clone().map(|id| [24, 66, 500][id as usize % 3]).sum();
    assert_eq!(last("live blocks"), Some(serde_json::json!(left.count())));
    assert_eq!(last("live bytes"), Some(serde_json::json!(bytes)));
    for wrong in [&["trace.csv", "trace.csv", "--heap", "tlsf"][..], &["trace.csv", "--heap", "peer:libc"]] {
        let output = run(folder.path(), &[&["replay", "--map", "other.html"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn each_thread_has_a_track_of_its_operations() {
    let folder = tempfile::tempdir().expect("a folder");
    let text =
        "action,id,size,thread\nallocate,1,24,5\nallocate,2,100,9\nreallocate,1,400,5\nfree,2,,5\nallocate,3,8,9\n";
    std::fs::write(folder.path().join("threads.csv"), text).expect("a file");
    heapsmith(folder.path(), &["replay", "threads.csv", "--heap", "list", "--perfetto", "trace.json"]);
    let text = std::fs::read_to_string(folder.path().join("trace.json")).expect("events");
    let events: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let events = events["traceEvents"].as_array().expect("events");
    let of = |kind: &str| events.iter().filter(|event| event["ph"] == kind).collect::<Vec<_>>();
    let tracks: Vec<_> =
        of("M").iter().filter(|event| event["name"] == "thread_name").map(|event| &event["tid"]).collect();
    assert_eq!(tracks.len(), 2, "a track for each thread");
    let expected = [("allocate", 24), ("allocate", 100), ("reallocate", 400), ("free", 100), ("allocate", 8)];
    let threads = [0, 1, 0, 0, 1];
    assert_eq!(of("X").len(), expected.len());
    for ((number, slice), ((name, bytes), thread)) in of("X").iter().enumerate().zip(expected.iter().zip(threads)) {
        assert_eq!(
            (&slice["name"], &slice["args"]["bytes"], &slice["ts"]),
            (&(*name).into(), &(*bytes).into(), &number.into())
        );
        assert_eq!(&slice["tid"], tracks[thread], "{slice}");
    }
    trace(folder.path());
    heapsmith(folder.path(), &["replay", "trace.csv", "--heap", "list", "--perfetto", "one.json"]);
    let one = std::fs::read_to_string(folder.path().join("one.json")).expect("events");
    assert!(!one.contains("thread_name") && !one.contains("\"ph\":\"X\""), "one thread needs no track");
}

#[test]
fn the_page_of_moments_draws_itself_next_to_the_table() {
    let folder = folder();
    let heaps = ["--heap", "tlsf", "--heap", "list(order=address, fit=first, split=never, coalesce=never)"];
    let asked = [&["replay", "trace.csv", "--over-time=20"][..], &heaps].concat();
    let plain = json(folder.path(), &asked);
    assert_eq!(json(folder.path(), &[&asked[..], &["--html", "page.html"]].concat()), plain, "the table stays");
    let mut browser = Browser::start();
    for width in [1400, 400] {
        browser.open(&folder.path().join("page.html"), Screen { width, height: 900, dark: false });
        let figures = browser.evaluate("[...document.querySelectorAll('.plot')].map((plot) => plot.id)");
        assert_eq!(figures, serde_json::json!(["plot-footprint-0", "plot-room-0"]));
        assert_eq!(browser.evaluate("document.documentElement.scrollWidth > innerWidth"), false, "it scrolls sideways");
    }
    // Each heap's largest footprint, in the order of the command.
    let peaks = plain.chunks(20).map(|rows| rows[19]["footprint_peak"].as_u64().expect("bytes").to_string());
    let shown = browser.evaluate("[...document.querySelectorAll('tbody tr')].map((row) => row.cells[2].dataset.v)");
    assert_eq!(shown, serde_json::json!(peaks.collect::<Vec<_>>()));
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
    for (wrong, code) in [(&["--html", "x.html"][..], 2), (&["--over-time=5", "--html", "trace.csv"], 2)] {
        let output = run(folder.path(), &[&["replay", "trace.csv", "--heap", "tlsf"], wrong].concat());
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_map_draws_itself_in_both_forms() {
    let folder = folder();
    heapsmith(folder.path(), &["replay", "trace.csv", "--heap", "tlsf", "--heap", "list", "--map", "map.html"]);
    let mut browser = Browser::start();
    browser.open(&folder.path().join("map.html"), Screen { width: 1400, height: 900, dark: false });
    let drawn = "[...document.querySelectorAll('canvas')].map((c) => new Set(new Uint32Array(\
                 c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size)";
    let colours = browser.evaluate(drawn);
    let colours = colours.as_array().expect("a list");
    assert!(colours.len() == 2 && colours.iter().all(|count| count.as_u64() >= Some(4)), "{colours:?}");
    browser.point_at("canvas", 0.0);
    let said = browser.evaluate("document.querySelector('.canvas .tip').innerText");
    assert!(said.as_str().is_some_and(|said| said.contains("event ") && said.contains("address ")), "{said}");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}
