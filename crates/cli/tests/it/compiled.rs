//! Heaps as they ship: emitted as C, compiled and timed in this process, at the addresses of the heaps that are built in.

use std::path::Path;
use std::process::{Command, Output};

use heapsmith_emit::{Compiler, timed};
use heapsmith_output::Scratch;
use heapsmith_peers::CompiledHeap;
use heapsmith_replay::{Region, Subject, offsets};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Trace};
use serde_json::Value;

/// The heaps: of each word, with each kind of pool, layers and levels.
const HEAPS: [&str; 14] = [
    "list",
    "list(order=implicit, fit=best, tags=off) word=2",
    "lea-2.7.2",
    "tlsf align=16",
    "freelists(16..=512 step 16) bins(log) word=8",
    "tree(red-black) word=8",
    "skiplist",
    "pages(search=tree) word=8",
    "buddy(estranged) word=8",
    "classes(16..=4096 double, then step 4096)",
    "half-fit word=8",
    "zero tlsf check=header",
    "guard(quarantine=8, pages=off) tlsf word=8",
    "bump",
];

/// Blocks of many sizes and alignments, of which some are resized and most are freed.
fn trace() -> PackedTrace {
    let mut trace = Trace::new(Origin::new("test", ""));
    let mut random = 12345_u64;
    for id in 0..2000_u64 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let size = Bytes(1 + (random >> 40) % 300);
        let alignment = if id % 17 == 0 { 32 } else { 0 };
        trace.events.push(Event::at(trace.events.len() as u64, Action::Allocate { id, size, alignment }));
        if id % 5 == 3 {
            let size = Bytes(1 + (random >> 20) % 400);
            trace.events.push(Event::at(trace.events.len() as u64, Action::Reallocate { id, size }));
        }
        if id >= 40 && id % 9 != 0 {
            trace.events.push(Event::at(trace.events.len() as u64, Action::Free { id: id - 40 }));
        }
    }
    PackedTrace::new(&trace).expect("a sound trace")
}

/// Functions that a library exports are called by way of a table, as another library may have taken their place: a program that the
/// heap is compiled into calls them by one call.
#[test]
fn a_call_of_a_timed_heap_is_one_call() {
    let (compiler, scratch) = (Compiler::find().expect("install build-essential"), Scratch::new().expect("a folder"));
    let library = timed::library(&resolve("freelists(64) tlsf").expect("a heap"), &compiler, &scratch, "one.so");
    let listed = Command::new("nm").args(["-D", "--defined-only"]).arg(library.expect("a library")).output();
    let listed = String::from_utf8(listed.expect("nm is where the compiler is").stdout).expect("names");
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().last()).collect();
    assert_eq!(names, ["heapsmith_compiled"]);
}

#[test]
fn a_compiled_heap_has_the_addresses_of_the_one_that_is_built_in() {
    let (compiler, scratch) = (Compiler::find().expect("install build-essential"), Scratch::new().expect("a folder"));
    let trace = trace();
    let mut region = Region::for_trace(&trace).expect("memory");
    let all = region.size();
    for (number, heap) in HEAPS.into_iter().enumerate() {
        let spec: Spec = resolve(heap).expect(heap);
        let library = timed::library(&spec, &compiler, &scratch, &format!("{number}.so")).expect(heap);
        let loaded = CompiledHeap::load(&library).expect("it is loaded");
        let built_in = offsets(&spec.clone().into(), &trace, &mut region, all).expect(heap);
        let compiled = Subject::Compiled(Box::new(spec), loaded.into());
        assert_eq!(compiled.to_string(), resolve(heap).expect(heap).to_string());
        // Twice: a heap begins empty in each replay.
        for _ in 0..2 {
            let compiled = offsets(&compiled, &trace, &mut region, all).expect(heap);
            let differs = compiled.iter().zip(&built_in).position(|(one, other)| one != other);
            assert_eq!(differs.map(|event| (event, compiled[event], built_in[event])), None, "{heap}");
            assert_eq!(compiled.len(), built_in.len());
        }
        assert!(built_in.iter().flatten().count() > 1000, "{heap}");
    }
}

#[test]
fn a_file_that_is_no_heap_is_not_loaded() {
    let scratch = Scratch::new().expect("a folder");
    let text = scratch.write("text.so", "no library").expect("a file");
    assert!(CompiledHeap::load(&text).is_err_and(|error| error.to_string().contains("cannot be loaded")));
    assert!(CompiledHeap::load(Path::new("/nowhere/heap.so")).is_err());
}

fn replay(variables: &[(&str, &str)], options: &[&str]) -> Output {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/mixed.pcapng.xz");
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.arg("replay").arg(sample).args(["--as", "easyport", "--limit", "3000", "--rounds", "1"]).args(options);
    command.env_remove("CC").envs(variables.iter().copied()).output().expect("the command runs")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What C has no template for.
const MOVING: &str = "buddy(knuth, start=one-block, defragment=on-demand)";

#[test]
fn replay_says_of_each_heap_how_it_was_timed() {
    let heaps = ["--heap", "tlsf", "--heap", "peer:libc", "--heap", MOVING, "--format", "json"];
    let timed_as = |variables: &[(&str, &str)], more: &[&str]| {
        let output = replay(variables, &[&heaps, more].concat());
        assert!(output.status.success(), "{}", told(&output));
        let rows: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
        let all: Vec<String> = rows.iter().map(|row| row["timed_as"].as_str().unwrap_or("-").to_owned()).collect();
        (all.join(" "), told(&output))
    };
    assert_eq!(timed_as(&[], &["--time"]).0, "built-in - built-in");
    let (compiled, said) = timed_as(&[], &["--time", "--compiled"]);
    assert_eq!(compiled, "compiled - built-in", "{said}");
    assert!(said.contains("is timed as it is built in: "), "{said}");
    assert_eq!(timed_as(&[], &["--latency", "--compiled"]).0, "- - -");
    let (without, said) = timed_as(&[("PATH", "/nowhere")], &["--time", "--compiled"]);
    assert_eq!(without, "built-in - built-in");
    assert!(said.contains("heaps are timed as they are built in: there is no C compiler"), "{said}");
}

#[test]
fn what_has_no_time_has_no_compiled_form() {
    for (options, why) in [
        (&["--heap", "tlsf", "--compiled"][..], "--compiled is of --time and --latency"),
        (&["--heap", "tlsf", "--compiled", "--over-time"], "cannot be used with"),
        (&["--heap", "tlsf", "--compiled", "--loop", "2"], "cannot be used with"),
    ] {
        let output = replay(&[], options);
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(told(&output).contains(why), "{}", told(&output));
    }
}

#[test]
fn an_exploration_times_its_heaps_as_they_ship() {
    const SPACE: &str =
        "[[family]]\nname = \"small\"\nheap = \"list(order=address)\"\n[family.levels]\nfit = [0, 100]\n";
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("small.toml"), SPACE).expect("a space");
    let explored = |variables: &[(&str, &str)], out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
        command.current_dir(dir.path()).envs(variables.iter().copied());
        command.args(["explore", "workload:every-other", "--set", "objects=64", "--space", "small.toml"]);
        let output = command.args(["--rounds", "1", "--no-peers", "--format", "json", "-o", out]).output();
        let Output { status, stdout, stderr } = output.expect("the command starts");
        let said = String::from_utf8_lossy(&stderr).into_owned();
        assert!(status.success(), "{said}");
        (String::from_utf8_lossy(&stdout).replace(' ', ""), said)
    };
    let (compiled, built_in) = ("\"timed_as\":\"compiled\"", "\"timed_as\":\"built-in\"");
    let (rows, said) = explored(&[], "with");
    assert!(rows.contains(compiled) && !rows.contains(built_in), "{rows}\n{said}");
    let (rows, said) = explored(&[("PATH", "/nowhere"), ("CC", "")], "without");
    assert!(rows.contains(built_in) && !rows.contains(compiled), "{rows}");
    assert!(said.contains("heaps are timed as they are built in: there is no C compiler"), "{said}");
}
