//! Files that other tools really wrote: those next to the workspace, if there are any,
//! and some made by running the tool, where it is installed. What is left out is said.

use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_import::{Imported, import};
use heapsmith_trace::{Bytes, Profile, Profiler};

/// A real file; says that it is left out where it is not there.
fn data(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/alloc").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("left out: {} is not there", path.display());
    None
}

fn profile(path: &Path) -> (Profile, Imported) {
    let mut profiler = Profiler::new(100);
    let imported = import(path, None, false, &mut profiler).unwrap_or_else(|error| panic!("{error}"));
    (profiler.finish(), imported.unwrap_or_else(|| panic!("{} is recognised by its content", path.display())))
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn a_phone_recorded_by_android() {
    let Some(path) = data("android/surfaceflinger.txt.xz") else { return };
    let (Profile { statistics, .. }, imported) = profile(&path);
    // 1142990 malloc, 44229 calloc; every free matches, so of 73781 reallocations those of a
    // null pointer are allocations and all frees of null pointers are left out.
    assert!(statistics.allocations >= 1_142_990 + 44_229, "{}", statistics.allocations);
    assert_eq!(statistics.allocations + statistics.reallocations, 1_142_990 + 44_229 + 73_781);
    assert_eq!((statistics.threads, statistics.blocks_left, statistics.distinct_sizes()), (15, 3567, 550));
    assert_eq!(statistics.blocks_peak, 3833);
    assert_eq!(statistics.sizes[0].size, Bytes(80));
    assert_eq!(imported.remarks, [""; 0]);
}

#[test]
fn traces_of_wee_alloc() {
    for (name, allocations, frees) in [
        ("dogfood.trace.xz", 32_472, 13_604),
        ("gcc-hello.trace.xz", 11_431, 6344),
        ("ffmpeg.trace", 1832, 1805),
        ("source-map.trace", 2087, 315),
        ("grep-recursive.trace", 657, 619),
        ("find.trace", 567, 563),
        ("cpp-demangle.trace", 62, 40),
    ] {
        let Some(path) = data(&format!("wee_alloc/{name}")) else { continue };
        let statistics = profile(&path).0.statistics;
        assert_eq!((statistics.allocations, statistics.frees), (allocations, frees), "{name}");
    }
}

#[test]
fn a_heaptrack_file_of_its_authors() {
    let Some(path) = data("heaptrack/heaptrack.heaptrack_gui.99454.xz") else { return };
    let (Profile { statistics, sites, .. }, imported) = profile(&path);
    assert_eq!((statistics.allocations, statistics.frees), (278_534, 263_117));
    assert_eq!((statistics.distinct_sizes(), statistics.sizes[0].size), (1007, Bytes(32)));
    assert_eq!(format!("{:.1}", statistics.requested_peak.0 as f64 / 1e6), "12.2");
    assert_eq!(imported.remarks, [""; 0]);
    assert!(sites.len() > 100);
}

/// Recordings of a dual-core ESP32 with ESP-IDF's own tests: in a file for each core, in one for both, and what its script prints.
/// The script says: 99 events of the heap, 17706 leaked bytes in 45 blocks.
#[test]
fn a_board_recorded_by_esp_idf() {
    let found = |statistics: &heapsmith_trace::Statistics| {
        (statistics.allocations, statistics.frees, statistics.blocks_left, statistics.bytes_left)
    };
    let wanted = (72, 27, 45, Bytes(17_706));
    for name in ["heap_log_mcore.svdat", "expected_output_mcore", "expected_output"] {
        let Some(path) = data(&format!("esp-idf/{name}")) else { continue };
        let (Profile { statistics, .. }, imported) = profile(&path);
        assert_eq!((found(&statistics), &imported.remarks[..]), (wanted, &[][..]), "{name}");
    }
    // Core 0 allocates and core 1 frees: what core 0 says of frees is that addresses come again.
    if let Some(path) = data("esp-idf/heap_log0.svdat") {
        let (Profile { statistics, .. }, imported) = profile(&path);
        assert_eq!((statistics.allocations, statistics.frees), (72, 26));
        assert!(imported.remarks[0].contains("sysview_mcore"), "{:?}", imported.remarks);
    }
    if let Some(path) = data("esp-idf/heap_log1.svdat") {
        let error = import(&path, None, false, &mut Profiler::new(100)).unwrap_err();
        assert!(error.to_string().contains("sysview_mcore"), "{error}");
    }
}

#[test]
fn lifetimes_of_accelerator_buffers() {
    let buffers = [154, 170, 203, 213, 215, 296, 308, 316, 374, 409, 454];
    for (letter, buffers) in ('A'..='K').zip(buffers) {
        let Some(path) = data(&format!("offline/minimalloc-{letter}.csv")) else { continue };
        let statistics = profile(&path).0.statistics;
        assert_eq!((statistics.allocations, statistics.frees), (buffers, buffers), "{letter}");
        assert!((986_112..=1_048_576).contains(&statistics.requested_peak.0), "{letter}");
    }
    for (name, buffers) in [("somas_tensors-resnet50.csv", 1042), ("somas_tensors-pangu_2.6B.csv.xz", 18_692)] {
        let Some(path) = data(&format!("offline/{name}")) else { continue };
        assert_eq!(profile(&path).0.statistics.allocations, buffers, "{name}");
    }
}

/// Whether a tool is there; says what is left out where it is not.
fn is_there(tool: &str, why: &str) -> bool {
    let is_there = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("left out: {tool} is not installed ({why})");
    }
    is_there
}

/// A C program that allocates as known.
fn program(folder: &Path) -> PathBuf {
    let (source, program) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(
        &source,
        "#include <mcheck.h>\n#include <stdlib.h>\nint main(void) {\n  void *volatile blocks[500];\n  mtrace();\n\
         for (int at = 0; at < 500; at++) blocks[at] = malloc(1000 + at);\n\
         for (int at = 0; at < 100; at++) blocks[at] = realloc(blocks[at], 5000 + at);\n\
         for (int at = 0; at < 400; at++) free(blocks[at]);\n  return 0;\n}\n",
    )
    .unwrap();
    let status = Command::new("cc").arg("-g").arg(&source).arg("-o").arg(&program).status();
    assert!(status.is_ok_and(|status| status.success()), "cc builds a program: install a C compiler");
    program
}

#[test]
fn a_log_that_glibc_writes_here() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let run = Command::new(program(folder.path()))
        .env("LD_PRELOAD", "libc_malloc_debug.so.0")
        .env("MALLOC_TRACE", &log)
        .status();
    if !run.is_ok_and(|status| status.success()) || !log.exists() {
        eprintln!("left out: this C library does not trace (libc_malloc_debug.so.0 is missing)");
        return;
    }
    let statistics = profile(&log).0.statistics;
    assert_eq!((statistics.allocations, statistics.frees), (500, 400));
    assert_eq!(statistics.reallocations, 100);
    let live: u64 = (400..500).map(|at| 1000 + at).sum();
    assert_eq!(statistics.bytes_left, Bytes(live));
}

#[test]
fn files_that_heaptrack_writes_here() {
    if !is_there("heaptrack", "its file formats") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path());
    let mut found = Vec::new();
    for raw in [false, true] {
        let out = folder.path().join(if raw { "raw" } else { "interpreted" });
        let mut command = Command::new("heaptrack");
        command.args(raw.then_some("-r")).arg("-o").arg(&out).arg(&program);
        assert!(command.output().unwrap().status.success(), "heaptrack runs");
        let name = if raw { "raw." } else { "interpreted." };
        let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap());
        let file = files.into_iter().find(|file| file.file_name().to_string_lossy().starts_with(name)).unwrap();
        let (Profile { statistics, sites, .. }, _) = profile(&file.path());
        assert!(sites.iter().any(|site| site.name.contains(if raw { "program+0x" } else { "main" })), "{sites:?}");
        let ours = statistics.sizes.iter().filter(|size| (1000..1500).contains(&size.size.0));
        assert_eq!(ours.map(|size| (size.births, size.deaths)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1)), (500, 400));
        found.push((statistics.allocations, statistics.frees, statistics.requested_peak));
    }
    assert_eq!(found[0], found[1], "raw and interpreted tell the same");
}

#[test]
fn a_log_that_strace_writes_here() {
    if !is_there("strace", "its log format") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let run = Command::new("strace").args(["-f", "-tt", "-e", "trace=memory", "-o"]).arg(&log).arg("true").output();
    if !run.is_ok_and(|output| output.status.success()) {
        eprintln!("left out: strace may not trace here");
        return;
    }
    let statistics = profile(&log).0.statistics;
    assert!(statistics.allocations > 3, "{}", statistics.allocations);
}
