//! Reference allocators through the command: what is shown of them, and that memory is measured alike.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;

use heapsmith_explore::{Exploration, Space, Store, Sweep, measure_catalogue, sweep};
use heapsmith_peers::Peer;
use heapsmith_replay::{Subject, TouchedPages, pages};
use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Trace};
use serde_json::Value;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/mixed.pcapng.xz")
}

fn heapsmith(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heapsmith")).args(arguments).output().expect("the command runs")
}

fn replay(options: &[&str]) -> Output {
    let sample = sample();
    let sample = sample.to_str().expect("a plain path");
    heapsmith(&[&["replay", sample, "--as", "easyport", "--limit", "3000"], options].concat())
}

fn rows(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON and nothing else")
}

#[test]
fn peers_stand_beside_our_heaps_with_what_can_be_measured_of_them() {
    let rows = rows(&replay(&[
        "--heap",
        "tlsf",
        "--heap",
        "peer:all",
        "--time",
        "--latency",
        "--rounds",
        "3",
        "--verify",
        "--format",
        "json",
    ]));
    assert_eq!(rows.len(), 1 + Peer::built().count());
    for row in &rows {
        for key in ["ns_per_op", "touched_page_overhead", "touched_pages", "latency_p50", "latency_max", "counter_p50"]
        {
            assert!(row[key].is_number(), "{key} in {row}");
        }
        // What disagrees on this machine is timed for up to three times as many rounds more.
        let rounds = row["ns_per_op_rounds"].as_array().map_or(0, Vec::len);
        assert!([3, 6, 9, 12].contains(&rounds), "{rounds} rounds in {row}");
        let ns = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key} in {row}"));
        let (low, high) = (ns("ns_per_op_low"), ns("ns_per_op_high"));
        assert!(low <= ns("ns_per_op") && ns("ns_per_op") <= high, "{row}");
        assert!(row["ns_reliable"] == true || rounds == 12, "only what was timed again is unreliable: {row}");
        let peer = row["heap"].as_str().is_some_and(|heap| heap.starts_with("peer:"));
        for key in ["accesses_per_op", "accesses", "max", "fragmentation", "footprint", "footprint_peak"] {
            assert_eq!(row[key].is_null(), peer, "{key} in {row}");
        }
        assert_eq!((row["refused"].as_u64(), row["failed"].as_u64()), (Some(0), Some(0)));
        assert_eq!(row["version"].is_string(), peer);
    }
}

#[test]
fn people_see_how_memory_was_measured() {
    let output = replay(&["--heap", "list", "--heap", "peer:rlsf"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("touched-page overhead = touched / requested peak - 1"), "{text}");
    let plain = replay(&["--heap", "list"]);
    assert!(
        !String::from_utf8_lossy(&plain.stdout).contains("touched_pages"),
        "and nothing of it where it was not measured"
    );
}

#[test]
fn an_unknown_peer_is_wrong_use_and_lists_those_there_are() {
    let output = replay(&["--heap", "peer:mimaloc"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("no peer is called \"mimaloc\"; there are: libc, mimalloc, "), "{error}");
}

#[test]
fn a_peer_that_fails_a_request_is_told() {
    let options = ["--heap", "peer:talc", "--region", "20K"];
    let output = replay(&options);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.contains("peer:talc refused "), "{error}");
    let output = replay(&[&options[..], &["--verify"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let output = replay(&["--heap", "peer:libc", "--region", "20K"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("--region does not bind peer:libc"));
}

#[test]
fn a_linear_peer_is_cut_short_and_says_so() {
    let output =
        replay(&["--heap", "list", "--heap", "peer:linked_list_allocator", "--linear-events", "100", "--time"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("peer:linked_list_allocator, first 100 events") && text.contains("Cut short:"), "{text}");
}

/// 300 blocks of 1,000 bytes, of which every other is freed at the end.
fn trace() -> PackedTrace {
    let mut trace = Trace::new(Origin::new("test", ""));
    let size = Bytes(1000);
    trace.events.extend((0..300).map(|id| Event::at(id, Action::Allocate { id, size, alignment: 0 })));
    trace.events.extend((0..300).step_by(2).map(|id| Event::at(300 + id, Action::Free { id })));
    PackedTrace::new(&trace).expect("a sound trace")
}

fn measured(subject: &str) -> TouchedPages {
    let subject = if subject == "nothing" { Subject::Nothing } else { subject.parse().expect("a subject") };
    pages(Path::new(env!("CARGO_BIN_EXE_heapsmith")), &subject, &trace(), usize::MAX).expect("a measure")
}

#[test]
fn pages_are_those_of_the_payloads_and_of_what_the_allocator_adds() {
    assert!(measured("nothing").touched <= Bytes(32 << 10), "what the measure itself touches is little");
    // Header and 1,000 bytes, in words of 8: 302,400 bytes and the heap's own words.
    let list = measured("list word=8");
    assert_eq!((list.requested_peak, list.failed, list.events), (Bytes(300_000), 0, 450));
    assert!((Bytes(302_400)..Bytes(302_400 + (32 << 10))).contains(&list.touched), "{list:?}");
    // No header, a bit for 8 bytes, and the table on no page apart.
    let bitmap = measured("bitmap word=8");
    assert!((Bytes(304_700)..Bytes(304_700 + (8 << 10))).contains(&bitmap.touched), "{bitmap:?}");
    for peer in Peer::built() {
        let pages = measured(&peer.to_string());
        assert!((Bytes(300_000)..Bytes(4 << 20)).contains(&pages.touched), "{peer}: {pages:?}");
    }
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn results_are_the_same_with_peers_and_without() {
    let dir = tempfile::tempdir().expect("a folder");
    let sample = sample();
    let explore = |name: &str, more: &[&str]| {
        let out = dir.path().join(name);
        let path = out.to_str().expect("a plain path");
        let arguments = ["explore", sample.to_str().expect("a plain path"), "--as", "easyport", "--limit", "1500"];
        let output = heapsmith(&[&arguments[..], &["--format", "json", "--rounds", "1", "--out", path], more].concat());
        let csv = std::fs::read_to_string(out.join("results.csv"));
        (rows(&output), csv.expect("results.csv"))
    };
    let (with, results) = explore("with", &[]);
    let peers: Vec<&Value> = with.iter().filter(|row| row["note"] == "peer").collect();
    assert_eq!(peers.len(), Peer::built().count());
    assert!(peers.iter().all(|row| row["ns_per_op"].is_number() && row["touched_pages"].is_number()));
    assert!(with.iter().all(|row| row["touched_page_overhead"].is_number()), "ours are measured alike");
    let (without, same) = explore("without", &["--no-peers"]);
    assert!(without.iter().all(|row| row["note"] != "peer" && row["touched_pages"].is_null()));
    assert!(results == same, "what is measured of peers does not enter the results");
}

#[test]
fn memory_is_that_of_whole_traces_where_only_their_begin_is_timed() {
    const BLOCKS: u64 = 500;
    let mut trace = Trace::new(Origin::new("late", ""));
    let allocate = |id| Event::at(id, Action::Allocate { id, size: Bytes(4096), alignment: 0 });
    trace.events.extend((0..BLOCKS).flat_map(|id| [allocate(id), Event::at(id, Action::Free { id })]));
    trace.events.extend((BLOCKS..2 * BLOCKS).map(allocate));
    let traces = [PackedTrace::new(&trace).expect("a sound trace")];
    let text = "[[family]]\nname = \"one\"\nheap = [\"tlsf\"]\n[family.levels]\nword = [4]\n";
    let space = Space::of("one", text, &traces).expect("a space");
    let (folder, stop) = (tempfile::tempdir().expect("a folder"), AtomicBool::new(false));
    let mut store =
        Store::begin(&folder.path().join(Store::FILE), &space, &traces, "heapsmith explore").expect("a store");
    sweep(&Sweep::exhaustive(&space, &traces, 1, &stop), &mut store, &mut |_| {}).expect("a sweep");
    measure_catalogue(&mut store, &traces, &stop).expect("a catalogue");
    let mut exploration = Exploration::load(&store).expect("results");
    let mut named = exploration.named(&[0], &[Peer::Rlsf, Peer::LinkedList]);
    named.iter_mut().for_each(|named| named.events = vec![10]);
    let command = Path::new(env!("CARGO_BIN_EXE_heapsmith"));
    exploration.measure_pages(&mut store, &traces, &named, command, 2, &mut |_| true).expect("pages");
    let all = trace.events.len() as u64;
    for (name, events) in [("0", all), ("first-fit", all), ("peer:rlsf", all), ("peer:linked_list_allocator", 10)] {
        let pages = exploration.pages_of(name).expect(name);
        assert_eq!(pages.events, events, "{name}");
        assert_eq!(pages.touched >= Bytes(BLOCKS * 4096), events == all, "{name}: {}", pages.touched);
    }
}
