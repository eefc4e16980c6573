//! `heapsmith emit` through the command.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn workspace(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn heapsmith(arguments: &[&str], out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.args(arguments).arg("-o").arg(out).current_dir(workspace(".")).output().expect("the command runs")
}

fn emit(arguments: &[&str], out: &Path) -> String {
    let output = heapsmith(&[&["emit"], arguments].concat(), out);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    stderr
}

/// The heaps in `examples/`: the folder, the heap, its name, and the rest of the command that wrote it.
const EXAMPLES: &[(&str, &str, &str, &[&str])] = &[
    (
        "firmware",
        "freelists(54,66,74,78,94,337,347,370,376,378,386,394,441,939,1309,1514) \
         list(order=address, fit=first, split>=66, coalesce=immediate)",
        "packet_heap",
        &["--lang", "c", "--trace", "samples/web.pcap.xz", "--as", "easyport", "--limit", "6000"],
    ),
    ("server", "tlsf(second-level=4, largest=65536) word=8", "store_heap", &["--lang", "c"]),
    ("global", "tlsf word=8", "word_heap", &["--lang", "rust"]),
];

/// With `INSTA_UPDATE=always` the examples are written anew.
#[test]
fn the_examples_hold_what_the_command_emits() {
    for (example, heap, name, rest) in EXAMPLES {
        let dir = tempfile::tempdir().expect("a folder");
        emit(&[&[*heap, "--name", name], *rest].concat(), dir.path());
        for file in std::fs::read_dir(dir.path()).expect("the folder").flatten() {
            let kept = workspace("examples").join(example).join(file.file_name());
            let emitted = std::fs::read_to_string(file.path()).expect("text");
            if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
                std::fs::write(&kept, &emitted).expect("the example is written");
            }
            let found = std::fs::read_to_string(&kept).expect("the example");
            assert!(found == emitted, "{} is not what is emitted now: INSTA_UPDATE=always", kept.display());
        }
    }
}

#[test]
fn the_pick_of_an_exploration_is_emitted_with_its_figures() {
    let dir = tempfile::tempdir().expect("a folder");
    let explored = dir.path().join("explored");
    let explore = ["explore", "samples/ftp.pcap.xz", "--as", "drr", "--limit", "2500", "--rounds", "0", "--table"];
    let output = heapsmith(&explore, &explored);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let pick = text.lines().skip_while(|line| !line.starts_with("The pick, design ")).nth(1).expect("a pick").trim();
    let explored = explored.to_str().expect("text");
    let said = emit(&[explored, "--lang", "c", "--name", "drr"], dir.path());
    assert!(said.contains(pick), "{said}\n{pick}");
    let header = std::fs::read_to_string(dir.path().join("drr.h")).expect("the header");
    assert!(header.contains("Measured on drr of ftp.pcap.xz") && header.contains("of 2500 operations"), "{header}");
    // Measured again, the figures are the same.
    let again = tempfile::tempdir().expect("a folder");
    let trace = ["--trace", "samples/ftp.pcap.xz", "--as", "drr", "--limit", "2500"];
    emit(&[&[explored, "--lang", "c", "--name", "drr"], &trace[..]].concat(), again.path());
    assert_eq!(header, std::fs::read_to_string(again.path().join("drr.h")).expect("the header"));
}

/// A region that is asked for may be smaller than what the pick takes where there is plenty, and there it does more.
#[test]
fn the_figures_of_a_region_that_was_asked_for_are_those_of_the_answer() {
    let dir = tempfile::tempdir().expect("a folder");
    let explored = dir.path().join("explored");
    let trace =
        ["explore", "samples/web.pcap.xz", "--as", "easyport", "--limit", "3000", "--rounds", "0", "--no-peers"];
    let asked = ["--max-region", "66562", "--prefer", "speed", "--format", "json"];
    let output = heapsmith(&[&trace[..], &asked].concat(), &explored);
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).expect("rows");
    let pick = rows.iter().find(|row| row["note"] == "pick").expect("a pick");
    let explored = explored.to_str().expect("text");
    emit(&[explored, "--lang", "c", "--name", "limited"], dir.path());
    let header = std::fs::read_to_string(dir.path().join("limited.h")).expect("the header");
    let max = format!("max {} per operation", pick["max_in_region"]);
    assert!(header.contains(&max) && header.contains("reserve       66562 bytes"), "{max}\n{header}");
    let heap = pick["heap"].as_str().expect("a heap");
    let plenty = ["replay", "samples/web.pcap.xz", "--as", "easyport", "--limit", "3000", "--format", "json"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    let output = command.args(plenty).args(["--heap", heap]).current_dir(workspace(".")).output().expect("it runs");
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("rows");
    assert_ne!(rows[0]["max"], pick["max_in_region"], "the region says something");
}

/// Rings divide the whole region when they start, so one as large as the footprint elsewhere is divided otherwise.
#[test]
fn the_region_to_reserve_serves_where_the_footprint_does_not() {
    let dir = tempfile::tempdir().expect("a folder");
    let (heap, trace) = ("chunks(header=2, index=rings, sizes=powers)", "samples/programs/health.parquet");
    emit(&[heap, "--lang", "c", "--name", "rings", "--trace", trace, "--limit", "1000"], dir.path());
    let header = std::fs::read_to_string(dir.path().join("rings.h")).expect("the header");
    let bytes = |line: &str| {
        let text = header.lines().find_map(|it| it.trim_start_matches(" *").trim().strip_prefix(line));
        let number = text.and_then(|text| text.split_whitespace().next()).expect("a line of the header");
        number.parse::<u64>().expect("a number")
    };
    let refused = |region: u64| {
        let mut replay = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
        replay.current_dir(workspace("")).args(["replay", trace, "--limit", "1000", "--heap", heap]);
        let output = replay.args(["--region", &region.to_string(), "--format", "json"]).output().expect("it runs");
        let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("rows");
        rows[0]["failed"].as_u64().expect("a number")
    };
    let (footprint, reserve) = (bytes("footprint"), bytes("reserve"));
    assert!(footprint < reserve, "{header}");
    assert_eq!(refused(reserve), 0);
    assert!(refused(footprint) > 0);
}

/// Where nothing is proven of the pick, the nearest heap of which something is can be had, with the region that was promised.
#[test]
fn the_heap_of_a_guarantee_is_emitted_with_its_region() {
    let dir = tempfile::tempdir().expect("a folder");
    let explored = dir.path().join("explored");
    let explore = ["explore", "workload:modem", "--set", "calls=1", "--no-peers", "--rounds", "0", "--format", "json"];
    let output = heapsmith(&explore, &explored);
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).expect("an array of objects");
    let pick = rows.iter().find(|row| row["note"] == "pick").expect("a pick");
    let (heap, bytes) = (pick["guaranteed_heap"].as_str().expect("a spec"), &pick["guaranteed_bytes"]);
    assert_ne!(pick["heap"], heap, "the pick has none");
    let explored = explored.to_str().expect("text");
    let said = emit(&[explored, "--guaranteed", "--for", "freertos", "--name", "sure"], dir.path());
    assert!(said.contains(heap), "{said}");
    let file = |name: &str| std::fs::read_to_string(dir.path().join(name)).expect("it was emitted");
    assert!(file("sure.h").contains(&format!("never refused in {bytes} bytes")), "{}", file("sure.h"));
    assert!(file("sure_freertos.c").contains(&format!("{bytes}, in which no program like the traces is refused")));
    let plain = heapsmith(&["emit", "tlsf", "--lang", "c", "--guaranteed"], dir.path());
    assert_eq!(plain.status.code(), Some(2), "{}", String::from_utf8_lossy(&plain.stderr));
}

#[test]
fn the_header_of_macros_is_emitted_once_and_then_stays() {
    let dir = tempfile::tempdir().expect("a folder");
    let arguments = ["tlsf", "--lang", "c", "--name", "my_heap", "--with", "config,owns"];
    assert!(emit(&arguments, dir.path()).contains("my_heap_config.h"));
    let config = dir.path().join("my_heap_config.h");
    std::fs::write(&config, "mine").expect("it can be written");
    let again = emit(&arguments, dir.path());
    assert!(again.contains("my_heap.c") && !again.contains("my_heap_config.h"), "{again}");
    assert_eq!(std::fs::read_to_string(&config).expect("it is there"), "mine");
    let header = std::fs::read_to_string(dir.path().join("my_heap.h")).expect("the header");
    assert!(header.contains("bool my_heap_owns(") && !header.contains("my_heap_walk"), "{header}");
}

#[test]
fn sizes_are_printed_for_each_processor() {
    let dir = tempfile::tempdir().expect("a folder");
    let arguments = ["emit", "half-fit", "--lang", "c", "--size", "--format", "csv"];
    let output = heapsmith(&arguments, dir.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8_lossy(&output.stdout);
    let targets: Vec<&str> = table.lines().filter_map(|line| line.split(',').next()).collect();
    assert_eq!(targets, ["target", "host", "Cortex-M0+", "Cortex-M3", "Cortex-M4", "Cortex-M33", "RV32IMC"]);
    for row in table.lines().skip(1) {
        let number = |column: usize| row.split(',').nth(column).and_then(|cell| cell.parse::<u64>().ok());
        let (text, calls) = number(1).zip(number(2)).expect("bytes");
        assert!(0 < calls && calls < text, "what is not called is left out: {row}");
    }
}

#[test]
fn a_compiler_that_is_missing_costs_a_row_and_no_other() {
    // A folder of programs with the host's compiler alone.
    let dir = tempfile::tempdir().expect("a folder");
    let programs = dir.path().join("programs");
    std::fs::create_dir(&programs).expect("a folder");
    for program in ["cc", "as", "ld", "size"] {
        let path = std::env::var_os("PATH").expect("a path");
        let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|program| program.exists());
        let found = found.expect("a compiler");
        std::os::unix::fs::symlink(found, programs.join(program)).expect("a link");
    }
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.args(["emit", "half-fit", "--lang", "c", "--size", "--format", "csv", "-o", "out"]).env("PATH", &programs);
    let output = command.current_dir(dir.path()).output().expect("it runs");
    let (table, notes) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{notes}");
    let targets: Vec<&str> = table.lines().filter_map(|line| line.split(',').next()).collect();
    assert_eq!(targets, ["target", "host"]);
    assert!(notes.contains("no size for RV32IMC") && notes.contains("gcc-riscv64-unknown-elf"), "{notes}");
}

#[test]
fn what_cannot_be_emitted_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let told: Vec<String> = [
        ["tlsf", "--lang", "c", "--name", "My-Heap"],
        ["tlsf", "--lang", "c", "--name", "load"],
        ["tlsf", "--lang", "c", "--name", "class"],
        ["tlsf", "--lang", "so", "--with", "counters"],
        ["tlsf", "--lang", "rust", "--with", "counters,walk"],
        ["tlsf", "--lang", "rust", "--for", "freertos"],
        ["tlsf", "--lang", "so", "--for", "newlib"],
        ["tlsf", "--for", "vxworks", "--name", "my_heap"],
        ["stack", "--lang", "so", "--name", "my_heap"],
        ["list word=2", "--lang", "so", "--name", "my_heap"],
        ["tlfs", "--lang", "c", "--name", "my_heap"],
        ["guard(quarantine=4) tlsf", "--lang", "c", "--name", "my_heap"],
        ["zero guard(pages=all) tlsf", "--lang", "rust", "--name", "my_heap"],
        ["guard tlsf", "--lang", "so", "--name", "my_heap"],
        ["zero buddy(knuth, defragment=on-demand)", "--lang", "c", "--name", "my_heap"],
        ["regions(sram(4K), psram(64K)) tlsf", "--lang", "c", "--with", "counters"],
        ["regions(sram(4K), psram(64K)) tlsf", "--lang", "rust", "--with", "calloc"],
        ["regions(sram(4K), psram(64K)) tlsf", "--lang", "so", "--name", "my_heap"],
        ["regions(sram(4K), psram(64K)) tlsf", "--for", "freertos", "--name", "my_heap"],
        ["regions(sram(4K), psram(64K)) tlsf", "--lang", "c", "--evidence", "evidence"],
        ["regions(sram(4K), psram(64K)) tlsf", "--lang=c", "--size", "--name", "my_heap"],
        ["regions(sram(4K), psram(64K)) tlsf", "--lang=c", "--sheet", "--name", "my_heap"],
    ]
    .iter()
    .map(|arguments| {
        let output = heapsmith(&[&["emit"], &arguments[..]].concat(), dir.path());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        format!("{arguments:?}\nexit code {:?}\n{stderr}", output.status.code())
    })
    .collect();
    insta::assert_snapshot!(told.join("\n"));
}
